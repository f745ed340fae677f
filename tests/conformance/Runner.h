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
  /// Checksum of all that decides the result; empty where nobody asked for it.
  std::string key;
  bool known = false;        // the execution passed before and was left out; the buffers are empty then
  double compileSeconds = 0; // until the artifact was there or the kernel loaded
  ProductCount products;     // of the kernel that ran
};

class Runner {
public:
  /// `checked`: launches test every access; only some devices can.
  Runner(Device device, Folders folders, bool checked = false);
  /// Compiles, launches and reads back. An ApiError is part of the outcome; other exceptions are thrown. `isKnown` says
  /// of a key whether its execution passed before: then the case is compiled, but not launched. The key is made of the
  /// artifact, the arguments' values, the comparison's policies and the driver: code, inputs and device; what is
  /// expected is the caller's to add.
  Outcome run(const Case &made, const HostCase &host, const std::function<bool(const std::string &key)> &isKnown = {});
  const Device &device() const { return device_; }
  bool isChecked() const { return checked_; }
  /// The float types whose denormal numbers do not survive an addition, found by trying; a type that the device cannot
  /// run is not among them.
  Denormals findFlushed();

private:
  void launch(const Case &made, const HostCase &host, const std::function<bool(const std::string &key)> &isKnown,
              Outcome &outcome);
  std::string keyOf(const Case &made, const HostCase &host, Artifact artifact) const;
  const Kernel &kernel(const Case &made);

  Device device_;
  Stream stream_;
  Folders folders_;
  bool checked_;
  std::string driver_; // identifies the device, its driver and the runtime library
  std::map<std::string, Kernel> kernels_;
};

} // namespace tegula::conformance
