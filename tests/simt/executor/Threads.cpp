// Thread numbers, register tiles, shuffles and votes, pointers, print and assert.
#include "Combine.h"
#include "Flatten.h"
#include "Machine.h"

#include "llvm/Support/Format.h"

using namespace mlir;

namespace tegula::simt_test {
namespace {

enum class Id : uint8_t { Thread, Warp, Lane, WarpSize, Program, Programs, Resident, Residents, Rank };

/// Half of the grid's programs are resident, in whole clusters, and the others do nothing, so that loops over programs
/// run several times.
uint64_t programsOf(const Grid &grid) { return uint64_t(grid[0]) * grid[1] * grid[2]; }
uint64_t residentsOf(const Workgroup &group) {
  uint64_t cluster = group.program().cluster;
  return ((programsOf(group.grid()) + 1) / 2 + cluster - 1) / cluster * cluster;
}

uint64_t residentId(const Workgroup &group, uint32_t rank) {
  uint64_t number = group.number(rank);
  return number < residentsOf(group) ? number : programsOf(group.grid());
}

/// detail: an Id; detail2: the grid's axis.
Step identity(Workgroup &group, Thread &thread, const Instruction &next) {
  uint32_t within = thread.index - thread.regionFirst, warpSize = group.program().warpSize;
  size_t axis = static_cast<size_t>(next.detail2);
  uint64_t value = 0;
  switch (static_cast<Id>(next.detail)) {
  case Id::Thread: value = within; break;
  case Id::Warp: value = within / warpSize; break;
  case Id::Lane: value = within % warpSize; break;
  case Id::WarpSize: value = warpSize; break;
  case Id::Program: value = group.id(group.rank(thread.index))[axis]; break;
  case Id::Programs: value = group.grid()[axis]; break;
  case Id::Resident: value = residentId(group, group.rank(thread.index)); break;
  case Id::Residents: value = residentsOf(group); break;
  case Id::Rank: value = group.rank(thread.index); break;
  }
  *thread.at(next.results[0]) = value;
  return Step::Next;
}

void elect(Workgroup &group, ThreadRange set, const Instruction &next) {
  uint32_t lane = group.electedLane(set.first / group.program().warpSize);
  for (uint32_t i = 0; i < set.count; ++i)
    *group.thread(set.first + i).at(next.results[0]) = i == lane;
}

Step splat(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &result = next.results[0];
  std::fill_n(thread.at(result), result.lanes, thread.scalar(next.operands[0]));
  return Step::Next;
}

/// data: numbers of registers.
Step pick(Workgroup &, Thread &thread, const Instruction &next) {
  for (size_t i = 0; i < next.data.size(); ++i)
    thread.at(next.results[0])[i] = thread.at(next.operands[0])[next.data[i]];
  return Step::Next;
}

Step concat(Workgroup &, Thread &thread, const Instruction &next) {
  uint64_t *out = thread.at(next.results[0]);
  for (const Slot &part : next.operands)
    out = std::copy_n(thread.at(part), part.lanes, out);
  return Step::Next;
}

/// The bits of `number` selected by `mask`, moved together: closedUp(0b1010, 0b1110) = 0b101.
uint32_t closedUp(uint32_t number, uint32_t mask) {
  uint32_t result = 0, place = 0;
  for (uint32_t bit = 0; bit < 32; ++bit)
    if (mask >> bit & 1)
      result |= (number >> bit & 1) << place++;
  return result;
}

/// detail: a CombineKind; detail2: keep.
Step reduceRegisters(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &source = next.operands[0];
  auto kind = static_cast<simt::CombineKind>(next.detail);
  auto keep = static_cast<uint32_t>(next.detail2);
  std::vector<uint64_t> values(thread.at(source), thread.at(source) + source.lanes);
  for (uint32_t step = source.lanes / 2; step != 0; step /= 2) {
    if (keep & step)
      continue;
    for (uint32_t i = 0; i < source.lanes; ++i)
      if (!(i & step))
        values[i] = combine(kind, source.type, values[i], values[i + step]);
  }
  for (uint32_t i = 0; i < source.lanes; ++i)
    if ((i & ~keep) == 0)
      thread.at(next.results[0])[closedUp(i, keep)] = values[i];
  return Step::Next;
}

Step spreadRegisters(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &result = next.results[0];
  for (uint32_t i = 0; i < result.lanes; ++i)
    thread.at(result)[i] = thread.at(next.operands[0])[closedUp(i, static_cast<uint32_t>(next.detail))];
  return Step::Next;
}

/// detail: a ShuffleMode.
void shuffle(Workgroup &group, ThreadRange set, const Instruction &next) {
  const Slot &value = next.operands[0], &result = next.results[0];
  // Results are written after all lanes have been read, because a later lane may read an earlier lane's value.
  std::vector<uint64_t> results;
  results.reserve(size_t(set.count) * value.lanes);
  for (uint32_t lane = 0; lane < set.count; ++lane) {
    auto distance = static_cast<int64_t>(static_cast<int32_t>(group.thread(set.first + lane).scalar(next.operands[1])));
    int64_t source = lane;
    switch (static_cast<simt::ShuffleMode>(next.detail)) {
    case simt::ShuffleMode::Index: source = distance; break;
    case simt::ShuffleMode::Xor: source = lane ^ distance; break;
    case simt::ShuffleMode::Up: source = lane - distance; break;
    case simt::ShuffleMode::Down: source = lane + distance; break;
    }
    if (source < 0 || source >= set.count)
      source = lane;
    const uint64_t *from = group.thread(set.first + static_cast<uint32_t>(source)).at(value);
    results.insert(results.end(), from, from + value.lanes);
  }
  for (uint32_t lane = 0; lane < set.count; ++lane)
    std::copy_n(results.data() + size_t(lane) * value.lanes, value.lanes, group.thread(set.first + lane).at(result));
}

/// detail: a VoteKind.
void vote(Workgroup &group, ThreadRange set, const Instruction &next) {
  bool all = static_cast<simt::VoteKind>(next.detail) == simt::VoteKind::All, result = all;
  for (uint32_t i = 0; i < set.count; ++i) {
    bool holds = group.thread(set.first + i).scalar(next.operands[0]) != 0;
    result = all ? result && holds : result || holds;
  }
  for (uint32_t i = 0; i < set.count; ++i)
    *group.thread(set.first + i).at(next.results[0]) = result;
}

std::string numberText(ScalarType type, uint64_t bits) {
  if (!isFloat(type))
    return std::to_string(toSigned(type, bits));
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", toDouble(type, bits));
  return text;
}

/// Operands: value, element numbers, mask; each may be absent. Prints lines of prefix, program, element, value.
Step printElements(Workgroup &group, Thread &thread, const Instruction &next) {
  const Slot &value = next.operands[0], &elements = next.operands[1], &mask = next.operands[2];
  if (mask && thread.scalar(mask) == 0)
    return Step::Next;
  std::string start = cast<simt::PrintOp>(next.op).getPrefix().str();
  for (uint32_t id : group.id(group.rank(thread.index)))
    start += ' ' + std::to_string(id);
  for (uint32_t i = 0; i < std::max(value.lanes, 1u); ++i) {
    std::string line = start;
    if (elements)
      line += " [" + std::to_string(thread.at(elements)[i]) + "]";
    if (value)
      line += ": " + numberText(value.type, thread.at(value)[i]);
    group.sink().print(std::move(line));
  }
  return Step::Next;
}

Step checkAssertion(Workgroup &group, Thread &thread, const Instruction &next) {
  const Slot &condition = next.operands[0], &elements = next.operands[1], &mask = next.operands[2];
  if (mask && thread.scalar(mask) == 0)
    return Step::Next;
  for (uint32_t i = 0; i < condition.lanes; ++i)
    if (thread.at(condition)[i] == 0)
      group.report(ReportKind::Assertion, thread.index, next, nullptr, [&] {
        uint64_t number = elements ? thread.at(elements)[i] : i;
        return cast<simt::AssertOp>(next.op).getMessage().str() + " (element " + std::to_string(number) + ")";
      });
  return Step::Next;
}

Step sameBits(Workgroup &, Thread &thread, const Instruction &next) {
  std::copy_n(thread.at(next.operands[0]), next.results[0].lanes, thread.at(next.results[0]));
  return Step::Next;
}

/// detail: bytes of the pointee.
Step addPointer(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &offset = next.operands[1];
  *thread.at(next.results[0]) = thread.scalar(next.operands[0]) +
                                static_cast<uint64_t>(toSigned(offset.type, thread.scalar(offset)) * next.detail);
  return Step::Next;
}

/// detail: the lane of the descriptor's slot (see Slot) that is read.
Step descriptorPart(Workgroup &, Thread &thread, const Instruction &next) {
  *thread.at(next.results[0]) = thread.at(next.operands[0])[next.detail];
  return Step::Next;
}

bool flattenDescriptorPart(Flattener &flattener, Operation *op) {
  int64_t lane = 0;
  if (auto extent = dyn_cast<tile::DescExtentOp>(op))
    lane = 2 + extent.getAxis();
  else if (auto stride = dyn_cast<tile::DescStrideOp>(op))
    lane = 2 + static_cast<int64_t>(stride.getDesc().getType().getShape().size()) + stride.getAxis();
  else if (isa<tile::DescPadsNanOp>(op))
    lane = 1;
  else if (!isa<tile::DescBaseOp>(op))
    return false;
  flattener.emit(op, descriptorPart).detail = lane;
  return true;
}

bool flattenId(Flattener &flattener, Operation *op) {
  Id id;
  int64_t axis = 0;
  if (isa<simt::ThreadIdOp>(op)) {
    id = Id::Thread;
  } else if (isa<simt::WarpIdOp>(op)) {
    id = Id::Warp;
  } else if (isa<simt::LaneIdOp>(op)) {
    id = Id::Lane;
  } else if (isa<simt::WarpSizeOp>(op)) {
    id = Id::WarpSize;
  } else if (isa<simt::ResidentIdOp>(op)) {
    id = Id::Resident;
  } else if (isa<simt::ClusterRankOp>(op)) {
    id = Id::Rank;
  } else if (isa<simt::ResidentsOp>(op)) {
    id = Id::Residents;
  } else if (auto program = dyn_cast<tile::ProgramIdOp>(op)) {
    id = Id::Program;
    axis = program.getAxis();
  } else if (auto programs = dyn_cast<tile::NumProgramsOp>(op)) {
    id = Id::Programs;
    axis = programs.getAxis();
  } else {
    return false;
  }
  Instruction &instruction = flattener.emit(op, identity);
  instruction.detail = static_cast<int64_t>(id);
  instruction.detail2 = axis;
  return true;
}

bool flattenRegisters(Flattener &flattener, Operation *op) {
  if (isa<simt::SplatOp>(op)) {
    flattener.emit(op, splat);
  } else if (auto picked = dyn_cast<simt::PickOp>(op)) {
    flattener.emit(op, pick).data.assign(picked.getRegisters().begin(), picked.getRegisters().end());
  } else if (auto slice = dyn_cast<simt::SliceOp>(op)) {
    std::vector<uint64_t> &data = flattener.emit(op, pick).data;
    for (int64_t i = 0; i < simt::elementsOf(slice.getType()); ++i)
      data.push_back(slice.getStart() + static_cast<uint64_t>(i));
  } else if (isa<simt::ConcatOp>(op)) {
    flattener.emit(op, concat);
  } else if (auto reduce = dyn_cast<simt::ReduceRegistersOp>(op)) {
    Instruction &instruction = flattener.emit(op, reduceRegisters);
    instruction.detail = static_cast<int64_t>(reduce.getKind());
    instruction.detail2 = reduce.getKeep();
  } else if (auto spread = dyn_cast<simt::SpreadRegistersOp>(op)) {
    flattener.emit(op, spreadRegisters).detail = spread.getKeep();
  } else {
    return false;
  }
  return true;
}

} // namespace

bool flattenThreads(Flattener &flattener, Operation *op) {
  if (flattenId(flattener, op) || flattenRegisters(flattener, op) || flattenDescriptorPart(flattener, op))
    return true;
  if (isa<simt::ElectOp>(op))
    flattener.emitCollective(op, elect);
  else if (auto shuffled = dyn_cast<simt::ShuffleOp>(op))
    flattener.emitCollective(op, shuffle).detail = static_cast<int64_t>(shuffled.getMode());
  else if (auto voted = dyn_cast<simt::VoteOp>(op))
    flattener.emitCollective(op, vote).detail = static_cast<int64_t>(voted.getKind());
  else if (auto print = dyn_cast<simt::PrintOp>(op))
    flattener.emit(op, printElements, {print.getValue(), print.getElements(), print.getMask()});
  else if (auto check = dyn_cast<simt::AssertOp>(op))
    flattener.emit(op, checkAssertion, {check.getCondition(), check.getElements(), check.getMask()});
  else if (isa<tile::PtrCastOp, tile::PtrToIntOp, tile::IntToPtrOp>(op))
    flattener.emit(op, sameBits);
  else if (auto add = dyn_cast<tile::AddPtrOp>(op))
    flattener.emit(op, addPointer).detail = simt::elementBytes(cast<tile::PtrType>(add.getType()).getPointee());
  else
    return isa<tile::MayNotEndOp>(op); // nothing happens
  return true;
}

} // namespace tegula::simt_test
