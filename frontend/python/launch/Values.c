/* Values that are no arrays, as words of a launch's key: the kind and the value. Values of one kind with one word are
 * one constant to the compiler, whatever their types in Python: 3, numpy.int64(3) and an IntEnum's member of 3 are, 3,
 * 3.0 and True are not. Arguments.py converts values in the same way. */
#include "Launch.h"

#include <string.h>

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

bool unsignedOf(PyObject *value, uint64_t *word) {
  PyObject *whole = PyNumber_Index(value);
  *word = whole ? PyLong_AsUnsignedLongLong(whole) : 0;
  Py_XDECREF(whole);
  bool fits = !PyErr_Occurred();
  PyErr_Clear();
  return fits;
}

/* An integer, as a number and its kind; of a type that has __index__, too. */
static bool integerWords(PyObject *value, uint64_t words[2]) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (number == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  words[0] = number == (int32_t)number ? kInt32 : kInt64;
  words[1] = (uint64_t)number;
  if (!overflow)
    return true;
  words[0] = kUint64;
  return overflow > 0 && unsignedOf(value, &words[1]);
}

static bool realWords(PyObject *value, uint64_t words[2]) {
  double number = PyFloat_AsDouble(value);
  words[0] = kReal;
  memcpy(&words[1], &number, sizeof(number));
  bool is_number = number != -1 || !PyErr_Occurred();
  PyErr_Clear();
  return is_number;
}

char numberKind(PyTypeObject *type) {
  static PyObject *known = NULL;
  if (!known && !(known = PyDict_New())) {
    PyErr_Clear();
    return 0;
  }
  PyObject *kind = PyDict_GetItem(known, (PyObject *)type);
  if (!kind) {
    kind = PyObject_CallFunctionObjArgs(registered.number_kind, (PyObject *)type, NULL);
    bool kept = kind && PyDict_SetItem(known, (PyObject *)type, kind) == 0;
    Py_XDECREF(kind);
    if (!kept) {
      PyErr_Clear();
      return 0;
    }
  }
  long code = PyLong_AsLong(kind);
  PyErr_Clear();
  return code > 0 ? (char)code : 0;
}

bool numberWords(PyObject **value, uint64_t words[2]) {
  if (PyLong_CheckExact(*value) || PyLong_Check(*value))
    return integerWords(*value, words);
  if (PyFloat_CheckExact(*value) || PyFloat_Check(*value))
    return realWords(*value, words);
  switch (numberKind(Py_TYPE(*value))) {
  case 'b': {
    int is_true = PyObject_IsTrue(*value);
    *value = is_true == 1 ? Py_True : Py_False; /* slots are filled from it */
    words[0] = kBool, words[1] = is_true == 1;
    PyErr_Clear();
    return is_true >= 0;
  }
  case 'i': return integerWords(*value, words);
  case 'r': return realWords(*value, words);
  default: return false;
  }
}

static bool textWords(PyObject *value, PyObject *atoms, uint64_t words[2]) {
  words[0] = kAtom;
  PyObject *text = PyUnicode_FromObject(value); /* a class derived from str may compare and hash in its own way */
  bool known = text && atomOf(atoms, text, &words[1]);
  Py_XDECREF(text);
  PyErr_Clear();
  return known;
}

PyObject *unwrapped(PyObject *value) {
  while ((PyObject *)Py_TYPE(value) == registered.constexpr_type) {
    PyObject *inner = PyObject_GetAttrString(value, "_value");
    if (!inner) {
      PyErr_Clear();
      break;
    }
    Py_DECREF(inner); /* the wrapper, which the caller has, holds it */
    value = inner;
  }
  return value;
}

/* A tuple of constants and functions: the atom of its elements' words. */
static bool tupleWords(PyObject *tuple, PyObject *atoms, uint64_t words[2]) {
  uint64_t parts[2 * kMaxTuple];
  Py_ssize_t count = PyTuple_Size(tuple);
  bool are_known = count <= kMaxTuple && Py_EnterRecursiveCall("") == 0;
  if (are_known) {
    for (Py_ssize_t i = 0; are_known && i < count; ++i)
      are_known = constantWords(PyTuple_GetItem(tuple, i), atoms, &parts[2 * i]);
    Py_LeaveRecursiveCall();
  }
  PyErr_Clear();
  if (!are_known)
    return false;
  PyObject *bytes = PyBytes_FromStringAndSize((const char *)parts, 2 * count * (Py_ssize_t)sizeof(*parts));
  words[0] = kGiven;
  bool known = bytes && atomOf(atoms, bytes, &words[1]);
  Py_XDECREF(bytes);
  PyErr_Clear();
  return known;
}

bool givenWords(PyObject *value, PyObject *atoms, uint64_t words[2]) {
  if (PyTuple_CheckExact(value))
    return tupleWords(value, atoms, words);
  words[0] = kGiven;
  bool is_function = PyObject_TypeCheck(value, (PyTypeObject *)registered.function_type) ||
                     PyObject_TypeCheck(value, (PyTypeObject *)registered.kernel_only_type);
  return is_function && atomOf(atoms, value, &words[1]);
}

bool constantWords(PyObject *value, PyObject *atoms, uint64_t words[2]) {
  if (value == Py_None || PyBool_Check(value)) {
    words[0] = value == Py_None ? kNone : kBool;
    words[1] = value == Py_True;
    return true;
  }
  if (PyLong_CheckExact(value))
    return integerWords(value, words);
  if (PyUnicode_CheckExact(value) || (PyObject *)Py_TYPE(value) == registered.dtype_type) {
    words[0] = kAtom;
    return atomOf(atoms, value, &words[1]);
  }
  if (PyUnicode_Check(value)) /* before numbers, as Arguments.py does */
    return textWords(value, atoms, words);
  PyObject *inner = unwrapped(value);
  if (inner != value)
    return constantWords(inner, atoms, words);
  return numberWords(&value, words) || givenWords(value, atoms, words);
}
