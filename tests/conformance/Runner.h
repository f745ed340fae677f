// One case on one device, through the launch API.
#pragma once

#include "core/contracts/Artifact.h"
#include "tests/conformance/Host.h"

namespace tegula::conformance {

/// Where kernel files are.
struct Folders {
  std::string suite, samples, seeds;
  /// Beside the running program in a package, else in the tree that it was built from; seeds: none.
  static Folders standard();
  std::string path(const Case &made) const;
};

struct Outcome {
  std::vector<std::vector<uint8_t>> buffers; // all of each allocation, as Case::buffers()
  std::string printed;
  /// What the launch threw; the buffers are empty then.
  std::optional<ApiError> error;
  double compileSeconds = 0; // until the kernel could be launched
  ProductCount products;     // of the kernel that ran
};

class Runner {
public:
  /// `checked`: launches test every access; only some devices can.
  Runner(Device device, Folders folders, bool checked = false);
  /// Throws nothing but what is no ApiError.
  Outcome run(const Case &made, const HostCase &host);
  const Device &device() const { return device_; }
  /// The float types whose denormal numbers do not survive an addition, found by trying; a type that the device cannot
  /// run is not among them.
  Denormals findFlushed();

private:
  void launch(const Case &made, const HostCase &host, Outcome &outcome);
  const Kernel &kernel(const Case &made);

  Device device_;
  Stream stream_;
  Folders folders_;
  bool checked_;
  std::map<std::string, Kernel> kernels_;
};

} // namespace tegula::conformance
