/* Of Tegula's C interface: the search for the fastest configuration of a kernel, and its results, which are kept as
 * records of the user (docs/tuning.md). Programs include tegula.h, which has the rules. */
#ifndef TEGULA_TUNING_H
#define TEGULA_TUNING_H

#include <tegula/tegula.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values of constexpr parameters, warps and stages. */
typedef struct tegula_config {
  const tegula_constant *constants;
  size_t constant_count;
  int32_t num_warps, num_stages; /* 0: 4 and 3 */
} tegula_config;

/* `done`: the share of the work that is done; `left`: the seconds that the rest is expected to take. */
typedef void (*tegula_progress_callback)(void *user, double done, double left);

typedef struct tegula_tune_options {
  size_t struct_size;
  const tegula_config *space; /* what to choose from; none: the configurations of the kernel's @triton.autotune */
  size_t space_count;
  double seconds;                    /* that all of it may take; 0: 60 */
  int32_t exhaustive;                /* not 0: every configuration is measured to the end, slow ones, too */
  tegula_progress_callback progress; /* NULL, or called in this thread; it calls no function of the library */
  void *progress_user;
} tegula_tune_options;
#define TEGULA_TUNE_OPTIONS_INIT {sizeof(tegula_tune_options), NULL, 0, 0, 0, NULL, NULL}

/* What a search found. */
typedef struct tegula_tuned tegula_tuned;

/* Measures configurations on these arguments, whatever is known already, and keeps the fastest as a record for
 * arguments of these types and sizes, which later launches take, also those of other processes. Constants, warps and
 * stages in `options` stay as they are; both option structures may be NULL. The kernel runs many times on the stream:
 * name buffers that it reads and changes in `restore_value` of @triton.autotune. Fails where there is no configuration
 * to choose from; a configuration that does not compile is dropped. A record that cannot be kept, or
 * was compared with no other because the time was spent, is a warning. */
TEGULA_EXPORT tegula_status tegula_kernel_tune(const tegula_kernel *kernel, tegula_stream *stream,
                                               const int64_t grid[3], size_t argument_count,
                                               const tegula_argument *arguments, const tegula_launch_options *options,
                                               const tegula_tune_options *how, tegula_tuned **out);

typedef struct tegula_tuned_info {
  size_t struct_size;
  const char *text;      /* of the fastest configuration, as Triton writes it; NULL: none could be launched, and */
  size_t constant_count; /* the next five members are 0 */
  int32_t num_warps, num_stages;
  double launch_seconds; /* of one launch: the lower quartile of the samples */
  double spread;         /* difference of the samples' quartiles over launch_seconds */
  const char *key;       /* the sizes that the record is for: "M=1024, N=512" */
  const char *table;     /* a line for each configuration: its time, or why it was dropped; the fastest first */
  size_t candidates;     /* configurations that differ */
  double seconds;        /* that the search took */
  int32_t is_complete;   /* 0: the time was spent before the end */
} tegula_tuned_info;
#define TEGULA_TUNED_INFO_INIT {sizeof(tegula_tuned_info), NULL, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0}
TEGULA_EXPORT tegula_status tegula_tuned_get_info(const tegula_tuned *tuned, tegula_tuned_info *info);
/* Constant `index` of the fastest configuration; there is one for each constexpr parameter of the kernel. */
TEGULA_EXPORT tegula_status tegula_tuned_get_constant(const tegula_tuned *tuned, size_t index, tegula_constant *out);
TEGULA_EXPORT void tegula_tuned_release(tegula_tuned *tuned);

/* Calls `each` with every target for which the user has records, and their table. The texts are valid during the
 * call. */
typedef void (*tegula_table_callback)(void *user, const char *target, const char *table);
TEGULA_EXPORT tegula_status tegula_tuning_export(tegula_table_callback each, void *user);
/* Adds the records in such a table to the user's, in place of those for the same launches. `name` stands for the table
 * in messages; `count` may be NULL. */
TEGULA_EXPORT tegula_status tegula_tuning_import(const char *table, const char *name, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
