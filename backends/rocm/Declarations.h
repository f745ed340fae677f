// Constants and layouts of HIP's runtime library that this backend uses. They are equal in versions 5.2 to 7, except
// for PropertiesLayout. Source: the values and offsets that a compiler computes from AMD's public headers
// hip/hip_runtime_api.h and hip/driver_types.h (repository ROCm/HIP at rocm-5.2.0, 5.7.1, 6.0.0 and 6.2.2; for 7, read
// in ROCm/rocm-systems).
#pragma once

#include "backends/gpu/Api.h"

#include <cstddef>

namespace tegula::rocm {

using gpu::EntryPoint;
using gpu::FunctionHandle;
using gpu::Status;
using gpu::StreamHandle;

inline constexpr Status kErrorPriorLaunchFailure = 53, kErrorNoDevice = 100, kErrorInvalidDevice = 101,
                        kErrorIllegalAddress = 700, kErrorAssert = 710, kErrorLaunchFailure = 719;

/// Enumerators of hipDeviceAttribute_t.
enum DeviceAttribute : int {
  kCooperativeLaunch = 10,
  kL2Bytes = 19,
  kMajor = 23,
  kMaxGridX = 29, // the enumerators of y and z follow
  kMaxThreadsPerBlock = 56,
  kMinor = 61,
  kMultiprocessors = 63, // compute units on CDNA, work group processors on RDNA
  kSharedPerBlock = 74,
  kWarpSize = 87,
};

/// Enumerators of hipFunction_attribute.
enum FunctionAttribute : int {
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1, // declared by the code
};

/// The part of a layout of hipDeviceProp_t that is read: the architecture's name, a zero-terminated text of at most 256
/// bytes, such as "gfx942:sramecc+:xnack-".
struct PropertiesLayout {
  const char *entry;         // name of the function that fills the structure
  size_t bytes;              // size of the structure
  size_t architectureOffset; // offset of the member gcnArchName, in bytes
};
inline constexpr PropertiesLayout kProperties6 = {"hipGetDevicePropertiesR0600", 1472, 1160}; // HIP 6 and later
inline constexpr PropertiesLayout kProperties5 = {"hipGetDeviceProperties", 792, 396};        // in all versions
inline constexpr size_t kArchitectureBytes = 256;

using ErrorText = const char *(Status);
using ModuleUnload = Status(gpu::ModuleHandle);
using GetDeviceProperties = Status(void *properties, gpu::DeviceId);
using DriverGetVersion = Status(int *); // major * 10,000,000 + minor * 100,000 + patch
using LaunchCooperative = Status(FunctionHandle, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                 unsigned blockY, unsigned blockZ, unsigned sharedBytes, StreamHandle, void **params);

/// A function of the emulator (docs/rocm.md) only: writes at most `most` names and numbers of events that the device
/// has counted since the process began, and returns how many there are.
using EmulatorCounts = int(int device, const char **names, uint64_t *values, int most);

} // namespace tegula::rocm
