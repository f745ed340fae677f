// A driver library of ours for tests without a GPU: the entry points that backends/cuda opens, on host memory. What a
// real driver may do later it does as late as it may: the work of a stream waits until somebody waits for the stream.
// Calls are recorded, and can be told to fail.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tegula::fakecuda {

using Bytes = std::vector<uint8_t>;

struct Launch {
  std::string entryPoint, kernel;
  std::array<unsigned, 3> grid = {}, block = {};
  unsigned sharedBytes = 0;
  unsigned cluster = 0; // 0: not given
  bool cooperative = false, programmatic = false;
  std::vector<Bytes> params; // as many bytes each as the kernel's text declares
};

/// What cuTensorMapEncodeTiled was asked.
struct Encoding {
  int type = 0, interleave = 0, swizzle = 0, promotion = 0, fill = 0;
  uint64_t address = 0;
  std::vector<uint64_t> extents, strides;
  std::vector<uint32_t> box, steps;
  Bytes map; // the 128 bytes given back
};

/// Reached by its exported name; reset between tests.
struct State {
  int deviceCount = 1;
  size_t memoryBytes = size_t(80) << 30;
  std::map<int, int> attributes; // of all devices; those missing are an H100's
  std::map<int, int> functionAttributes;
  std::map<std::string, int> failures; // the next call of a name fails with a status
  std::string jitLog;                  // given to the next cuModuleLoadDataEx that fails
  /// Host code for kernels: what the launch would do.
  std::map<std::string, std::function<void(const Launch &)>> kernels;

  bool quiet = false; // launches are counted only: nothing is allocated
  size_t launchCount = 0, encodingCount = 0;
  std::vector<Launch> launches;
  std::vector<Encoding> encodings;
  std::map<std::string, int> functionSettings; // "kernel:attribute" -> value
  std::vector<std::string> images;             // modules loaded, whole
  std::map<int, int> jitOptions;               // numbers given at the last load
  size_t liveAllocations = 0, liveStreams = 0, liveEvents = 0, liveModules = 0;
  int contexts = 0; // primary contexts retained
};

using GetState = State *();
inline constexpr const char *kGetStateName = "tegulaFakeCudaState";

} // namespace tegula::fakecuda
