// Views of shared memory, and accesses of threads and warps to them.
#include "Flatten.h"
#include "Machine.h"

using namespace mlir;

namespace tegula::simt_test {
namespace {

/// detail: the buffer's first byte in the program's shared memory.
Step alloc(Workgroup &group, Thread &thread, const Instruction &next) {
  *thread.at(next.results[0]) =
      group.rank(thread.index) * group.program().sharedStride() + static_cast<uint64_t>(next.detail);
  return Step::Next;
}

/// layout: of the buffer.
Step stage(Workgroup &group, Thread &thread, const Instruction &next) {
  int64_t index = toSigned(ScalarType::I32, thread.scalar(next.operands[1]));
  if (index < 0 || index >= next.layout->stages()) {
    group.report(ReportKind::OutOfBounds, thread.index, next, nullptr, [&] {
      return "expected a stage from 0 to " + std::to_string(next.layout->stages() - 1) + ", found " +
             std::to_string(index);
    });
    index = 0;
  }
  *thread.at(next.results[0]) =
      thread.scalar(next.operands[0]) + static_cast<uint64_t>(index * next.layout->stageBytes());
  return Step::Next;
}

/// operands: view, position; layout: of the view; data: extents of the part.
Step part(Workgroup &group, Thread &thread, const Instruction &next) {
  std::vector<int64_t> first;
  for (size_t dim = 0; dim < next.data.size(); ++dim) {
    auto extent = static_cast<int64_t>(next.data[dim]);
    int64_t position = toSigned(ScalarType::I32, thread.scalar(next.operands[dim + 1]));
    int64_t parts = next.layout->shape()[dim] / extent;
    if (position < 0 || position >= parts) {
      group.report(ReportKind::OutOfBounds, thread.index, next, nullptr, [&] {
        return "expected a position from 0 to " + std::to_string(parts - 1) + " in dimension " + std::to_string(dim) +
               ", found " + std::to_string(position);
      });
      position = 0;
    }
    first.push_back(position * extent);
  }
  *thread.at(next.results[0]) =
      thread.scalar(next.operands[0]) + static_cast<uint64_t>(next.layout->place(first) * next.layout->elementBytes());
  return Step::Next;
}

Step sameView(Workgroup &, Thread &thread, const Instruction &next) {
  *thread.at(next.results[0]) = thread.scalar(next.operands[0]);
  return Step::Next;
}

/// operands: view, offset; layout: of the view; detail: elements of an access.
Step load(Workgroup &group, Thread &thread, const Instruction &next) {
  uint64_t base = thread.scalar(next.operands[0]), width = static_cast<uint64_t>(next.detail);
  int64_t bytes = next.layout->elementBytes(), accessBytes = bytes * next.detail;
  const Slot &offset = next.operands[1], &result = next.results[0];
  for (uint32_t i = 0; i < offset.lanes; ++i) {
    int64_t place = toSigned(ScalarType::I32, thread.at(offset)[i]) * bytes;
    bool good = group.checkShared(thread, next, base, place, accessBytes, next.layout->stageBytes(), accessBytes);
    uint64_t at = base + static_cast<uint64_t>(place);
    if (good)
      group.noteRead(group.actor(thread, next), at, static_cast<uint64_t>(accessBytes));
    for (uint64_t j = 0; j < width; ++j)
      thread.at(result)[i * width + j] =
          good ? truncated(result.type, group.peek(at + j * static_cast<uint64_t>(bytes), static_cast<uint32_t>(bytes)))
               : 0;
  }
  return Step::Next;
}

/// operands: view, offset, value; layout: of the view; detail: elements of an access.
Step store(Workgroup &group, Thread &thread, const Instruction &next) {
  uint64_t base = thread.scalar(next.operands[0]), width = static_cast<uint64_t>(next.detail);
  int64_t bytes = next.layout->elementBytes(), accessBytes = bytes * next.detail;
  const Slot &offset = next.operands[1];
  for (uint32_t i = 0; i < offset.lanes; ++i) {
    int64_t place = toSigned(ScalarType::I32, thread.at(offset)[i]) * bytes;
    if (!group.checkShared(thread, next, base, place, accessBytes, next.layout->stageBytes(), accessBytes))
      continue;
    uint64_t at = base + static_cast<uint64_t>(place);
    const uint64_t *values = thread.at(next.operands[2]) + i * width;
    auto placeOf = [&](uint64_t j) { return at + j * static_cast<uint64_t>(bytes); };
    bool unchanged = true;
    for (uint64_t j = 0; j < width; ++j)
      unchanged &= group.peek(placeOf(j), static_cast<uint32_t>(bytes)) == values[j];
    group.noteWrite(group.actor(thread, next), at, static_cast<uint64_t>(accessBytes), unchanged);
    for (uint64_t j = 0; j < width; ++j)
      group.poke(placeOf(j), static_cast<uint32_t>(bytes), values[j]);
  }
  return Step::Next;
}

// --- 8x8 matrices ---

constexpr int64_t kMatrixRowBytes = 16;

/// The offset of the first byte of a row of an 8x8 matrix, as given by `lane`; none where it is out of bounds.
std::optional<uint64_t> matrixRow(Workgroup &group, ThreadRange set, const Instruction &next, uint32_t lane) {
  Thread &thread = group.thread(set.first + lane);
  uint64_t base = thread.scalar(next.operands[0]);
  int64_t place = toSigned(ScalarType::I32, thread.scalar(next.operands[1])) * next.layout->elementBytes();
  if (!group.checkShared(thread, next, base, place, kMatrixRowBytes, next.layout->stageBytes(), kMatrixRowBytes))
    return std::nullopt;
  return base + static_cast<uint64_t>(place);
}

/// The (row, column) of the matrix element of 16 bits that is the lane's element `half`.
std::pair<uint32_t, uint32_t> matrixElement(uint32_t lane, uint32_t half, bool transposed) {
  uint32_t major = lane / 4, minor = 2 * (lane % 4) + half;
  return transposed ? std::pair(minor, major) : std::pair(major, minor);
}

/// operands: view, offset; detail: matrices; detail2: whether transposed.
void loadMatrix(Workgroup &group, ThreadRange set, const Instruction &next) {
  uint32_t bytes = static_cast<uint32_t>(next.layout->elementBytes()), each = 2 / bytes;
  for (uint32_t matrix = 0; matrix < next.detail; ++matrix) {
    std::array<std::optional<uint64_t>, 8> rows;
    for (uint32_t row = 0; row < 8; ++row)
      if ((rows[row] = matrixRow(group, set, next, 8 * matrix + row)))
        group.noteRead(group.actor(group.thread(set.first + 8 * matrix + row), next), *rows[row], kMatrixRowBytes);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t half = 0; half < 2; ++half) {
        auto [row, column] = matrixElement(lane, half, next.detail2 != 0);
        uint64_t *elements = group.thread(set.first + lane).at(next.results[0]) + (2 * matrix + half) * each;
        for (uint32_t i = 0; i < each; ++i)
          elements[i] = rows[row] ? group.peek(*rows[row] + 2 * column + i * bytes, bytes) : 0;
      }
  }
}

/// operands: view, offset, value; detail and detail2 as for loadMatrix.
void storeMatrix(Workgroup &group, ThreadRange set, const Instruction &next) {
  uint32_t bytes = static_cast<uint32_t>(next.layout->elementBytes()), each = 2 / bytes;
  for (uint32_t matrix = 0; matrix < next.detail; ++matrix) {
    std::array<std::optional<uint64_t>, 8> rows;
    for (uint32_t row = 0; row < 8; ++row)
      if ((rows[row] = matrixRow(group, set, next, 8 * matrix + row)))
        group.noteWrite(group.actor(group.thread(set.first + 8 * matrix + row), next), *rows[row], kMatrixRowBytes);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t half = 0; half < 2; ++half) {
        auto [row, column] = matrixElement(lane, half, next.detail2 != 0);
        const uint64_t *elements = group.thread(set.first + lane).at(next.operands[2]) + (2 * matrix + half) * each;
        for (uint32_t i = 0; rows[row] && i < each; ++i)
          group.poke(*rows[row] + 2 * column + i * bytes, bytes, elements[i]);
      }
  }
}

Instruction &emitMatrix(Flattener &flattener, Operation *op, CollectiveHandler handler, simt::SharedType view,
                        Type value, bool transposed) {
  if (flattener.program().warpSize != 32)
    Flattener::fail(op, "expected warps of 32, found " + std::to_string(flattener.program().warpSize));
  Instruction &next = flattener.emitCollective(op, handler);
  next.layout = flattener.layout(view);
  next.detail = simt::elementsOf(value) * next.layout->elementBytes() / 4;
  next.detail2 = transposed;
  return next;
}

bool flattenView(Flattener &flattener, Operation *op) {
  if (isa<simt::SharedAllocOp>(op)) {
    flattener.emit(op, alloc).detail = flattener.place(op);
  } else if (auto taken = dyn_cast<simt::StageOp>(op)) {
    flattener.emit(op, stage).layout = flattener.layout(taken.getSrc().getType());
  } else if (auto cut = dyn_cast<simt::PartOp>(op)) {
    Instruction &next = flattener.emit(op, part);
    next.layout = flattener.layout(cut.getSrc().getType());
    next.data.assign(cut.getType().getShape().begin(), cut.getType().getShape().end());
  } else if (isa<simt::TransposeOp>(op)) {
    flattener.emit(op, sameView);
  } else {
    return false;
  }
  return true;
}

} // namespace

bool flattenShared(Flattener &flattener, Operation *op) {
  if (flattenView(flattener, op))
    return true;
  auto width = [](Type value, Type offset) { return simt::elementsOf(value) / simt::elementsOf(offset); };
  if (auto read = dyn_cast<simt::SharedLoadOp>(op)) {
    Instruction &next = flattener.emit(op, load);
    next.layout = flattener.layout(read.getSrc().getType());
    next.detail = width(read.getType(), read.getOffset().getType());
  } else if (auto write = dyn_cast<simt::SharedStoreOp>(op)) {
    Instruction &next = flattener.emit(op, store);
    next.layout = flattener.layout(write.getDst().getType());
    next.detail = width(write.getValue().getType(), write.getOffset().getType());
  } else if (auto read = dyn_cast<simt::LoadMatrixOp>(op)) {
    emitMatrix(flattener, op, loadMatrix, read.getSrc().getType(), read.getType(), read.getTranspose());
  } else if (auto write = dyn_cast<simt::StoreMatrixOp>(op)) {
    emitMatrix(flattener, op, storeMatrix, write.getDst().getType(), write.getValue().getType(), write.getTranspose());
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::simt_test
