#include "Launch.h"

static int initProgram(PyObject *self, PyObject *arguments, PyObject *named) {
  Program *program = (Program *)self;
  PyObject *constexprs, *watched, *absent;
  if (!PyArg_ParseTuple(arguments, "SO!O", &constexprs, &PyTuple_Type, &watched, &absent))
    return -1;
  program->prepared = PyDict_New();
  program->atoms = PyDict_New();
  if (!program->prepared || !program->atoms)
    return -1;
  program->constexprs = Py_NewRef(constexprs);
  program->watched = Py_NewRef(watched);
  program->absent = Py_NewRef(absent);
  return 0;
}

/* Whether the name still has the value: of a module or function a dict's item, of a closure the cell's contents. */
static bool isUnchanged(PyObject *entry, PyObject *absent) {
  PyObject *namespace = PyTuple_GetItem(entry, 0), *name = PyTuple_GetItem(entry, 1),
           *value = PyTuple_GetItem(entry, 2);
  if (name != Py_None) {
    PyObject *found = PyDict_GetItem(namespace, name);
    return found ? found == value : value == absent;
  }
  PyObject *found = PyObject_GetAttrString(namespace, "cell_contents");
  bool same = found ? found == value : value == absent;
  Py_XDECREF(found);
  PyErr_Clear();
  return same;
}

bool isCurrent(const Program *program) {
  Py_ssize_t count = PyTuple_Size(program->watched);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!isUnchanged(PyTuple_GetItem(program->watched, i), program->absent))
      return false;
  return true;
}

static PyObject *currentProgram(PyObject *self, PyObject *nothing) {
  return PyBool_FromLong(isCurrent((const Program *)self));
}

static PyObject *setPrepared(PyObject *self, PyObject *arguments) {
  PyObject *key, *prepared;
  if (!PyArg_ParseTuple(arguments, "SO", &key, &prepared) || PyDict_SetItem(((Program *)self)->prepared, key, prepared))
    return NULL;
  Py_RETURN_NONE;
}

static PyObject *preparedLaunches(PyObject *self, PyObject *nothing) {
  return PyDict_Copy(((Program *)self)->prepared);
}

static int traverseProgram(PyObject *self, visitproc visit, void *arg) {
  Program *program = (Program *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(program->watched);
  Py_VISIT(program->prepared);
  Py_VISIT(program->atoms);
  return 0;
}

static int clearProgram(PyObject *self) {
  Program *program = (Program *)self;
  Py_CLEAR(program->constexprs);
  Py_CLEAR(program->watched);
  Py_CLEAR(program->absent);
  Py_CLEAR(program->prepared);
  Py_CLEAR(program->atoms);
  return 0;
}

static void freeProgram(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearProgram(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"is_current", currentProgram, METH_NOARGS, "Whether all names still have the values that were passed."},
    {"set_prepared", setPrepared, METH_VARARGS, "set_prepared(key, PreparedLaunch or None)"},
    {"prepared_launches", preparedLaunches, METH_NOARGS, "A copy of the dict from keys to prepared launches."},
    {0}};
static PyType_Slot slots[] = {{Py_tp_init, initProgram},
                              {Py_tp_traverse, traverseProgram},
                              {Py_tp_clear, clearProgram},
                              {Py_tp_dealloc, freeProgram},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "Program(constexprs: bytes, watched: tuple, absent)"},
                              {0}};
PyType_Spec programSpec = {"tegula._launch.Program", sizeof(Program), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
