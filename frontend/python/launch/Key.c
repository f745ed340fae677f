/* The key by which a launch finds its Prepared: words. First the device, a bit for each option that was given
 * and one of TRITON_DEBUG, and two words for each of these options, as of a constexpr; then for each parameter
 *
 *   constexpr      two words: the kind of value, the value
 *   another one    one word: the kind of argument, for an array with its element type and device;
 *                  two words of a descriptor (Descriptor.c), and of a tuple or function, which is a part of the source
 *
 * Which parameters are constexpr belongs to the program, so that keys of one program are read in one way. */
#include "Launch.h"

#include <stdlib.h>

/* A descriptor or an array. Returns how many words it writes; 0: it is neither, or not launched from here. */
static int arrayWords(PyObject *value, PyObject *atoms, Call *call, Array *array, uint64_t *word) {
  int count = 1;
  if ((PyObject *)Py_TYPE(value) == registered.descriptor_type)
    count = readDescriptor(value, atoms, call, array, word) ? 2 : 0;
  else if (readArray(value, atoms, array))
    *word = array->type;
  else
    count = 0;
  if (count && array->streams && !call->on_device)
    call->on_device = array;
  return count;
}

/* What is neither an array nor of one of Python's own types of numbers. */
static int otherWords(PyObject **value, PyObject *atoms, uint64_t *word) {
  uint64_t words[2];
  if (!numberWords(value, words))
    return givenWords(*value, atoms, word) ? 2 : 0;
  *word = words[0];
  return 1;
}

/* The same of any argument. Of a number slots hold the value: its kind is enough. Exact types come first, because in
 * the limited API a test for a derived one is a call. */
static int argumentWords(PyObject **value, PyObject *atoms, Call *call, Array *array, uint64_t *word) {
  if ((PyObject *)Py_TYPE(*value) == registered.constexpr_type)
    *value = unwrapped(*value);
  if (PyLong_CheckExact(*value)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(*value, &overflow);
    *word = number == (int32_t)number ? kInt32 : kInt64;
    return overflow ? otherWords(value, atoms, word) : 1;
  }
  if (PyFloat_CheckExact(*value))
    return *word = kReal, 1;
  if (*value == Py_None)
    return *word = kNone, 1;
  if (PyBool_Check(*value))
    return *word = kBool, 1;
  int count = arrayWords(*value, atoms, call, array, word);
  return count ? count : otherWords(value, atoms, word);
}

/* A launch on arrays of the host that names no device: the environment's is part of the key. Arrays in memory of a
 * device decide it themselves, and their words have it. */
static bool deviceWord(const Call *call, PyObject *atoms, uint64_t *word) {
  if (call->device && call->device != Py_None)
    return atomOf(atoms, call->device, word);
  const char *name = call->on_device ? NULL : getenv("TEGULA_DEVICE");
  *word = ~(uint64_t)0;
  if (!name || !*name)
    return true;
  PyObject *text = PyUnicode_FromString(name);
  bool known = text && atomOf(atoms, text, word);
  Py_XDECREF(text);
  PyErr_Clear();
  return known;
}

/* In the bits of the options that were given: the process has the option `debug`. */
#define DEBUG_BIT ((uint64_t)1 << 63)

/* Returns the end of the options' words; NULL where such launches are not prepared. */
static uint64_t *optionWords(const Kernel *kernel, const Program *program, const Call *call, uint64_t *given,
                             uint64_t *next) {
  *given = registered.is_debug ? DEBUG_BIT : 0;
  for (Py_ssize_t i = 0; i < kernel->option_count; ++i) {
    PyObject *value = call->options[i];
    if (!value || value == Py_None)
      continue;
    if (!constantWords(value, program->atoms, next))
      return NULL;
    *given |= (uint64_t)1 << i;
    next += 2;
  }
  return next;
}

size_t makeKey(const Kernel *kernel, const Program *program, Call *call, uint64_t words[kMaxKeyWords]) {
  uint64_t *next = optionWords(kernel, program, call, &words[1], words + 2);
  const char *is_constexpr = PyBytes_AsString(program->constexprs);
  call->on_device = NULL;
  call->description_count = 0;
  if (!next)
    return 0;
  for (Py_ssize_t i = 0; i < kernel->parameter_count; ++i) {
    if (is_constexpr[i]) {
      if (!constantWords(call->values[i], program->atoms, next))
        return 0;
      next += 2;
    } else {
      int count = argumentWords(&call->values[i], program->atoms, call, &call->arrays[i], next);
      if (!count)
        return 0;
      next += count;
    }
  }
  return deviceWord(call, program->atoms, &words[0]) ? (size_t)(next - words) : 0;
}
