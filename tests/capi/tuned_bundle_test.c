/* A bundle with tuned configurations: the size of a launch decides which block its code has, whatever was launched
 * before. usage: capi_tuned_bundle_test FILE.tgb DEVICE; FILE has saxpy with the configurations of tables/ */
#include "check.h"

enum { N = 5000 };

typedef struct Fixture {
  tegula_stream *stream;
  tegula_kernel *kernel;
  tegula_buffer *x, *y, *out;
  int64_t n, block; /* of a launch */
} Fixture;

static tegula_status grid(void *user, const tegula_meta *meta, int64_t axes[3]) {
  Fixture *f = user;
  tegula_value block;
  if (tegula_meta_get(meta, "BLOCK", &block))
    return TEGULA_BAD_USE;
  f->block = block.as.integer;
  axes[0] = (f->n + f->block - 1) / f->block;
  return TEGULA_OK;
}

/* out = 2 * x + y for the first n elements; the others stay 0. */
static void launch(Fixture *f, int64_t n, int64_t expected_block, int32_t num_warps) {
  static float host[N];
  tegula_launch_options options = TEGULA_LAUNCH_OPTIONS_INIT;
  tegula_argument arguments[5] = {{NULL, TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {NULL, TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {NULL, TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {NULL, TEGULA_ARG_INTEGER, TEGULA_I32, {0}},
                                  {NULL, TEGULA_ARG_REAL, TEGULA_F32, {0}}};
  arguments[0].as.buffer = f->x;
  arguments[1].as.buffer = f->y;
  arguments[2].as.buffer = f->out;
  arguments[3].as.integer = n;
  arguments[4].as.real = 2;
  options.grid = grid;
  options.grid_user = f;
  options.num_warps = num_warps;
  f->n = n;
  OK(tegula_stream_fill(f->stream, f->out, 0));
  OK(tegula_kernel_launch(f->kernel, f->stream, NULL, 5, arguments, &options));
  CHECK(f->block == expected_block);
  OK(tegula_stream_read(f->stream, f->out, host));
  for (int i = 0; i < N; ++i)
    CHECK(host[i] == (i < n ? 2.0f * (float)i + 1.0f : 0.0f));
}

int main(int argc, char **argv) {
  static float host[N];
  const int64_t shape[1] = {N};
  Fixture f;
  tegula_device *device;
  tegula_bundle *bundle;
  if (argc != 3) {
    fprintf(stderr, "usage: %s FILE.tgb DEVICE\n", argv[0]);
    return 2;
  }
  OK(tegula_bundle_open(argv[1], &bundle));
  OK(tegula_bundle_kernel(bundle, "saxpy", &f.kernel));
  tegula_bundle_release(bundle);
  OK(tegula_device_open(argv[2], &device));
  OK(tegula_stream_create(device, &f.stream));
  OK(tegula_buffer_create(device, TEGULA_F32, 1, shape, &f.x));
  OK(tegula_buffer_create(device, TEGULA_F32, 1, shape, &f.y));
  OK(tegula_buffer_create(device, TEGULA_F32, 1, shape, &f.out));
  for (int i = 0; i < N; ++i)
    host[i] = (float)i;
  OK(tegula_stream_write(f.stream, f.x, host));
  for (int i = 0; i < N; ++i)
    host[i] = 1;
  OK(tegula_stream_write(f.stream, f.y, host));
  for (int round = 0; round < 2; ++round) {
    launch(&f, 5000, 512, 0);
    launch(&f, 1000, 64, 0);
    launch(&f, 1024, 64, 0);
    launch(&f, 1025, 512, 0);
    launch(&f, 1, 64, 4);
    launch(&f, 4096, 512, 0);
  }
  tegula_buffer_release(f.x);
  tegula_buffer_release(f.y);
  tegula_buffer_release(f.out);
  tegula_kernel_release(f.kernel);
  tegula_stream_release(f.stream);
  tegula_device_release(device);
  printf("%s: all hold\n", argv[2]);
  return 0;
}
