#include "Launch.h"

#include <math.h>
#include <string.h>

static int initPrepared(PyObject *self, PyObject *arguments, PyObject *named) {
  Prepared *prepared = (Prepared *)self;
  unsigned long long launcher, stream;
  PyObject *slots, *program;
  int is_ours;
  if (!PyArg_ParseTuple(arguments, "KKpO!O", &launcher, &stream, &is_ours, &PyTuple_Type, &slots, &program))
    return -1;
  Py_ssize_t count = PyTuple_Size(slots);
  if (count > kMaxParameters) {
    PyErr_SetString(PyExc_ValueError, "too many slots");
    return -1;
  }
  prepared->launcher = (const tegula_launcher *)(uintptr_t)launcher;
  prepared->stream = (tegula_stream *)(uintptr_t)stream;
  prepared->is_ours = is_ours;
  prepared->program = program == Py_None ? NULL : Py_NewRef(program);
  prepared->slot_count = (uint32_t)count;
  for (Py_ssize_t i = 0; i < count; ++i) {
    Slot *slot = &prepared->slots[i];
    if (!PyArg_ParseTuple(PyTuple_GetItem(slots, i), "Iii", &slot->parameter, &slot->kind, &slot->type) ||
        slot->parameter >= kMaxParameters)
      return -1;
    prepared->description_count += slot->kind == TEGULA_ARG_DESCRIPTOR;
  }
  return 0;
}

static int traversePrepared(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((Prepared *)self)->program);
  return 0;
}

static int clearPrepared(PyObject *self) {
  Py_CLEAR(((Prepared *)self)->program);
  return 0;
}

static void freePrepared(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearPrepared(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* The range of integers of a type: negative and positive ends as they fit in 64 bits. False for other types. */
static bool fitsInteger(tegula_dtype type, long long number, bool *fits) {
  switch (type) {
  case TEGULA_I8: *fits = number >= INT8_MIN && number <= INT8_MAX; return true;
  case TEGULA_I16: *fits = number >= INT16_MIN && number <= INT16_MAX; return true;
  case TEGULA_I32: *fits = number >= INT32_MIN && number <= INT32_MAX; return true;
  case TEGULA_U8: *fits = number >= 0 && number <= UINT8_MAX; return true;
  case TEGULA_U16: *fits = number >= 0 && number <= UINT16_MAX; return true;
  case TEGULA_U32: *fits = number >= 0 && number <= UINT32_MAX; return true;
  case TEGULA_U64: *fits = number >= 0; return true;
  case TEGULA_I64: *fits = true; return true;
  default: return false;
  }
}

static bool fillReal(tegula_dtype type, PyObject *value, uint64_t *slot) {
  double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred())
    return false;
  if (type == TEGULA_F64) {
    memcpy(slot, &number, sizeof(number));
    return true;
  }
  float narrow = (float)number;
  memcpy(slot, &narrow, sizeof(narrow));
  return isfinite(narrow) || !isfinite(number);
}

static bool fillScalar(tegula_dtype type, PyObject *value, uint64_t *slot) {
  *slot = 0;
  if (type == TEGULA_F32 || type == TEGULA_F64)
    return fillReal(type, value, slot);
  bool fits;
  long long number = PyLong_AsLongLong(value);
  if (number == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return type == TEGULA_U64 && unsignedOf(value, slot);
  }
  if (type == TEGULA_I1) {
    *slot = number != 0;
    return true;
  }
  *slot = (uint64_t)number;
  return fitsInteger(type, number, &fits) && fits;
}

bool fillSlots(const Prepared *prepared, const Call *call, uint64_t *slots) {
  uint64_t *extents = slots + prepared->slot_count;
  for (uint32_t i = 0; i < prepared->slot_count; ++i) {
    const Slot *slot = &prepared->slots[i];
    extents[i] = slot->kind == TEGULA_ARG_ADDRESS ? call->arrays[slot->parameter].bytes : 0;
    if (slot->kind != TEGULA_ARG_SCALAR)
      slots[i] = call->arrays[slot->parameter].address;
    else if (!fillScalar(slot->type, call->values[slot->parameter], &slots[i])) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}

/* Python wraps the vendor's handle, or finds it out; both are kept for the next launch. */
static bool askStream(Prepared *prepared, PyObject *native) {
  PyObject *stream = native ? PyObject_CallMethod((PyObject *)prepared, "stream_of", "O", native) : NULL;
  unsigned long long address = stream ? PyLong_AsUnsignedLongLong(stream) : 0;
  Py_XDECREF(stream);
  if (PyErr_Occurred())
    return false;
  prepared->stream = (tegula_stream *)(uintptr_t)address;
  return true;
}

static bool chooseStream(Prepared *prepared, const Call *call) {
  if (prepared->is_ours)
    return true;
  uint64_t native;
  if (!call->on_device)
    return askStream(prepared, Py_None);
  if (!currentStream(call->on_device, &native))
    return false;
  if (prepared->stream && prepared->native == native)
    return true;
  PyObject *number = PyLong_FromUnsignedLongLong(native);
  bool done = askStream(prepared, number);
  Py_XDECREF(number);
  if (done)
    prepared->native = native;
  return done;
}

PyObject *makeLaunched(Prepared *prepared, const uint64_t *slots) {
  enum { kWords = sizeof(Description) / sizeof(*slots) };
  PyObject *result = PyType_GenericAlloc((PyTypeObject *)registered.launched_type,
                                         2 * prepared->slot_count + prepared->description_count * kWords);
  if (!result)
    return NULL;
  Launched *launched = (Launched *)result;
  launched->prepared = Py_NewRef((PyObject *)prepared);
  memcpy(launched->slots, slots, 2 * prepared->slot_count * sizeof(*slots));
  Description *next = (Description *)(launched->slots + 2 * prepared->slot_count);
  for (uint32_t i = 0; i < prepared->slot_count; ++i)
    if (prepared->slots[i].kind == TEGULA_ARG_DESCRIPTOR) {
      *next = *(const Description *)(uintptr_t)slots[i]; /* the tensor is its first member */
      next->tensor.shape = next->extents;
      next->tensor.strides = next->extents + kMaxDescriptorRank;
      launched->slots[i] = (uint64_t)(uintptr_t)next++;
    }
  return result;
}

PyObject *launchPrepared(Prepared *prepared, const Call *call, const uint32_t grid[3], const uint64_t *slots) {
  if (!chooseStream(prepared, call))
    return NULL;
  const tegula_launcher *launcher = prepared->launcher;
  tegula_stream *stream = prepared->stream;
  bool is_ours = prepared->is_ours;
  tegula_status status;
  const uint64_t *extents = slots + prepared->slot_count;
  Py_BEGIN_ALLOW_THREADS status = registered.launch(launcher, stream, grid, slots, extents);
  if (!status && is_ours)
    status = registered.synchronize(stream);
  Py_END_ALLOW_THREADS if (status) {
    Py_XDECREF(PyObject_CallFunction(registered.fail, "i", (int)status));
    return NULL;
  }
  return raiseInterruption() ? NULL : makeLaunched(prepared, slots);
}

static PyObject *getStream(PyObject *self, void *closure) {
  return PyLong_FromUnsignedLongLong((uintptr_t)((Prepared *)self)->stream);
}

static PyObject *getIsOurs(PyObject *self, void *closure) { return PyBool_FromLong(((Prepared *)self)->is_ours); }

static PyGetSetDef getters[] = {{"stream", getStream, NULL, "The address of the last launch's stream; 0: none.", NULL},
                                {"is_ours", getIsOurs, NULL, "Whether that is Tegula's own.", NULL},
                                {0}};
static PyType_Slot preparedSlots[] = {
    {Py_tp_getset, getters},
    {Py_tp_init, initPrepared},
    {Py_tp_traverse, traversePrepared},
    {Py_tp_clear, clearPrepared},
    {Py_tp_dealloc, freePrepared},
    {Py_tp_doc, "PreparedLaunch(launcher, stream, is_ours, slots, program): slots are (parameter, kind, type)"},
    {0}};
PyType_Spec preparedSpec = {"tegula._launch.PreparedLaunch", sizeof(Prepared), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, preparedSlots};
