/* What the C tests say of a failure: the expression, the status and the message; the program then ends with 1. */
#ifndef TEGULA_TESTS_CAPI_CHECK_H
#define TEGULA_TESTS_CAPI_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tegula/tegula.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: does not hold: %s; last error: %s\n", __FILE__, __LINE__, #condition,                    \
              tegula_last_error());                                                                                    \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    tegula_status status_ = (call);                                                                                    \
    if (status_ != TEGULA_OK) {                                                                                        \
      fprintf(stderr, "%s:%d: %s gives status %d: %s\n", __FILE__, __LINE__, #call, (int)status_,                      \
              tegula_last_error());                                                                                    \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* The call fails with `expected`, and the message contains `part`. */
#define FAILS(expected, part, call)                                                                                    \
  do {                                                                                                                 \
    tegula_status status_ = (call);                                                                                    \
    if (status_ != (expected) || !strstr(tegula_last_error(), part)) {                                                 \
      fprintf(stderr, "%s:%d: %s gives status %d (expected %d): %s (expected to contain: %s)\n", __FILE__, __LINE__,   \
              #call, (int)status_, (int)(expected), tegula_last_error(), part);                                        \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

#endif
