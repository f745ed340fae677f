// Our declarations against the vendor's header, where one is installed: values, layouts, and the parameters of each
// function.
#include "backends/cuda/Declarations.h"
#include "backends/gpu/Platform.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#ifdef TEGULA_CUDA_HEADER
#include TEGULA_CUDA_HEADER

namespace tegula::cuda {
namespace {

/// Whether arguments of types A and B are passed alike: both pointers, or both integers or enumerations of one size.
template <class A, class B>
constexpr bool kPassedAlike = (std::is_pointer_v<A> && std::is_pointer_v<B>) ||
                              (!std::is_pointer_v<A> && !std::is_pointer_v<B> && sizeof(A) == sizeof(B) &&
                               std::is_floating_point_v<A> == std::is_floating_point_v<B>);

template <class Ours, class Theirs> struct Alike : std::false_type {};
template <class R, class... A, class S, class... B> struct Alike<R(A...), S(B...)> {
  static constexpr bool test() {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return kPassedAlike<R, S> && (kPassedAlike<A, B> && ...);
  }
  static constexpr bool value = test();
};

template <class Signature, class Theirs> constexpr bool alike(const EntryPoint<Signature> &, Theirs *) {
  return Alike<Signature, Theirs>::value;
}

TEST(Abi, FunctionsHaveTheShapeOfTheHeader) {
  gpu::Api api;
  EXPECT_TRUE(alike(api.init, &cuInit));
  EXPECT_TRUE(alike(api.errorName, &cuGetErrorName));
  EXPECT_TRUE(alike(api.errorText, &cuGetErrorString));
  EXPECT_TRUE(alike(api.deviceCount, &cuDeviceGetCount));
  EXPECT_TRUE(alike(api.deviceGet, &cuDeviceGet));
  EXPECT_TRUE(alike(api.deviceName, &cuDeviceGetName));
  EXPECT_TRUE(alike(api.deviceMemory, &cuDeviceTotalMem));
  EXPECT_TRUE(alike(api.deviceAttribute, &cuDeviceGetAttribute));
  EXPECT_TRUE(alike(api.contextRetain, &cuDevicePrimaryCtxRetain));
  EXPECT_TRUE(alike(api.contextRelease, &cuDevicePrimaryCtxRelease));
  EXPECT_TRUE(alike(api.contextGetCurrent, &cuCtxGetCurrent));
  EXPECT_TRUE(alike(api.contextSetCurrent, &cuCtxSetCurrent));
  EXPECT_TRUE(alike(api.allocate, &cuMemAlloc));
  EXPECT_TRUE(alike(api.free, &cuMemFree));
  EXPECT_TRUE(alike(api.copyToDevice, &cuMemcpyHtoDAsync));
  EXPECT_TRUE(alike(api.copyToHost, &cuMemcpyDtoHAsync));
  EXPECT_TRUE(alike(api.fill, &cuMemsetD8Async));
  EXPECT_TRUE(alike(api.streamCreate, &cuStreamCreate));
  EXPECT_TRUE(alike(api.streamDestroy, &cuStreamDestroy));
  EXPECT_TRUE(alike(api.streamSynchronize, &cuStreamSynchronize));
  EXPECT_TRUE(alike(api.eventCreate, &cuEventCreate));
  EXPECT_TRUE(alike(api.eventDestroy, &cuEventDestroy));
  EXPECT_TRUE(alike(api.eventRecord, &cuEventRecord));
  EXPECT_TRUE(alike(api.eventSynchronize, &cuEventSynchronize));
  EXPECT_TRUE(alike(api.eventElapsed, &cuEventElapsedTime));
  EXPECT_TRUE(alike(api.moduleLoad, &cuModuleLoadDataEx));
  EXPECT_TRUE(alike(api.moduleUnload, &cuModuleUnload));
  EXPECT_TRUE(alike(api.moduleFunction, &cuModuleGetFunction));
  EXPECT_TRUE(alike(api.functionAttribute, &cuFuncGetAttribute));
  EXPECT_TRUE(alike(api.streamWaitEvent, &cuStreamWaitEvent));
  EXPECT_TRUE(alike(api.captureBegin, &cuStreamBeginCapture));
  EXPECT_TRUE(alike(api.captureEnd, &cuStreamEndCapture));
  EXPECT_TRUE(alike(api.graphInstantiate, &cuGraphInstantiateWithFlags));
  EXPECT_TRUE(alike(api.graphLaunch, &cuGraphLaunch));
  EXPECT_TRUE(alike(api.graphProgramDestroy, &cuGraphExecDestroy));
  EXPECT_TRUE(alike(api.graphDestroy, &cuGraphDestroy));
  EXPECT_TRUE(alike(api.captureState, &cuStreamIsCapturing));
  EXPECT_TRUE(alike(api.exchangeCaptureMode, &cuThreadExchangeStreamCaptureMode));
#if CUDA_VERSION >= 12040
  EXPECT_TRUE(alike(api.functionParam, &cuFuncGetParamInfo));
#endif
  EXPECT_TRUE(alike(api.launch, &cuLaunchKernel));
  EXPECT_TRUE(alike(EntryPoint<LaunchKernelEx>(), &cuLaunchKernelEx));
  EXPECT_TRUE(alike(EntryPoint<TensorMapEncodeTiled>(), &cuTensorMapEncodeTiled));
  EXPECT_TRUE(alike(EntryPoint<FunctionSetAttribute>(), &cuFuncSetAttribute));
  EXPECT_TRUE(alike(EntryPoint<DriverGetVersion>(), &cuDriverGetVersion));
  EXPECT_FALSE(alike(api.free, &cuMemAlloc)) << "the comparison sees a difference";
}

// The names of library functions: the header's macros append versions such as _v2.
#define TEGULA_TEXT(x) #x
#define TEGULA_NAME(x) TEGULA_TEXT(x)
TEST(Abi, NamesAreTheHeadersOfThisVersion) {
  EXPECT_STREQ(TEGULA_NAME(cuMemAlloc), "cuMemAlloc_v2");
  EXPECT_STREQ(TEGULA_NAME(cuMemFree), "cuMemFree_v2");
  EXPECT_STREQ(TEGULA_NAME(cuMemcpyHtoDAsync), "cuMemcpyHtoDAsync_v2");
  EXPECT_STREQ(TEGULA_NAME(cuMemcpyDtoHAsync), "cuMemcpyDtoHAsync_v2");
  EXPECT_STREQ(TEGULA_NAME(cuDeviceTotalMem), "cuDeviceTotalMem_v2");
  EXPECT_STREQ(TEGULA_NAME(cuStreamDestroy), "cuStreamDestroy_v2");
  EXPECT_STREQ(TEGULA_NAME(cuStreamBeginCapture), "cuStreamBeginCapture_v2");
  EXPECT_STREQ(TEGULA_NAME(cuEventDestroy), "cuEventDestroy_v2");
  EXPECT_STREQ(TEGULA_NAME(cuDevicePrimaryCtxRelease), "cuDevicePrimaryCtxRelease_v2");
  EXPECT_STREQ(TEGULA_NAME(cuMemsetD8Async), "cuMemsetD8Async");
  EXPECT_STREQ(TEGULA_NAME(cuLaunchKernelEx), "cuLaunchKernelEx");
}

TEST(Abi, LayoutsAreTheHeaders) {
  EXPECT_EQ(sizeof(LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(offsetof(LaunchAttribute, value.cluster.y), offsetof(CUlaunchAttribute, value.clusterDim.y));
  EXPECT_EQ(sizeof(LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(LaunchConfig, sharedBytes), offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(LaunchConfig, attributeCount), offsetof(CUlaunchConfig, numAttrs));
  EXPECT_EQ(sizeof(gpu::EncodedDescriptor), sizeof(CUtensorMap));
  EXPECT_EQ(alignof(gpu::EncodedDescriptor) % alignof(CUtensorMap), 0u);
}

TEST(Abi, ValuesAreTheHeaders) {
  auto same = [](auto ours, auto theirs) { EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs)); };
  same(kErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
  same(kErrorAssert, CUDA_ERROR_ASSERT);
  same(kErrorHardwareStack, CUDA_ERROR_HARDWARE_STACK_ERROR);
  same(kErrorIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  same(kErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
  same(kErrorInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
  same(kErrorInvalidPc, CUDA_ERROR_INVALID_PC);
  same(kErrorLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
  same(kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  same(kMaxGridX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  same(kMaxGridX + 1, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  same(kMaxGridX + 2, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  same(kSharedPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  same(kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  same(kL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  same(kMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  same(kMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  same(kCooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
  same(kSharedPerBlockOptIn, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  same(kClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  same(kTensorMaps, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED);
  same(kFunctionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  same(kFunctionSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  same(kFunctionMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  same(kFunctionNonPortableCluster, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  same(kJitMaxRegisters, CU_JIT_MAX_REGISTERS);
  same(kJitInfoLog, CU_JIT_INFO_LOG_BUFFER);
  same(kJitInfoLogBytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
  same(kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
  same(kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  same(kJitLineInfo, CU_JIT_GENERATE_LINE_INFO);
  same(kAttributeCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  same(kAttributeCluster, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  same(kAttributeProgrammaticSerialization, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  same(TensorMapType::U8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
  same(TensorMapType::U16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
  same(TensorMapType::U32, CU_TENSOR_MAP_DATA_TYPE_UINT32);
  same(TensorMapType::I32, CU_TENSOR_MAP_DATA_TYPE_INT32);
  same(TensorMapType::U64, CU_TENSOR_MAP_DATA_TYPE_UINT64);
  same(TensorMapType::I64, CU_TENSOR_MAP_DATA_TYPE_INT64);
  same(TensorMapType::F16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  same(TensorMapType::F32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  same(TensorMapType::F64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
  same(TensorMapType::BF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  same(TensorMapSwizzle::None, CU_TENSOR_MAP_SWIZZLE_NONE);
  same(TensorMapSwizzle::Bytes32, CU_TENSOR_MAP_SWIZZLE_32B);
  same(TensorMapSwizzle::Bytes64, CU_TENSOR_MAP_SWIZZLE_64B);
  same(TensorMapSwizzle::Bytes128, CU_TENSOR_MAP_SWIZZLE_128B);
  same(kTensorMapInterleaveNone, CU_TENSOR_MAP_INTERLEAVE_NONE);
  same(kTensorMapPromoteL2Bytes128, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
  same(TensorMapFill::Zero, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  same(TensorMapFill::NaN, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
}

} // namespace
} // namespace tegula::cuda

#else

TEST(Abi, DeclarationsAreTheHeaders) { GTEST_SKIP() << "cuda.h of version 12 or later is not installed here"; }

#endif
