// Structured control flow: every construct has a merge block, whose phis take the values that leave the construct
// (SPIR-V specification, 2.11 "Structured Control Flow").
#include "backends/vulkan/spirv/Builder.h"
#include "core/support/Diagnostic.h"

namespace tegula::spirv {

void Builder::ifThen(Id condition, const std::function<void()> &then, const std::function<void()> &otherwise) {
  auto without = [](const std::function<void()> &write) {
    return [&write]() -> Ids {
      if (write)
        write();
      return {};
    };
  };
  ifThenElse(condition, without(then), without(otherwise));
}

Builder::Ids Builder::ifThenElse(Id condition, const std::function<Ids()> &then,
                                 const std::function<Ids()> &otherwise) {
  Id yes = module_.newId(), no = module_.newId(), merge = module_.newId();
  effect(spv::Op::OpSelectionMerge, {merge, 0});
  effect(spv::Op::OpBranchConditional, {condition, yes, no});
  block_ = 0;
  begin(yes);
  Ids thenValues = then();
  Id thenEnd = block_;
  branch(merge);
  begin(no);
  Ids elseValues = otherwise();
  Id elseEnd = block_;
  branch(merge);
  begin(merge);
  if (thenValues.size() != elseValues.size())
    throw InternalError("branches that yield " + std::to_string(thenValues.size()) + " and " +
                        std::to_string(elseValues.size()) + " values");
  Ids results;
  for (size_t i = 0; i < thenValues.size(); ++i)
    results.push_back(
        op(spv::Op::OpPhi, module_.typeOf(thenValues[i]), {thenValues[i], thenEnd, elseValues[i], elseEnd}));
  return results;
}

size_t Builder::openPhi(Id result, Id type, Id value, Id from) {
  effect(spv::Op::OpPhi, {type, result, value, from, 0, 0});
  return body_.size() - 2;
}

Builder::Ids Builder::loop(std::span<const Id> initial,
                           const std::function<Id(const Ids &carried, Ids &forwarded)> &before,
                           const std::function<Ids(const Ids &forwarded)> &body, spv::LoopControlMask control) {
  Id header = module_.newId(), test = module_.newId(), inside = module_.newId(), next = module_.newId(),
     merge = module_.newId(), from = block_;
  branch(header);
  begin(header);
  Ids carried;
  std::vector<size_t> open;
  for (Id value : initial) {
    Id type = module_.typeOf(value);
    carried.push_back(module_.newId(type));
    open.push_back(openPhi(carried.back(), type, value, from));
  }
  // The header contains only phis and the merge instruction; the condition is computed in the next block.
  effect(spv::Op::OpLoopMerge, {merge, next, static_cast<uint32_t>(control)});
  branch(test);
  begin(test);
  Ids forwarded;
  Id condition = before(carried, forwarded);
  effect(spv::Op::OpBranchConditional, {condition, inside, merge});
  block_ = 0;
  begin(inside);
  Ids yielded = body(forwarded);
  if (yielded.size() != initial.size())
    throw InternalError("a loop that carries " + std::to_string(initial.size()) + " values and yields " +
                        std::to_string(yielded.size()));
  branch(next);
  begin(next);
  branch(header);
  for (size_t i = 0; i < open.size(); ++i) {
    body_[open[i]] = yielded[i];
    body_[open[i] + 1] = next;
  }
  begin(merge);
  return forwarded; // computed in a block that dominates the merge block
}

Builder::Ids Builder::forLoop(Id lower, Id upper, Id step, std::span<const Id> initial,
                              const std::function<Ids(Id index, const Ids &carried)> &body, bool mayWrap,
                              spv::LoopControlMask control) {
  Ids all = {lower};
  if (mayWrap)
    all.push_back(compare(spv::Op::OpSLessThan, lower, upper));
  size_t own = all.size();
  all.insert(all.end(), initial.begin(), initial.end());
  Ids results = loop(
      all,
      [&](const Ids &carried, Ids &forwarded) {
        forwarded = carried;
        return mayWrap ? carried[1] : compare(spv::Op::OpSLessThan, carried[0], upper);
      },
      [&](const Ids &forwarded) {
        Id index = forwarded[0];
        Ids next = body(index, Ids(forwarded.begin() + long(own), forwarded.end()));
        Ids mine = {binary(spv::Op::OpIAdd, index, step)};
        if (mayWrap) // index + step < upper without overflow: upper - index > step, where the difference is at least 1
          mine.push_back(compare(spv::Op::OpUGreaterThan, binary(spv::Op::OpISub, upper, index), step));
        next.insert(next.begin(), mine.begin(), mine.end());
        return next;
      },
      control);
  results.erase(results.begin(), results.begin() + long(own));
  return results;
}

} // namespace tegula::spirv
