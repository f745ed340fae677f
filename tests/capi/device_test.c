/* The C interface on one device, as a C11 program. usage: capi_device_test DEVICE
 *
 * Results are compared with sums that the host computes; messages with what they must name. */
#include "check.h"

#include <time.h>

enum { N = 1000 };

static const char kAdd[] = "import triton\n"
                           "import triton.language as tl\n"
                           "@triton.jit\n"
                           "def add(x, y, out, n, scale: tl.float32 = 1.0, B: tl.constexpr = 128):\n"
                           "    at = tl.program_id(0) * B + tl.arange(0, B)\n"
                           "    a = tl.load(x + at, mask=at < n)\n"
                           "    b = tl.load(y + at, mask=at < n)\n"
                           "    tl.store(out + at, (a + b) * scale, mask=at < n)\n";

typedef struct Fixture {
  tegula_device *device;
  tegula_stream *stream;
  tegula_kernel *add;
  tegula_buffer *x, *y, *out;
  float host_x[N], host_y[N], host_out[N];
} Fixture;

static void set_up(Fixture *f, const char *device) {
  const int64_t shape[1] = {N};
  OK(tegula_require(TEGULA_ABI_VERSION));
  OK(tegula_device_open(device, &f->device));
  OK(tegula_stream_create(f->device, &f->stream));
  OK(tegula_kernel_load_source(kAdd, NULL, "add.py", NULL, &f->add));
  OK(tegula_buffer_create(f->device, TEGULA_F32, 1, shape, &f->x));
  OK(tegula_buffer_create(f->device, TEGULA_F32, 1, shape, &f->y));
  OK(tegula_buffer_create(f->device, TEGULA_F32, 1, shape, &f->out));
  for (int i = 0; i < N; ++i) {
    f->host_x[i] = (float)i;
    f->host_y[i] = (float)(2 * i + 1);
  }
  OK(tegula_stream_write(f->stream, f->x, f->host_x));
  OK(tegula_stream_write(f->stream, f->y, f->host_y));
}

static void tear_down(Fixture *f) {
  tegula_buffer_release(f->x);
  tegula_buffer_release(f->y);
  tegula_buffer_release(f->out);
  tegula_kernel_release(f->add);
  tegula_stream_release(f->stream);
  tegula_device_release(f->device);
}

static tegula_argument buffer_argument(const tegula_buffer *buffer) {
  tegula_argument argument = {NULL, TEGULA_ARG_BUFFER, TEGULA_F32, {0}};
  argument.as.buffer = buffer;
  return argument;
}

static tegula_argument integer_argument(int64_t value) {
  tegula_argument argument = {NULL, TEGULA_ARG_INTEGER, TEGULA_I32, {0}};
  argument.as.integer = value;
  return argument;
}

static uint64_t address_of(const tegula_buffer *buffer) {
  tegula_buffer_info info = TEGULA_BUFFER_INFO_INIT;
  OK(tegula_buffer_get_info(buffer, &info));
  return info.address;
}

/* `out` holds scale * (x + y) in its first `count` elements and -1 behind them; resets it to -1. */
static void expect_sums(Fixture *f, int count, float scale) {
  OK(tegula_stream_read(f->stream, f->out, f->host_out));
  for (int i = 0; i < N; ++i)
    CHECK(f->host_out[i] == (i < count ? scale * (f->host_x[i] + f->host_y[i]) : -1.0f));
  for (int i = 0; i < N; ++i)
    f->host_out[i] = -1.0f;
  OK(tegula_stream_write(f->stream, f->out, f->host_out));
}

static void reset(Fixture *f) {
  for (int i = 0; i < N; ++i)
    f->host_out[i] = -1.0f;
  OK(tegula_stream_write(f->stream, f->out, f->host_out));
}

static void launches(Fixture *f) {
  tegula_argument arguments[5] = {buffer_argument(f->x),
                                  buffer_argument(f->y),
                                  buffer_argument(f->out),
                                  integer_argument(N),
                                  {"scale", TEGULA_ARG_REAL, TEGULA_F32, {0}}};
  const int64_t grid[3] = {8, 1, 1};
  reset(f);
  OK(tegula_kernel_launch(f->add, f->stream, grid, 4, arguments, NULL));
  expect_sums(f, N, 1.0f);

  /* By name, with a constant, and a default that is replaced. */
  const char *names[5] = {"x", "y", "out", "n", "scale"};
  tegula_constant constant = {"B", {TEGULA_INTEGER, {256}}};
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  options.constants = &constant;
  options.constant_count = 1;
  options.num_warps = 2;
  for (int i = 0; i < 5; ++i)
    arguments[i].name = names[i];
  arguments[4].as.real = 0.5;
  arguments[3].as.integer = 700;
  OK(tegula_kernel_launch(f->add, f->stream, grid, 5, arguments, &options));
  expect_sums(f, 700, 0.5f);

  FAILS(TEGULA_BAD_USE, "'y'", tegula_kernel_launch(f->add, f->stream, grid, 1, arguments, NULL));
  arguments[2].name = "outt"; /* a parameter is missing because another name is misspelt: that one is named */
  FAILS(TEGULA_BAD_USE, "has no parameter 'outt'; it has x, y, out, n, scale and B; did you mean 'out'?",
        tegula_kernel_launch(f->add, f->stream, grid, 5, arguments, &options));
  arguments[2].name = NULL;
  FAILS(TEGULA_BAD_USE, "number 2 has no name", tegula_kernel_launch(f->add, f->stream, grid, 5, arguments, NULL));
  FAILS(TEGULA_BAD_USE, "kernel is null", tegula_kernel_launch(NULL, f->stream, grid, 5, arguments, NULL));
  FAILS(TEGULA_BAD_USE, "grid is null", tegula_kernel_launch(f->add, f->stream, NULL, 0, NULL, NULL));
}

/* Axes that an initialiser leaves out are 0, and count as 1. */
static void short_grids(Fixture *f) {
  tegula_argument arguments[4] = {buffer_argument(f->x), buffer_argument(f->y), buffer_argument(f->out),
                                  integer_argument(N)};
  const int64_t one[3] = {8}, two[3] = {8, 1}, none[3] = {0}, empty[3] = {0, 4}, hole[3] = {8, 0, 1};
  reset(f);
  OK(tegula_kernel_launch(f->add, f->stream, one, 4, arguments, NULL));
  expect_sums(f, N, 1.0f);
  OK(tegula_kernel_launch(f->add, f->stream, two, 4, arguments, NULL));
  expect_sums(f, N, 1.0f);
  OK(tegula_kernel_launch(f->add, f->stream, none, 4, arguments, NULL));
  OK(tegula_kernel_launch(f->add, f->stream, empty, 4, arguments, NULL));
  OK(tegula_kernel_launch(f->add, f->stream, hole, 4, arguments, NULL));
  expect_sums(f, 0, 1.0f);
}

static tegula_status grid_of(void *user, const tegula_meta *meta, int64_t grid[3]) {
  tegula_value block;
  tegula_status status = tegula_meta_get(meta, *(const char **)user, &block);
  if (status)
    return status;
  grid[0] = (N + block.as.integer - 1) / block.as.integer;
  return TEGULA_OK;
}

static void grids(Fixture *f) {
  tegula_argument arguments[4] = {buffer_argument(f->x), buffer_argument(f->y), buffer_argument(f->out),
                                  integer_argument(N)};
  const char *name = "B";
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  options.grid = grid_of;
  options.grid_user = &name;
  OK(tegula_kernel_launch(f->add, f->stream, NULL, 4, arguments, &options));
  expect_sums(f, N, 1.0f);
  name = "C";
  FAILS(TEGULA_BAD_USE, "no constant 'C'", tegula_kernel_launch(f->add, f->stream, NULL, 4, arguments, &options));
}

typedef struct Trials {
  int64_t launches, block;
} Trials;
static tegula_status counting_grid(void *user, const tegula_meta *meta, int64_t grid[3]) {
  Trials *trials = user;
  tegula_value block;
  tegula_status status = tegula_meta_get(meta, "B", &block);
  if (status)
    return status;
  ++trials->launches;
  trials->block = block.as.integer;
  grid[0] = (N + trials->block - 1) / trials->block;
  return TEGULA_OK;
}

/* Whether configurations are measured is the caller's decision. No run knows the kernel from an earlier one. */
static void autotuned(Fixture *f) {
  static const char source[] = "import triton\n"
                               "import triton.language as tl\n"
                               "@triton.autotune([triton.Config({'B': 64}), triton.Config({'B': 256})], ['n'], rep=1)\n"
                               "@triton.jit\n"
                               "def tuned(x, out, n, B: tl.constexpr):\n"
                               "    run: tl.constexpr = '%lld %p'\n" // records do not see comments
                               "    at = tl.program_id(0) * B + tl.arange(0, B)\n"
                               "    tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)\n";
  char text[sizeof source + 64];
  snprintf(text, sizeof text, source, (long long)time(NULL), (void *)f);
  tegula_kernel *kernel;
  OK(tegula_kernel_load_source(text, NULL, "tuned.py", NULL, &kernel));
  tegula_argument arguments[3] = {buffer_argument(f->x), buffer_argument(f->out), integer_argument(N)};
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  for (int way = 0; way < 3; ++way) {
    Trials trials = {0, 0};
    options.grid = counting_grid;
    options.grid_user = &trials;
    options.no_autotune = way != 1;
    options.background = way == 2;
    OK(tegula_kernel_launch(kernel, f->stream, NULL, 3, arguments, &options));
    OK(tegula_stream_read(f->stream, f->out, f->host_out));
    for (int i = 0; i < N; ++i)
      CHECK(f->host_out[i] == f->host_x[i] + 1);
    CHECK(way == 1 ? trials.launches > 2 : trials.launches == 1);
    CHECK(way == 1 ? trials.block == 64 || trials.block == 256 : trials.block == 64);
    reset(f);
  }
  tegula_kernel_release(kernel);
}

/* Addresses and scalars with types instead of buffers and numbers; then prepared. */
static void prepared(Fixture *f) {
  tegula_argument arguments[5] = {buffer_argument(f->x),
                                  buffer_argument(f->y),
                                  buffer_argument(f->out),
                                  {NULL, TEGULA_ARG_SCALAR, TEGULA_I64, {N}},
                                  {NULL, TEGULA_ARG_SCALAR, TEGULA_F32, {0}}};
  const tegula_buffer *buffers[3] = {f->x, f->y, f->out};
  const float quarter = 0.25f;
  memcpy(&arguments[4].as.bits, &quarter, sizeof quarter);
  for (int i = 0; i < 3; ++i) {
    arguments[i].kind = TEGULA_ARG_ADDRESS;
    arguments[i].as.address = address_of(buffers[i]);
  }
  const int64_t grid[3] = {8, 1, 1};
  OK(tegula_kernel_launch(f->add, f->stream, grid, 5, arguments, NULL));
  expect_sums(f, N, 0.25f);

  tegula_launcher *launcher;
  OK(tegula_launcher_prepare(f->add, f->device, 5, arguments, NULL, &launcher));
  size_t count = 0;
  OK(tegula_launcher_slot_count(launcher, &count));
  CHECK(count == 5);
  tegula_slot_info slot = TEGULA_SLOT_INFO_INIT;
  OK(tegula_launcher_get_slot(launcher, 3, &slot));
  CHECK(slot.parameter == 3 && slot.kind == TEGULA_ARG_SCALAR && slot.type == TEGULA_I64);
  OK(tegula_launcher_get_slot(launcher, 0, &slot));
  CHECK(slot.parameter == 0 && slot.kind == TEGULA_ARG_ADDRESS && slot.type == TEGULA_F32);
  FAILS(TEGULA_BAD_USE, "5 slots", tegula_launcher_get_slot(launcher, 5, &slot));

  /* Counts that 16 divides and others take other variants of the code. */
  const uint32_t programs[3] = {8, 1, 1};
  for (uint64_t n = 496; n < 500; ++n) {
    uint64_t slots[5] = {address_of(f->x), address_of(f->y), address_of(f->out), n, arguments[4].as.bits};
    OK(tegula_launcher_launch(launcher, f->stream, programs, slots));
    expect_sums(f, (int)n, 0.25f);
    if (n != 499)
      continue;
    tegula_compiled *compiled;
    tegula_compiled_info info = TEGULA_COMPILED_INFO_INIT;
    OK(tegula_launcher_compile(launcher, slots, &compiled));
    OK(tegula_compiled_get_info(compiled, &info));
    CHECK(!strcmp(info.entry, "add") && info.num_warps == 4 && info.threads >= 1);
    tegula_compiled_release(compiled);
  }
  tegula_launcher_release(launcher);
}

static void events(Fixture *f) {
  tegula_event *start, *end;
  tegula_stream *other;
  double seconds = -1;
  OK(tegula_stream_create(f->device, &other));
  OK(tegula_event_record(f->stream, &start));
  OK(tegula_stream_fill(f->stream, f->out, 0));
  OK(tegula_stream_copy(f->stream, f->out, f->x));
  OK(tegula_event_record(f->stream, &end));
  OK(tegula_stream_wait_event(other, end));
  OK(tegula_stream_read(other, f->out, f->host_out));
  CHECK(!memcmp(f->host_out, f->host_x, sizeof f->host_x));
  OK(tegula_event_wait(end));
  OK(tegula_event_seconds(start, end, &seconds));
  CHECK(seconds >= 0 && seconds < 60);
  tegula_event_release(start);
  tegula_event_release(end);
  OK(tegula_stream_synchronize(other));
  tegula_stream_release(other);
  reset(f);
}

static void views(Fixture *f) {
  const int64_t shape[2] = {10, 20}, strides[2] = {40, 2};
  tegula_buffer *view;
  tegula_buffer_info info = TEGULA_BUFFER_INFO_INIT;
  OK(tegula_buffer_view(f->x, 2, shape, strides, 4, &view));
  OK(tegula_buffer_get_info(view, &info));
  CHECK(info.rank == 2 && info.shape[1] == 20 && info.strides[0] == 40 && info.elements == 200);
  CHECK(info.address == address_of(f->x) + 16 && info.bytes == 4 * (9 * 40 + 19 * 2 + 1));
  FAILS(TEGULA_BAD_USE, "not dense", tegula_stream_read(f->stream, view, f->host_out));
  tegula_buffer_release(view);
  FAILS(TEGULA_BAD_USE, "outside", tegula_buffer_view(f->x, 2, shape, strides, 900, &view));
  FAILS(TEGULA_BAD_USE, "shape is null", tegula_buffer_view(f->x, 2, NULL, strides, 0, &view));
}

/* Pointers from memory: each program copies from the buffer that its pointer names. */
static void pointers(Fixture *f) {
  static const char source[] = "import triton\n"
                               "import triton.language as tl\n"
                               "@triton.jit\n"
                               "def pick(table, out, B: tl.constexpr):\n"
                               "    i = tl.program_id(0)\n"
                               "    at = tl.arange(0, B)\n"
                               "    tl.store(out + i * B + at, tl.load(tl.load(table + i) + at))\n";
  tegula_kernel *pick;
  tegula_pointers *table;
  const tegula_buffer *targets[2] = {f->y, f->x};
  OK(tegula_kernel_load_source(source, "pick", "pick.py", NULL, &pick));
  OK(tegula_pointers_create(f->stream, 2, targets, &table));
  tegula_argument arguments[2] = {{NULL, TEGULA_ARG_POINTERS, TEGULA_F32, {0}}, buffer_argument(f->out)};
  arguments[0].as.pointers = table;
  tegula_constant constant = {"B", {TEGULA_INTEGER, {64}}};
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  options.constants = &constant;
  options.constant_count = 1;
  const int64_t grid[3] = {2, 1, 1};
  OK(tegula_kernel_launch(pick, f->stream, grid, 2, arguments, &options));
  OK(tegula_stream_read(f->stream, f->out, f->host_out));
  for (int i = 0; i < 64; ++i)
    CHECK(f->host_out[i] == f->host_y[i] && f->host_out[64 + i] == f->host_x[i]);
  tegula_pointers_release(table);
  tegula_kernel_release(pick);
  reset(f);
}

/* A descriptor at a launch, and as the slot of a prepared one. */
static void descriptors(Fixture *f) {
  static const char source[] = "import triton\n"
                               "import triton.language as tl\n"
                               "@triton.jit\n"
                               "def block(desc, out, row):\n"
                               "    i = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]\n"
                               "    tl.store(out + i, desc.load([row, 16]))\n";
  const int64_t shape[2] = {25, 40}, strides[2] = {40, 1}, block[2] = {8, 16};
  tegula_kernel *kernel;
  tegula_buffer *view;
  OK(tegula_kernel_load_source(source, NULL, "block.py", NULL, &kernel));
  OK(tegula_buffer_view(f->x, 2, shape, strides, 0, &view));
  tegula_descriptor descriptor = TEGULA_DESCRIPTOR_INIT;
  descriptor.tensor = view;
  descriptor.block = block;
  tegula_argument arguments[3] = {
      {NULL, TEGULA_ARG_DESCRIPTOR, TEGULA_F32, {0}}, buffer_argument(f->out), integer_argument(8)};
  arguments[0].as.descriptor = &descriptor;
  const int64_t grid[3] = {1, 1, 1};
  const uint32_t programs[3] = {1, 1, 1};
  tegula_launcher *launcher;
  OK(tegula_launcher_prepare(kernel, f->device, 3, arguments, NULL, &launcher));
  for (int way = 0; way < 2; ++way) {
    tegula_tensor tensor = {address_of(view), shape, strides};
    uint64_t slots[3] = {(uint64_t)(uintptr_t)&tensor, address_of(f->out), 8};
    if (way == 0)
      OK(tegula_kernel_launch(kernel, f->stream, grid, 3, arguments, NULL));
    else
      OK(tegula_launcher_launch(launcher, f->stream, programs, slots));
    OK(tegula_stream_read(f->stream, f->out, f->host_out));
    for (int i = 0; i < 8 * 16; ++i)
      CHECK(f->host_out[i] == f->host_x[(8 + i / 16) * 40 + 16 + i % 16]);
    reset(f);
  }
  const int64_t apart[2] = {40, 2};
  tegula_tensor tensor = {address_of(view), shape, apart};
  uint64_t slots[3] = {(uint64_t)(uintptr_t)&tensor, address_of(f->out), 8};
  FAILS(TEGULA_BAD_USE, "parameter 'desc' of kernel 'block': the last stride of a tensor is 2; it must be 1",
        tegula_launcher_launch(launcher, f->stream, programs, slots));
  tegula_compiled *compiled;
  tensor.strides = NULL;
  FAILS(TEGULA_BAD_USE, "parameter 'desc' of kernel 'block': the tensor's strides are null",
        tegula_launcher_launch(launcher, f->stream, programs, slots));
  tensor.shape = NULL;
  FAILS(TEGULA_BAD_USE, "the tensor's shape is null", tegula_launcher_compile(launcher, slots, &compiled));
  slots[0] = 0;
  FAILS(TEGULA_BAD_USE, "the slot's tensor is null", tegula_launcher_launch(launcher, f->stream, programs, slots));
  FAILS(TEGULA_BAD_USE, "the slot's tensor is null", tegula_launcher_compile(launcher, slots, &compiled));
  tegula_launcher_release(launcher);
  tegula_buffer_release(view);
  tegula_kernel_release(kernel);
}

static void count_device(void *user, const tegula_device_info *info) {
  const char **wanted = user;
  CHECK(info->name && info->description && info->target);
  if (*wanted && !info->absent && !strcmp(info->name, *wanted))
    *wanted = NULL;
}
static void devices_are_listed(Fixture *f) {
  tegula_device_info info = TEGULA_DEVICE_INFO_INIT;
  OK(tegula_device_get_info(f->device, &info));
  const char *wanted = info.name;
  OK(tegula_devices(count_device, &wanted));
  CHECK(wanted == NULL);
  const char *name = "", *value = NULL;
  size_t count = 0;
  while (name) {
    OK(tegula_device_get_property(f->device, count, &name, &value));
    CHECK(!name || (name[0] && value));
    count += name != NULL;
  }
  CHECK(count > 0);
  if (!info.supports_capture)
    FAILS(TEGULA_DEVICE_ERROR, "cannot capture", tegula_stream_begin_capture(f->stream));
}

int main(int argc, char **argv) {
  Fixture fixture;
  if (argc != 2) {
    fprintf(stderr, "usage: %s DEVICE\n", argv[0]);
    return 2;
  }
  set_up(&fixture, argv[1]);
  devices_are_listed(&fixture);
  launches(&fixture);
  short_grids(&fixture);
  autotuned(&fixture);
  grids(&fixture);
  prepared(&fixture);
  events(&fixture);
  views(&fixture);
  pointers(&fixture);
  descriptors(&fixture);
  tear_down(&fixture);
  printf("%s: all hold\n", argv[1]);
  return 0;
}
