#include "tests/emulator/Allocations.h"

#include <cstdlib>
#include <mutex>
#include <sstream>

namespace tegula::emulator {

namespace {

constexpr size_t kAlignment = 256;
// Bytes left unused behind each allocation, so that an access that runs past the end of one is reported, instead of
// reaching the next.
constexpr size_t kGap = 64 << 10;

} // namespace

void *Allocations::allocate(size_t bytes) {
  size_t whole = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment + kGap;
  void *address = std::aligned_alloc(kAlignment, whole);
  if (!address)
    return nullptr;
  std::unique_lock lock(mutex_);
  sizes_[reinterpret_cast<uint64_t>(address)] = bytes;
  return address;
}

bool Allocations::free(void *address) {
  std::unique_lock lock(mutex_);
  if (sizes_.erase(reinterpret_cast<uint64_t>(address)) == 0)
    return false;
  std::free(address);
  return true;
}

bool Allocations::holds(uint64_t address, size_t bytes) const {
  std::shared_lock lock(mutex_);
  auto after = sizes_.upper_bound(address);
  if (after == sizes_.begin())
    return false;
  auto [begin, size] = *std::prev(after);
  return address - begin <= size && bytes <= size - (address - begin);
}

void Allocations::check(uint64_t address, size_t bytes, const char *what) const {
  if (holds(address, bytes))
    return;
  std::ostringstream text;
  text << "'" << what << "' accesses " << bytes << " bytes at 0x" << std::hex << address
       << ", outside of every allocation";
  throw Fault(text.str());
}

} // namespace tegula::emulator
