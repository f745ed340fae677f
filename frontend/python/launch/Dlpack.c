#include "Dlpack.h"
#include "Launch.h"

enum { kMaxRank = 8 }; /* of Tegula's buffers */
static const char kCapsule[] = "dltensor";

typedef struct {
  DlManagedTensor managed;
  int64_t extents[2 * kMaxRank]; /* shape, strides */
} Exported;

static void releaseExported(DlManagedTensor *managed) {
  PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF((PyObject *)managed->context);
  PyMem_Free(managed);
  PyGILState_Release(state);
}

/* A consumer renames the capsule, and calls `release` itself. */
static void freeCapsule(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, kCapsule))
    return;
  DlManagedTensor *managed = PyCapsule_GetPointer(capsule, kCapsule);
  managed->release(managed);
}

static bool readExtents(PyObject *tuple, int64_t *extents, Py_ssize_t count) {
  if (PyTuple_Size(tuple) != count)
    return false;
  for (Py_ssize_t i = 0; i < count; ++i)
    extents[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
  return !PyErr_Occurred();
}

PyObject *exportTensor(PyObject *module, PyObject *arguments) {
  PyObject *owner, *shape, *strides;
  unsigned long long address;
  Exported *exported = PyMem_Calloc(1, sizeof(Exported));
  if (!exported)
    return PyErr_NoMemory();
  DlTensor *tensor = &exported->managed.tensor;
  if (!PyArg_ParseTuple(arguments, "OKiibbO!O!", &owner, &address, &tensor->device_type, &tensor->device_index,
                        &tensor->code, &tensor->bits, &PyTuple_Type, &shape, &PyTuple_Type, &strides))
    goto failed;
  tensor->data = (void *)(uintptr_t)address;
  tensor->rank = (int32_t)PyTuple_Size(shape);
  tensor->lanes = 1;
  tensor->shape = exported->extents;
  tensor->strides = exported->extents + kMaxRank;
  if (tensor->rank > kMaxRank || !readExtents(shape, tensor->shape, tensor->rank) ||
      !readExtents(strides, tensor->strides, tensor->rank)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_BufferError, "shape and strides have as many entries, 8 at most");
    goto failed;
  }
  exported->managed.context = Py_NewRef(owner);
  exported->managed.release = releaseExported;
  PyObject *capsule = PyCapsule_New(exported, kCapsule, freeCapsule);
  if (!capsule)
    releaseExported(&exported->managed);
  return capsule;
failed:
  PyMem_Free(exported);
  return NULL;
}

static PyObject *tupleOf(const int64_t *extents, int32_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (int32_t i = 0; tuple && i < count; ++i)
    if (PyTuple_SetItem(tuple, i, PyLong_FromLongLong(extents[i])))
      Py_CLEAR(tuple);
  return tuple;
}

PyObject *describeTensor(PyObject *module, PyObject *capsule) {
  const DlManagedTensor *managed = PyCapsule_GetPointer(capsule, kCapsule);
  if (!managed)
    return NULL;
  const DlTensor *tensor = &managed->tensor;
  PyObject *shape = tupleOf(tensor->shape, tensor->rank);
  PyObject *strides = tensor->strides ? tupleOf(tensor->strides, tensor->rank) : Py_NewRef(Py_None);
  unsigned long long address = (uintptr_t)tensor->data + tensor->byte_offset;
  if (shape && strides)
    return Py_BuildValue("KiiiiiNN", address, (int)tensor->device_type, (int)tensor->device_index, (int)tensor->code,
                         (int)tensor->bits, (int)tensor->lanes, shape, strides);
  Py_XDECREF(shape);
  Py_XDECREF(strides);
  return NULL;
}
