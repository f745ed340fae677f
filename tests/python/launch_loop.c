/* For launch_cost.py: the launches that Python makes, from a loop in C. */
#include <tegula/tegula.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Microseconds of a launch on one program; `waits`: with the wait for its work. Negative where one fails. */
double launch_loop(const tegula_launcher *launcher, tegula_stream *stream, const uint64_t *slots, int waits, int count);
double launch_loop(const tegula_launcher *launcher, tegula_stream *stream, const uint64_t *slots, int waits,
                   int count) {
  const uint32_t grid[3] = {1, 1, 1};
  double start = seconds();
  for (int i = 0; i < count; ++i)
    if (tegula_launcher_launch(launcher, stream, grid, slots) || (waits && tegula_stream_synchronize(stream)))
      return -1;
  return (seconds() - start) * 1e6 / count;
}

/* cuLaunchKernel. */
typedef int (*driver_launch)(void *function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned shared, void *stream, void **params, void **extra);

/* Microseconds of the driver's own launch of one program of `threads` threads. Negative where one fails. */
double driver_loop(driver_launch launch, void *function, unsigned threads, void *stream, void **params, int count);
double driver_loop(driver_launch launch, void *function, unsigned threads, void *stream, void **params, int count) {
  double start = seconds();
  for (int i = 0; i < count; ++i)
    if (launch(function, 1, 1, 1, threads, 1, 1, 0, stream, params, (void **)0))
      return -1;
  return (seconds() - start) * 1e6 / count;
}
