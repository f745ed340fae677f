// The library's findings and planted faults: one object of the process, used by any thread.
#pragma once

#include "tests/vulkan/watch/Watch.h"

#include <array>
#include <atomic>
#include <mutex>
#include <span>

namespace tegula::vulkan::test {

class Seen final : public Watch {
public:
  static Seen &get();

  Findings takeFindings() override;
  CacheTraffic takeCacheTraffic() override;
  void plant(Fault fault, bool isPlanted) override { planted_[static_cast<size_t>(fault)] = isPlanted; }
  void showDevicesTwice() override { twice_ = true; }

  bool isTwice() const { return twice_; }
  bool has(Fault fault) const { return planted_[static_cast<size_t>(fault)]; }
  void addMessage(std::string text);
  void addModule(std::span<const uint32_t> words);
  void addCache(bool isFilled);

private:
  std::atomic<bool> twice_ = false;
  std::array<std::atomic<bool>, static_cast<size_t>(Fault::Count)> planted_ = {};
  std::mutex mutex_; // guards the members below
  Findings findings_;
  CacheTraffic traffic_;
};

} // namespace tegula::vulkan::test
