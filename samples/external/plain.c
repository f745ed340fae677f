/* C11: a kernel that is compiled when the program runs, launched by name and prepared. usage: plain [DEVICE]
 *
 *   $ cc -std=c11 plain.c $(pkg-config --cflags --libs tegula) -o plain && ./plain cpu
 *   cpu: 1000 squares, 1000 of them right */
#include <stdio.h>
#include <stdlib.h>

#include <tegula/tegula.h>

enum { N = 1000, BLOCK = 256 };

static const char kSource[] = "import triton\n"
                              "import triton.language as tl\n"
                              "@triton.jit\n"
                              "def squares(out, n, BLOCK: tl.constexpr):\n"
                              "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                              "    tl.store(out + at, at * at, mask=at < n)\n";

static void check(tegula_status status) {
  if (status == TEGULA_OK)
    return;
  fprintf(stderr, "plain: %s\n", tegula_last_error());
  exit(status == TEGULA_BAD_USE ? 2 : 1);
}

int main(int argc, char **argv) {
  tegula_device *device;
  tegula_stream *stream;
  tegula_kernel *kernel;
  tegula_buffer *out;
  tegula_device_info info = TEGULA_DEVICE_INFO_INIT;
  tegula_buffer_info memory = TEGULA_BUFFER_INFO_INIT;
  const int64_t shape[1] = {N}, grid[3] = {(N + BLOCK - 1) / BLOCK, 1, 1};
  static int32_t host[N];

  check(tegula_require(TEGULA_ABI_VERSION));
  check(tegula_device_open(argc > 1 ? argv[1] : NULL, &device));
  check(tegula_device_get_info(device, &info));
  check(tegula_stream_create(device, &stream));
  check(tegula_kernel_load_source(kSource, "squares", "squares.py", NULL, &kernel));
  check(tegula_buffer_create(device, TEGULA_I32, 1, shape, &out));

  /* The first half by name ... */
  tegula_constant block = {"BLOCK", {TEGULA_INTEGER, {BLOCK}}};
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  options.constants = &block;
  options.constant_count = 1;
  tegula_argument arguments[2] = {{"out", TEGULA_ARG_BUFFER, TEGULA_I32, {0}},
                                  {"n", TEGULA_ARG_INTEGER, TEGULA_I32, {N / 2}}};
  arguments[0].as.buffer = out;
  check(tegula_kernel_launch(kernel, stream, grid, 2, arguments, &options));

  /* ... and all of it prepared: eight bytes for each argument. */
  tegula_launcher *launcher;
  check(tegula_launcher_prepare(kernel, device, 2, arguments, &options, &launcher));
  check(tegula_buffer_get_info(out, &memory));
  const uint32_t programs[3] = {(uint32_t)grid[0], 1, 1};
  const uint64_t slots[2] = {memory.address, N};
  check(tegula_launcher_launch(launcher, stream, programs, slots));
  check(tegula_stream_read(stream, out, host));

  int right = 0;
  for (int i = 0; i < N; ++i)
    right += host[i] == i * i;
  printf("%s: %d squares, %d of them right\n", info.name, N, right);
  tegula_launcher_release(launcher);
  tegula_buffer_release(out);
  tegula_kernel_release(kernel);
  tegula_stream_release(stream);
  tegula_device_release(device);
  return right == N ? 0 : 1;
}
