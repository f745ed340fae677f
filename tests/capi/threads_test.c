/* Many threads that load, compile and launch at once, on one device. usage: capi_threads_test DEVICE [LAUNCHES]
 *
 * All share one kernel; each also has one of its own, a stream and buffers, and takes one of four block sizes, so that
 * variants are compiled while others launch. Each result is compared with the host. */
#include <pthread.h>

#include "check.h"

enum { THREADS = 64, N = 1024 };

static const char kSource[] = "import triton\n"
                              "import triton.language as tl\n"
                              "@triton.jit\n"
                              "def fill(out, n, value, B: tl.constexpr):\n"
                              "    at = tl.program_id(0) * B + tl.arange(0, B)\n"
                              "    tl.store(out + at, value + at, mask=at < n)\n";

static const char *device_name;
static int launches = 200;
static tegula_kernel *shared;

static void expect(tegula_stream *stream, tegula_buffer *out, int n, int value) {
  int32_t host[N];
  OK(tegula_stream_read(stream, out, host));
  for (int i = 0; i < N; ++i)
    CHECK(host[i] == (i < n ? value + i : -1));
}

static void *work(void *argument) {
  int number = *(int *)argument;
  int64_t block = 64 << number % 4;
  const int64_t shape[1] = {N};
  char path[64];
  tegula_device *device;
  tegula_stream *stream;
  tegula_kernel *own;
  tegula_buffer *out;
  tegula_launcher *launcher;
  OK(tegula_device_open(device_name, &device));
  OK(tegula_stream_create(device, &stream));
  OK(tegula_buffer_create(device, TEGULA_I32, 1, shape, &out));
  snprintf(path, sizeof path, "thread%d.py", number % 8);
  OK(tegula_kernel_load_source(kSource, "fill", path, NULL, &own));
  tegula_constant constant = {"B", {TEGULA_INTEGER, {block}}};
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  options.constants = &constant;
  options.constant_count = 1;
  tegula_argument arguments[3] = {{NULL, TEGULA_ARG_BUFFER, TEGULA_I32, {0}},
                                  {NULL, TEGULA_ARG_INTEGER, TEGULA_I32, {N}},
                                  {NULL, TEGULA_ARG_INTEGER, TEGULA_I32, {7}}};
  arguments[0].as.buffer = out;
  tegula_buffer_info info = TEGULA_BUFFER_INFO_INIT;
  OK(tegula_buffer_get_info(out, &info));
  OK(tegula_launcher_prepare(shared, device, 3, arguments, &options, &launcher));
  for (int round = 0; round < launches; ++round) {
    int n = 1 + (round * 37 + number) % N, value = number * 1000 + round;
    const int64_t grid[3] = {(n + block - 1) / block, 1, 1};
    const uint32_t programs[3] = {(uint32_t)grid[0], 1, 1};
    const uint64_t slots[3] = {info.address, (uint64_t)n, (uint64_t)value};
    arguments[1].as.integer = n;
    arguments[2].as.integer = value;
    OK(tegula_stream_fill(stream, out, 0xff));
    if (round % 3 == 0)
      OK(tegula_launcher_launch(launcher, stream, programs, slots));
    else
      OK(tegula_kernel_launch(round % 3 == 1 ? shared : own, stream, grid, 3, arguments, &options));
    expect(stream, out, n, value);
    if (round % 50 == number % 50) { /* a message of this thread alone */
      char name[32];
      snprintf(name, sizeof name, "nowhere%d", number);
      FAILS(TEGULA_BAD_USE, name, tegula_kernel_load_source(kSource, name, "fill.py", NULL, &own));
    }
  }
  tegula_launcher_release(launcher);
  tegula_kernel_release(own);
  tegula_buffer_release(out);
  tegula_stream_release(stream);
  tegula_device_release(device);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  if (argc < 2) {
    fprintf(stderr, "usage: %s DEVICE [LAUNCHES]\n", argv[0]);
    return 2;
  }
  device_name = argv[1];
  if (argc > 2)
    launches = atoi(argv[2]);
  OK(tegula_kernel_load_source(kSource, "fill", "fill.py", NULL, &shared));
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
  }
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  tegula_kernel_release(shared);
  printf("%s: %d threads, %d launches each: all results are right\n", device_name, THREADS, launches);
  return 0;
}
