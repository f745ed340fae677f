/* Signals while a kernel runs on the CPU: Python would handle them when the launch has returned. The library asks, in
 * the thread that launches, whether the launch is to end; in Python's main thread that handles the signals. */
#include "Launch.h"

/* What a signal's handler or a callback of a launch raised, until the launch's failure is raised. */
static PyObject *raised;
/* Python's main thread, which alone handles signals, as PyThread_get_thread_ident() has it. */
static unsigned long main_thread;
/* Is called with what device_print writes. */
static PyObject *printer;

/* Takes the exception that is set. */
static void keepRaised(void) {
  PyObject *type, *value, *trace, *before = raised;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace)
    PyException_SetTraceback(value, trace);
  raised = value;
  Py_XDECREF(before);
  Py_XDECREF(type);
  Py_XDECREF(trace);
}

static int32_t isInterrupted(void *user) {
  if (PyThread_get_thread_ident() != main_thread || !Py_IsInitialized())
    return 0;
  PyGILState_STATE state = PyGILState_Ensure();
  if (PyErr_CheckSignals() != 0)
    keepRaised();
  int32_t stops = raised != NULL;
  PyGILState_Release(state);
  return stops;
}

/* What device_print writes. Not by ctypes, which drops exceptions: signals are also handled while Python writes. */
static void printText(void *user, const char *text, size_t size) {
  if (!Py_IsInitialized())
    return;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
  PyObject *written = string ? PyObject_CallFunctionObjArgs(printer, string, NULL) : NULL;
  if (!written)
    keepRaised();
  Py_XDECREF(written);
  Py_XDECREF(string);
  PyGILState_Release(state);
}

PyObject *interruptionAddress(PyObject *module, PyObject *nothing) {
  return PyLong_FromUnsignedLongLong((uintptr_t)isInterrupted);
}

PyObject *setMainThread(PyObject *module, PyObject *ident) {
  main_thread = PyLong_AsUnsignedLong(ident);
  return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

PyObject *printerAddress(PyObject *module, PyObject *write) {
  PyObject *before = printer;
  printer = Py_NewRef(write);
  Py_XDECREF(before);
  return PyLong_FromUnsignedLongLong((uintptr_t)printText);
}

bool raiseInterruption(void) {
  PyObject *exception = raised;
  raised = NULL;
  if (exception)
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
  Py_XDECREF(exception);
  return exception != NULL;
}

PyObject *takeInterruption(PyObject *module, PyObject *nothing) {
  PyObject *result = raised ? raised : Py_NewRef(Py_None);
  raised = NULL;
  return result;
}
