// Checked mode: tests each access before it touches memory.
#include "backends/cpu/executor/Machine.h"

#include <cstring>

namespace tegula::cpu {

std::string indexText(const Shape &shape, int64_t element) {
  if (shape.rank == 0)
    return {};
  std::string text;
  for (unsigned d = shape.rank; d-- > 0;) {
    text = std::to_string(element % shape.extent[d]) + (text.empty() ? "" : ", ") + text;
    element /= shape.extent[d];
  }
  return "[" + text + "]";
}

/// True if the block may be accessed row by row: always in unchecked mode; in checked mode if the whole block lies in
/// one buffer whose written bytes are not tracked. If true, replaces the tagged base by its real address; if false, the
/// caller must test the elements one by one.
bool Machine::checkBlock(MemoryBlock &block, const Shape &shape, unsigned size, Access) const {
  if (!checked() || block.empty)
    return true;
  int64_t offset = 0;
  const BufferRange *range = launch_.buffers->find(static_cast<uint64_t>(block.base), offset);
  if (!range || range->written)
    return false;
  __int128 low = offset, high = offset;
  for (unsigned d = 0; d < shape.rank; ++d) {
    const __int128 first = static_cast<__int128>(block.step[d]) * block.low[d];
    const __int128 last = static_cast<__int128>(block.step[d]) * (block.high[d] - 1);
    low += std::min(first, last);
    high += std::max(first, last);
  }
  if (low < 0 || high + size > static_cast<__int128>(range->size))
    return false;
  block.base = static_cast<int64_t>(reinterpret_cast<uint64_t>(range->base) + static_cast<uint64_t>(offset));
  return true;
}

std::byte *Machine::resolve(uint64_t pointer, unsigned size, Access access, const Shape &shape, int64_t element) const {
  const std::string problem = launch_.buffers->problem(pointer, size, access);
  if (!problem.empty()) {
    const char *what = access == Access::Load ? "load" : access == Access::Store ? "store" : "atomic";
    const std::string index = indexText(shape, element);
    fault(std::string(what) + (index.empty() ? " " : " of element " + index + " ") + problem);
  }
  int64_t offset = 0;
  const BufferRange *range = launch_.buffers->find(pointer, offset);
  if (range->written && access != Access::Load)
    std::memset(range->written + offset, 1, size);
  return static_cast<std::byte *>(range->base) + offset;
}

} // namespace tegula::cpu
