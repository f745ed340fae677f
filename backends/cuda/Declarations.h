// Constants and structures of the CUDA driver API that this backend uses (version 12, source: NVIDIA's reference
// manual). tests/cuda/abi_test.cpp compares their values and layouts with the vendor's header if that is installed.
#pragma once

#include "backends/gpu/Api.h"

#include <cstdint>

namespace tegula::cuda {

using gpu::EntryPoint;
using gpu::FunctionHandle;
using gpu::Status;
using gpu::StreamHandle;

inline constexpr Status kErrorUnsupportedPtxVersion = 222, kErrorIllegalAddress = 700, kErrorAssert = 710,
                        kErrorHardwareStack = 714, kErrorIllegalInstruction = 715, kErrorMisalignedAddress = 716,
                        kErrorInvalidAddressSpace = 717, kErrorInvalidPc = 718, kErrorLaunchFailed = 719;

enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxGridX = 5, // the enumerators of y and z follow
  kSharedPerBlock = 8,
  kMultiprocessors = 16,
  kL2Bytes = 38,
  kMajor = 75,
  kMinor = 76,
  kCooperativeLaunch = 95,
  kSharedPerBlockOptIn = 97,
  kClusterLaunch = 120,
  kTensorMaps = 127,
};

enum FunctionAttribute : int {
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1,
  kFunctionMaxDynamicShared = 8,
  kFunctionNonPortableCluster = 14,
};

enum JitOption : int {
  kJitMaxRegisters = 0,
  kJitInfoLog = 3,
  kJitInfoLogBytes = 4,
  kJitErrorLog = 5,
  kJitErrorLogBytes = 6,
  kJitLineInfo = 13,
};

enum LaunchAttributeId : int {
  kAttributeCooperative = 2,
  kAttributeCluster = 4,
  kAttributeProgrammaticSerialization = 6,
};

struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int flag;
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};

struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

enum class TensorMapType : int {
  U8 = 0,
  U16,
  U32,
  I32,
  U64,
  I64,
  F16,
  F32,
  F64,
  BF16,
  TF32 = 11, // f32, rounded to tf32 by the copy
};
enum class TensorMapSwizzle : int { None = 0, Bytes32, Bytes64, Bytes128 };
inline constexpr int kTensorMapInterleaveNone = 0, kTensorMapPromoteL2Bytes128 = 2;
enum class TensorMapFill : int { Zero = 0, NaN };

using LaunchKernelEx = Status(const LaunchConfig *, FunctionHandle, void **params, void **extra);
using TensorMapEncodeTiled = Status(void *map, TensorMapType, uint32_t rank, void *address, const uint64_t *extents,
                                    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                                    TensorMapSwizzle, int promotion, TensorMapFill);
using FunctionSetAttribute = Status(FunctionHandle, int attribute, int value);
using DriverGetVersion = Status(int *);

} // namespace tegula::cuda
