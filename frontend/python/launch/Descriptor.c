/* Tensor descriptors of the host as arguments. Their key is what launcher_prepare fixes: block, padding, element type
 * and device. Address, shape and strides are the launch's own. */
#include "Launch.h"

/* In the first byte of the key's first word; Arrays.c has the others. */
enum { kDescriptor = 4 };

static bool readExtents(PyObject *descriptor, const char *name, int64_t *extents, Py_ssize_t *rank) {
  PyObject *list = PyObject_GetAttrString(descriptor, name);
  bool found = list && PyList_Check(list) && PyList_Size(list) <= kMaxDescriptorRank;
  *rank = found ? PyList_Size(list) : 0;
  for (Py_ssize_t i = 0; found && i < *rank; ++i) {
    extents[i] = PyLong_AsLongLong(PyList_GetItem(list, i));
    found = extents[i] >= 0; /* -1 where it is no integer */
  }
  Py_XDECREF(list);
  PyErr_Clear();
  return found && *rank > 0;
}

/* Elements from the first to the last, INT64_MAX where they are more: no array is so long. */
static int64_t spanOf(const int64_t *shape, const int64_t *strides, Py_ssize_t rank) {
  int64_t last = 0;
  for (Py_ssize_t i = 0; i < rank; ++i) {
    if (shape[i] == 0)
      return 0;
    int64_t span;
    if (__builtin_mul_overflow(shape[i] - 1, strides[i], &span) || __builtin_add_overflow(last, span, &last))
      return INT64_MAX;
  }
  return last == INT64_MAX ? last : last + 1;
}

/* Five bits for each extent, its logarithm. */
static bool packBlock(const int64_t *block, Py_ssize_t rank, uint64_t *packed) {
  for (Py_ssize_t i = 0; i < rank; ++i) {
    uint64_t power = 0;
    while (power < 31 && (int64_t)1 << power < block[i])
      ++power;
    if ((int64_t)1 << power != block[i])
      return false;
    *packed |= power << (5 * i);
  }
  return true;
}

static bool isNan(PyObject *descriptor) {
  PyObject *padding = PyObject_GetAttrString(descriptor, "padding");
  bool is_nan = padding && PyUnicode_Check(padding) && PyUnicode_CompareWithASCIIString(padding, "nan") == 0;
  Py_XDECREF(padding);
  PyErr_Clear();
  return is_nan;
}

static bool readBase(PyObject *descriptor, PyObject *atoms, Array *array) {
  PyObject *base = PyObject_GetAttrString(descriptor, "base");
  bool found = base && readArray(base, atoms, array);
  Py_XDECREF(base); /* the descriptor has it */
  PyErr_Clear();
  return found;
}

bool readDescriptor(PyObject *value, PyObject *atoms, Call *call, Array *array, uint64_t words[2]) {
  if (call->description_count == kMaxDescriptors)
    return false;
  Description *description = &call->descriptions[call->description_count++];
  int64_t *shape = description->extents, *strides = shape + kMaxDescriptorRank, block[kMaxDescriptorRank];
  Py_ssize_t rank, stride_rank, block_rank;
  uint64_t packed = 0;
  if (!readBase(value, atoms, array) || !readExtents(value, "shape", shape, &rank) ||
      !readExtents(value, "strides", strides, &stride_rank) || !readExtents(value, "block_shape", block, &block_rank) ||
      stride_rank != rank || strides[rank - 1] != 1 || block_rank != rank || !packBlock(block, rank, &packed) ||
      spanOf(shape, strides, rank) > array->span)
    return false;
  words[0] = (uint64_t)kDescriptor << 56 | (uint64_t)rank << 48 | (uint64_t)isNan(value) << 40 | packed;
  words[1] = array->type;
  description->tensor = (tegula_tensor){array->address, shape, strides};
  array->address = (uint64_t)(uintptr_t)&description->tensor;
  return true;
}
