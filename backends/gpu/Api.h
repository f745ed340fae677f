// The implementation that the CUDA and HIP drivers share: one Driver over a table of entry points, which is filled when
// a vendor's library is opened. A vendor's folder contributes the names of its entry points and the hooks of
// Platform.h. No file here may name a vendor's function, constant or limit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tegula::gpu {

// Both APIs have the same kinds of values under different names: status codes are enumerations, devices are ordinals,
// handles are opaque pointers, device addresses have 64 bits.
using Status = int; // 0 is success
inline constexpr Status kSuccess = 0, kOutOfMemory = 2, kLaunchOutOfResources = 701;
using DeviceId = int;
using Address = uint64_t;
using Context = void *;
using StreamHandle = void *;
using EventHandle = void *;
using ModuleHandle = void *;
using FunctionHandle = void *;
using GraphHandle = void *;
using GraphProgram = void *; // an instantiated graph, which can be launched

template <class Signature> struct EntryPoint;

/// A function of the vendor's library, or an adapter of ours where the library's signature differs.
template <class... Args> struct EntryPoint<Status(Args...)> {
  using Pointer = Status (*)(Args...);
  Pointer function = nullptr;
  const char *name = ""; // the vendor's name, for messages

  Status operator()(Args... args) const { return function(args...); }
  explicit operator bool() const { return function != nullptr; }
};

/// All entry points are present except those marked optional, which callers test before use.
struct Api {
  EntryPoint<Status(unsigned flags)> init;
  EntryPoint<Status(Status, const char **)> errorName;
  EntryPoint<Status(Status, const char **)> errorText;

  EntryPoint<Status(int *count)> deviceCount;
  EntryPoint<Status(DeviceId *, int ordinal)> deviceGet;
  EntryPoint<Status(char *, int size, DeviceId)> deviceName;
  EntryPoint<Status(size_t *, DeviceId)> deviceMemory;
  EntryPoint<Status(int *, int attribute, DeviceId)> deviceAttribute;

  EntryPoint<Status(Context *, DeviceId)> contextRetain;
  EntryPoint<Status(DeviceId)> contextRelease;
  EntryPoint<Status(Context *)> contextGetCurrent;
  EntryPoint<Status(Context)> contextSetCurrent;

  EntryPoint<Status(Address *, size_t)> allocate;
  EntryPoint<Status(Address)> free;
  EntryPoint<Status(Address, const void *, size_t, StreamHandle)> copyToDevice;
  EntryPoint<Status(void *, Address, size_t, StreamHandle)> copyToHost;
  EntryPoint<Status(Address to, Address from, size_t, StreamHandle)> copyOnDevice;
  EntryPoint<Status(Address, unsigned char, size_t, StreamHandle)> fill;

  EntryPoint<Status(StreamHandle *, unsigned flags)> streamCreate;
  EntryPoint<Status(StreamHandle)> streamDestroy;
  EntryPoint<Status(StreamHandle)> streamSynchronize;
  /// Optional.
  EntryPoint<Status(StreamHandle, EventHandle, unsigned flags)> streamWaitEvent;

  EntryPoint<Status(EventHandle *, unsigned flags)> eventCreate;
  EntryPoint<Status(EventHandle)> eventDestroy;
  EntryPoint<Status(EventHandle, StreamHandle)> eventRecord;
  EntryPoint<Status(EventHandle)> eventSynchronize;
  EntryPoint<Status(float *milliseconds, EventHandle, EventHandle)> eventElapsed;

  EntryPoint<Status(ModuleHandle *, const void *, unsigned, int *, void **)> moduleLoad;
  EntryPoint<Status(ModuleHandle)> moduleUnload;
  EntryPoint<Status(FunctionHandle *, ModuleHandle, const char *)> moduleFunction;
  EntryPoint<Status(int *, int attribute, FunctionHandle)> functionAttribute;
  /// Optional: returns a parameter's offset and size; fails for a number beyond the last parameter.
  EntryPoint<Status(FunctionHandle, size_t, size_t *offset, size_t *size)> functionParam;
  EntryPoint<Status(FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, StreamHandle,
                    void **, void **)>
      launch; // grid x y z, block x y z, shared bytes, stream, parameters, extra

  /// The six functions that capture and launch graphs. Optional: a library has all of them or none.
  EntryPoint<Status(StreamHandle, int mode)> captureBegin;
  EntryPoint<Status(StreamHandle, GraphHandle *)> captureEnd;
  EntryPoint<Status(GraphProgram *, GraphHandle, unsigned long long flags)> graphInstantiate;
  EntryPoint<Status(GraphProgram, StreamHandle)> graphLaunch;
  EntryPoint<Status(GraphProgram)> graphProgramDestroy;
  EntryPoint<Status(GraphHandle)> graphDestroy;
  /// Optional.
  EntryPoint<Status(StreamHandle, int *state)> captureState;
  EntryPoint<Status(int *mode)> exchangeCaptureMode; // swaps *mode with the calling thread's capture mode
};

} // namespace tegula::gpu
