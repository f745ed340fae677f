#include "backends/vulkan/spirv/UseOrder.h"

#include "core/schedule/UseOrder.h"

#include <optional>
#include <ranges>

namespace tegula::spirv {
namespace {

using Words = std::span<const uint32_t>;

spv::Op opOf(Words instruction) { return static_cast<spv::Op>(instruction[0] & 0xffff); }

/// True if the instruction only computes a value from its operands.
bool isPure(spv::Op op) {
  auto isIn = [&](spv::Op first, spv::Op last) { return op >= first && op <= last; };
  return op == spv::Op::OpExtInst || op == spv::Op::OpUndef || op == spv::Op::OpAccessChain ||
         isIn(spv::Op::OpVectorExtractDynamic, spv::Op::OpTranspose) ||
         isIn(spv::Op::OpConvertFToU, spv::Op::OpBitcast) || isIn(spv::Op::OpSNegate, spv::Op::OpSMulExtended) ||
         isIn(spv::Op::OpAny, spv::Op::OpFUnordGreaterThanEqual) ||
         isIn(spv::Op::OpShiftRightLogical, spv::Op::OpBitCount);
}

/// Returns those operands of a pure instruction that are ids: its words from number 3 on, with the exceptions below.
Words idsOf(Words instruction) {
  Words operands = instruction.subspan(std::min<size_t>(3, instruction.size()));
  switch (opOf(instruction)) {
  case spv::Op::OpCompositeExtract: return operands.first(1); // indices follow
  case spv::Op::OpVectorShuffle:
  case spv::Op::OpCompositeInsert: return operands.first(2);
  case spv::Op::OpExtInst: return operands.subspan(2); // skips the set and the instruction's number in it
  default: return operands;
  }
}

/// The number of 32-bit registers that a value takes. Booleans take none, because many devices hold them in separate
/// registers.
uint32_t registersOf(Id value, const Module &module) {
  const TypeInfo &type = module.infoOf(value);
  switch (type.op) {
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat: return (type.bits + 31) / 32;
  case spv::Op::OpTypeVector: return (module.info(type.element).bits * type.count + 31) / 32;
  case spv::Op::OpTypePointer: return type.storage == spv::StorageClass::PhysicalStorageBuffer ? 2 : 1;
  default: return 0;
  }
}

bool isMatrix(Id value, const Module &module) { return module.infoOf(value).op == newer::OpTypeCooperativeMatrixKHR; }

struct Placed {
  Words words;
  Words line; // the OpLine or OpNoLine that applies to it; empty: none
};

class Block {
public:
  explicit Block(const Module &module) : module_(module) {}

  void add(Placed placed) {
    instructions_.push_back(placed);
    schedule::Instruction step;
    spv::Op op = opOf(placed.words);
    std::optional<Id> result = resultOf(placed.words);
    bool isFree = isPure(op) && !isMatrix(*result, module_);
    // The load of a vector puts each component into a register. So an extracted component counts as that register, the
    // vector itself counts as none, and the extraction is not moved.
    bool isPart = op == spv::Op::OpCompositeExtract && registersOf(*result, module_) > 0;
    step.isFixed = !isFree || isPart;
    step.registers = result ? registersOf(*result, module_) : 0;
    for (uint32_t word : isPure(op) ? idsOf(placed.words) : placed.words.subspan(1)) // literals may look like ids
      if (auto found = numbers_.find(word); found != numbers_.end()) {
        step.operands.push_back(found->second);
        if (isPart)
          code_[found->second].registers = 0;
      }
    if (result)
      numbers_[*result] = static_cast<uint32_t>(code_.size());
    code_.push_back(std::move(step));
  }

  std::span<const Placed> instructions() const { return instructions_; }
  auto values() const { return std::views::keys(numbers_); }

  /// `instruction` is a phi or belongs to another block. Marks the values of this block that it uses as alive at the
  /// block's end.
  void isUsedBy(Words instruction) {
    for (uint32_t word : instruction.subspan(1))
      if (auto found = numbers_.find(word); found != numbers_.end())
        code_[found->second].isUsedAfter = true;
  }

  void write(std::vector<uint32_t> &to) const {
    std::optional<std::vector<uint32_t>> order = schedule::orderForPressure(code_);
    Words line;
    for (size_t at = 0; at < instructions_.size(); ++at) {
      const Placed &each = instructions_[order ? (*order)[at] : at];
      if (takesLine(opOf(each.words)) && !std::equal(line.begin(), line.end(), each.line.begin(), each.line.end())) {
        line = each.line;
        if (line.empty())
          append(to, spv::Op::OpNoLine, {});
        to.insert(to.end(), line.begin(), line.end());
      }
      to.insert(to.end(), each.words.begin(), each.words.end());
    }
  }

private:
  std::optional<Id> resultOf(Words instruction) const {
    bool hasResult = instruction.size() > 2 && module_.isOfType(instruction[2], instruction[1]);
    return hasResult ? std::optional(instruction[2]) : std::nullopt;
  }

  const Module &module_;
  std::vector<Placed> instructions_;
  std::vector<schedule::Instruction> code_;
  std::unordered_map<Id, uint32_t> numbers_;
};

bool endsBlock(spv::Op op) { return op >= spv::Op::OpBranch && op <= spv::Op::OpUnreachable; }

std::vector<Block> blocksOf(Words body, const Module &module) {
  std::vector<Block> blocks;
  Words line;
  bool isOpen = false;
  for (size_t at = 0; at < body.size();) {
    Words instruction = body.subspan(at, body[at] >> 16);
    at += instruction.size();
    spv::Op op = opOf(instruction);
    if (!isOpen) {
      blocks.emplace_back(module);
      line = {};
    }
    if (op == spv::Op::OpSelectionMerge || op == spv::Op::OpLoopMerge) { // kept together with the branch after it
      size_t branch = body[at] >> 16;
      instruction = Words(instruction.data(), instruction.size() + branch);
      at += branch;
      op = spv::Op::OpBranch;
    }
    isOpen = !endsBlock(op);
    if (op == spv::Op::OpLine || op == spv::Op::OpNoLine)
      line = instruction;
    else
      blocks.back().add({instruction, line});
  }
  return blocks;
}

} // namespace

std::vector<uint32_t> orderedByUse(std::span<const uint32_t> body, const Module &module) {
  std::vector<Block> blocks = blocksOf(body, module);
  std::unordered_map<Id, Block *> home;
  for (Block &block : blocks)
    for (Id value : block.values())
      home[value] = &block;
  for (Block &block : blocks)
    for (const Placed &each : block.instructions())
      for (uint32_t word : each.words.subspan(1))
        if (auto found = home.find(word);
            found != home.end() && (found->second != &block || opOf(each.words) == spv::Op::OpPhi))
          found->second->isUsedBy(each.words);
  std::vector<uint32_t> ordered;
  ordered.reserve(body.size());
  for (const Block &block : blocks)
    block.write(ordered);
  return ordered;
}

bool takesLine(spv::Op op) {
  switch (op) {
  case spv::Op::OpPhi:
  case spv::Op::OpSelectionMerge:
  case spv::Op::OpLoopMerge:
  case spv::Op::OpBranch:
  case spv::Op::OpBranchConditional:
  case spv::Op::OpReturn:
  case spv::Op::OpReturnValue:
  case spv::Op::OpUnreachable: return false;
  default: return true;
  }
}

} // namespace tegula::spirv
