/* What the C interface does on the host, and on the CPU alone: statuses, structures of other versions, inspection,
 * compilation, memory of the caller, checked launches, callbacks. usage: capi_host_test FOLDER, to write files in */
#include "check.h"

static const char kScale[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def scale(x, y: '*fp32', n: tl.int64, m=3, name='id', B: tl.constexpr = 64):\n"
                             "    at = tl.arange(0, B)\n"
                             "    tl.store(y + at, tl.load(x + at, mask=at < n) * m, mask=at < n)\n";

static void statuses(void) {
  tegula_device *device = NULL;
  tegula_dtype type = TEGULA_I1;
  tegula_error_place place = TEGULA_ERROR_PLACE_INIT;
  CHECK(tegula_abi_version() == TEGULA_ABI_VERSION && tegula_version()[0]);
  CHECK(!strcmp(tegula_last_error(), ""));
  FAILS(TEGULA_BAD_USE, "update the library", tegula_require(TEGULA_ABI_VERSION + 1));
  FAILS(TEGULA_BAD_USE, "compile the program again", tegula_require(0));
  FAILS(TEGULA_BAD_USE, "unknown device 'cpus'", tegula_device_open("cpus", &device));
  CHECK(device == NULL);
  FAILS(TEGULA_BAD_USE, "out is null", tegula_device_open("cpu", NULL));
  FAILS(TEGULA_BAD_USE, "did you mean 'f16'", tegula_dtype_parse("f17", &type));
  OK(tegula_dtype_parse("fp8e4nv", &type));
  CHECK(type == TEGULA_F8E4M3 && !strcmp(tegula_dtype_name(type), "f8e4m3") && tegula_dtype_bytes(type) == 1);
  CHECK(tegula_dtype_name((tegula_dtype)99) == NULL && tegula_dtype_bytes((tegula_dtype)99) == 0);
  OK(tegula_last_error_place(&place)); /* of the last failed call: it has no place */
  CHECK(place.line == 0 && !strcmp(place.file, "") && strstr(place.message, "f17"));
}

static void inspection(void) {
  tegula_kernel *kernel;
  tegula_kernel_info info = TEGULA_KERNEL_INFO_INIT;
  tegula_parameter p = TEGULA_PARAMETER_INIT;
  OK(tegula_kernel_load_source(kScale, "scale", "scale.py", NULL, &kernel));
  OK(tegula_kernel_get_info(kernel, &info));
  CHECK(!strcmp(info.name, "scale") && info.parameter_count == 6 && info.line == 4 && info.config_count == 0);
  OK(tegula_kernel_get_parameter(kernel, 1, &p));
  CHECK(!strcmp(p.name, "y") && p.is_annotated && p.is_annotated_pointer && p.annotated_type == TEGULA_F32);
  OK(tegula_kernel_get_parameter(kernel, 2, &p));
  CHECK(p.is_annotated && !p.is_annotated_pointer && p.annotated_type == TEGULA_I64 && !p.has_default);
  OK(tegula_kernel_get_parameter(kernel, 3, &p));
  CHECK(!p.is_annotated && p.has_default && p.default_value.kind == TEGULA_INTEGER && p.default_value.as.integer == 3);
  OK(tegula_kernel_get_parameter(kernel, 4, &p));
  CHECK(p.default_value.kind == TEGULA_TEXT && !strcmp(p.default_value.as.text, "id"));
  OK(tegula_kernel_get_parameter(kernel, 5, &p));
  CHECK(p.is_constexpr && p.line == 4);
  FAILS(TEGULA_BAD_USE, "has 6 parameters", tegula_kernel_get_parameter(kernel, 6, &p));

  /* A caller with an older header: what it does not know is left alone. */
  struct {
    size_t struct_size;
    const char *name;
    int32_t untouched;
  } old = {offsetof(tegula_parameter, is_constexpr), NULL, 77};
  OK(tegula_kernel_get_parameter(kernel, 5, (tegula_parameter *)(void *)&old));
  CHECK(!strcmp(old.name, "B") && old.untouched == 77);
  p.struct_size = 3;
  FAILS(TEGULA_BAD_USE, "struct_size is 3", tegula_kernel_get_parameter(kernel, 5, &p));
  tegula_kernel_release(kernel);

  FAILS(TEGULA_BAD_USE, "no kernel 'scales'", tegula_kernel_load_source(kScale, "scales", "scale.py", NULL, &kernel));
  FAILS(TEGULA_BAD_USE, "nowhere.py", tegula_kernel_load("nowhere.py", NULL, NULL, &kernel));
}

/* A caller with a newer header: its further members must be zero. */
static void newer_structures(void) {
  struct {
    tegula_load_options known;
    const char *further;
  } options = {TEGULA_LOAD_OPTIONS_INIT, NULL};
  tegula_kernel *kernel;
  options.known.struct_size = sizeof options;
  OK(tegula_kernel_load_source(kScale, NULL, "scale.py", &options.known, &kernel));
  tegula_kernel_release(kernel);
  options.further = "x";
  FAILS(TEGULA_BAD_USE, "does not know", tegula_kernel_load_source(kScale, NULL, "scale.py", &options.known, &kernel));
}

static void compilation(void) {
  tegula_kernel *kernel;
  tegula_compiled *compiled;
  tegula_compile_options options = TEGULA_COMPILE_OPTIONS_INIT;
  tegula_compiled_info info = TEGULA_COMPILED_INFO_INIT;
  const char *levels;
  const void *data;
  size_t bytes;
  OK(tegula_kernel_load_source(kScale, NULL, "scale.py", NULL, &kernel));
  options.target = "cpu";
  options.signature = "*fp32:16, *fp32, i64, i32=3, None";
  options.num_warps = 8;
  OK(tegula_kernel_compile(kernel, &options, &compiled));
  OK(tegula_compiled_get_info(compiled, &info));
  CHECK(!strcmp(info.target, "cpu") && info.num_warps == 8 && info.registers == -1 && strlen(info.source_hash) == 32);
  OK(tegula_compiled_get_levels(compiled, &levels));
  CHECK(!strncmp(levels, "ast,tile,", 9) && strstr(levels, ",binary"));
  OK(tegula_compiled_get_level(compiled, "tile", &data, &bytes));
  CHECK(bytes == strlen(data) && strstr(data, "tile.load") && strstr(data, "@scale"));
  OK(tegula_compiled_get_level(compiled, "binary", &data, &bytes));
  CHECK(bytes > 100);
  FAILS(TEGULA_BAD_USE, "no level 'ptxx'", tegula_compiled_get_level(compiled, "ptxx", &data, &bytes));
  tegula_compiled_release(compiled);
  options.signature = "*fp32, *fp33, i64, i32, None";
  FAILS(TEGULA_BAD_USE, "signature:1:8", tegula_kernel_compile(kernel, &options, &compiled));
  options.signature = "*fp32";
  FAILS(TEGULA_BAD_USE, "the signature lists 1", tegula_kernel_compile(kernel, &options, &compiled));
  options.target = "quantum";
  options.signature = "*fp32, *fp32, i64, i32, None";
  FAILS(TEGULA_BAD_USE, "unknown target 'quantum'", tegula_kernel_compile(kernel, &options, &compiled));
  tegula_kernel_release(kernel);
}

/* A kernel that does not compile: status, place, and a message of one sentence. */
static void places(void) {
  static const char broken[] = "import triton\n"
                               "import triton.language as tl\n"
                               "@triton.jit\n"
                               "def broken(x):\n"
                               "    tl.store(x, tl.lod(x))\n";
  tegula_kernel *kernel;
  tegula_compiled *compiled;
  tegula_error_place place = TEGULA_ERROR_PLACE_INIT;
  tegula_compile_options options = TEGULA_COMPILE_OPTIONS_INIT;
  OK(tegula_kernel_load_source(broken, NULL, "broken.py", NULL, &kernel));
  options.target = "cpu";
  options.signature = "*fp32";
  FAILS(TEGULA_BAD_KERNEL, "broken.py:5:", tegula_kernel_compile(kernel, &options, &compiled));
  OK(tegula_last_error_place(&place));
  CHECK(!strcmp(place.file, "broken.py") && place.line == 5 && place.column > 5);
  CHECK(strstr(place.message, "lod") && !strchr(place.message, '\n'));
  tegula_kernel_release(kernel);
}

/* Compiles `path` for a target that has too little for it, unless the library was built without that target. */
static void lacks(const char *path, const char *text, const tegula_compile_options *options, const char *resource,
                  uint64_t required, uint64_t limit) {
  tegula_kernel *kernel;
  tegula_compiled *compiled;
  tegula_error_place place = TEGULA_ERROR_PLACE_INIT;
  tegula_error_shortage shortage = TEGULA_ERROR_SHORTAGE_INIT;
  OK(tegula_kernel_load_source(text, NULL, path, NULL, &kernel));
  if (tegula_kernel_compile(kernel, options, &compiled) != TEGULA_BAD_USE ||
      !strstr(tegula_last_error(), "unknown target")) {
    FAILS(TEGULA_OUT_OF_RESOURCES, path, tegula_kernel_compile(kernel, options, &compiled));
    OK(tegula_last_error_place(&place));
    CHECK(!strcmp(place.file, path) && place.line > 1);
    OK(tegula_last_error_shortage(&shortage));
    CHECK(!strcmp(shortage.resource, resource) && shortage.required == required && shortage.limit == limit);
  }
  tegula_kernel_release(kernel);
}

static void shortages(void) {
  static const char wide[] =
      "#d = #layout.distributed<register (0,1) (0,2) (0,4) (0,8) (0,16) (0,32), lane (1,0) (2,0) (4,0) (8,0) (16,0), "
      "warp (32,0) (64,0)>\n"
      "#s = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0)>\n"
      "func.func @wide(%x: f32) attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {\n"
      "  %tile = tile.splat %x : f32 -> tensor<128x64xf32, #d>\n"
      "  %a = simt.shared_alloc : !simt.shared<128x64xf32, #s>\n"
      "  simt.shared_store %a, %tile : !simt.shared<128x64xf32, #s>, tensor<128x64xf32, #d>\n"
      "  return\n"
      "}\n";
  tegula_kernel *kernel;
  tegula_compile_options options = TEGULA_COMPILE_OPTIONS_INIT;
  tegula_error_shortage shortage = TEGULA_ERROR_SHORTAGE_INIT;
  options.target = "spirv:generic";
  options.signature = "fp32";
  lacks("wide.mlir", wide, &options, "shared memory", 32768, 16384);
  options.target = "gfx942"; /* warps of 64 threads */
  options.signature = "*fp32, *fp32, i64, i32, None";
  options.num_warps = 32;
  lacks("scale.py", kScale, &options, "threads", 2048, 1024);
  FAILS(TEGULA_BAD_USE, "null", tegula_kernel_load_source(NULL, NULL, "x.py", NULL, &kernel));
  OK(tegula_last_error_shortage(&shortage));
  CHECK(!strcmp(shortage.resource, "") && shortage.required == 0 && shortage.limit == 0);
}

typedef struct Received {
  int count;
  char text[4096];
} Received;
static void receive(void *user, tegula_severity severity, const char *text) {
  Received *received = user;
  CHECK(severity == TEGULA_OUTPUT);
  ++received->count;
  snprintf(received->text, sizeof received->text, "%s", text);
}

/* Values of names that the file does not define, or defines otherwise; a function of another file; a module. */
static void globals(const char *folder) {
  static const char source[] = "import triton\n"
                               "import triton.language as tl\n"
                               "SIZE = make_size()\n"
                               "helpers = find_helpers()\n"
                               "@triton.jit\n"
                               "def k(x):\n"
                               "    tl.static_print(SIZE, KIND, SHAPE[1])\n"
                               "    tl.store(x + tl.arange(0, SIZE), half(helpers.twice(6.0)))\n";
  char path[1024];
  snprintf(path, sizeof path, "%s/capi_helpers.py", folder);
  FILE *file = fopen(path, "w");
  CHECK(file);
  fputs("import triton\n@triton.jit\ndef twice(x):\n    return x * FACTOR\n@triton.jit\ndef halve(x):\n    return x / "
        "2\n",
        file);
  fclose(file);
  const tegula_global given[] = {{NULL, "SIZE", "32", NULL},      {NULL, "KIND", "'relu'", NULL},
                                 {NULL, "SHAPE", "(7, 9)", NULL}, {NULL, "half", "halve", path},
                                 {NULL, "helpers", NULL, path},   {path, "FACTOR", "4", NULL}};
  tegula_load_options options = TEGULA_LOAD_OPTIONS_INIT;
  options.globals = given;
  options.global_count = sizeof given / sizeof given[0];
  tegula_kernel *kernel;
  tegula_device *device;
  tegula_stream *stream;
  tegula_buffer *buffer;
  Received received = {0, ""};
  float host[32];
  const int64_t shape[1] = {32}, grid[3] = {1, 1, 1};
  OK(tegula_kernel_load_source(source, NULL, "globals.py", &options, &kernel));
  OK(tegula_device_open("cpu", &device));
  OK(tegula_stream_create(device, &stream));
  OK(tegula_buffer_create(device, TEGULA_F32, 1, shape, &buffer));
  tegula_argument argument = {"x", TEGULA_ARG_BUFFER, TEGULA_F32, {0}};
  argument.as.buffer = buffer;
  OK(tegula_set_diagnostics(receive, &received));
  OK(tegula_kernel_launch(kernel, stream, grid, 1, &argument, NULL));
  OK(tegula_set_diagnostics(NULL, NULL));
  CHECK(received.count == 1 && !strcmp(received.text, "32 relu 9\n"));
  OK(tegula_stream_read(stream, buffer, host));
  for (int i = 0; i < 32; ++i)
    CHECK(host[i] == 12.0f);
  tegula_buffer_release(buffer);
  tegula_stream_release(stream);
  tegula_device_release(device);
  tegula_kernel_release(kernel);

  const tegula_global wrong = {NULL, "SIZE", "32\nimport os", NULL}, nameless = {NULL, "a b", "1", NULL};
  options.global_count = 1;
  options.globals = &wrong;
  FAILS(TEGULA_BAD_USE, "several lines", tegula_kernel_load_source(source, NULL, "globals.py", &options, &kernel));
  options.globals = &nameless;
  FAILS(TEGULA_BAD_USE, "'a b', which is no name",
        tegula_kernel_load_source(source, NULL, "globals.py", &options, &kernel));
}

static void count_release(void *user) { ++*(int *)user; }

/* Memory of the caller: used in place, given back once, its bounds kept by checked launches. */
static void caller_memory(void) {
  float x[64], y[64];
  int released = 0;
  const int64_t shape[1] = {64}, grid[3] = {1, 1, 1};
  tegula_device *device;
  tegula_stream *stream;
  tegula_kernel *kernel;
  tegula_buffer *in, *out, *view;
  OK(tegula_device_open("cpu", &device));
  OK(tegula_stream_create(device, &stream));
  OK(tegula_kernel_load_source(kScale, NULL, "scale.py", NULL, &kernel));
  for (int i = 0; i < 64; ++i)
    x[i] = (float)i;
  tegula_memory memory = TEGULA_MEMORY_INIT;
  memory.address = (uint64_t)(uintptr_t)x;
  memory.bytes = sizeof x;
  memory.rank = 1;
  memory.shape = shape;
  memory.release = count_release;
  memory.user = &released;
  OK(tegula_buffer_wrap(device, &memory, &in));
  memory.address = (uint64_t)(uintptr_t)y;
  OK(tegula_buffer_wrap(device, &memory, &out));
  tegula_argument arguments[3] = {{"x", TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {"y", TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {"n", TEGULA_ARG_INTEGER, TEGULA_I32, {64}}};
  arguments[0].as.buffer = in;
  arguments[1].as.buffer = out;
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  for (int checked = TEGULA_CHECKED_DEFAULT; checked <= TEGULA_CHECKED_YES; ++checked) {
    memset(y, 0, sizeof y);
    options.checked = (tegula_checked)checked;
    OK(tegula_kernel_launch(kernel, stream, grid, 3, arguments, &options));
    for (int i = 0; i < 64; ++i)
      CHECK(y[i] == 3.0f * x[i]);
  }

  /* Overlapping parts of one memory, and an empty part between their beginnings. */
  tegula_buffer *low, *empty, *high;
  const int64_t extents[3] = {40, 0, 34};
  memory.shape = &extents[0];
  memory.bytes = 40 * sizeof(float);
  OK(tegula_buffer_wrap(device, &memory, &low));
  memory.address = (uint64_t)(uintptr_t)(y + 20);
  memory.shape = &extents[1];
  memory.bytes = 0;
  OK(tegula_buffer_wrap(device, &memory, &empty));
  memory.address = (uint64_t)(uintptr_t)(y + 30);
  memory.shape = &extents[2];
  memory.bytes = 34 * sizeof(float);
  OK(tegula_buffer_wrap(device, &memory, &high));
  tegula_buffer_release(out);
  arguments[1].as.buffer = low;
  OK(tegula_kernel_launch(kernel, stream, grid, 3, arguments, &options));
  tegula_buffer_release(low);
  tegula_buffer_release(empty);
  tegula_buffer_release(high);
  CHECK(released == 4);
  released = 0;
  memory.address = (uint64_t)(uintptr_t)y;
  memory.shape = shape;
  memory.bytes = sizeof y;
  OK(tegula_buffer_wrap(device, &memory, &out));

  /* A part of the same memory: overlapping buffers are one to a checked launch; what no buffer covers is a fault. */
  tegula_buffer *part;
  const int64_t few[1] = {16};
  memory.bytes = 16 * sizeof(float);
  memory.shape = few;
  OK(tegula_buffer_wrap(device, &memory, &part));
  arguments[1].as.buffer = part;
  OK(tegula_kernel_launch(kernel, stream, grid, 3, arguments, &options));
  tegula_buffer_release(out);
  CHECK(released == 1);
  FAILS(TEGULA_KERNEL_FAULT, "y[16], past its end (16 elements of f32)",
        tegula_kernel_launch(kernel, stream, grid, 3, arguments, &options));
  arguments[1].kind = TEGULA_ARG_ADDRESS;
  arguments[1].as.address = (uint64_t)(uintptr_t)y;
  FAILS(TEGULA_KERNEL_FAULT, "y[16], past its end", tegula_kernel_launch(kernel, stream, grid, 3, arguments, &options));
  arguments[2].as.integer = 16;
  OK(tegula_kernel_launch(kernel, stream, grid, 3, arguments, &options));

  memory.bytes = 60;
  FAILS(TEGULA_BAD_USE, "too small", tegula_buffer_wrap(device, &memory, &view));
  memory.bytes = 64;
  memory.address = 0;
  FAILS(TEGULA_BAD_USE, "null address", tegula_buffer_wrap(device, &memory, &view));
  void *native = NULL;
  tegula_stream *wrapped;
  FAILS(TEGULA_DEVICE_ERROR, "cannot use streams", tegula_stream_wrap(device, native, &wrapped));
  tegula_buffer_release(part);
  tegula_buffer_release(in);
  CHECK(released == 3);
  tegula_kernel_release(kernel);
  tegula_stream_release(stream);
  tegula_device_release(device);
}

static void collect(void *user, const char *text, size_t bytes) { strncat(user, text, bytes); }

static void prints(void) {
  static const char source[] = "import triton\n"
                               "import triton.language as tl\n"
                               "@triton.jit\n"
                               "def k(n):\n"
                               "    tl.device_print('n is', n)\n";
  char text[4096] = "";
  tegula_kernel *kernel;
  tegula_device *device;
  tegula_stream *stream;
  tegula_argument argument = {NULL, TEGULA_ARG_INTEGER, TEGULA_I32, {12345}};
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  const int64_t grid[3] = {1, 1, 1};
  options.print = collect;
  options.print_user = text;
  OK(tegula_device_open("cpu", &device));
  OK(tegula_stream_create(device, &stream));
  OK(tegula_kernel_load_source(source, NULL, "print.py", NULL, &kernel));
  OK(tegula_kernel_launch(kernel, stream, grid, 1, &argument, &options));
  OK(tegula_stream_synchronize(stream));
  CHECK(strstr(text, "12345"));
  tegula_kernel_release(kernel);
  tegula_stream_release(stream);
  tegula_device_release(device);
}

/* Compiled with the option `debug` and in checked mode alone, by launches and prepared launches. */
static void assertions(void) {
  static const char source[] = "import triton\n"
                               "import triton.language as tl\n"
                               "@triton.jit\n"
                               "def k(n):\n"
                               "    tl.device_assert(n < 3, 'too large')\n";
  tegula_kernel *kernel;
  tegula_device *device;
  tegula_stream *stream;
  tegula_argument argument = {NULL, TEGULA_ARG_INTEGER, TEGULA_I32, {5}};
  tegula_constant debug = {"debug", {TEGULA_BOOL, {0}}};
  const int64_t grid[3] = {1, 1, 1};
  const uint32_t axes[3] = {1, 1, 1};
  const uint64_t slot = 5;
  OK(tegula_device_open("cpu", &device));
  OK(tegula_stream_create(device, &stream));
  OK(tegula_kernel_load_source(source, NULL, "assert.py", NULL, &kernel));
  for (int is_debug = 0; is_debug <= 1; ++is_debug)
    for (int checked = TEGULA_CHECKED_NO; checked <= TEGULA_CHECKED_YES; ++checked) {
      tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
      tegula_launcher *launcher;
      debug.value.as.integer = is_debug;
      options.constants = &debug;
      options.constant_count = 1;
      options.checked = (tegula_checked)checked;
      OK(tegula_launcher_prepare(kernel, device, 1, &argument, &options, &launcher));
      if (is_debug || checked == TEGULA_CHECKED_YES) {
        FAILS(TEGULA_KERNEL_FAULT, "too large", tegula_kernel_launch(kernel, stream, grid, 1, &argument, &options));
        FAILS(TEGULA_KERNEL_FAULT, "too large", tegula_launcher_launch(launcher, stream, axes, &slot));
      } else {
        OK(tegula_kernel_launch(kernel, stream, grid, 1, &argument, &options));
        OK(tegula_launcher_launch(launcher, stream, axes, &slot));
      }
      tegula_launcher_release(launcher);
    }
  tegula_kernel_release(kernel);
  tegula_stream_release(stream);
  tegula_device_release(device);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  statuses();
  inspection();
  newer_structures();
  compilation();
  places();
  shortages();
  globals(argv[1]);
  caller_memory();
  prints();
  assertions();
  printf("all hold\n");
  return 0;
}
