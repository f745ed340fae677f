#include "core/runtime/launch/Interruption.h"
#include "core/runtime/include/tegula/tegula.hpp"
#include "core/support/process/Fork.h"

#include <memory>
#include <mutex>

namespace tegula {
namespace {

using Asked = std::function<bool()>;
ForkSafeMutex mutex_; // guards the pointer
std::shared_ptr<const Asked> asked_;

} // namespace

void setInterruption(std::function<bool()> isInterrupted) {
  std::lock_guard lock(mutex_);
  asked_ = isInterrupted ? std::make_shared<const Asked>(std::move(isInterrupted)) : nullptr;
}

bool isInterrupted() {
  std::shared_ptr<const Asked> asked;
  {
    std::lock_guard lock(mutex_);
    asked = asked_;
  }
  return asked && (*asked)();
}

} // namespace tegula
