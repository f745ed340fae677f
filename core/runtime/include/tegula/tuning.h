/* Part of Tegula's C interface: the search for a kernel's fastest configuration, and its results, which are kept as the
 * user's records (docs/tuning.md). Programs include tegula.h, which states the rules. */
#ifndef TEGULA_TUNING_H
#define TEGULA_TUNING_H

#include <tegula/tegula.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A configuration: values of constexpr parameters, warps and stages. */
typedef struct tegula_config {
  const tegula_constant *constants;
  size_t constant_count;
  int32_t num_warps, num_stages; /* 0: the defaults, 4 and 3 */
} tegula_config;

/* `done`: the finished share of the work, from 0 to 1; `left`: the estimated remaining time in seconds. */
typedef void (*tegula_progress_callback)(void *user, double done, double left);

typedef struct tegula_tune_options {
  size_t struct_size;
  const tegula_config *space; /* the candidates; NULL: the configurations of the kernel's @triton.autotune */
  size_t space_count;
  double seconds;                    /* limit of the whole search; 0: 60 */
  int32_t exhaustive;                /* not 0: slow configurations are measured completely, too */
  tegula_progress_callback progress; /* NULL, or called in the calling thread; must not call the library */
  void *progress_user;
} tegula_tune_options;
#define TEGULA_TUNE_OPTIONS_INIT {sizeof(tegula_tune_options), NULL, 0, 0, 0, NULL, NULL}

/* The result of a search. */
typedef struct tegula_tuned tegula_tuned;

/* Measures configurations on these arguments, even if a record exists, and stores the fastest one as a record for
 * arguments of these types and sizes. Later launches use the record, in other processes, too. Constants, warps and
 * stages in `options` are not changed; both option structures may be NULL. The kernel runs many times on the stream: if
 * it reads and changes a buffer, name that buffer in `restore_value` of @triton.autotune. Fails if there is no
 * configuration to choose from; a configuration that does not compile is dropped. If the record cannot be stored, or if
 * the time allowed only one configuration to be measured, a warning is given. */
TEGULA_EXPORT tegula_status tegula_kernel_tune(const tegula_kernel *kernel, tegula_stream *stream,
                                               const int64_t grid[3], size_t argument_count,
                                               const tegula_argument *arguments, const tegula_launch_options *options,
                                               const tegula_tune_options *how, tegula_tuned **out);

typedef struct tegula_tuned_info {
  size_t struct_size;
  const char *text;      /* the fastest configuration, as Triton writes it; NULL: none could be launched */
  size_t constant_count; /* of the configuration; if `text` is NULL, this and the members to `spread` are 0 */
  int32_t num_warps, num_stages;
  double launch_seconds; /* time of one launch: the lower quartile of the samples */
  double spread;         /* distance of the samples' quartiles, divided by launch_seconds */
  const char *key;       /* the sizes that the record applies to: "M=1024, N=512" */
  const char *table;     /* one line for each configuration, the fastest first: its time, or why it was dropped */
  size_t candidates;     /* number of distinct configurations */
  double seconds;        /* duration of the search */
  int32_t is_complete;   /* 0: the time limit ended the search */
} tegula_tuned_info;
#define TEGULA_TUNED_INFO_INIT {sizeof(tegula_tuned_info), NULL, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0}
TEGULA_EXPORT tegula_status tegula_tuned_get_info(const tegula_tuned *tuned, tegula_tuned_info *info);
/* Constant `index` of the fastest configuration, which has one for each constexpr parameter of the kernel. */
TEGULA_EXPORT tegula_status tegula_tuned_get_constant(const tegula_tuned *tuned, size_t index, tegula_constant *out);
TEGULA_EXPORT void tegula_tuned_release(tegula_tuned *tuned);

/* Calls `each` once for every target for which the user has records, with a table of these records as text. The texts
 * are valid during the call. */
typedef void (*tegula_table_callback)(void *user, const char *target, const char *table);
TEGULA_EXPORT tegula_status tegula_tuning_export(tegula_table_callback each, void *user);
/* Adds the records of a table, as tegula_tuning_export writes it, to the user's records; they replace records for the
 * same launches. `name` stands for the table in messages. `count` receives the number of records; it may be NULL. */
TEGULA_EXPORT tegula_status tegula_tuning_import(const char *table, const char *name, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
