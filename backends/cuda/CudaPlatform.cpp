#include "backends/cuda/CudaPlatform.h"
#include "backends/gpu/Library.h"
#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"

#include <mutex>

namespace tegula::cuda {
namespace {

constexpr const char *kSystemLibrary = "libcuda.so.1";

/// Looks up the functions of the table. A name ends in `_v2` if NVIDIA changed the function's signature.
void fill(gpu::Api &api, const gpu::Library &library) {
  library.require(api.init, "cuInit");
  library.require(api.errorName, "cuGetErrorName");
  library.require(api.errorText, "cuGetErrorString");
  library.require(api.deviceCount, "cuDeviceGetCount");
  library.require(api.deviceGet, "cuDeviceGet");
  library.require(api.deviceName, "cuDeviceGetName");
  library.require(api.deviceMemory, "cuDeviceTotalMem_v2");
  library.require(api.deviceAttribute, "cuDeviceGetAttribute");
  library.require(api.contextRetain, "cuDevicePrimaryCtxRetain");
  library.require(api.contextRelease, "cuDevicePrimaryCtxRelease_v2");
  library.require(api.contextGetCurrent, "cuCtxGetCurrent");
  library.require(api.contextSetCurrent, "cuCtxSetCurrent");
  library.require(api.allocate, "cuMemAlloc_v2");
  library.require(api.free, "cuMemFree_v2");
  library.require(api.copyToDevice, "cuMemcpyHtoDAsync_v2");
  library.require(api.copyToHost, "cuMemcpyDtoHAsync_v2");
  library.require(api.copyOnDevice, "cuMemcpyDtoDAsync_v2");
  library.require(api.fill, "cuMemsetD8Async");
  library.require(api.streamCreate, "cuStreamCreate");
  library.require(api.streamDestroy, "cuStreamDestroy_v2");
  library.require(api.streamSynchronize, "cuStreamSynchronize");
  library.require(api.eventCreate, "cuEventCreate");
  library.require(api.eventDestroy, "cuEventDestroy_v2");
  library.require(api.eventRecord, "cuEventRecord");
  library.require(api.eventSynchronize, "cuEventSynchronize");
  library.require(api.eventElapsed, "cuEventElapsedTime");
  library.require(api.moduleLoad, "cuModuleLoadDataEx");
  library.require(api.moduleUnload, "cuModuleUnload");
  library.require(api.moduleFunction, "cuModuleGetFunction");
  library.require(api.functionAttribute, "cuFuncGetAttribute");
  library.find(api.functionParam, "cuFuncGetParamInfo");
  library.require(api.launch, "cuLaunchKernel");
  library.find(api.streamWaitEvent, "cuStreamWaitEvent");
  library.find(api.captureBegin, "cuStreamBeginCapture_v2");
  library.find(api.captureEnd, "cuStreamEndCapture");
  library.find(api.graphInstantiate, "cuGraphInstantiateWithFlags");
  library.find(api.graphLaunch, "cuGraphLaunch");
  library.find(api.graphProgramDestroy, "cuGraphExecDestroy");
  library.find(api.graphDestroy, "cuGraphDestroy");
  library.find(api.captureState, "cuStreamIsCapturing");
  library.find(api.exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode");
}

} // namespace

CudaPlatform::CudaPlatform(const std::string &path) {
  gpu::Library library(path, "TEGULA_CUDA_LIBRARY");
  fill(api, library);
  library.require(functionSetAttribute_, "cuFuncSetAttribute");
  library.require(driverVersion_, "cuDriverGetVersion");
  library.find(launchEx_, "cuLaunchKernelEx");
  library.find(encodeTiled_, "cuTensorMapEncodeTiled");
  call(api.init, [] { return "initialise the driver"; }, 0u);
  call(api.deviceCount, [] { return "count the devices"; }, &deviceCount_);
  if (deviceCount_ == 0)
    throw Error("the driver library " + path + " finds no device");
}

bool CudaPlatform::isKernelFault(Status status, Call) const {
  switch (status) {
  case kErrorIllegalAddress:
  case kErrorAssert:
  case kErrorHardwareStack:
  case kErrorIllegalInstruction:
  case kErrorMisalignedAddress:
  case kErrorInvalidAddressSpace:
  case kErrorInvalidPc:
  case kErrorLaunchFailed: return true;
  default: return false;
  }
}

std::shared_ptr<const CudaPlatform> cudaPlatform() {
  static std::mutex mutex;
  static std::string openedPath;
  // Never destroyed: devices may be closed during static destruction.
  static auto &opened = *new std::shared_ptr<const CudaPlatform>;
  const char *chosen = environmentValue(Variable::CudaLibrary);
  std::string path = chosen ? chosen : kSystemLibrary;
  std::lock_guard lock(mutex);
  if (!opened || openedPath != path) {
    opened = std::make_shared<CudaPlatform>(path);
    openedPath = path;
  }
  return opened;
}

} // namespace tegula::cuda
