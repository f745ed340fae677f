/* The launch path of the Python package: the extension module `tegula._launch`, of CPython's limited API.
 *
 * What every launch does is here: arguments to parameters, the look-up of the prepared launch, the slots, the call of
 * tegula_launcher_launch_sized. What happens once for each kind of launch is Python, in frontend/python/tegula, which
 * this module calls where it finds nothing prepared. It knows the C interface only by the two functions that `bind` is
 * given, and no vendor.
 *
 *   kernel[grid](x, n, BLOCK=64)
 *     Call.c      values[parameter] and options, from positions and names
 *     Program.c   have names that the kernel uses other values now? Then Python loads the kernel anew
 *     Key.c       types of arguments and values of constants, as words
 *     Values.c    the words of values that are no arrays
 *     Recent.c    the words' Prepared, if one of the last launches had them
 *     Program.c   else by a dict; none: Python launches, and prepares the next launch with these words
 *     Prepared.c  the arguments' slots, the stream, the launch; the Launched that the caller gets
 *
 * Interruption.c: what Ctrl-C does while a kernel runs on the CPU. */
#ifndef TEGULA_PYTHON_LAUNCH_H
#define TEGULA_PYTHON_LAUNCH_H

#define Py_LIMITED_API 0x030A0000 /* 3.10 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <tegula/tegula.h>

/* Kernels with more parameters are launched by Python alone. */
enum { kMaxParameters = 128 };
/* Launches with more descriptors, too. A rank of 5 is the C interface's limit. */
enum { kMaxDescriptors = 8, kMaxDescriptorRank = 5 };
/* Options of a launch that are part of its key, beside the device. */
enum { kMaxOptions = 32 };
/* Launches with longer tuples, too. */
enum { kMaxTuple = 32 };
/* Words of a key: two, and at most two for each option and parameter (Key.c). */
enum { kMaxKeyWords = 2 + 2 * (kMaxOptions + kMaxParameters) };
/* How many names a call may give for their places to be kept, and how many launches of a program are kept. */
enum { kMaxKeptNames = 32, kRecentCount = 16 };

/* An array or tensor as a launch sees it. */
typedef struct {
  uint64_t type;       /* element type, and the device or memory it is in; not 0 */
  uint64_t address;    /* of the first element; of a descriptor that of a tegula_tensor */
  int64_t span;        /* elements from the first to the last; -1: not known */
  uint64_t bytes;      /* of memory from `address` to the end of the last element; 0: not known */
  const void *streams; /* NULL, or the interface of its package that knows the current stream (Arrays.c) */
  int32_t device_type, device_index; /* as that interface numbers them */
} Array;

/* A descriptor's tensor, whose extents are the other member. */
typedef struct {
  tegula_tensor tensor;
  int64_t extents[2 * kMaxDescriptorRank]; /* shape; from kMaxDescriptorRank on strides */
} Description;

/* What a launch was given. References are borrowed from the caller. */
typedef struct {
  PyObject *values[kMaxParameters];
  Array arrays[kMaxParameters];   /* of values that are arrays; Key.c fills them in */
  PyObject *device, *grid;        /* NULL or None: not given */
  PyObject *options[kMaxOptions]; /* the same */
  PyObject *axes; /* what the grid's function returned, a reference of its own; NULL: it was not called */
  Description descriptions[kMaxDescriptors];
  uint32_t description_count;
  bool is_launch;         /* false: it is only prepared */
  const Array *on_device; /* the first array whose package tells its stream, or NULL */
} Call;

/* The base of JITFunction. */
typedef struct {
  PyObject_HEAD PyObject *names; /* tuple of the parameters' names */
  PyObject *places;              /* dict from names of parameters and options to their place (Call.c) */
  PyObject *defaults;            /* dict from names to values */
  PyObject *program;             /* NULL: not loaded yet */
  Py_ssize_t parameter_count, option_count;
  /* The names of the last call, and their places. A call's names are one tuple of its code, so that the next call of
   * the same place in a program has the same tuple. */
  PyObject *last_names;
  int16_t last_places[kMaxKeptNames];
  PyObject *last_bound; /* what kernel[grid] made last of a grid of numbers, or NULL */
  PyObject *last_grid;  /* borrowed from it */
} Kernel;

/* A launch that was made lately. `count` is 0 where there is none. */
typedef struct {
  uint64_t *words;
  size_t count;
  PyObject *prepared;
} Recent;

/* A name that a kernel uses: in `namespace`, a dict, or a cell if `name` is None. References are borrowed. */
typedef struct {
  PyObject *namespace, *name, *value;
} Watched;

/* The base of Loaded: a kernel's source as it was handed to the compiler, and the launches that are prepared. */
typedef struct {
  PyObject_HEAD PyObject *constexprs; /* bytes, one for each parameter, not 0: constexpr */
  PyObject *watched;                  /* tuple of (namespace, name or None, value) */
  PyObject *absent;                   /* the value in `watched` of a name that nothing has bound */
  PyObject *prepared;                 /* dict from keys to Prepared, or to None: such launches are not prepared */
  PyObject *atoms;                    /* dict from hashable values to their numbers in keys */
  Watched *watch;                     /* the entries of `watched` */
  Py_ssize_t watch_count;
  Recent recent[kRecentCount]; /* of `prepared` */
} Program;

typedef struct {
  uint32_t parameter;
  tegula_argument_kind kind;
  tegula_dtype type;
} Slot;

/* The base of PreparedLaunch. */
typedef struct {
  PyObject_HEAD const tegula_launcher *launcher;
  PyObject *program; /* the Program that has the kernel with the arguments that are a part of the source, or NULL */
  tegula_stream
      *stream;     /* for the next launch: Tegula's own, or the one last used of the package that has the arrays */
  uint64_t native; /* the vendor's handle of the latter */
  bool is_ours;    /* Tegula's own: launches wait for their work */
  uint32_t description_count;
  uint32_t slot_count;
  Slot slots[kMaxParameters];
} Prepared;

/* The base of CompiledKernel: which code a launch ran, asked for later or never. */
typedef struct {
  PyVarObject ob_base; /* PyObject_VAR_HEAD */
  PyObject *prepared;
  uint64_t slots[]; /* of the launch, then its extents, then the Descriptions that slots point to; the object's size
                     * counts all, in words */
} Launched;

extern PyType_Spec kernelSpec, programSpec, preparedSpec, launchedSpec;

/* What Python registers with `bind`. */
typedef struct {
  tegula_status (*launch)(const tegula_launcher *, tegula_stream *, const uint32_t[3], const uint64_t *slots,
                          const uint64_t *extents);
  tegula_status (*synchronize)(tegula_stream *);
  PyObject *fail;                             /* raises the exception of a status */
  PyObject *launched_type;                    /* the class of what launches return */
  PyObject *dtype_type;                       /* the class of element types as constants */
  PyObject *constexpr_type;                   /* the class of tl.constexpr */
  PyObject *function_type, *kernel_only_type; /* classes of the functions that may be arguments */
  PyObject *number_kind; /* of a type: the code of 'b' boolean, 'i' integer, 'r' real; 0: its values are no numbers */
  PyObject *descriptor_type; /* the class of tensor descriptors */
  bool is_watched;           /* hooks want to see every launch, which Python then makes */
  bool is_debug;             /* launches have the option `debug`, whatever they say */
} Registered;
extern Registered registered;

/* Call.c. False: the arguments do not fit, and no exception is set; Python finds out why. */
bool bindCall(Kernel *kernel, PyObject *const *arguments, Py_ssize_t count, PyObject *names, Call *call);
bool makePlaces(Kernel *kernel, PyObject *options, PyObject *ignored);
/* The arguments by parameter, as a grid's function gets them; a new reference. */
PyObject *valuesByName(const Kernel *kernel, const Call *call);

/* Arrays.c. 1; 0, the value is no array that is launched in place; no exception is set. */
int readArray(PyObject *value, PyObject *atoms, Array *array);
/* Descriptor.c. The two words of a key, and the array's address; false where it is not launched from here. */
bool readDescriptor(PyObject *value, PyObject *atoms, Call *call, Array *array, uint64_t words[2]);
/* The current stream of the package that has the array; false with an exception. */
bool currentStream(const Array *array, uint64_t *native);

/* Dlpack.c. export_tensor(owner, address, device type, device index, code, bits, shape, strides): a capsule, which
 * keeps `owner` alive. describe_tensor(capsule): (address, device type, device index, code, bits, lanes, shape,
 * strides). */
PyObject *exportTensor(PyObject *module, PyObject *arguments);
PyObject *describeTensor(PyObject *module, PyObject *capsule);
PyObject *interruptionAddress(PyObject *module, PyObject *nothing);
PyObject *setMainThread(PyObject *module, PyObject *ident);
PyObject *printerAddress(PyObject *module, PyObject *write);
PyObject *takeInterruption(PyObject *module, PyObject *nothing);
/* Raises what a callback of a call that has succeeded was ended by; false where there is nothing. */
bool raiseInterruption(void);

/* Values.c. Kinds of values in keys; arrays have a tag in the first byte instead. kAtom: the word is the number of a
 * text or element type (atomOf); kGiven: of a tuple, or of a function, which are a part of the kernel's source. */
enum { kNone = 1, kBool, kInt32, kInt64, kUint64, kReal, kAtom, kGiven };
/* Kind and value. They return false where a launch with the value is not prepared; no exception is set. */
bool constantWords(PyObject *value, PyObject *atoms, uint64_t words[2]);
bool givenWords(PyObject *value, PyObject *atoms, uint64_t words[2]);
/* Of a number of any type. A boolean that is not Python's is replaced by Python's. */
bool numberWords(PyObject **value, uint64_t words[2]);
/* What registered.number_kind says of a type. Found out once; the types of arguments are kept for as long as the
 * process runs. */
char numberKind(PyTypeObject *type);
/* An integer from 2**63 to 2**64 - 1. */
bool unsignedOf(PyObject *value, uint64_t *word);
/* The value in a tl.constexpr, of which it is borrowed; others as they are. */
PyObject *unwrapped(PyObject *value);
/* The number of a value among those of its dict; false where it cannot be hashed, without an exception. */
bool atomOf(PyObject *atoms, PyObject *value, uint64_t *number);

/* Key.c. The words of a launch's key, and how many they are; 0 where such launches are not prepared. No exception is
 * set. */
size_t makeKey(const Kernel *kernel, const Program *program, Call *call, uint64_t words[kMaxKeyWords]);

/* Recent.c. A borrowed reference, or NULL. */
PyObject *findRecent(const Recent *recent, const uint64_t *words, size_t count);
void keepRecent(Recent *recent, const uint64_t *words, size_t count, PyObject *prepared);
void clearRecent(Recent *recent);

/* Program.c */
bool isCurrent(const Program *program);
/* The Prepared for a key of `count` words, a new reference; NULL without an exception: there is none. */
PyObject *preparedFor(Program *program, const uint64_t *words, size_t count);
/* Forgets it. */
void dropPrepared(Program *program, const uint64_t *words, size_t count);

/* Prepared.c. Fills in the slots; false where a value has no place in its slot. No exception is set. */
bool fillSlots(const Prepared *prepared, const Call *call, uint64_t *slots);
/* A Launched; NULL with an exception. */
PyObject *makeLaunched(Prepared *prepared, const uint64_t *slots);
PyObject *launchPrepared(Prepared *prepared, const Call *call, const uint32_t grid[3], const uint64_t *slots);

#endif
