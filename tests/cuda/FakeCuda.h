// A driver library for tests without a GPU: the entry points that backends/cuda opens, on host memory. It delays work
// as long as a real driver may: a stream's work runs when a thread waits for the stream. Calls are recorded, and can be
// told to fail.
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
  unsigned cluster = 0; // 0: none given
  bool cooperative = false, programmatic = false;
  std::vector<Bytes> params; // each with the size that the kernel's text declares
};

/// The arguments of a cuTensorMapEncodeTiled call.
struct Encoding {
  int type = 0, interleave = 0, swizzle = 0, promotion = 0, fill = 0;
  uint64_t address = 0;
  std::vector<uint64_t> extents, strides;
  std::vector<uint32_t> box, steps;
  Bytes map; // the 128 bytes returned
};

/// Found by its exported name; reset between tests.
struct State {
  int deviceCount = 1;
  size_t memoryBytes = size_t(80) << 30;
  std::map<int, int> attributes; // attributes of all devices; a missing one is an H100's
  std::map<int, int> functionAttributes;
  std::map<std::string, int> failures; // name -> status of the function's next call
  std::string jitLog;                  // log of the next failing cuModuleLoadDataEx
  /// Host code that launches of a kernel run.
  std::map<std::string, std::function<void(const Launch &)>> kernels;

  bool quiet = false; // launches are only counted, without allocation
  size_t launchCount = 0, encodingCount = 0;
  std::vector<Launch> launches;
  std::vector<Encoding> encodings;
  std::map<std::string, int> functionSettings; // "kernel:attribute" -> value
  std::vector<std::string> images;             // whole images of loaded modules
  std::map<int, int> jitOptions;               // option -> number at the last load
  size_t liveAllocations = 0, liveStreams = 0, liveEvents = 0, liveModules = 0, liveGraphs = 0;
  int contexts = 0; // retained primary contexts
};

using GetState = State *();
inline constexpr const char *kGetStateName = "tegulaFakeCudaState";

} // namespace tegula::fakecuda
