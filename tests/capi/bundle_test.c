/* A bundle from C: by file and from memory, on a device that it has code for, and on one that compiles its tile IR.
 * usage: capi_bundle_test BUNDLE DEVICE, with the bundle of samples/external's kernel saxpy */
#include "check.h"

enum { N = 1003 };

static void run(const tegula_bundle *bundle, const char *device_name) {
  static float x[N], y[N], out[N];
  const int64_t shape[1] = {N}, grid[3] = {(N + 1023) / 1024, 1, 1};
  tegula_device *device;
  tegula_stream *stream;
  tegula_kernel *kernel;
  tegula_buffer *buffers[3];
  OK(tegula_device_open(device_name, &device));
  OK(tegula_stream_create(device, &stream));
  OK(tegula_bundle_kernel(bundle, "saxpy", &kernel));
  tegula_kernel_info info = TEGULA_KERNEL_INFO_INIT;
  OK(tegula_kernel_get_info(kernel, &info));
  CHECK(!strcmp(info.name, "saxpy") && info.parameter_count == 6);
  for (int i = 0; i < N; ++i) {
    x[i] = (float)i;
    y[i] = 0.5f * (float)i;
  }
  tegula_argument arguments[5] = {{"x_ptr", TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {"y_ptr", TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {"out_ptr", TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {"n", TEGULA_ARG_INTEGER, TEGULA_I32, {N}},
                                  {"a", TEGULA_ARG_REAL, TEGULA_F32, {0}}};
  for (int i = 0; i < 3; ++i) {
    OK(tegula_buffer_create(device, TEGULA_F32, 1, shape, &buffers[i]));
    arguments[i].as.buffer = buffers[i];
  }
  arguments[4].as.real = 3.0;
  OK(tegula_stream_write(stream, buffers[0], x));
  OK(tegula_stream_write(stream, buffers[1], y));
  OK(tegula_kernel_launch(kernel, stream, grid, 5, arguments, NULL));
  OK(tegula_stream_read(stream, buffers[2], out));
  for (int i = 0; i < N; ++i)
    CHECK(out[i] == 3.0f * x[i] + y[i]);
  arguments[3].as.integer = (int64_t)1 << 40; /* the bundle's n has 32 bits */
  FAILS(TEGULA_BAD_USE, "does not fit", tegula_kernel_launch(kernel, stream, grid, 5, arguments, NULL));
  tegula_compile_options options = TEGULA_COMPILE_OPTIONS_INIT;
  tegula_compiled *compiled;
  options.target = "cpu";
  FAILS(TEGULA_BAD_USE, "is compiled already", tegula_kernel_compile(kernel, &options, &compiled));
  for (int i = 0; i < 3; ++i)
    tegula_buffer_release(buffers[i]);
  tegula_kernel_release(kernel);
  tegula_stream_release(stream);
  tegula_device_release(device);
}

int main(int argc, char **argv) {
  static char bytes[1 << 20];
  tegula_bundle *bundle;
  const char *name;
  size_t count;
  if (argc != 3) {
    fprintf(stderr, "usage: %s BUNDLE DEVICE\n", argv[0]);
    return 2;
  }
  OK(tegula_bundle_open(argv[1], &bundle));
  OK(tegula_bundle_kernel_count(bundle, &count));
  OK(tegula_bundle_get_name(bundle, 0, &name));
  CHECK(count == 1 && !strcmp(name, "saxpy"));
  FAILS(TEGULA_BAD_USE, "1 was asked for", tegula_bundle_get_name(bundle, 1, &name));
  run(bundle, argv[2]);
  tegula_bundle_release(bundle);

  FILE *file = fopen(argv[1], "rb");
  CHECK(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  OK(tegula_bundle_open_memory(bytes, size, NULL, &bundle));
  run(bundle, argv[2]);
  tegula_bundle_release(bundle);
  FAILS(TEGULA_BAD_USE, "bundle 'part': damaged or truncated",
        tegula_bundle_open_memory(bytes, size - 1, "part", &bundle));
  printf("%s: all hold\n", argv[2]);
  return 0;
}
