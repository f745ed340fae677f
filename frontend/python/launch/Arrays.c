/* Arrays and tensors of other packages. How a Python type describes its arrays is found out once, and kept:
 *
 *   DLPack's table of C functions   PyTorch from 2.10 on: address, type and device without a Python object
 *   __array_struct__                NumPy's arrays and whatever is in memory of the host
 *   data_ptr(), dtype, device       other tensors, by attributes
 *
 * A launch's key has the element type and the device as the package tells them; what they mean to Tegula, Python
 * decides when the launch is prepared. */
#include "Dlpack.h"
#include "Launch.h"

#include <string.h>

/* NumPy's array interface, version 3 (numpy.org/doc/stable/reference/arrays.interface.html). */
typedef struct {
  int two, rank;
  char kind;
  int item_bytes, flags;
  Py_ssize_t *shape, *strides;
  void *data;
} ArrayStruct;

enum { kRowMajor = 1, kColumnMajor = 2, kAligned = 0x100, kNotSwapped = 0x200, kWriteable = 0x400 };

/* The first byte of Array.type. The largest of the numbers that share the others. */
enum { kExchanged = 1, kStruct = 2, kAttributes = 3, kMaxAtom = 0xffffff };

static uint64_t tagged(uint64_t kind, uint64_t rest) { return kind << 56 | rest; }

static int readExchanged(PyObject *value, const DlExchange *exchange, Array *array) {
  DlTensor tensor;
  if (exchange->tensor_from_object(value, &tensor)) {
    PyErr_Clear();
    return 0;
  }
  array->type =
      tagged(kExchanged, (uint64_t)(uint8_t)tensor.device_type << 48 | (uint64_t)(uint16_t)tensor.device_index << 32 |
                             (uint64_t)tensor.code << 24 | (uint64_t)tensor.bits << 16 | tensor.lanes);
  array->address = (uint64_t)(uintptr_t)tensor.data + tensor.byte_offset;
  array->span = tensor.strides ? 1 : -1;
  bool rises = tensor.strides;
  for (int32_t i = 0; tensor.strides && i < tensor.rank; ++i) {
    rises &= tensor.strides[i] >= 0;
    array->span = tensor.shape[i] && array->span ? array->span + (tensor.shape[i] - 1) * tensor.strides[i] : 0;
  }
  array->bytes = rises ? (uint64_t)array->span * (((uint64_t)tensor.bits * tensor.lanes + 7) / 8) : 0;
  array->streams = tensor.device_type == kDlCpu ? NULL : exchange;
  array->device_type = tensor.device_type;
  array->device_index = tensor.device_index;
  return 1;
}

/* Arrays that kernels may write to, without gaps. Python launches with the others, and with
 *   rank 0       NumPy's scalars describe themselves as arrays, whose memory ends with the capsule
 *   other kinds  'V' is the kind of every type that NumPy does not know, so that two of one size would have one key */
static int readStruct(PyObject *value, PyObject *name, Array *array) {
  PyObject *capsule = PyObject_GetAttr(value, name);
  const ArrayStruct *as = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
  int wanted = kAligned | kNotSwapped | kWriteable;
  int found = as && as->two == 2 && as->rank > 0 && as->kind && strchr("biuf", as->kind) &&
              (as->flags & wanted) == wanted && as->flags & (kRowMajor | kColumnMajor);
  if (found) {
    array->type = tagged(kStruct, (uint64_t)(uint8_t)as->kind << 32 | (uint32_t)as->item_bytes);
    array->address = (uint64_t)(uintptr_t)as->data;
    array->span = -1;
    array->bytes = (uint64_t)as->item_bytes; /* without gaps */
    for (int i = 0; i < as->rank; ++i)
      array->bytes *= (uint64_t)as->shape[i];
    array->streams = NULL;
  }
  Py_XDECREF(capsule);
  PyErr_Clear();
  return found;
}

static bool attributeAtom(PyObject *value, const char *name, PyObject *atoms, uint64_t *number) {
  PyObject *attribute = PyObject_GetAttrString(value, name);
  bool known = attribute && atomOf(atoms, attribute, number);
  Py_XDECREF(attribute);
  return known;
}

static int readAttributes(PyObject *value, PyObject *atoms, Array *array) {
  uint64_t type = 0, device = 0;
  PyObject *address = NULL;
  bool found = attributeAtom(value, "dtype", atoms, &type) && attributeAtom(value, "device", atoms, &device) &&
               type <= kMaxAtom && device <= kMaxAtom && (address = PyObject_CallMethod(value, "data_ptr", NULL)) &&
               PyLong_Check(address);
  if (found) {
    array->type = tagged(kAttributes, type << 24 | device);
    array->address = PyLong_AsUnsignedLongLong(address);
    array->span = -1;
    array->bytes = 0;
    array->streams = NULL;
    found = !PyErr_Occurred();
  }
  Py_XDECREF(address);
  PyErr_Clear();
  return found;
}

/* How a type describes its arrays: a capsule with DLPack's functions, the attribute's name, True for attributes of
 * tensors, or None. A borrowed reference, which stays valid; NULL with an exception. The types of arguments are kept
 * for as long as the process runs: programs have few, and classes are rarely freed. */
static PyObject *descriptionOf(PyTypeObject *type) {
  static PyObject *known = NULL;
  if (!known && !(known = PyDict_New()))
    return NULL;
  PyObject *found = PyDict_GetItem(known, (PyObject *)type);
  if (found)
    return found;
  if (numberKind(type)) /* NumPy's scalars describe themselves as arrays */
    return PyDict_SetItem(known, (PyObject *)type, Py_None) == 0 ? Py_None : NULL;
  found = PyObject_GetAttrString((PyObject *)type, "__dlpack_c_exchange_api__");
  const DlExchange *exchange = found ? PyCapsule_GetPointer(found, "dlpack_exchange_api") : NULL;
  if (!exchange || exchange->major != kDlMajor || !exchange->tensor_from_object) {
    Py_XDECREF(found);
    PyErr_Clear();
    if (PyObject_HasAttrString((PyObject *)type, "data_ptr"))
      found = PyBool_FromLong(1);
    else if (PyObject_HasAttrString((PyObject *)type, "__array_struct__"))
      found = PyUnicode_InternFromString("__array_struct__");
    else
      found = Py_NewRef(Py_None);
  }
  bool kept = found && PyDict_SetItem(known, (PyObject *)type, found) == 0;
  Py_XDECREF(found);
  return kept ? found : NULL;
}

int readArray(PyObject *value, PyObject *atoms, Array *array) {
  /* Of the last array: most launches have arrays of one type. descriptionOf keeps the type and its description. */
  static PyTypeObject *type = NULL;
  static PyObject *description;
  static const DlExchange *exchange; /* where the description is a capsule */
  if (Py_TYPE(value) != type) {
    PyObject *found = descriptionOf(Py_TYPE(value));
    if (!found)
      PyErr_Clear();
    if (!found || found == Py_None)
      return 0;
    bool is_capsule = found != Py_True && !PyUnicode_Check(found);
    exchange = is_capsule ? PyCapsule_GetPointer(found, "dlpack_exchange_api") : NULL;
    description = found;
    type = Py_TYPE(value);
  }
  int found = exchange                 ? readExchanged(value, exchange, array)
              : description == Py_True ? readAttributes(value, atoms, array)
                                       : readStruct(value, description, array);
  return found && array->address; /* at 0 is a tensor without elements, or one without memory, which Python refuses */
}

bool currentStream(const Array *array, uint64_t *native) {
  const DlExchange *exchange = array->streams;
  void *stream = NULL;
  if (exchange->current_stream(array->device_type, array->device_index, &stream))
    return false;
  *native = (uint64_t)(uintptr_t)stream;
  return true;
}
