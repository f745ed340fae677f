/* Memory, a stream and a graph shared with code that was written for the CUDA driver API: the program allocates, copies
 * and waits with that API alone; Tegula launches between. usage: cuda_driver numbers.tgb
 *
 *   $ build/cuda_driver build/numbers.kernels/numbers.tgb
 *   cuda:0: 65536 results on the caller's stream, then 65536 through a graph: all right
 *
 * The driver's functions are looked up at run time, so that this compiles without the vendor's header; with the header,
 * call them as usual. Exit status 77: no CUDA device. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tegula/tegula.h>

enum { N = 65536, BLOCK = 1024, SKIPPED = 77 };

typedef uint64_t CUdeviceptr;
static struct {
  int (*init)(unsigned);
  int (*deviceGet)(int *, int);
  int (*primaryCtxRetain)(void **, int);
  int (*primaryCtxRelease)(int);
  int (*ctxSetCurrent)(void *);
  int (*memAlloc)(CUdeviceptr *, size_t);
  int (*memFree)(CUdeviceptr);
  int (*copyToDevice)(CUdeviceptr, const void *, size_t, void *);
  int (*copyToHost)(void *, CUdeviceptr, size_t, void *);
  int (*fill)(CUdeviceptr, unsigned, size_t, void *);
  int (*streamCreate)(void **, unsigned);
  int (*streamSynchronize)(void *);
  int (*streamDestroy)(void *);
} cu;

static void load_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const char *names[] = {"cuInit",
                         "cuDeviceGet",
                         "cuDevicePrimaryCtxRetain",
                         "cuDevicePrimaryCtxRelease_v2",
                         "cuCtxSetCurrent",
                         "cuMemAlloc_v2",
                         "cuMemFree_v2",
                         "cuMemcpyHtoDAsync_v2",
                         "cuMemcpyDtoHAsync_v2",
                         "cuMemsetD32Async",
                         "cuStreamCreate",
                         "cuStreamSynchronize",
                         "cuStreamDestroy_v2"};
  void **places[] = {
      (void **)&cu.init,          (void **)&cu.deviceGet, (void **)&cu.primaryCtxRetain, (void **)&cu.primaryCtxRelease,
      (void **)&cu.ctxSetCurrent, (void **)&cu.memAlloc,  (void **)&cu.memFree,          (void **)&cu.copyToDevice,
      (void **)&cu.copyToHost,    (void **)&cu.fill,      (void **)&cu.streamCreate,     (void **)&cu.streamSynchronize,
      (void **)&cu.streamDestroy};
  for (size_t i = 0; library && i < sizeof names / sizeof names[0]; ++i)
    if (!(*places[i] = dlsym(library, names[i])))
      library = NULL;
  if (!library || cu.init(0)) {
    printf("no CUDA driver, or no device\n");
    exit(SKIPPED);
  }
}

static void check_cuda(int status, const char *what) {
  if (status == 0)
    return;
  fprintf(stderr, "cuda_driver: %s gives CUDA error %d\n", what, status);
  exit(1);
}
#define CUDA(call) check_cuda(call, #call)

static void check(tegula_status status) {
  if (status == TEGULA_OK)
    return;
  fprintf(stderr, "cuda_driver: %s\n", tegula_last_error());
  exit(1);
}

/* The driver's memory as a buffer; it stays the program's. */
static tegula_buffer *wrapped(tegula_device *device, CUdeviceptr address) {
  const int64_t shape[1] = {N};
  tegula_memory memory = TEGULA_MEMORY_INIT;
  tegula_buffer *buffer;
  memory.address = address;
  memory.bytes = N * sizeof(float);
  memory.rank = 1;
  memory.shape = shape;
  check(tegula_buffer_wrap(device, &memory, &buffer));
  return buffer;
}

static int count_right(const float *x, const float *y, const float *out, float a) {
  int right = 0;
  for (int i = 0; i < N; ++i)
    right += out[i] == a * x[i] + y[i]; /* exact: small multiples of 0.5 */
  return right;
}

int main(int argc, char **argv) {
  static float x[N], y[N], out[N];
  void *context, *stream;
  int ordinal;
  CUdeviceptr addresses[3];
  if (argc != 2) {
    fprintf(stderr, "usage: cuda_driver BUNDLE\n");
    return 2;
  }
  load_driver();
  CUDA(cu.deviceGet(&ordinal, 0));
  CUDA(cu.primaryCtxRetain(&context, ordinal));
  CUDA(cu.ctxSetCurrent(context));
  CUDA(cu.streamCreate(&stream, 1 /* CU_STREAM_NON_BLOCKING */));
  for (int i = 0; i < 3; ++i)
    CUDA(cu.memAlloc(&addresses[i], sizeof x));
  for (int i = 0; i < N; ++i) {
    x[i] = (float)(i % 97);
    y[i] = 0.5f * (float)(i % 89);
  }
  CUDA(cu.copyToDevice(addresses[0], x, sizeof x, stream));
  CUDA(cu.copyToDevice(addresses[1], y, sizeof y, stream));

  tegula_device *device;
  tegula_stream *shared;
  tegula_bundle *bundle;
  tegula_kernel *saxpy;
  tegula_buffer *buffers[3];
  check(tegula_require(TEGULA_ABI_VERSION));
  check(tegula_device_open("cuda:0", &device));
  check(tegula_stream_wrap(device, stream, &shared));
  check(tegula_bundle_open(argv[1], &bundle));
  check(tegula_bundle_kernel(bundle, "saxpy", &saxpy));
  tegula_argument arguments[5] = {{"x_ptr", TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {"y_ptr", TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {"out_ptr", TEGULA_ARG_BUFFER, TEGULA_F32, {0}},
                                  {"n", TEGULA_ARG_INTEGER, TEGULA_I32, {N}},
                                  {"a", TEGULA_ARG_REAL, TEGULA_F32, {0}}};
  for (int i = 0; i < 3; ++i)
    arguments[i].as.buffer = buffers[i] = wrapped(device, addresses[i]);
  arguments[4].as.real = 2.0;
  const int64_t grid[3] = {N / BLOCK, 1, 1};

  /* In order on one stream: the program's copies, the kernel, the program's copy. */
  check(tegula_kernel_launch(saxpy, shared, grid, 5, arguments, NULL));
  CUDA(cu.copyToHost(out, addresses[2], sizeof out, stream));
  CUDA(cu.streamSynchronize(stream));
  int right = count_right(x, y, out, 2.0f);

  /* The same as a graph, with another factor. */
  tegula_graph *graph;
  arguments[4].as.real = 4.0;
  check(tegula_stream_begin_capture(shared));
  check(tegula_kernel_launch(saxpy, shared, grid, 5, arguments, NULL));
  check(tegula_stream_end_capture(shared, &graph));
  CUDA(cu.fill(addresses[2], 0, N, stream));
  check(tegula_graph_launch(graph, shared));
  CUDA(cu.copyToHost(out, addresses[2], sizeof out, stream));
  CUDA(cu.streamSynchronize(stream));
  int again = count_right(x, y, out, 4.0f);
  printf("cuda:0: %d results on the caller's stream, then %d through a graph: %s\n", right, again,
         right == N && again == N ? "all right" : "WRONG");

  tegula_graph_release(graph);
  for (int i = 0; i < 3; ++i)
    tegula_buffer_release(buffers[i]);
  tegula_kernel_release(saxpy);
  tegula_bundle_release(bundle);
  tegula_stream_release(shared);
  tegula_device_release(device);
  for (int i = 0; i < 3; ++i)
    CUDA(cu.memFree(addresses[i]));
  CUDA(cu.streamDestroy(stream));
  CUDA(cu.primaryCtxRelease(ordinal));
  return right == N && again == N ? 0 : 1;
}
