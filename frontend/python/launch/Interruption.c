/* Signals while a kernel runs on the CPU: Python would handle them when the launch has returned. The library asks, in
 * the thread that launches, whether the launch is to end; in Python's main thread that handles the signals. */
#include "Launch.h"

/* What a signal's handler raised, until the launch's failure is raised. Only the main thread handles signals. */
static PyObject *raised;

static int32_t isInterrupted(void *user) {
  if (!Py_IsInitialized())
    return 0;
  PyGILState_STATE state = PyGILState_Ensure();
  int32_t stops = PyErr_CheckSignals() != 0;
  if (stops) {
    PyObject *type, *value, *trace, *before = raised;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    raised = value;
    Py_XDECREF(type);
    Py_XDECREF(trace);
    Py_XDECREF(before);
  }
  PyGILState_Release(state);
  return stops;
}

PyObject *interruptionAddress(PyObject *module, PyObject *nothing) {
  return PyLong_FromUnsignedLongLong((uintptr_t)isInterrupted);
}

PyObject *takeInterruption(PyObject *module, PyObject *nothing) {
  PyObject *result = raised ? raised : Py_NewRef(Py_None);
  raised = NULL;
  return result;
}
