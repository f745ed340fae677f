/* Tegula's C interface: compile kernels in the Triton language, and launch them on any device of the machine.
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
 * Status. Each function that can fail returns a tegula_status: 0 for success, else the kind of the error.
 * tegula_last_error() returns the message of the calling thread's last failed call. A failed call leaves its outputs
 * unchanged. docs/c-api.md, "Statuses and messages", says what to do about each.
 *
 * Handles. A handle is a pointer to an incomplete type. The caller owns each handle that it gets from a function with
 * `_create`, `_open`, `_load`, `_wrap`, `_view`, `_record`, `_prepare`, `_compile`, `_tune` or `_end_capture` in its
 * name, and releases it with the type's `_release`, which ignores NULL. A handle keeps alive the objects that it was
 * made from: a buffer, for example, keeps its device alive (docs/c-api.md, "Ownership").
 *
 * Structures. The first member of a structure that a caller fills in or receives is `struct_size`. The caller sets it
 * to sizeof the structure, best by the initialiser TEGULA_..._INIT, which sets all other members to their defaults.
 * Later versions add members at the end; a zero in such a member always selects the behaviour of the versions before
 * it (docs/c-api.md, "Versions").
 *
 * Threads. All functions may be called from any thread. Several threads may use a handle at once. A handle must not be
 * released while another thread uses it. Work of one stream runs in the order of the calls. docs/c-api.md, "Threads",
 * says more, also on fork().
 *
 * Numbers. Enumerations are int32_t. A value that the library does not know is an error, TEGULA_BAD_USE.
 *
 * Texts. Texts are UTF-8 and zero-terminated. Unless said otherwise, a text that a function returns belongs to the
 * handle that was passed to it.
 *
 * Sizes. Extents, strides and offsets are counted in elements; members and parameters named `bytes` in bytes. */
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
  const char *target;      /* name of the target to compile for, such as "cpu" */
  const char *absent;      /* NULL; for a backend without devices the reason, and `name` is the backend's name */
  uint64_t memory_bytes;   /* 0: unknown */
  int32_t is_real_gpu;
  int32_t supports_checked; /* only of an open device: 1 if launches can be checked */
  int32_t supports_capture; /* only of an open device: 1 if streams can be captured */
} tegula_device_info;
#define TEGULA_DEVICE_INFO_INIT {sizeof(tegula_device_info), NULL, NULL, NULL, NULL, 0, 0, 0, 0}

/* Receives a device, or a backend that has none. The texts are valid during the call. */
typedef void (*tegula_device_callback)(void *user, const tegula_device_info *info);

/* Calls `each` for every device of all backends, and for every backend that has none. May take some 100 ms. */
TEGULA_EXPORT tegula_status tegula_devices(tegula_device_callback each, void *user);

/* Opens a device. `name`: a name that tegula_devices reports, or a backend's name for its first device. If `name` is
 * NULL or "", the device that $TEGULA_DEVICE names, or else the first real GPU, or else the CPU. */
TEGULA_EXPORT tegula_status tegula_device_open(const char *name, tegula_device **out);
/* A device that the program has created through the vendor's interface. docs/c-api.md: the members by backend. */
typedef struct tegula_native_device {
  size_t struct_size;
  const char *backend;
  void *instance, *physical_device, *device, *queue;
  uint32_t queue_family;
  uint32_t version;              /* the interface's version that the instance was created for */
  const void *features;          /* the features that the device was created with; read during the call only */
  const char *const *extensions; /* the extensions that the device was created with */
  size_t extension_count;
  void (*lock)(void *user); /* NULL, or called before each use of the queue, which the program uses, too */
  void (*unlock)(void *user);
  void *user;
} tegula_native_device;
#define TEGULA_NATIVE_DEVICE_INIT                                                                                      \
  {sizeof(tegula_native_device), NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL, NULL}
/* Uses a device of the program, which must outlive all handles made from it. All streams submit to the given queue. */
TEGULA_EXPORT tegula_status tegula_device_adopt(const tegula_native_device *native, tegula_device **out);

/* Describes an open device. The texts are valid as long as the device. */
TEGULA_EXPORT tegula_status tegula_device_get_info(const tegula_device *device, tegula_device_info *info);
/* A further property of a device, in the order in which `tegula devices` prints them. `index` counts from 0; beyond the
 * last property `name` is set to NULL. */
TEGULA_EXPORT tegula_status tegula_device_get_property(const tegula_device *device, size_t index, const char **name,
                                                       const char **value);

TEGULA_EXPORT void tegula_device_release(tegula_device *device);

/* ---- Buffers ---------------------------------------------------------------------------------------------------- */

typedef struct tegula_buffer tegula_buffer;

/* Creates a dense, row-major buffer whose contents are undefined. `shape` has `rank` extents; `rank` is at most 8. */
TEGULA_EXPORT tegula_status tegula_buffer_create(tegula_device *device, tegula_dtype type, size_t rank,
                                                 const int64_t *shape, tegula_buffer **out);

/* An array in memory that the caller owns. */
typedef struct tegula_memory {
  size_t struct_size;
  uint64_t address; /* of the first element: on the CPU a host address, else the address that kernels use */
  size_t bytes;     /* number of bytes, from `address` on, that may be accessed */
  tegula_dtype type;
  size_t rank;
  const int64_t *shape;
  const int64_t *strides;      /* in elements, not negative; NULL: dense, row-major */
  void (*release)(void *user); /* NULL, or called once when the last handle that uses the memory is released */
  void *user;
  void *handle;         /* the vendor's object that contains the memory; only if docs/c-api.md requires it */
  size_t handle_offset; /* of `address` within that object, in bytes */
} tegula_memory;
#define TEGULA_MEMORY_INIT {sizeof(tegula_memory), 0, 0, TEGULA_F32, 0, NULL, NULL, NULL, NULL, NULL, 0}
/* Makes a buffer of the caller's memory, which must stay valid until `release` is called. All its bytes count as
 * written. If the function fails, `release` is not called. */
TEGULA_EXPORT tegula_status tegula_buffer_wrap(tegula_device *device, const tegula_memory *memory, tegula_buffer **out);

/* A view of the buffer's memory with another shape, other strides and an offset from the buffer's first element, all in
 * elements. Fails if an element of the view lies outside of the buffer. */
TEGULA_EXPORT tegula_status tegula_buffer_view(const tegula_buffer *buffer, size_t rank, const int64_t *shape,
                                               const int64_t *strides, int64_t offset, tegula_buffer **out);

/* The same buffer for reading only, as are views of it: a launch refuses it for a parameter whose memory the kernel may
 * write, and writes, fills and copies to it fail. */
TEGULA_EXPORT tegula_status tegula_buffer_read_only(const tegula_buffer *buffer, tegula_buffer **out);

typedef struct tegula_buffer_info {
  size_t struct_size;
  uint64_t address; /* of the first element: on the CPU a host address, else the address that kernels use */
  size_t bytes;     /* from the first to the last element in memory */
  int64_t elements;
  tegula_dtype type;
  size_t rank;
  const int64_t *shape, *strides; /* in elements; valid as long as the buffer */
} tegula_buffer_info;
#define TEGULA_BUFFER_INFO_INIT {sizeof(tegula_buffer_info), 0, 0, 0, TEGULA_F32, 0, NULL, NULL}
TEGULA_EXPORT tegula_status tegula_buffer_get_info(const tegula_buffer *buffer, tegula_buffer_info *info);

TEGULA_EXPORT void tegula_buffer_release(tegula_buffer *buffer);

/* ---- Streams, events and graphs --------------------------------------------------------------------------------- */

typedef struct tegula_stream tegula_stream;
typedef struct tegula_event tegula_event;
typedef struct tegula_graph tegula_graph;

/* Creates a stream, whose work runs in the order of the calls; work of different streams may overlap. */
TEGULA_EXPORT tegula_status tegula_stream_create(tegula_device *device, tegula_stream **out);
/* Uses a stream of the caller. `native`: the vendor's handle of it (docs/c-api.md), NULL for the vendor's default
 * stream if it has one. The stream must stay valid until the returned handle is released, which does not destroy it.
 * Fails on devices without such streams. */
TEGULA_EXPORT tegula_status tegula_stream_wrap(tegula_device *device, void *native, tegula_stream **out);
/* The vendor's handle of a stream. Fails on devices without such streams. */
TEGULA_EXPORT tegula_status tegula_stream_native(const tegula_stream *stream, void **out);

TEGULA_EXPORT void tegula_stream_release(tegula_stream *stream);

/* Copies all elements between host memory and a dense buffer. `host` holds the elements densely, in row-major order.
 * When tegula_stream_write returns, the host memory may be reused; when tegula_stream_read returns, it is filled. */
TEGULA_EXPORT tegula_status tegula_stream_write(tegula_stream *stream, const tegula_buffer *buffer, const void *host);
TEGULA_EXPORT tegula_status tegula_stream_read(tegula_stream *stream, const tegula_buffer *buffer, void *host);
/* Sets all bytes of a dense buffer to `byte`. The call may return before they are set. */
TEGULA_EXPORT tegula_status tegula_stream_fill(tegula_stream *stream, const tegula_buffer *buffer, uint8_t byte);
/* Copies all elements between dense buffers of one type and size on the stream's device, which must not overlap. */
TEGULA_EXPORT tegula_status tegula_stream_copy(tegula_stream *stream, const tegula_buffer *to,
                                               const tegula_buffer *from);
/* Waits for all work of the stream. Fails with TEGULA_KERNEL_FAULT if an assertion of a kernel failed, which is
 * reported once, or if the device reports a fault of a kernel, and with TEGULA_DEVICE_ERROR if the device or its driver
 * failed, which every later call reports as well (docs/c-api.md, "When a failure appears"). */
TEGULA_EXPORT tegula_status tegula_stream_synchronize(tegula_stream *stream);

/* Records an event: the point in the stream after all work submitted so far. */
TEGULA_EXPORT tegula_status tegula_event_record(tegula_stream *stream, tegula_event **out);
/* Makes the calling thread wait until the event's point in its stream is reached. */
TEGULA_EXPORT tegula_status tegula_event_wait(const tegula_event *event);
/* Makes all later work of the stream wait for the event. Another stream of the same device may have recorded it. */
TEGULA_EXPORT tegula_status tegula_stream_wait_event(tegula_stream *stream, const tegula_event *event);
/* The device time from `start` to `end` in seconds; waits for both events. */
TEGULA_EXPORT tegula_status tegula_event_seconds(const tegula_event *start, const tegula_event *end, double *out);

TEGULA_EXPORT void tegula_event_release(tegula_event *event);

/* Captures a graph (after a failure: docs/c-api.md, "After a failure"). Between the two calls, launches, fills and
 * device copies that are issued to the stream are recorded in the graph and do not run. Kernels must have been compiled
 * and loaded before: launch each one once. Meanwhile synchronising, host copies and kernels that print fail. A graph
 * keeps its kernels alive; buffers used in it must outlive its launches. */
TEGULA_EXPORT tegula_status tegula_stream_begin_capture(tegula_stream *stream);
TEGULA_EXPORT tegula_status tegula_stream_end_capture(tegula_stream *stream, tegula_graph **out);
/* Submits all work of the graph to the stream. */
TEGULA_EXPORT tegula_status tegula_graph_launch(const tegula_graph *graph, tegula_stream *stream);

TEGULA_EXPORT void tegula_graph_release(tegula_graph *graph);

/* ---- Kernels ---------------------------------------------------------------------------------------------------- */

typedef struct tegula_kernel tegula_kernel;

/* The value of a global name in a file. It replaces the file's own definition: for values that the compiler cannot
 * determine from the text, such as the globals of a running Python program. */
typedef struct tegula_global {
  const char *file; /* NULL: the kernel's file; else the path of an imported module, as the compiler finds it */
  /* The global name. In the kernel's own file also KERNEL.PARAMETER: this parameter becomes constexpr with the given
   * value, and launches do not pass it. That is for values that tegula_value cannot hold: functions and tuples. */
  const char *name;
  /* The value, as an expression of the language: "1024", "(1, 2)", "'relu'", "float('inf')", "tl.float16". If `from` is
   * set, a name in that module, such as a jit function. */
  const char *value;
  const char *from; /* NULL, or the path of the module's file that defines `value` */
} tegula_global;

/* The text of an imported file, which is used in place of the file on the disk. `path` is the path that
 * tegula_global.from or an import resolves to. If several texts have the same path, the last one is used. */
typedef struct tegula_source_text {
  const char *path;
  const char *text;
} tegula_source_text;

typedef struct tegula_load_options {
  size_t struct_size;
  /* Folders of imported modules, searched after the folders around the file and before $TEGULA_MODULE_PATH. */
  const char *const *module_path;
  size_t module_path_count;
  const tegula_global *globals;
  size_t global_count;
  /* Imported files that do not exist on the disk, such as the cells of a notebook. */
  const tegula_source_text *texts;
  size_t text_count;
} tegula_load_options;
#define TEGULA_LOAD_OPTIONS_INIT {sizeof(tegula_load_options), NULL, 0, NULL, 0, NULL, 0}

/* Loads a kernel from a file. `name` may be NULL if the file contains one kernel. `options` may be NULL. */
TEGULA_EXPORT tegula_status tegula_kernel_load(const char *path, const char *name, const tegula_load_options *options,
                                               tegula_kernel **out);
/* Loads a kernel from a text. `path` stands for the text's file, in messages and in the search for modules. */
TEGULA_EXPORT tegula_status tegula_kernel_load_source(const char *source, const char *name, const char *path,
                                                      const tegula_load_options *options, tegula_kernel **out);

typedef struct tegula_kernel_info {
  size_t struct_size;
  const char *name;
  size_t parameter_count;
  uint32_t line;            /* of the kernel's definition */
  uint32_t config_count;    /* number of configurations of @triton.autotune */
  uint32_t heuristic_count; /* number of heuristics of @triton.heuristics */
} tegula_kernel_info;
#define TEGULA_KERNEL_INFO_INIT {sizeof(tegula_kernel_info), NULL, 0, 0, 0, 0}
TEGULA_EXPORT tegula_status tegula_kernel_get_info(const tegula_kernel *kernel, tegula_kernel_info *info);

typedef struct tegula_parameter {
  size_t struct_size;
  const char *name;
  int32_t is_constexpr; /* annotated tl.constexpr, or used where only a constant is allowed */
  int32_t has_default;
  tegula_value default_value;
  int32_t is_annotated;         /* annotated with `annotated_type` or with a pointer to it */
  int32_t is_annotated_pointer; /* annotated with a pointer to `annotated_type` */
  tegula_dtype annotated_type;
  uint32_t line, column;
} tegula_parameter;
#define TEGULA_PARAMETER_INIT {sizeof(tegula_parameter), NULL, 0, 0, {TEGULA_NONE, {0}}, 0, 0, TEGULA_I1, 0, 0}
/* Describes parameter `index`, counted from 0 in the order of the kernel's definition. */
TEGULA_EXPORT tegula_status tegula_kernel_get_parameter(const tegula_kernel *kernel, size_t index,
                                                        tegula_parameter *out);
/* For programs that measure a kernel by repeated launches: warns of parameters whose memory accumulates results from
 * launch to launch. `restored` lists the parameters whose memory the program clears or restores before each launch. If
 * code compiled by launches so far adds by atomics to the memory of other parameters, `out` is set to a sentence that
 * names them, else to NULL. The text is valid until the thread's next call of this function. */
TEGULA_EXPORT tegula_status tegula_kernel_explain_repeats(const tegula_kernel *kernel, const char *const *restored,
                                                          size_t restored_count, const char **out);

TEGULA_EXPORT void tegula_kernel_release(tegula_kernel *kernel);

/* ---- Bundles ---------------------------------------------------------------------------------------------------- */

/* A bundle: kernels that `tegula build` has compiled ahead of time (docs/bundles.md). */
typedef struct tegula_bundle tegula_bundle;

/* Opens a bundle's file. */
TEGULA_EXPORT tegula_status tegula_bundle_open(const char *path, tegula_bundle **out);
/* Opens a bundle in memory, such as one that is linked into the program. The bytes must live as long as the bundle and
 * its kernels. `name` is used in messages; NULL: `<memory>`. */
TEGULA_EXPORT tegula_status tegula_bundle_open_memory(const void *data, size_t bytes, const char *name,
                                                      tegula_bundle **out);
TEGULA_EXPORT tegula_status tegula_bundle_kernel_count(const tegula_bundle *bundle, size_t *out);
/* The name of kernel `index`, counted from 0; valid as long as the bundle. */
TEGULA_EXPORT tegula_status tegula_bundle_get_name(const tegula_bundle *bundle, size_t index, const char **out);
/* Gets a kernel of the bundle. It is launched like a kernel of a file, with the types and constants that it was built
 * for. It stays valid after the bundle's handle is released. */
TEGULA_EXPORT tegula_status tegula_bundle_kernel(const tegula_bundle *bundle, const char *name, tegula_kernel **out);

TEGULA_EXPORT void tegula_bundle_release(tegula_bundle *bundle);

/* ---- Launches --------------------------------------------------------------------------------------------------- */

/* A tensor, and the shape of the block that `desc.load` reads. The tensor has a rank from 1 to 5 and a last stride of
 * 1; the block's extents are powers of two. */
typedef struct tegula_descriptor {
  size_t struct_size;
  const tegula_buffer *tensor;
  const int64_t *block; /* as many extents as the tensor has axes */
  int32_t padding_nan;  /* not 0: loads return NaN for elements outside of the tensor; 0: they return 0 */
} tegula_descriptor;
#define TEGULA_DESCRIPTOR_INIT {sizeof(tegula_descriptor), NULL, NULL, 0}

/* An array of device pointers, for kernels that load pointers from memory (`**fp32`). All targets must have one type
 * and be on the stream's device; the array keeps them alive. */
typedef struct tegula_pointers tegula_pointers;
TEGULA_EXPORT tegula_status tegula_pointers_create(tegula_stream *stream, size_t count,
                                                   const tegula_buffer *const *targets, tegula_pointers **out);

TEGULA_EXPORT void tegula_pointers_release(tegula_pointers *pointers);

typedef int32_t tegula_argument_kind;
enum {
  TEGULA_ARG_NONE,       /* Python's None */
  TEGULA_ARG_BOOL,       /* as.integer: 0 or 1; passed as i1 */
  TEGULA_ARG_INTEGER,    /* as.integer; passed as i32 if it fits, else as i64 */
  TEGULA_ARG_REAL,       /* as.real; passed as f32 */
  TEGULA_ARG_SCALAR,     /* the low bytes of as.bits, a scalar of `type` */
  TEGULA_ARG_BUFFER,     /* as.buffer; passed as a pointer to its elements */
  TEGULA_ARG_ADDRESS,    /* as.address: device address of elements of `type`; the memory's extent is unknown */
  TEGULA_ARG_DESCRIPTOR, /* as.descriptor: a tensor descriptor */
  TEGULA_ARG_POINTERS,   /* as.pointers: an array of device pointers */
  TEGULA_ARG_VALUE,      /* as.value: a text or a dtype, only for a constexpr parameter */
  TEGULA_ARG_SPAN        /* as.span: like as.address, with the extent of the memory */
};
typedef struct tegula_span {
  uint64_t address, bytes; /* `bytes`: from the address on */
} tegula_span;
/* An argument of a launch. An annotation of the parameter decides the argument's type; if there is none, `kind`. */
typedef struct tegula_argument {
  const char *name; /* the parameter's; NULL: by position. Either all arguments have names or none. */
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
    const tegula_span *span;
  } as;
} tegula_argument;

typedef int32_t tegula_checked;
enum {
  TEGULA_CHECKED_DEFAULT, /* checked if TRITON_INTERPRET=1 when it is launched, or prepared */
  TEGULA_CHECKED_NO,
  TEGULA_CHECKED_YES /* every access and every assertion is tested (docs/debugging.md); only on the CPU */
};

typedef struct tegula_meta tegula_meta;
/* Computes the grid of a launch from the constants of its configuration, like Triton's `lambda META: (...)`. Must set
 * all three axes, in programs. Returns TEGULA_OK, or the status with which the launch fails. */
typedef tegula_status (*tegula_grid_callback)(void *user, const tegula_meta *meta, int64_t grid[3]);
/* Reads a constant's value, which is valid during the callback. Fails if the kernel has no constant of that name. */
TEGULA_EXPORT tegula_status tegula_meta_get(const tegula_meta *meta, const char *name, tegula_value *out);

/* Receives device_print text of `bytes` bytes, which is not zero-terminated. */
typedef void (*tegula_print_callback)(void *user, const char *text, size_t bytes);

typedef struct tegula_launch_options {
  size_t struct_size;
  /* Values of constexpr parameters, and of the options depth_splits, maxnreg (docs/tuning.md), debug, which compiles
   * tl.device_assert, sanitize_overflow (docs/debugging.md), default_dot_input_precision, max_num_imprecise_acc_default
   * (docs/language.md). */
  const tegula_constant *constants;
  size_t constant_count;
  int32_t num_warps, num_stages; /* 0: those of the configuration, or else 4 and 3 */
  tegula_checked checked;
  tegula_print_callback print; /* receives device_print text; NULL: written to standard output */
  void *print_user;
  tegula_grid_callback grid; /* NULL, or used instead of the launch's grid */
  void *grid_user;
  int32_t no_autotune; /* not 0: this launch does not measure the configurations of @triton.autotune */
  int32_t background;  /* not 0: runs existing code that fits; a background thread compiles faster code */
} tegula_launch_options;
#define TEGULA_LAUNCH_OPTIONS_INIT                                                                                     \
  {sizeof(tegula_launch_options), NULL, 0, 0, 0, TEGULA_CHECKED_DEFAULT, NULL, NULL, NULL, NULL, 0, 0}

/* Runs `grid[0] * grid[1] * grid[2]` programs. Zeros after the last axis that is not 0 count as 1, so that `int64_t
 * grid[3] = {4}` runs 4 programs; with grid[0] = 0 nothing is launched. Arguments by position are those of the
 * parameters that are not constexpr, or those of all parameters. The kernel is compiled unless an earlier launch, of
 * any process, has compiled it. `options` may be NULL; `grid` may be NULL if the options have a grid callback. */
TEGULA_EXPORT tegula_status tegula_kernel_launch(const tegula_kernel *kernel, tegula_stream *stream,
                                                 const int64_t grid[3], size_t argument_count,
                                                 const tegula_argument *arguments,
                                                 const tegula_launch_options *options);

/* ---- Prepared launches ------------------------------------------------------------------------------------------ */

/* A prepared launch: a kernel on one device, with its constants, its options and the types of its arguments fixed. */
typedef struct tegula_launcher tegula_launcher;

/* Prepares a launch. Kinds and types of `arguments` are fixed for all launches; their values only decide which code is
 * compiled first. `options`: as for tegula_kernel_launch, except that `grid` is not used. A kernel's heuristics depend
 * on each launch's values, so `options.constants` must have the constants that they compute. */
TEGULA_EXPORT tegula_status tegula_launcher_prepare(const tegula_kernel *kernel, tegula_device *device,
                                                    size_t argument_count, const tegula_argument *arguments,
                                                    const tegula_launch_options *options, tegula_launcher **out);

typedef struct tegula_slot_info {
  size_t struct_size;
  size_t parameter;          /* index of the kernel's parameter, from 0 */
  tegula_argument_kind kind; /* TEGULA_ARG_SCALAR, _ADDRESS, _POINTERS or _DESCRIPTOR */
  tegula_dtype type;         /* type of the scalar, or of the elements */
} tegula_slot_info;
#define TEGULA_SLOT_INFO_INIT {sizeof(tegula_slot_info), 0, TEGULA_ARG_NONE, TEGULA_I1}
/* The launcher has one slot for each parameter that is neither constexpr nor None, in order. */
TEGULA_EXPORT tegula_status tegula_launcher_slot_count(const tegula_launcher *launcher, size_t *out);
TEGULA_EXPORT tegula_status tegula_launcher_get_slot(const tegula_launcher *launcher, size_t index,
                                                     tegula_slot_info *out);

/* A tensor as the argument of a prepared launch. Its block and padding were fixed by tegula_launcher_prepare. */
typedef struct tegula_tensor {
  uint64_t address;
  const int64_t *shape, *strides; /* as many as the block has axes; the last stride is 1, unless an extent is 0 */
} tegula_tensor;

/* Launches with one 64-bit word for each slot: a scalar's bits in the low bytes (a float in its own format), an
 * address, or for a descriptor the host address of a tegula_tensor. A repeated launch looks nothing up by name,
 * allocates nothing and takes no lock of the library. The caller must keep the memory at the addresses valid. */
TEGULA_EXPORT tegula_status tegula_launcher_launch(const tegula_launcher *launcher, tegula_stream *stream,
                                                   const uint32_t grid[3], const uint64_t *slots);

/* The same with, for each slot that is an address, the bytes of memory from there on; 0: not known. Code that reads
 * ahead of its writes needs to know that arguments do not overlap (docs/passes/facts.md, "Conditional code"). */
TEGULA_EXPORT tegula_status tegula_launcher_launch_sized(const tegula_launcher *launcher, tegula_stream *stream,
                                                         const uint32_t grid[3], const uint64_t *slots,
                                                         const uint64_t *extents);
TEGULA_EXPORT void tegula_launcher_release(tegula_launcher *launcher);

/* ---- Compilation ------------------------------------------------------------------------------------------------ */

/* A kernel that was compiled for a target. */
typedef struct tegula_compiled tegula_compiled;

typedef struct tegula_compile_options {
  size_t struct_size;
  const char *target; /* name of a target, such as "cpu" */
  /* The types of the parameters that are not constexpr, in order, in the syntax of `tegula compile --signature`:
   * "*fp32:16, *fp32, i32:16, i32, 1". */
  const char *signature;
  const tegula_constant *constants; /* see tegula_launch_options */
  size_t constant_count;
  int32_t num_warps, num_stages; /* see tegula_launch_options */
} tegula_compile_options;
#define TEGULA_COMPILE_OPTIONS_INIT {sizeof(tegula_compile_options), NULL, NULL, NULL, 0, 0, 0}
/* Compiles a kernel without a device. The code relies on the facts in the signature, such as divisibility. It may also
 * rely on facts that a launch by Tegula tests: that no integer is negative, that no program lies beyond the last tile,
 * and that the memory of arguments does not overlap (docs/passes/facts.md, "Conditional code"). */
TEGULA_EXPORT tegula_status tegula_kernel_compile(const tegula_kernel *kernel, const tegula_compile_options *options,
                                                  tegula_compiled **out);
/* The code that the launcher runs for these slots, and extents if it is launched with them; compiled if need be. */
TEGULA_EXPORT tegula_status tegula_launcher_compile(const tegula_launcher *launcher, const uint64_t *slots,
                                                    tegula_compiled **out);
TEGULA_EXPORT tegula_status tegula_launcher_compile_sized(const tegula_launcher *launcher, const uint64_t *slots,
                                                          const uint64_t *extents, tegula_compiled **out);

typedef struct tegula_compiled_info {
  size_t struct_size;
  const char *target, *entry;
  const char *source_hash; /* hash of source, constants, types, target, options and build */
  int32_t num_warps, num_stages;
  uint32_t threads;      /* of one program */
  uint32_t shared_bytes; /* shared memory of one program that the launch sizes */
  int32_t registers;     /* of one thread; -1: unknown, because the code is not loaded on a device */
  int32_t spill_bytes;   /* spilled registers of one thread, in bytes; -1: unknown */
} tegula_compiled_info;
#define TEGULA_COMPILED_INFO_INIT {sizeof(tegula_compiled_info), NULL, NULL, NULL, 0, 0, 0, 0, -1, -1}
TEGULA_EXPORT tegula_status tegula_compiled_get_info(const tegula_compiled *compiled, tegula_compiled_info *info);
/* The levels that tegula_compiled_get_level accepts, separated by commas, in order: "ast,tile,bytecode". */
TEGULA_EXPORT tegula_status tegula_compiled_get_levels(tegula_compiled *compiled, const char **out);
/* The text of a level; of the level "binary", the bytes that the device loads. A zero byte follows, not counted. */
TEGULA_EXPORT tegula_status tegula_compiled_get_level(tegula_compiled *compiled, const char *level, const void **data,
                                                      size_t *bytes);

TEGULA_EXPORT void tegula_compiled_release(tegula_compiled *compiled);

#ifdef __cplusplus
}
#endif

#include <tegula/tuning.h>

#endif
