/* Tuning through the C interface: what a search finds is what later launches take, in this process and, through a
 * table, elsewhere. usage: capi_tuning_test DEVICE FOLDER; in FOLDER, which exists, the records are kept */
#define _POSIX_C_SOURCE 200112L
#include "check.h"

enum { N = 4096 };

static const char kSum[] = "import triton\n"
                           "import triton.language as tl\n"
                           "@triton.jit\n"
                           "def add_one(x, n, B: tl.constexpr):\n"
                           "    at = tl.program_id(0) * B + tl.arange(0, B)\n"
                           "    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)\n";

typedef struct Fixture {
  tegula_device *device;
  tegula_stream *stream;
  tegula_buffer *x;
  tegula_argument arguments[2];
  char table[4096];
  int tables;
} Fixture;

/* Of the programs that `grid` was asked for last. */
static int64_t lastBlock;

static tegula_status grid(void *user, const tegula_meta *meta, int64_t axes[3]) {
  tegula_value block;
  (void)user;
  if (tegula_meta_get(meta, "B", &block))
    return TEGULA_BAD_USE;
  lastBlock = block.as.integer;
  axes[0] = (N + lastBlock - 1) / lastBlock;
  return TEGULA_OK;
}

static tegula_status no_grid(void *user, const tegula_meta *meta, int64_t axes[3]) {
  (void)user, (void)meta, (void)axes;
  return 17;
}

static tegula_status failing_grid(void *user, const tegula_meta *meta, int64_t axes[3]) {
  tegula_value block;
  (void)user, (void)axes;
  return tegula_meta_get(meta, "unknown", &block) ? (tegula_status)17 : TEGULA_OK;
}

static tegula_kernel *load(void) {
  tegula_kernel *kernel;
  OK(tegula_kernel_load_source(kSum, "add_one", "add_one.py", NULL, &kernel));
  return kernel;
}

/* The block that a launch of the kernel takes without a constant of the caller's. */
static int64_t launched_block(Fixture *f, tegula_kernel *kernel) {
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  options.grid = grid;
  lastBlock = 0;
  OK(tegula_kernel_launch(kernel, f->stream, NULL, 2, f->arguments, &options));
  OK(tegula_stream_synchronize(f->stream));
  return lastBlock;
}

static void keep_table(void *user, const char *target, const char *table) {
  Fixture *f = user;
  CHECK(target[0] && strlen(table) < sizeof f->table);
  strcpy(f->table, table);
  ++f->tables;
}

static void follow(void *user, double done, double left) {
  CHECK(done >= *(double *)user && done <= 1 && left >= 0);
  *(double *)user = done;
}

static void bad_use(Fixture *f, tegula_kernel *kernel) {
  tegula_tuned *tuned = NULL;
  tegula_tune_options how = TEGULA_TUNE_OPTIONS_INIT;
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  tegula_constant constant = {"C", {TEGULA_INTEGER, {16}}};
  tegula_config space[1] = {{&constant, 1, 0, 0}};
  const int64_t one[3] = {1, 1, 1};
  size_t count = 77;
  FAILS(TEGULA_BAD_USE, "'add_one' has no configurations to choose from",
        tegula_kernel_tune(kernel, f->stream, one, 2, f->arguments, NULL, NULL, &tuned));
  how.seconds = -1;
  FAILS(TEGULA_BAD_USE, "the time for tuning is -1",
        tegula_kernel_tune(kernel, f->stream, one, 2, f->arguments, NULL, &how, &tuned));
  how.seconds = 0;
  how.space_count = 1;
  FAILS(TEGULA_BAD_USE, "how.space is null",
        tegula_kernel_tune(kernel, f->stream, one, 2, f->arguments, NULL, &how, &tuned));
  how.space = space;
  FAILS(TEGULA_BAD_USE, "kernel 'add_one' has no constexpr parameter 'C'; it has B",
        tegula_kernel_tune(kernel, f->stream, one, 2, f->arguments, NULL, &how, &tuned));
  constant.name = "B";
  FAILS(TEGULA_BAD_USE, "grid is null",
        tegula_kernel_tune(kernel, f->stream, NULL, 2, f->arguments, NULL, &how, &tuned));
  FAILS(TEGULA_BAD_USE, "out is null", tegula_kernel_tune(kernel, f->stream, one, 2, f->arguments, NULL, &how, NULL));
  CHECK(tuned == NULL);
  options.grid = no_grid; /* its status is the call's */
  FAILS((tegula_status)17, "the grid function returned status 17",
        tegula_kernel_tune(kernel, f->stream, NULL, 2, f->arguments, &options, &how, &tuned));
  options.grid = failing_grid; /* its message stays */
  FAILS((tegula_status)17, "no constant 'unknown'",
        tegula_kernel_tune(kernel, f->stream, NULL, 2, f->arguments, &options, &how, &tuned));
  FAILS(TEGULA_BAD_USE, "here.json:2:",
        tegula_tuning_import("{\"format\": 1, \"target\": \"cpu\",\n \"rows\": 5}", "here.json", &count));
  CHECK(tuned == NULL && count == 77);
}

/* No configuration fits: the report says of each why, and nothing is kept. */
static void nothing_fits(Fixture *f, tegula_kernel *kernel) {
  tegula_tuned *tuned;
  tegula_tuned_info info = TEGULA_TUNED_INFO_INIT;
  tegula_tune_options how = TEGULA_TUNE_OPTIONS_INIT;
  tegula_constant constant = {"B", {TEGULA_INTEGER, {48}}}, found = {NULL, {TEGULA_NONE, {0}}};
  tegula_config space[1] = {{&constant, 1, 0, 0}};
  const int64_t one[3] = {1, 1, 1};
  how.space = space;
  how.space_count = 1;
  OK(tegula_kernel_tune(kernel, f->stream, one, 2, f->arguments, NULL, &how, &tuned));
  OK(tegula_tuned_get_info(tuned, &info));
  CHECK(info.text == NULL && info.candidates == 1 && info.constant_count == 0 && strstr(info.table, "power of 2"));
  FAILS(TEGULA_BAD_USE, "has 0 constants", tegula_tuned_get_constant(tuned, 0, &found));
  tegula_tuned_release(tuned);
}

/* The fastest of four blocks, and not the smallest: 1024 programs of 4 elements are slower on every device. */
static int64_t tune(Fixture *f, tegula_kernel *kernel) {
  tegula_tuned *tuned;
  tegula_tuned_info info = TEGULA_TUNED_INFO_INIT;
  tegula_tune_options how = TEGULA_TUNE_OPTIONS_INIT;
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  tegula_constant constants[4], found = {NULL, {TEGULA_NONE, {0}}};
  tegula_config space[4];
  double share = 0;
  for (int i = 0; i < 4; ++i) {
    constants[i].name = "B";
    constants[i].value.kind = TEGULA_INTEGER;
    constants[i].value.as.integer = 4 << (3 * i);
    space[i].constants = &constants[i];
    space[i].constant_count = 1;
    space[i].num_warps = 4;
    space[i].num_stages = 0;
  }
  how.space = space;
  how.space_count = 4;
  how.seconds = 20;
  how.progress = follow;
  how.progress_user = &share;
  options.grid = grid;
  OK(tegula_kernel_tune(kernel, f->stream, NULL, 2, f->arguments, &options, &how, &tuned));
  OK(tegula_tuned_get_info(tuned, &info));
  CHECK(info.text && info.candidates == 4 && info.constant_count == 1 && info.num_warps == 4 &&
        info.launch_seconds > 0);
  CHECK(!strcmp(info.key, "n=4096") && strstr(info.table, info.text) && share == 1 && info.seconds > 0);
  OK(tegula_tuned_get_constant(tuned, 0, &found));
  CHECK(!strcmp(found.name, "B") && found.value.kind == TEGULA_INTEGER && found.value.as.integer > 4);
  int64_t best = found.value.as.integer;
  printf("best of 4: %s, %.4f ms\n", info.text, info.launch_seconds * 1e3);
  tegula_tuned_release(tuned);
  return best;
}

int main(int argc, char **argv) {
  static Fixture f;
  const int64_t shape[1] = {N};
  char elsewhere[1024];
  size_t count = 0;
  if (argc != 3) {
    fprintf(stderr, "usage: %s DEVICE FOLDER\n", argv[0]);
    return 2;
  }
  CHECK(setenv("TEGULA_CACHE_DIR", argv[2], 1) == 0);
  OK(tegula_device_open(argv[1], &f.device));
  OK(tegula_stream_create(f.device, &f.stream));
  OK(tegula_buffer_create(f.device, TEGULA_I32, 1, shape, &f.x));
  OK(tegula_stream_fill(f.stream, f.x, 0));
  f.arguments[0].kind = TEGULA_ARG_BUFFER;
  f.arguments[0].as.buffer = f.x;
  f.arguments[1].kind = TEGULA_ARG_INTEGER;
  f.arguments[1].as.integer = N;

  tegula_kernel *kernel = load(), *later = NULL;
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  options.grid = grid;
  FAILS(TEGULA_BAD_USE, "'B'", tegula_kernel_launch(kernel, f.stream, NULL, 2, f.arguments, &options));
  bad_use(&f, kernel);
  nothing_fits(&f, kernel);
  OK(tegula_tuning_export(keep_table, &f));
  CHECK(f.tables == 0);
  int64_t best = tune(&f, kernel);
  CHECK(launched_block(&f, kernel) == best);

  /* Another user's records: none, until the table is merged. */
  OK(tegula_tuning_export(keep_table, &f));
  CHECK(f.tables == 1 && strstr(f.table, "add_one"));
  CHECK(snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", argv[2]) < (int)sizeof elsewhere);
  CHECK(setenv("TEGULA_CACHE_DIR", elsewhere, 1) == 0);
  later = load();
  FAILS(TEGULA_BAD_USE, "'B'", tegula_kernel_launch(later, f.stream, NULL, 2, f.arguments, &options));
  OK(tegula_tuning_import(f.table, "table.json", &count));
  CHECK(count == 1);
  tegula_kernel_release(later);
  later = load();
  CHECK(launched_block(&f, later) == best);
  tegula_kernel_release(later);
  tegula_kernel_release(kernel);
  tegula_buffer_release(f.x);
  tegula_stream_release(f.stream);
  tegula_device_release(f.device);
  printf("all hold\n");
  return 0;
}
