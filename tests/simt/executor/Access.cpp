// Bytes of shared and global memory: bounds, alignment, records of accesses.
#include "Machine.h"

#include <cstring>

namespace tegula::simt_test {
namespace {

constexpr uint64_t kPage = 4096;

} // namespace

bool Workgroup::checkShared(const Thread &thread, const Instruction &next, uint64_t base, int64_t offset, int64_t bytes,
                            int64_t viewBytes, int64_t alignment) {
  int64_t end = static_cast<int64_t>(base) + offset + bytes;
  if (offset < 0 || offset + bytes > viewBytes || end > static_cast<int64_t>(shared_.size())) {
    report(ReportKind::OutOfBounds, thread.index, next, nullptr, [&] {
      return "expected a place within the view's " + std::to_string(viewBytes) + " bytes, found byte " +
             std::to_string(offset) + " and " + std::to_string(bytes) + " bytes";
    });
    return false;
  }
  if ((static_cast<int64_t>(base) + offset) % alignment != 0) {
    report(ReportKind::Misaligned, thread.index, next, nullptr, [&] {
      return "expected a place in shared memory that is a multiple of " + std::to_string(alignment) +
             " bytes, found byte " + std::to_string(static_cast<int64_t>(base) + offset);
    });
    return false;
  }
  return true;
}

uint64_t Workgroup::peek(uint64_t byte, uint32_t bytes) const {
  uint64_t bits = 0;
  std::memcpy(&bits, shared_.data() + byte, bytes);
  return bits;
}

void Workgroup::poke(uint64_t byte, uint32_t bytes, uint64_t bits) { std::memcpy(shared_.data() + byte, &bits, bytes); }

std::byte *Workgroup::global(const Thread &thread, const Instruction &next, uint64_t address, uint64_t bytes,
                             uint64_t alignment) {
  std::byte *found = memory_.find(address, bytes);
  if (!found) {
    report(ReportKind::OutOfBounds, thread.index, next, nullptr, [&]() -> std::string {
      const GlobalBuffer *buffer = memory_.buffer(address);
      if (!buffer)
        return "expected an address in a buffer, found " + std::to_string(address) + ", which is in none";
      return "expected a place within the " + std::to_string(buffer->bytes.size()) + " bytes of '" + buffer->name +
             "', found byte " + std::to_string(GlobalMemory::offset(address)) + " and " + std::to_string(bytes) +
             " bytes";
    });
    return nullptr;
  }
  if (address % alignment != 0) {
    report(ReportKind::Misaligned, thread.index, next, nullptr, [&] {
      return "expected an address that is a multiple of " + std::to_string(alignment) + " bytes, found byte " +
             std::to_string(GlobalMemory::offset(address)) + " of '" + memory_.buffer(address)->name + "'";
    });
    return nullptr;
  }
  return found;
}

/// Shadows of global memory are created page by page, at the first access.
template <class Visit> void Workgroup::forPages(uint64_t address, uint64_t bytes, Visit visit) {
  for (uint64_t end = address + bytes; address < end;) {
    uint64_t page = address / kPage, here = std::min(end, (page + 1) * kPage) - address;
    Shadow &shadow = globalShadows_.try_emplace(page, kPage, program_.globalGranule, false).first->second;
    visit(shadow, address % kPage, here);
    address += here;
  }
}

void Workgroup::noteGlobalRead(const Actor &actor, uint64_t address, uint64_t bytes) {
  forPages(address, bytes, [&](Shadow &shadow, uint64_t at, uint64_t count) { shadow.read(actor, at, count, *this); });
}

void Workgroup::noteGlobalWrite(const Actor &actor, uint64_t address, uint64_t bytes, bool unchanged) {
  forPages(address, bytes,
           [&](Shadow &shadow, uint64_t at, uint64_t count) { shadow.write(actor, at, count, unchanged, *this); });
}

} // namespace tegula::simt_test
