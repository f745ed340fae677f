#include "Launch.h"

Registered registered;

static PyObject *bind(PyObject *module, PyObject *arguments) {
  unsigned long long launch, synchronize;
  PyObject *fail, *launched, *descriptor;
  if (!PyArg_ParseTuple(arguments, "KKOOO", &launch, &synchronize, &fail, &launched, &descriptor))
    return NULL;
  registered.launch = (tegula_status (*)(const tegula_launcher *, tegula_stream *, const uint32_t[3], const uint64_t *,
                                         const uint64_t *))(uintptr_t)launch;
  registered.synchronize = (tegula_status (*)(tegula_stream *))(uintptr_t)synchronize;
  registered.fail = Py_NewRef(fail); /* for good: once a process */
  registered.launched_type = Py_NewRef(launched);
  registered.descriptor_type = Py_NewRef(descriptor);
  Py_RETURN_NONE;
}

static PyObject *bindValues(PyObject *module, PyObject *arguments) {
  PyObject *dtype, *constant, *function, *kernel_only, *number_kind;
  if (!PyArg_ParseTuple(arguments, "OOOOO", &dtype, &constant, &function, &kernel_only, &number_kind))
    return NULL;
  registered.dtype_type = Py_NewRef(dtype); /* for good, too */
  registered.constexpr_type = Py_NewRef(constant);
  registered.function_type = Py_NewRef(function);
  registered.kernel_only_type = Py_NewRef(kernel_only);
  registered.number_kind = Py_NewRef(number_kind);
  Py_RETURN_NONE;
}

static PyObject *watch(PyObject *module, PyObject *is_watched) {
  registered.is_watched = PyObject_IsTrue(is_watched) == 1;
  Py_RETURN_NONE;
}

static PyObject *setDebug(PyObject *module, PyObject *is_debug) {
  registered.is_debug = PyObject_IsTrue(is_debug) == 1;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"bind", bind, METH_VARARGS,
     "bind(launcher_launch_sized, stream_synchronize, fail, Launched, TensorDescriptor): addresses of the C "
     "interface's "
     "functions, what raises the exception of a status, and classes."},
    {"bind_values", bindValues, METH_VARARGS,
     "bind_values(dtype, constexpr, SourceFunction, KernelOnly, number_kind): classes of arguments, and a function "
     "that "
     "tells a type of numbers."},
    {"export_tensor", exportTensor, METH_VARARGS, "A capsule of DLPack for memory that `owner` keeps."},
    {"describe_tensor", describeTensor, METH_O, "What a capsule of DLPack holds."},
    {"interruption_address", interruptionAddress, METH_NOARGS, "Of a tegula_interruption_callback."},
    {"set_main_thread", setMainThread, METH_O, "The thread of which launches handle signals, by its `ident`."},
    {"printer_address", printerAddress, METH_O,
     "Of a function for tegula_launch_options.print, which calls `write(text)`. What that raises ends the launch."},
    {"take_interruption", takeInterruption, METH_NOARGS,
     "The exception because of which that function ended a launch; None where there is none."},
    {"set_debug", setDebug, METH_O, "Whether launches have the option `debug`, whatever they say."},
    {"watch", watch, METH_O, "Whether Python makes every launch, because hooks want to see it."},
    {0}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "tegula._launch", "The launch path.", -1, methods, NULL, NULL, NULL, NULL};

static bool addType(PyObject *module, PyType_Spec *spec, const char *name) {
  PyObject *type = PyType_FromSpec(spec);
  if (type && PyModule_AddObjectRef(module, name, type) == 0) {
    Py_DECREF(type);
    return true;
  }
  Py_XDECREF(type);
  return false;
}

PyMODINIT_FUNC PyInit__launch(void) {
  PyObject *module = PyModule_Create(&definition);
  if (module && addType(module, &kernelSpec, "Kernel") && addType(module, &programSpec, "Program") &&
      addType(module, &preparedSpec, "PreparedLaunch") && addType(module, &launchedSpec, "Launched"))
    return module;
  Py_XDECREF(module);
  return NULL;
}
