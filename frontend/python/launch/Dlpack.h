/* DLPack 1.x (dmlc.github.io/dlpack): how packages of Python hand each other tensors. The structures, as far as they
 * are used here. */
#ifndef TEGULA_PYTHON_DLPACK_H
#define TEGULA_PYTHON_DLPACK_H

#include <stdint.h>

typedef struct {
  void *data;
  int32_t device_type, device_index;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides; /* strides count elements; NULL: dense, row-major */
  uint64_t byte_offset;
} DlTensor;

/* What a capsule "dltensor" holds. */
typedef struct DlManagedTensor {
  DlTensor tensor;
  void *context;
  void (*release)(struct DlManagedTensor *self); /* called by the last owner */
} DlManagedTensor;

/* What a capsule "dlpack_exchange_api" of a Python type holds. */
typedef struct {
  uint32_t major, minor;
  void *previous;
  void *allocate, *managed_from_object, *managed_to_object;
  int (*tensor_from_object)(void *object, DlTensor *tensor); /* sets an exception where it fails */
  int (*current_stream)(int32_t device_type, int32_t device_index, void **stream);
} DlExchange;

enum { kDlCpu = 1, kDlMajor = 1 };

#endif
