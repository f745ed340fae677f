#include "Launch.h"

/* The entries of the tuple, from which they are borrowed; false with an exception. */
static bool readWatched(Program *program, PyObject *watched) {
  Py_ssize_t count = PyTuple_Size(watched);
  program->watch = PyMem_Calloc((size_t)count + 1, sizeof(*program->watch));
  if (!program->watch) {
    PyErr_NoMemory();
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    Watched *entry = &program->watch[i];
    if (!PyArg_ParseTuple(PyTuple_GetItem(watched, i), "OOO", &entry->namespace, &entry->name, &entry->value))
      return false;
  }
  program->watch_count = count;
  return true;
}

static int initProgram(PyObject *self, PyObject *arguments, PyObject *named) {
  Program *program = (Program *)self;
  PyObject *constexprs, *watched, *absent;
  if (!PyArg_ParseTuple(arguments, "SO!O", &constexprs, &PyTuple_Type, &watched, &absent))
    return -1;
  program->prepared = PyDict_New();
  program->atoms = PyDict_New();
  if (!program->prepared || !program->atoms || !readWatched(program, watched))
    return -1;
  program->constexprs = Py_NewRef(constexprs);
  program->watched = Py_NewRef(watched);
  program->absent = Py_NewRef(absent);
  return 0;
}

/* Whether the name still has the value: of a module or function a dict's item, of a closure the cell's contents. */
static bool isUnchanged(const Watched *entry, PyObject *absent) {
  bool is_cell = entry->name == Py_None;
  PyObject *found = is_cell ? PyObject_GetAttrString(entry->namespace, "cell_contents")
                            : PyDict_GetItemWithError(entry->namespace, entry->name);
  bool same = found ? found == entry->value : entry->value == absent;
  if (!found)
    PyErr_Clear();
  else if (is_cell)
    Py_DECREF(found);
  return same;
}

bool isCurrent(const Program *program) {
  for (Py_ssize_t i = 0; i < program->watch_count; ++i)
    if (!isUnchanged(&program->watch[i], program->absent))
      return false;
  return true;
}

PyObject *preparedFor(Program *program, const uint64_t *words, size_t count) {
  PyObject *found = findRecent(program->recent, words, count);
  if (found)
    return Py_NewRef(found);
  PyObject *key = PyBytes_FromStringAndSize((const char *)words, (Py_ssize_t)(count * sizeof(*words)));
  found = key ? PyDict_GetItemWithError(program->prepared, key) : NULL;
  Py_XDECREF(key);
  if (!found)
    PyErr_Clear();
  if (!found || found == Py_None)
    return NULL;
  Py_INCREF(found);
  keepRecent(program->recent, words, count, found);
  return found;
}

void dropPrepared(Program *program, const uint64_t *words, size_t count) {
  PyObject *key = PyBytes_FromStringAndSize((const char *)words, (Py_ssize_t)(count * sizeof(*words)));
  clearRecent(program->recent);
  if (!key || PyDict_DelItem(program->prepared, key))
    PyErr_Clear();
  Py_XDECREF(key);
}

static PyObject *currentProgram(PyObject *self, PyObject *nothing) {
  return PyBool_FromLong(isCurrent((const Program *)self));
}

static PyObject *setPrepared(PyObject *self, PyObject *arguments) {
  PyObject *key, *prepared;
  Program *program = (Program *)self;
  if (!PyArg_ParseTuple(arguments, "SO", &key, &prepared) || PyDict_SetItem(program->prepared, key, prepared))
    return NULL;
  clearRecent(program->recent);
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
  for (size_t i = 0; i < kRecentCount; ++i)
    Py_VISIT(program->recent[i].prepared);
  return 0;
}

static int clearProgram(PyObject *self) {
  Program *program = (Program *)self;
  program->watch_count = 0; /* they are borrowed from `watched` */
  clearRecent(program->recent);
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
  PyMem_Free(((Program *)self)->watch);
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
