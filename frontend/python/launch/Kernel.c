#include "Launch.h"

#include <stdlib.h>
#include <strings.h>

static int initKernel(PyObject *self, PyObject *arguments, PyObject *named) {
  Kernel *kernel = (Kernel *)self;
  PyObject *names, *defaults, *options, *ignored;
  if (!PyArg_ParseTuple(arguments, "O!O!O!O!", &PyTuple_Type, &names, &PyDict_Type, &defaults, &PyTuple_Type, &options,
                        &PyTuple_Type, &ignored))
    return -1;
  kernel->names = Py_NewRef(names);
  kernel->parameter_count = PyTuple_Size(names);
  kernel->defaults = Py_NewRef(defaults);
  return makePlaces(kernel, options, ignored) ? 0 : -1;
}

/* The first three axes of a tuple or list, or an integer; false where Python has to look at the grid. */
static bool readGrid(PyObject *value, uint32_t grid[3]) {
  grid[0] = grid[1] = grid[2] = 1;
  bool is_tuple = PyTuple_Check(value), is_list = PyList_Check(value);
  Py_ssize_t count = is_tuple ? PyTuple_Size(value) : is_list ? PyList_Size(value) : 1;
  if (count < 1)
    return false;
  for (Py_ssize_t i = 0; i < count && i < 3; ++i) {
    PyObject *axis = is_tuple ? PyTuple_GetItem(value, i) : is_list ? PyList_GetItem(value, i) : value;
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(axis, &overflow);
    if (overflow || number < 0 || number > INT32_MAX) {
      PyErr_Clear(); /* of what is no integer */
      return false;
    }
    grid[i] = (uint32_t)number;
  }
  if (grid[1] == 0 || grid[2] == 0)
    grid[0] = 0; /* the library takes zeros at the end as axes that are left out */
  return true;
}

/* Calls the grid's function, before anything is read from the arguments, which it may change. False with its
 * exception. */
static bool evaluateGrid(const Kernel *kernel, Call *call) {
  if (!call->is_launch || !PyCallable_Check(call->grid))
    return true;
  PyObject *values = valuesByName(kernel, call);
  call->axes = values ? PyObject_CallFunctionObjArgs(call->grid, values, NULL) : NULL;
  Py_XDECREF(values);
  return call->axes;
}

/* As devices.interpreted(). */
static bool isInterpreted(void) {
  static const char *const on[] = {"1", "true", "yes", "on", "y"};
  const char *text = getenv("TRITON_INTERPRET");
  for (size_t i = 0; text && i < sizeof(on) / sizeof(*on); ++i)
    if (strcasecmp(text, on[i]) == 0)
      return true;
  return false;
}

/* The program, loaded anew where names have changed; a new reference, so that it outlives a replacement by another
 * thread. NULL with an exception. */
static Program *currentProgram(Kernel *kernel) {
  if (!kernel->program || !isCurrent((const Program *)kernel->program)) {
    PyObject *loaded = PyObject_CallMethod((PyObject *)kernel, "_load", NULL);
    if (!loaded)
      return NULL;
    PyObject *before = kernel->program;
    kernel->program = loaded;
    Py_XDECREF(before);
  }
  return (Program *)Py_NewRef(kernel->program);
}

/* The launch by Python: launch(program, grid, arguments, named, key); `key` may be NULL. */
static PyObject *launchByPython(Kernel *kernel, const Call *call, PyObject *const *arguments, Py_ssize_t count,
                                PyObject *names, Program *program, PyObject *key) {
  Py_ssize_t named_count = names ? PyTuple_Size(names) : 0;
  PyObject *positional = PyTuple_New(count), *named = PyDict_New(), *result = NULL;
  bool made = positional && named;
  for (Py_ssize_t i = 0; made && i < count; ++i)
    made = PyTuple_SetItem(positional, i, Py_NewRef(arguments[i])) == 0;
  for (Py_ssize_t i = 0; made && i < named_count; ++i)
    made = PyDict_SetItem(named, PyTuple_GetItem(names, i), arguments[count + i]) == 0;
  if (made)
    result = PyObject_CallMethod((PyObject *)kernel, call->is_launch ? "_launch" : "_prepare_only", "OOOOO",
                                 program ? (PyObject *)program : Py_None, call->axes ? call->axes : call->grid,
                                 positional, named, key ? key : Py_None);
  Py_XDECREF(positional);
  Py_XDECREF(named);
  return result;
}

/* What is prepared for the key of `count` words, none where that is 0: launched, where `launches`. NULL without an
 * exception: there is nothing, or not for these values. */
static PyObject *findPrepared(Program *program, const Call *call, const uint64_t *words, size_t count, bool launches) {
  Prepared *prepared = count ? (Prepared *)preparedFor(program, words, count) : NULL;
  if (!prepared)
    return NULL;
  if (prepared->program && !isCurrent((const Program *)prepared->program)) {
    Py_DECREF((PyObject *)prepared);
    dropPrepared(program, words, count);
    return NULL;
  }
  uint64_t slots[2 * kMaxParameters]; /* and their extents */
  uint32_t grid[3];
  PyObject *result = NULL;
  if (fillSlots(prepared, call, slots)) {
    if (!launches)
      result = makeLaunched(prepared, slots);
    else if (readGrid(call->axes ? call->axes : call->grid, grid))
      result = launchPrepared(prepared, call, grid, slots);
  }
  Py_DECREF((PyObject *)prepared);
  return result;
}

/* Launches by Python, which prepares the next launch with the key. What the launch returns is what that would run. */
static PyObject *launchAndPrepare(Kernel *kernel, Program *program, const Call *call, PyObject *const *arguments,
                                  Py_ssize_t count, PyObject *names, const uint64_t *words, size_t word_count) {
  PyObject *key = NULL;
  if (word_count && !(key = PyBytes_FromStringAndSize((const char *)words, (Py_ssize_t)(word_count * sizeof(*words)))))
    return NULL;
  bool is_known = key && PyDict_Contains(program->prepared, key) == 1;
  PyObject *result = launchByPython(kernel, call, arguments, count, names, program, is_known ? NULL : key);
  PyObject *prepared = result ? findPrepared(program, call, words, word_count, false) : NULL;
  if (prepared) {
    Py_DECREF(result);
    result = prepared;
  }
  Py_XDECREF(key);
  return result;
}

/* Python launches what is not prepared, and every launch that hooks want to see. */
static PyObject *launchProgram(Kernel *kernel, Program *program, Call *call, PyObject *const *arguments,
                               Py_ssize_t count, PyObject *names) {
  uint64_t words[kMaxKeyWords];
  size_t word_count = makeKey(kernel, program, call, words);
  bool is_watched = call->is_launch && registered.is_watched;
  PyObject *result = is_watched ? NULL : findPrepared(program, call, words, word_count, call->is_launch);
  if (result || PyErr_Occurred())
    return result;
  return launchAndPrepare(kernel, program, call, arguments, count, names, words, word_count);
}

static PyObject *launch(Kernel *kernel, PyObject *grid, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
                        bool is_launch) {
  Call call;
  call.device = call.axes = NULL;
  call.grid = grid;
  call.is_launch = is_launch;
  if (!bindCall(kernel, arguments, count, names, &call) || !call.grid || isInterpreted()) {
    if (!call.grid)
      call.grid = Py_None;
    return launchByPython(kernel, &call, arguments, count, names, NULL, NULL);
  }
  Program *program = evaluateGrid(kernel, &call) ? currentProgram(kernel) : NULL;
  PyObject *result = program ? launchProgram(kernel, program, &call, arguments, count, names) : NULL;
  Py_XDECREF(call.axes);
  Py_XDECREF((PyObject *)program);
  return result;
}

/* kernel.run(..., grid=...) */
static PyObject *run(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
  return launch((Kernel *)self, NULL, arguments, count, names, true);
}

/* kernel.prepare(..., grid=...) */
static PyObject *prepare(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
  return launch((Kernel *)self, NULL, arguments, count, names, false);
}

/* kernel[grid](...); `pair` is (kernel, grid). */
static PyObject *runBound(PyObject *pair, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
  return launch((Kernel *)PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1), arguments, count, names, true);
}

static PyMethodDef bound = {"launch", (PyCFunction)(void (*)(void))runBound, METH_FASTCALL | METH_KEYWORDS,
                            "Launches the kernel on its grid."};

/* Whether a grid holds numbers alone. Such grids may be kept until the next launch; a function would keep alive what
 * its closure holds, tensors for example. */
static bool isOfNumbers(PyObject *grid) {
  if (PyLong_CheckExact(grid))
    return true;
  bool is_tuple = PyTuple_CheckExact(grid);
  for (Py_ssize_t i = 0; is_tuple && i < PyTuple_Size(grid); ++i)
    is_tuple = PyLong_CheckExact(PyTuple_GetItem(grid, i));
  return is_tuple;
}

static PyObject *bindGrid(PyObject *self, PyObject *grid) {
  Kernel *kernel = (Kernel *)self;
  if (kernel->last_bound && grid == kernel->last_grid)
    return Py_NewRef(kernel->last_bound);
  PyObject *pair = PyTuple_Pack(2, self, grid);
  PyObject *result = pair ? PyCFunction_NewEx(&bound, pair, NULL) : NULL;
  Py_XDECREF(pair);
  if (result && isOfNumbers(grid)) {
    PyObject *before = kernel->last_bound;
    kernel->last_bound = Py_NewRef(result);
    kernel->last_grid = grid;
    Py_XDECREF(before);
  }
  return result;
}

static int traverseKernel(PyObject *self, visitproc visit, void *arg) {
  Kernel *kernel = (Kernel *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(kernel->defaults);
  Py_VISIT(kernel->program);
  Py_VISIT(kernel->last_bound);
  return 0;
}

static int clearKernel(PyObject *self) {
  Kernel *kernel = (Kernel *)self;
  Py_CLEAR(kernel->names);
  Py_CLEAR(kernel->places);
  Py_CLEAR(kernel->defaults);
  Py_CLEAR(kernel->program);
  Py_CLEAR(kernel->last_names);
  Py_CLEAR(kernel->last_bound);
  return 0;
}

static void freeKernel(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearKernel(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"run", (PyCFunction)(void (*)(void))run, METH_FASTCALL | METH_KEYWORDS, "Launches: run(..., grid=...)."},
    {"prepare", (PyCFunction)(void (*)(void))prepare, METH_FASTCALL | METH_KEYWORDS,
     "Prepares a launch and returns what it would run; None where such launches are not prepared."},
    {0}};
static PyType_Slot slots[] = {{Py_tp_init, initKernel},
                              {Py_mp_subscript, bindGrid},
                              {Py_tp_traverse, traverseKernel},
                              {Py_tp_clear, clearKernel},
                              {Py_tp_dealloc, freeKernel},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "Kernel(names, defaults, options, ignored)"},
                              {0}};
PyType_Spec kernelSpec = {"tegula._launch.Kernel", sizeof(Kernel), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
