#include "Launch.h"

/* Only launches make objects that have one. */
static bool hasPrepared(PyObject *self) {
  if (!((Launched *)self)->prepared)
    PyErr_SetString(PyExc_AttributeError, "this object is of no launch");
  return ((Launched *)self)->prepared;
}

static PyObject *getPrepared(PyObject *self, void *closure) {
  return hasPrepared(self) ? Py_NewRef(((Launched *)self)->prepared) : NULL;
}

/* Of the launch's slots, or of their extents. */
static PyObject *wordsOf(PyObject *self, bool ofExtents) {
  Launched *launched = (Launched *)self;
  if (!hasPrepared(self))
    return NULL;
  uint32_t count = ((Prepared *)launched->prepared)->slot_count;
  return PyBytes_FromStringAndSize((const char *)(launched->slots + (ofExtents ? count : 0)),
                                   count * (Py_ssize_t)sizeof(*launched->slots));
}

static PyObject *getSlots(PyObject *self, void *closure) { return wordsOf(self, false); }

static PyObject *getExtents(PyObject *self, void *closure) { return wordsOf(self, true); }

static int traverseLaunched(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((Launched *)self)->prepared);
  return 0;
}

static int clearLaunched(PyObject *self) {
  Py_CLEAR(((Launched *)self)->prepared);
  return 0;
}

static void freeLaunched(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearLaunched(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyGetSetDef getters[] = {
    {"prepared", getPrepared, NULL, "The PreparedLaunch.", NULL},
    {"slots", getSlots, NULL, "The arguments' slots, as bytes; valid as long as this object.", NULL},
    {"extents", getExtents, NULL, "The bytes of memory behind each slot's address, as bytes.", NULL},
    {0}};
static PyType_Slot slots[] = {{Py_tp_getset, getters},
                              {Py_tp_traverse, traverseLaunched},
                              {Py_tp_clear, clearLaunched},
                              {Py_tp_dealloc, freeLaunched},
                              {Py_tp_doc, "What a launch ran: the prepared launch and the arguments' slots"},
                              {0}};
PyType_Spec launchedSpec = {"tegula._launch.Launched", offsetof(Launched, slots), sizeof(uint64_t),
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
