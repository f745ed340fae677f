/* The key by which a launch finds its Prepared: words. First the device, a bit for each option that was given, and two
 * words for each of these, as of a constexpr; then for each parameter
 *
 *   constexpr      two words: the kind of value, the value
 *   another one    one word: the kind of argument, for an array with its element type and device;
 *                  two words of a descriptor (Descriptor.c)
 *
 * Which parameters are constexpr belongs to the program, so that keys of one program are read in one way. */
#include "Launch.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of values and arguments; arrays have a tag in the first byte instead. */
enum { kNone = 1, kBool, kInt32, kInt64, kReal, kAtom };

bool atomOf(PyObject *atoms, PyObject *value, uint64_t *number) {
  PyObject *known = PyDict_GetItemWithError(atoms, value);
  if (known) {
    *number = PyLong_AsUnsignedLongLong(known);
    return true;
  }
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  static uint64_t next = 0; /* insertions run code of the value's class, and other threads meanwhile */
  *number = next++;
  PyObject *fresh = PyLong_FromUnsignedLongLong(*number);
  bool kept = fresh && PyDict_SetItem(atoms, value, fresh) == 0;
  Py_XDECREF(fresh);
  PyErr_Clear();
  return kept;
}

/* An integer of at most 64 bits, as a number and its kind. */
static bool integerWord(PyObject *value, uint64_t *kind, uint64_t *word) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  *kind = number == (int32_t)number ? kInt32 : kInt64;
  *word = (uint64_t)number;
  return !overflow;
}

static bool constantWords(PyObject *value, PyObject *atoms, uint64_t words[2]) {
  words[1] = 0;
  if (value == Py_None)
    words[0] = kNone;
  else if (PyBool_Check(value))
    words[0] = kBool, words[1] = value == Py_True;
  else if (PyLong_CheckExact(value))
    return integerWord(value, &words[0], &words[1]);
  else if (PyFloat_CheckExact(value)) {
    double number = PyFloat_AsDouble(value);
    words[0] = kReal;
    memcpy(&words[1], &number, sizeof(number));
  } else {
    words[0] = kAtom;
    bool is_text = PyUnicode_CheckExact(value) || (PyObject *)Py_TYPE(value) == registered.dtype_type;
    return is_text && atomOf(atoms, value, &words[1]);
  }
  return true;
}

/* Writes one word, or two of a descriptor. Returns how many; 0: the argument is not launched from here. */
static int argumentWords(PyObject *value, PyObject *atoms, Call *call, Array *array, uint64_t *word) {
  uint64_t number;
  int count = 1;
  if (PyLong_CheckExact(value))
    return integerWord(value, word, &number);
  if (PyFloat_CheckExact(value))
    *word = kReal;
  else if (value == Py_None)
    *word = kNone;
  else if (PyBool_Check(value))
    *word = kBool;
  else {
    if ((PyObject *)Py_TYPE(value) == registered.descriptor_type)
      count = readDescriptor(value, atoms, call, array, word) ? 2 : 0;
    else if (readArray(value, atoms, array))
      *word = array->type;
    else
      count = 0;
    if (count && array->streams && !call->on_device)
      call->on_device = array;
  }
  return count;
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

/* Returns the end of the options' words; NULL where such launches are not prepared. */
static uint64_t *optionWords(const Kernel *kernel, const Program *program, const Call *call, uint64_t *given,
                             uint64_t *next) {
  *given = 0;
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
      int count = argumentWords(call->values[i], program->atoms, call, &call->arrays[i], next);
      if (!count)
        return 0;
      next += count;
    }
  }
  return deviceWord(call, program->atoms, &words[0]) ? (size_t)(next - words) : 0;
}
