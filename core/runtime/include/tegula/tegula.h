/* Tegula's C interface: compile Triton-language kernels and launch them on any device that is there.
 *
 *   tegula_device *device;
 *   tegula_stream *stream;
 *   tegula_kernel *add;
 *   if (tegula_require(TEGULA_ABI_VERSION) || tegula_device_open(NULL, &device) ||
 *       tegula_stream_create(device, &stream) || tegula_kernel_load("vector_add.py", "add_kernel", NULL, &add))
 *     fprintf(stderr, "%s\n", tegula_last_error());
 *
 * The rules below hold for every function; docs/c-api.md explains them with examples.
 *
 * Status.  Each function that can fail returns a tegula_status, 0 for success. The message of a thread's last failed
 * call is tegula_last_error() in that thread. A failed call leaves its outputs unchanged.
 *
 * Handles.  Pointers to incomplete types. The caller owns what a function with `_create`, `_open`, `_load`, `_wrap`,
 * `_view`, `_record`, `_prepare`, `_compile`, `_tune` or `_end_capture` gives, and releases it with the type's
 * `_release`, which takes NULL, too. A handle keeps what it was made from alive: a buffer its device, for example.
 *
 * Structures.  The first member of a structure that a caller fills in or receives is `struct_size`: the caller sets it
 * to sizeof the structure, best by the initialiser TEGULA_..._INIT, which sets all other members to zero. Later
 * versions add members at the end; zero in a member always means what the library did before it.
 *
 * Threads.  All functions may be called from any thread. A handle may be used by several threads at once, and is
 * released when no other thread uses it. Work of one stream runs in the order of the calls.
 *
 * Numbers.  Enumerations are int32_t: a value that the library does not know is bad use.
 *
 * Texts.  UTF-8, zero-terminated, and owned by the handle that they were asked of, unless said otherwise.
 *
 * Sizes.  Extents, strides and offsets are counted in elements; names with `bytes` in bytes.
 */
#ifndef TEGULA_TEGULA_H
#define TEGULA_TEGULA_H

#include <stddef.h>
#include <stdint.h>

#include <tegula/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices ---------------------------------------------------------------------------------------------------- */

typedef struct tegula_device tegula_device;

typedef struct tegula_device_info {
  size_t struct_size;
  const char *name;        /* "cpu", "BACKEND:0" */
  const char *description; /* "" for a backend without devices */
  const char *target;      /* what to compile for */
  const char *absent;      /* NULL, or of a backend without devices: the reason; then `name` is the backend's */
  uint64_t memory_bytes;   /* 0: not known */
  int32_t is_real_gpu;
  int32_t supports_checked; /* of an open device: launches can be checked */
  int32_t supports_capture; /* of an open device: streams can be captured */
} tegula_device_info;
#define TEGULA_DEVICE_INFO_INIT {sizeof(tegula_device_info), NULL, NULL, NULL, NULL, 0, 0, 0, 0}

/* Calls `each` for every device, and for every backend without one. The texts are valid during the call. */
typedef void (*tegula_device_callback)(void *user, const tegula_device_info *info);
TEGULA_EXPORT tegula_status tegula_devices(tegula_device_callback each, void *user);

/* `name` as tegula_devices gives it, or a backend's name for its first device; NULL or "": $TEGULA_DEVICE, else the
 * first real GPU, else the CPU. */
TEGULA_EXPORT tegula_status tegula_device_open(const char *name, tegula_device **out);
/* A device that the program opened with the vendor's interface; docs/c-api.md says what each backend needs. */
typedef struct tegula_native_device {
  size_t struct_size;
  const char *backend;
  void *instance, *physical_device, *device, *queue;
  uint32_t queue_family;
  uint32_t version;              /* of the interface, as the instance was made for it */
  const void *features;          /* what the device was opened with; read during the call */
  const char *const *extensions; /* that it was opened with */
  size_t extension_count;
  void (*lock)(void *user); /* NULL, or called around each use of the queue, which the program uses meanwhile */
  void (*unlock)(void *user);
  void *user;
} tegula_native_device;
#define TEGULA_NATIVE_DEVICE_INIT                                                                                      \
  {sizeof(tegula_native_device), NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL, NULL}
/* The device must outlive the handle and all that is made from it. Streams submit to the one queue. */
TEGULA_EXPORT tegula_status tegula_device_adopt(const tegula_native_device *native, tegula_device **out);
TEGULA_EXPORT tegula_status tegula_device_get_info(const tegula_device *device, tegula_device_info *info);
/* What else is known of a device, as `tegula devices` prints it: `index` counts from 0; beyond the last, `name` becomes
 * NULL. */
TEGULA_EXPORT tegula_status tegula_device_get_property(const tegula_device *device, size_t index, const char **name,
                                                       const char **value);
TEGULA_EXPORT void tegula_device_release(tegula_device *device);

/* ---- Buffers ---------------------------------------------------------------------------------------------------- */

typedef struct tegula_buffer tegula_buffer;

/* Dense, row-major; contents undefined. `rank` is at most 8. */
TEGULA_EXPORT tegula_status tegula_buffer_create(tegula_device *device, tegula_dtype type, size_t rank,
                                                 const int64_t *shape, tegula_buffer **out);

/* Memory that the caller owns. */
typedef struct tegula_memory {
  size_t struct_size;
  uint64_t address; /* of the first element: of the host on the CPU, else as kernels of the device use it */
  size_t bytes;     /* that may be accessed from `address` on */
  tegula_dtype type;
  size_t rank;
  const int64_t *shape;
  const int64_t *strides;      /* NULL: dense, row-major; else not negative */
  void (*release)(void *user); /* NULL, or called once when the last handle that uses the memory is released */
  void *user;
  void *handle;         /* of the vendor's object that contains the memory, where docs/c-api.md asks for it */
  size_t handle_offset; /* of `address` in that object, in bytes */
} tegula_memory;
#define TEGULA_MEMORY_INIT {sizeof(tegula_memory), 0, 0, TEGULA_F32, 0, NULL, NULL, NULL, NULL, NULL, 0}
/* The memory stays valid until `release` is called. Its contents count as written. Where this fails, `release` is not
 * called. */
TEGULA_EXPORT tegula_status tegula_buffer_wrap(tegula_device *device, const tegula_memory *memory, tegula_buffer **out);

/* The same memory seen otherwise; fails where the view reaches outside. `offset` counts from the buffer's first
 * element. */
TEGULA_EXPORT tegula_status tegula_buffer_view(const tegula_buffer *buffer, size_t rank, const int64_t *shape,
                                               const int64_t *strides, int64_t offset, tegula_buffer **out);

/* The same buffer, and its views: launches refuse it for a parameter whose memory the kernel may write, and streams
 * write nothing to it. */
TEGULA_EXPORT tegula_status tegula_buffer_read_only(const tegula_buffer *buffer, tegula_buffer **out);

typedef struct tegula_buffer_info {
  size_t struct_size;
  uint64_t address; /* of the first element, as kernels use it; on the CPU a host address */
  size_t bytes;     /* from the first to the last element */
  int64_t elements;
  tegula_dtype type;
  size_t rank;
  const int64_t *shape, *strides; /* as long as the buffer lives */
} tegula_buffer_info;
#define TEGULA_BUFFER_INFO_INIT {sizeof(tegula_buffer_info), 0, 0, 0, TEGULA_F32, 0, NULL, NULL}
TEGULA_EXPORT tegula_status tegula_buffer_get_info(const tegula_buffer *buffer, tegula_buffer_info *info);
TEGULA_EXPORT void tegula_buffer_release(tegula_buffer *buffer);

/* ---- Streams, events and graphs --------------------------------------------------------------------------------- */

typedef struct tegula_stream tegula_stream;
typedef struct tegula_event tegula_event;
typedef struct tegula_graph tegula_graph;

TEGULA_EXPORT tegula_status tegula_stream_create(tegula_device *device, tegula_stream **out);
/* A stream of the caller's: the handle that the device's vendor gives it (docs/c-api.md); NULL where that is the
 * default stream. It stays valid until the handle is released, which leaves it as it is. Fails on devices without such
 * streams. */
TEGULA_EXPORT tegula_status tegula_stream_wrap(tegula_device *device, void *native, tegula_stream **out);
/* The vendor's handle of any stream of such a device. */
TEGULA_EXPORT tegula_status tegula_stream_native(const tegula_stream *stream, void **out);
TEGULA_EXPORT void tegula_stream_release(tegula_stream *stream);

/* Copies all elements between dense host memory and a dense buffer. When the call returns, the host memory may be
 * reused or has been filled. */
TEGULA_EXPORT tegula_status tegula_stream_write(tegula_stream *stream, const tegula_buffer *buffer, const void *host);
TEGULA_EXPORT tegula_status tegula_stream_read(tegula_stream *stream, const tegula_buffer *buffer, void *host);
TEGULA_EXPORT tegula_status tegula_stream_fill(tegula_stream *stream, const tegula_buffer *buffer, uint8_t byte);
/* Both are dense, of one type, with equally many elements, on the stream's device, and do not overlap. */
TEGULA_EXPORT tegula_status tegula_stream_copy(tegula_stream *stream, const tegula_buffer *to,
                                               const tegula_buffer *from);
/* Waits for all work of the stream. Reports a fault of a kernel that ran in it. */
TEGULA_EXPORT tegula_status tegula_stream_synchronize(tegula_stream *stream);

/* A point in a stream. */
TEGULA_EXPORT tegula_status tegula_event_record(tegula_stream *stream, tegula_event **out);
TEGULA_EXPORT tegula_status tegula_event_wait(const tegula_event *event);
/* Later work of the stream starts after the event, which another stream of the same device may have recorded. */
TEGULA_EXPORT tegula_status tegula_stream_wait_event(tegula_stream *stream, const tegula_event *event);
/* Seconds of device time from `start` to `end`; waits for both. */
TEGULA_EXPORT tegula_status tegula_event_seconds(const tegula_event *start, const tegula_event *end, double *out);
TEGULA_EXPORT void tegula_event_release(tegula_event *event);

/* Between the two calls, launches, fills and copies on the device that are issued to the stream become parts of a graph
 * instead of running. Kernels are compiled and loaded before: launch each once. Synchronising, host copies and kernels
 * that print fail meanwhile. A graph keeps its kernels; buffers used in it must outlive its launches. */
TEGULA_EXPORT tegula_status tegula_stream_begin_capture(tegula_stream *stream);
TEGULA_EXPORT tegula_status tegula_stream_end_capture(tegula_stream *stream, tegula_graph **out);
TEGULA_EXPORT tegula_status tegula_graph_launch(const tegula_graph *graph, tegula_stream *stream);
TEGULA_EXPORT void tegula_graph_release(tegula_graph *graph);

/* ---- Kernels ---------------------------------------------------------------------------------------------------- */

typedef struct tegula_kernel tegula_kernel;

/* A name of a file and what it stands for, whatever the file itself says: for names whose values the compiler cannot
 * know from the text, such as the globals of a running Python program. */
typedef struct tegula_global {
  const char *file; /* NULL: the kernel's own; else the path of a module that it imports, as the compiler finds it */
  /* Or, in the kernel's own file, KERNEL.PARAMETER: the value of that parameter, which thereby is constexpr and which
   * launches do not give. For values that no tegula_value has: functions and tuples. */
  const char *name;
  /* Text of an expression of the language: "1024", "(1, 2)", "'relu'", "float('inf')", "tl.float16". With `from` it is
   * a name in the module of that path: a jit function, for example. */
  const char *value;
  const char *from; /* NULL, or the path of a module's file */
} tegula_global;

/* A file that a kernel's file imports, by its path, and what stands in it, whatever is on the disk. The path is the one
 * that tegula_global.from or an import leads to. Of several texts of one path the last counts. */
typedef struct tegula_source_text {
  const char *path;
  const char *text;
} tegula_source_text;

typedef struct tegula_load_options {
  size_t struct_size;
  /* Folders in which imported modules are searched, after those around the file and before $TEGULA_MODULE_PATH. */
  const char *const *module_path;
  size_t module_path_count;
  const tegula_global *globals;
  size_t global_count;
  /* Files that the kernel's file imports and that are not on the disk, such as the cells of a notebook. */
  const tegula_source_text *texts;
  size_t text_count;
} tegula_load_options;
#define TEGULA_LOAD_OPTIONS_INIT {sizeof(tegula_load_options), NULL, 0, NULL, 0, NULL, 0}

/* `name` may be NULL where the file holds one kernel. `options` may be NULL. */
TEGULA_EXPORT tegula_status tegula_kernel_load(const char *path, const char *name, const tegula_load_options *options,
                                               tegula_kernel **out);
/* `path` is the file that the text stands for, in messages and when modules are searched. */
TEGULA_EXPORT tegula_status tegula_kernel_load_source(const char *source, const char *name, const char *path,
                                                      const tegula_load_options *options, tegula_kernel **out);

typedef struct tegula_kernel_info {
  size_t struct_size;
  const char *name;
  size_t parameter_count;
  uint32_t line;            /* of its definition */
  uint32_t config_count;    /* of @triton.autotune */
  uint32_t heuristic_count; /* of @triton.heuristics */
} tegula_kernel_info;
#define TEGULA_KERNEL_INFO_INIT {sizeof(tegula_kernel_info), NULL, 0, 0, 0, 0}
TEGULA_EXPORT tegula_status tegula_kernel_get_info(const tegula_kernel *kernel, tegula_kernel_info *info);

typedef struct tegula_parameter {
  size_t struct_size;
  const char *name;
  int32_t is_constexpr; /* annotated tl.constexpr, or used where only a constant can stand */
  int32_t has_default;
  tegula_value default_value;
  int32_t is_annotated;         /* then `annotated_type` is the scalar's, or the pointee's where */
  int32_t is_annotated_pointer; /* this is 1 */
  tegula_dtype annotated_type;
  uint32_t line, column;
} tegula_parameter;
#define TEGULA_PARAMETER_INIT {sizeof(tegula_parameter), NULL, 0, 0, {TEGULA_NONE, {0}}, 0, 0, TEGULA_I1, 0, 0}
/* `index` counts from 0, in the order of the kernel's definition. */
TEGULA_EXPORT tegula_status tegula_kernel_get_parameter(const tegula_kernel *kernel, size_t index,
                                                        tegula_parameter *out);
/* For programs that measure the kernel by repeated launches: a sentence on the parameters to whose memory the code that
 * launches compiled so far adds by atomics, and which are not among `restored`, those that the program clears or puts
 * back before each launch. `out` is set to NULL where there are none; the text is valid until the thread's next call of
 * this function. */
TEGULA_EXPORT tegula_status tegula_kernel_explain_repeats(const tegula_kernel *kernel, const char *const *restored,
                                                          size_t restored_count, const char **out);
TEGULA_EXPORT void tegula_kernel_release(tegula_kernel *kernel);

/* ---- Bundles ---------------------------------------------------------------------------------------------------- */

/* Kernels that `tegula build` compiled ahead of time (docs/bundles.md). */
typedef struct tegula_bundle tegula_bundle;

TEGULA_EXPORT tegula_status tegula_bundle_open(const char *path, tegula_bundle **out);
/* A bundle that is part of the program, for example. The bytes must live as long as the bundle and its kernels. `name`
 * is for messages; NULL: "<memory>". */
TEGULA_EXPORT tegula_status tegula_bundle_open_memory(const void *data, size_t bytes, const char *name,
                                                      tegula_bundle **out);
TEGULA_EXPORT tegula_status tegula_bundle_kernel_count(const tegula_bundle *bundle, size_t *out);
/* The name of kernel `index`, as long as the bundle lives. */
TEGULA_EXPORT tegula_status tegula_bundle_get_name(const tegula_bundle *bundle, size_t index, const char **out);
/* Launched like a kernel of a file, with types and constants that it was built for. It does not need the bundle's
 * handle any more. */
TEGULA_EXPORT tegula_status tegula_bundle_kernel(const tegula_bundle *bundle, const char *name, tegula_kernel **out);
TEGULA_EXPORT void tegula_bundle_release(tegula_bundle *bundle);

/* ---- Launches --------------------------------------------------------------------------------------------------- */

/* A tensor and the block that `desc.load` reads. The tensor has ranks 1 to 5 and a last stride of 1; the extents of the
 * block are powers of two. */
typedef struct tegula_descriptor {
  size_t struct_size;
  const tegula_buffer *tensor;
  const int64_t *block; /* as many as the tensor's rank */
  int32_t padding_nan;  /* elements outside of the tensor read NaN, not 0 */
} tegula_descriptor;
#define TEGULA_DESCRIPTOR_INIT {sizeof(tegula_descriptor), NULL, NULL, 0}

/* An array of device pointers, for kernels that load pointers from memory (`**fp32`). The targets have one type, and
 * are on the stream's device; the array keeps them alive. */
typedef struct tegula_pointers tegula_pointers;
TEGULA_EXPORT tegula_status tegula_pointers_create(tegula_stream *stream, size_t count,
                                                   const tegula_buffer *const *targets, tegula_pointers **out);
TEGULA_EXPORT void tegula_pointers_release(tegula_pointers *pointers);

typedef int32_t tegula_argument_kind;
enum {
  TEGULA_ARG_NONE,       /* None */
  TEGULA_ARG_BOOL,       /* as.integer; of i1 */
  TEGULA_ARG_INTEGER,    /* as.integer; of i32, or of i64 where it does not fit */
  TEGULA_ARG_REAL,       /* as.real; of f32 */
  TEGULA_ARG_SCALAR,     /* as.bits, in its low bytes, of `type` */
  TEGULA_ARG_BUFFER,     /* as.buffer */
  TEGULA_ARG_ADDRESS,    /* as.address of elements of `type` in memory of the device, whose extent is not known */
  TEGULA_ARG_DESCRIPTOR, /* as.descriptor */
  TEGULA_ARG_POINTERS,   /* as.pointers */
  TEGULA_ARG_VALUE       /* as.value: text or a dtype, for a constexpr parameter */
};
/* The annotation of a parameter decides its type before the kind does. */
typedef struct tegula_argument {
  const char *name; /* of the parameter; NULL: by position. All or none of the arguments have names. */
  tegula_argument_kind kind;
  tegula_dtype type;
  union {
    int64_t integer;
    double real;
    uint64_t bits;
    uint64_t address;
    const tegula_buffer *buffer;
    const tegula_descriptor *descriptor;
    const tegula_pointers *pointers;
    const tegula_value *value;
  } as;
} tegula_argument;

typedef int32_t tegula_checked;
enum {
  TEGULA_CHECKED_DEFAULT, /* as TRITON_INTERPRET=1 in the environment says, read at each launch, or when a
                           * launch is prepared */
  TEGULA_CHECKED_NO,
  TEGULA_CHECKED_YES /* every access and assertion is tested (docs/debugging.md); the CPU only */
};

typedef struct tegula_meta tegula_meta;
/* Computes the grid of a launch from the constants that its configuration has, as Triton's `lambda META: (...)`. Sets
 * all three axes. Returns TEGULA_OK, or the status that the launch shall fail with. */
typedef tegula_status (*tegula_grid_callback)(void *user, const tegula_meta *meta, int64_t grid[3]);
/* A constant's value; fails where the kernel has no constant of that name. Valid during the callback. */
TEGULA_EXPORT tegula_status tegula_meta_get(const tegula_meta *meta, const char *name, tegula_value *out);

/* `text` is not zero-terminated. */
typedef void (*tegula_print_callback)(void *user, const char *text, size_t bytes);

typedef struct tegula_launch_options {
  size_t struct_size;
  /* Constexpr parameters, and options: depth_splits, maxnreg (docs/tuning.md), debug, which compiles tl.device_assert,
   * sanitize_overflow (docs/debugging.md), default_dot_input_precision, max_num_imprecise_acc_default
   * (docs/language/control.md). */
  const tegula_constant *constants;
  size_t constant_count;
  int32_t num_warps, num_stages; /* 0: of the configuration, else 4 and 3 */
  tegula_checked checked;
  tegula_print_callback print; /* receives device_print text; NULL: standard output */
  void *print_user;
  tegula_grid_callback grid; /* NULL, or instead of the launch's own grid */
  void *grid_user;
  int32_t no_autotune; /* not 0: the configurations of @triton.autotune are not measured on this launch's arguments */
  int32_t background;  /* not 0: runs code that fits, and leaves the compilation of faster code to a thread */
} tegula_launch_options;
#define TEGULA_LAUNCH_OPTIONS_INIT                                                                                     \
  {sizeof(tegula_launch_options), NULL, 0, 0, 0, TEGULA_CHECKED_DEFAULT, NULL, NULL, NULL, NULL, 0, 0}

/* Runs `grid[0] * grid[1] * grid[2]` programs. Axes that are left out, as in `int64_t grid[3] = {4}`, count as 1: so do
 * zeros at the end of a grid that begins otherwise, and to launch nothing grid[0] is 0. By position, `arguments` are
 * the parameters that are not constexpr, or all of them. Compiles the kernel where no earlier launch, of any process,
 * has. `options` may be NULL; `grid` where the options have a callback. */
TEGULA_EXPORT tegula_status tegula_kernel_launch(const tegula_kernel *kernel, tegula_stream *stream,
                                                 const int64_t grid[3], size_t argument_count,
                                                 const tegula_argument *arguments,
                                                 const tegula_launch_options *options);

/* ---- Prepared launches ------------------------------------------------------------------------------------------ */

/* A kernel with its constants, options and the types of its arguments on one device. */
typedef struct tegula_launcher tegula_launcher;

/* The kinds and types of `arguments` hold for all launches; their values decide which code is compiled first. The
 * options are those of tegula_kernel_launch, `grid` aside. Fails for kernels with heuristics, which depend on the
 * values of each launch, unless `options.constants` has the constants that they supply. */
TEGULA_EXPORT tegula_status tegula_launcher_prepare(const tegula_kernel *kernel, tegula_device *device,
                                                    size_t argument_count, const tegula_argument *arguments,
                                                    const tegula_launch_options *options, tegula_launcher **out);

typedef struct tegula_slot_info {
  size_t struct_size;
  size_t parameter;          /* index among the kernel's parameters */
  tegula_argument_kind kind; /* TEGULA_ARG_SCALAR, _ADDRESS, _POINTERS or _DESCRIPTOR */
  tegula_dtype type;         /* of the scalar or of the elements */
} tegula_slot_info;
#define TEGULA_SLOT_INFO_INIT {sizeof(tegula_slot_info), 0, TEGULA_ARG_NONE, TEGULA_I1}
/* One slot for each parameter that is neither constexpr nor None, in order. */
TEGULA_EXPORT tegula_status tegula_launcher_slot_count(const tegula_launcher *launcher, size_t *out);
TEGULA_EXPORT tegula_status tegula_launcher_get_slot(const tegula_launcher *launcher, size_t index,
                                                     tegula_slot_info *out);

/* A tensor as the argument of a prepared launch; the block and the padding are those of tegula_launcher_prepare. */
typedef struct tegula_tensor {
  uint64_t address;
  const int64_t *shape, *strides; /* as many as the block's rank; the last stride is 1, unless an extent is 0 */
} tegula_tensor;

/* Eight bytes for each slot: the bits of a scalar in its low bytes (a float in its own format), an address, or for a
 * descriptor the host address of a tegula_tensor. A repeated launch looks nothing up by name, allocates nothing and
 * takes no lock of ours. Memory behind the addresses is the caller's to keep. */
TEGULA_EXPORT tegula_status tegula_launcher_launch(const tegula_launcher *launcher, tegula_stream *stream,
                                                   const uint32_t grid[3], const uint64_t *slots);
TEGULA_EXPORT void tegula_launcher_release(tegula_launcher *launcher);

/* ---- Compilation ------------------------------------------------------------------------------------------------ */

/* A kernel compiled for a target. */
typedef struct tegula_compiled tegula_compiled;

typedef struct tegula_compile_options {
  size_t struct_size;
  const char *target; /* "cpu", ... */
  /* Types of the parameters that are not constexpr, in order, as `tegula compile --signature` takes them:
   * "*fp32:16, *fp32, i32:16, i32, 1". */
  const char *signature;
  const tegula_constant *constants; /* as in tegula_launch_options */
  size_t constant_count;
  int32_t num_warps, num_stages; /* the same */
} tegula_compile_options;
#define TEGULA_COMPILE_OPTIONS_INIT {sizeof(tegula_compile_options), NULL, NULL, NULL, 0, 0, 0}
/* Needs no device. The code relies on what the signature says of the arguments. It may rely on more that a launch by
 * Tegula checks: that no integer is negative, and that no program stands beyond the last tile (docs/passes.md,
 * "Conditional code"). */
TEGULA_EXPORT tegula_status tegula_kernel_compile(const tegula_kernel *kernel, const tegula_compile_options *options,
                                                  tegula_compiled **out);
/* The code that the launcher runs for these slots; compiles it where it does not exist. */
TEGULA_EXPORT tegula_status tegula_launcher_compile(const tegula_launcher *launcher, const uint64_t *slots,
                                                    tegula_compiled **out);

typedef struct tegula_compiled_info {
  size_t struct_size;
  const char *target, *entry;
  const char *source_hash; /* of source, constants, types, target, options and build */
  int32_t num_warps, num_stages;
  uint32_t threads;      /* of one program */
  uint32_t shared_bytes; /* of one program, sized by the launch */
  int32_t registers;     /* of one thread; -1 where it is not known: of code that is not on a device */
  int32_t spill_bytes;   /* of one thread, in memory of its own; -1 where it is not known */
} tegula_compiled_info;
#define TEGULA_COMPILED_INFO_INIT {sizeof(tegula_compiled_info), NULL, NULL, NULL, 0, 0, 0, 0, -1, -1}
TEGULA_EXPORT tegula_status tegula_compiled_get_info(const tegula_compiled *compiled, tegula_compiled_info *info);
/* The names of the levels that tegula_compiled_get_level takes, comma-separated, in order: "ast,tile,bytecode". */
TEGULA_EXPORT tegula_status tegula_compiled_get_levels(tegula_compiled *compiled, const char **out);
/* The text of a level, or with "binary" the bytes that the device loads. Zero-terminated, which `bytes` does not
 * count. */
TEGULA_EXPORT tegula_status tegula_compiled_get_level(tegula_compiled *compiled, const char *level, const void **data,
                                                      size_t *bytes);
TEGULA_EXPORT void tegula_compiled_release(tegula_compiled *compiled);

#ifdef __cplusplus
}
#endif

#include <tegula/tuning.h>

#endif
