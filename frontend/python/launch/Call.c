#include "Launch.h"

/* Places of options, beside the parameters' from 0 on. */
enum { kDevice = -1, kWarps = -2, kStages = -3, kGrid = -4, kIgnored = -5 };

static bool setPlace(PyObject *places, PyObject *name, long place) {
  PyObject *number = PyLong_FromLong(place);
  bool done = number && PyDict_SetItem(places, name, number) == 0;
  Py_XDECREF(number);
  return done;
}

static bool setIgnored(PyObject *places, PyObject *names) {
  Py_ssize_t count = PyTuple_Size(names);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!setPlace(places, PyTuple_GetItem(names, i), kIgnored))
      return false;
  return count >= 0;
}

/* `options`: the names of device, num_warps, num_stages and grid, in this order. A parameter hides an option. */
bool makePlaces(Kernel *kernel, PyObject *options, PyObject *ignored) {
  kernel->places = PyDict_New();
  if (!kernel->places || !setIgnored(kernel->places, ignored))
    return false;
  for (long i = 0; i < 4; ++i)
    if (!setPlace(kernel->places, PyTuple_GetItem(options, i), kDevice - i))
      return false;
  Py_ssize_t count = PyTuple_Size(kernel->names);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!setPlace(kernel->places, PyTuple_GetItem(kernel->names, i), (long)i))
      return false;
  return true;
}

static bool setNamed(const Kernel *kernel, PyObject *name, PyObject *value, Call *call) {
  PyObject *place = PyDict_GetItem(kernel->places, name);
  if (!place)
    return false;
  PyObject **at;
  long number = PyLong_AsLong(place);
  switch (number) {
  case kDevice: at = &call->device; break;
  case kWarps: at = &call->num_warps; break;
  case kStages: at = &call->num_stages; break;
  case kGrid: at = &call->grid; break;
  case kIgnored: return true;
  default: at = &call->values[number];
  }
  if (*at)
    return false; /* given by position, too */
  *at = value;
  return true;
}

bool bindCall(const Kernel *kernel, PyObject *const *arguments, Py_ssize_t count, PyObject *names, Call *call) {
  Py_ssize_t parameters = PyTuple_Size(kernel->names);
  Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  if (count > parameters || parameters > kMaxParameters)
    return false;
  for (Py_ssize_t i = 0; i < parameters; ++i)
    call->values[i] = i < count ? arguments[i] : NULL;
  for (Py_ssize_t i = 0; i < named; ++i)
    if (!setNamed(kernel, PyTuple_GetItem(names, i), arguments[count + i], call))
      return false;
  for (Py_ssize_t i = count; i < parameters; ++i)
    if (!call->values[i] && !(call->values[i] = PyDict_GetItem(kernel->defaults, PyTuple_GetItem(kernel->names, i))))
      return false;
  return true;
}

PyObject *valuesByName(const Kernel *kernel, const Call *call) {
  PyObject *result = PyDict_New();
  Py_ssize_t parameters = PyTuple_Size(kernel->names);
  for (Py_ssize_t i = 0; result && i < parameters; ++i)
    if (PyDict_SetItem(result, PyTuple_GetItem(kernel->names, i), call->values[i]))
      Py_CLEAR(result);
  return result;
}
