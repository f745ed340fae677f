#include "Launch.h"

#include <string.h>

/* Places of options, beside the parameters' from 0 on: of Call.options from kFirstOption down. */
enum { kDevice = -1, kGrid = -2, kIgnored = -3, kFirstOption = -4 };

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

static bool setPlaceOfText(PyObject *places, const char *name, long place) {
  PyObject *text = PyUnicode_FromString(name);
  bool done = text && setPlace(places, text, place);
  Py_XDECREF(text);
  return done;
}

/* `options`: the names of Call.options. A parameter hides an option. */
bool makePlaces(Kernel *kernel, PyObject *options, PyObject *ignored) {
  kernel->places = PyDict_New();
  kernel->option_count = PyTuple_Size(options);
  if (kernel->option_count > kMaxOptions) {
    PyErr_SetString(PyExc_ValueError, "too many options");
    return false;
  }
  if (!kernel->places || !setIgnored(kernel->places, ignored) || !setPlaceOfText(kernel->places, "device", kDevice) ||
      !setPlaceOfText(kernel->places, "grid", kGrid))
    return false;
  for (long i = 0; i < kernel->option_count; ++i)
    if (!setPlace(kernel->places, PyTuple_GetItem(options, i), kFirstOption - i))
      return false;
  Py_ssize_t count = PyTuple_Size(kernel->names);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!setPlace(kernel->places, PyTuple_GetItem(kernel->names, i), (long)i))
      return false;
  return true;
}

static bool setNamed(int place, PyObject *value, Call *call) {
  PyObject **at;
  switch (place) {
  case kDevice: at = &call->device; break;
  case kGrid: at = &call->grid; break;
  case kIgnored: return true;
  default: at = place < 0 ? &call->options[kFirstOption - place] : &call->values[place];
  }
  if (*at)
    return false; /* given by position, too */
  *at = value;
  return true;
}

/* The item of a dict whose keys are texts; NULL where it has none. A borrowed reference. */
static PyObject *itemOf(PyObject *dict, PyObject *name) {
  PyObject *item = PyDict_GetItemWithError(dict, name);
  if (!item)
    PyErr_Clear();
  return item;
}

/* Finds the places of a call's names, and keeps them for the next call. False: a name has none, or they are too many
 * to be kept. */
static bool keepPlaces(Kernel *kernel, PyObject *names, Py_ssize_t count) {
  int16_t places[kMaxKeptNames];
  if (count > kMaxKeptNames)
    return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *place = itemOf(kernel->places, PyTuple_GetItem(names, i));
    if (!place)
      return false;
    places[i] = (int16_t)PyLong_AsLong(place);
  }
  memcpy(kernel->last_places, places, (size_t)count * sizeof(*places));
  PyObject *before = kernel->last_names;
  kernel->last_names = Py_NewRef(names);
  Py_XDECREF(before);
  return true;
}

/* `arguments`: one for each name. */
static bool setAllNamed(Kernel *kernel, PyObject *const *arguments, PyObject *names, Call *call) {
  Py_ssize_t count = PyTuple_Size(names);
  if (names != kernel->last_names && !keepPlaces(kernel, names, count)) {
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject *place = itemOf(kernel->places, PyTuple_GetItem(names, i));
      if (!place || !setNamed((int)PyLong_AsLong(place), arguments[i], call))
        return false;
    }
    return true;
  }
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!setNamed(kernel->last_places[i], arguments[i], call))
      return false;
  return true;
}

bool bindCall(Kernel *kernel, PyObject *const *arguments, Py_ssize_t count, PyObject *names, Call *call) {
  Py_ssize_t parameters = kernel->parameter_count;
  if (count > parameters || parameters > kMaxParameters)
    return false;
  for (Py_ssize_t i = 0; i < parameters; ++i)
    call->values[i] = i < count ? arguments[i] : NULL;
  memset(call->options, 0, (size_t)kernel->option_count * sizeof(*call->options));
  if (names && !setAllNamed(kernel, arguments + count, names, call))
    return false;
  for (Py_ssize_t i = count; i < parameters; ++i)
    if (!call->values[i] && !(call->values[i] = itemOf(kernel->defaults, PyTuple_GetItem(kernel->names, i))))
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
