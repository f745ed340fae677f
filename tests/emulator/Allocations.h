// The emulated device's memory: allocations of the host. Addresses are the host's.
#pragma once

#include "tests/emulator/Wave.h"

#include <map>
#include <shared_mutex>

namespace tegula::emulator {

class Allocations final : public Memory {
public:
  /// Aligned to 256 bytes. Null where the host has no memory left.
  void *allocate(size_t bytes);
  /// False where no allocation begins at the address.
  bool free(void *address);
  /// Whether `bytes` at `address` are within one allocation.
  bool holds(uint64_t address, size_t bytes) const;
  void check(uint64_t address, size_t bytes, const char *what) const override;

private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, size_t> sizes_; // by address
};

} // namespace tegula::emulator
