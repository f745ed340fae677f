#include "core/layout/Conversion.h"
#include "core/layout/ConversionPlanner.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <bit>

namespace tegula::layout {
namespace conversion {
namespace {

const std::vector<Dim> kThreadDims = {kRegister, kLane, kWarp};

bool isIdentity(const LinearLayout &map) {
  return map == LinearLayout::identity(map.inputSize(kRegister), kRegister, kRegister);
}

void check(const LinearLayout &source, const LinearLayout &destination, const ConversionOptions &options) {
  for (const LinearLayout *layout : {&source, &destination})
    for (const Extent &extent : layout->inputs())
      if (isTensorDim(extent.dim) || extent.dim == kOffset)
        throw Error("layout: a conversion is between registers of threads; " + layout->toText() + " has the input " +
                    name(extent.dim));
  for (Dim dim : {kLane, kWarp, kBlock})
    if (source.inputSize(dim) != destination.inputSize(dim))
      throw Error("layout: cannot convert from " + std::to_string(source.inputSize(dim)) + " to " +
                  std::to_string(destination.inputSize(dim)) + " values of " + name(dim));
  if (!std::has_single_bit(options.elementBytes) || options.elementBytes > 8)
    throw Error("layout: elements of " + std::to_string(options.elementBytes) + " bytes; expected 1, 2, 4 or 8");
}

Problem makeProblem(const LinearLayout &source, const LinearLayout &destination, const ConversionOptions &options) {
  check(source, destination, options);
  std::vector<Dim> outs;
  for (const Extent &extent : source.outputs())
    outs.push_back(extent.dim);
  LinearLayout aligned = destination.transposeOutputs(outs);
  if (aligned.shape() != source.shape())
    throw Error("layout: cannot convert between tensors of different shapes: " + source.toText() + " and " +
                destination.toText());
  if (source.flatBases(kBlock) != aligned.flatBases(kBlock))
    throw Error("layout: cannot convert between blocks: " + source.toText() + " and " + destination.toText() +
                " differ in the bases of block");
  // Missing dimensions become dimensions of size 1.
  LinearLayout unit({{kRegister, {}}, {kLane, {}}, {kWarp, {}}}, {});
  LinearLayout from = (unit * source.sublayoutOfInputs(kThreadDims)).sublayout(kThreadDims, outs);
  LinearLayout to = (unit * aligned.sublayoutOfInputs(kThreadDims)).sublayout(kThreadDims, outs);
  Echelon held;
  for (uint64_t column : from.matrix().columns)
    held.add(column);
  for (uint64_t column : to.matrix().columns)
    if (!held.contains(column))
      throw Error("layout: cannot convert: " + source.toText() + " does not hold all that " + destination.toText() +
                  " needs");
  LinearLayout registers = to.sublayoutOfInputs({kRegister});
  uint32_t all = to.inputSize(kRegister) - 1, kept = all & ~registers.freeVariables(kRegister);
  LinearLayout expand = registers.invertAndCompose(registers.keepInputBits(kRegister, kept));
  return {from, to.keepInputBits(kRegister, kept), expand, kept != all, options};
}

} // namespace

std::optional<LinearLayout> transferWithinWarp(const Problem &problem) {
  const LinearLayout &source = problem.source, &destination = problem.destination;
  Vectors registers = source.flatBases(kRegister), lanes = source.flatBases(kLane);
  unsigned registerBits = source.inputBits(kRegister);
  BitMatrix inThread{64, registers}, inWarp{64, joined(registers, lanes)};
  Vectors columns;
  auto give = [&](std::optional<uint64_t> x, uint64_t own) {
    if (x)
      columns.push_back(*x | own);
    return x.has_value();
  };
  for (uint64_t wanted : destination.flatBases(kRegister))
    if (!give(inWarp.solve(wanted), 0))
      return std::nullopt;
  Vectors wantedOfLanes = destination.flatBases(kLane), wantedOfWarps = destination.flatBases(kWarp);
  for (unsigned i = 0; i < lanes.size(); ++i) {
    std::optional<uint64_t> stay = inThread.solve(wantedOfLanes[i] ^ lanes[i]);
    if (!(stay ? give(stay, uint64_t(1) << (registerBits + i)) : give(inWarp.solve(wantedOfLanes[i]), 0)))
      return std::nullopt;
  }
  Vectors warps = source.flatBases(kWarp);
  for (unsigned i = 0; i < warps.size(); ++i)
    if (!give(inWarp.solve(wantedOfWarps[i] ^ warps[i]), uint64_t(1) << (registerBits + lanes.size() + i)))
      return std::nullopt;
  std::vector<InputBases> bases = {{kRegister, {}}, {kLane, {}}, {kWarp, {}}};
  size_t at = 0;
  for (InputBases &input : bases)
    for (unsigned i = 0; i < destination.inputBits(input.dim); ++i)
      input.bases.push_back(source.unpackInput(columns[at++]));
  return LinearLayout(bases, source.inputs());
}

std::optional<RegisterStep> registerStep(const Problem &problem, const LinearLayout &transfer) {
  for (Dim dim : {kRegister, kLane, kWarp})
    for (unsigned bit = 0; bit < transfer.inputBits(dim); ++bit) {
      Coordinates image = transfer.basis(dim, bit); // register, lane, warp
      uint32_t own = uint32_t(1) << bit;
      if (image[1] != (dim == kLane ? own : 0) || image[2] != (dim == kWarp ? own : 0) ||
          (dim != kRegister && image[0] != 0))
        return std::nullopt;
    }
  return RegisterStep{problem.expand.compose(transfer.sublayout({kRegister}, {kRegister}))};
}

namespace {

/// A lane bit that changes its place in the transfer, and its image (register, lane, warp).
struct MovedLane {
  uint32_t bit; // a power of two
  Coordinates image;
};

/// All moved lane bits; nothing if a warp bit changes its place.
std::optional<std::vector<MovedLane>> movedLanes(const LinearLayout &transfer) {
  std::vector<MovedLane> moved;
  for (Dim dim : {kLane, kWarp})
    for (unsigned bit = 0; bit < transfer.inputBits(dim); ++bit) {
      Coordinates image = transfer.basis(dim, bit);
      uint32_t own = uint32_t(1) << bit;
      if (image == Coordinates{0, dim == kLane ? own : 0, dim == kWarp ? own : 0})
        continue;
      if (dim == kWarp)
        return std::nullopt;
      moved.push_back({own, image});
    }
  return moved;
}

} // namespace

std::optional<PairStep> pairStep(const Problem &problem, const LinearLayout &transfer) {
  std::optional<std::vector<MovedLane>> moved = movedLanes(transfer);
  if (!moved || moved->size() != 1 || moved->front().image != Coordinates{0, 0, 0})
    return std::nullopt;
  uint32_t pair = moved->front().bit;
  for (unsigned bit = 0; bit < transfer.inputBits(kRegister); ++bit) {
    Coordinates image = transfer.basis(kRegister, bit);
    if ((image[1] & ~pair) || image[2])
      return std::nullopt;
  }
  return PairStep{pair, problem.expand.compose(transfer.sublayout({kRegister}, {kRegister, kLane}))};
}

// Precondition: the image of each moved lane bit is a register bit of the source. Swapping the two bits brings the lane
// bit to its place in the destination, so that afterwards only registers are renamed. If the image of a register bit is
// such a lane bit, it is the register bit with which the lane bit was swapped.
std::optional<std::vector<ConversionPlan::Step>> swapSteps(const Problem &problem, const LinearLayout &transfer) {
  std::optional<std::vector<MovedLane>> moved = movedLanes(transfer);
  if (!moved || moved->empty())
    return std::nullopt;
  std::vector<SwapStep> swaps;
  uint32_t swapped = 0; // register bits
  for (const auto &[bit, image] : *moved) {
    if (!std::has_single_bit(image[0]) || image[1] || image[2] || (image[0] & swapped))
      return std::nullopt;
    swapped |= image[0];
    swaps.push_back({bit, image[0]});
  }
  std::vector<InputBases> bases = {{kRegister, {}}};
  for (unsigned bit = 0; bit < transfer.inputBits(kRegister); ++bit) {
    Coordinates image = transfer.basis(kRegister, bit);
    auto with = std::find_if(swaps.begin(), swaps.end(),
                             [&](const SwapStep &swap) { return image == Coordinates{0, swap.lane, 0}; });
    bool isRegister = !(image[0] & swapped) && !image[1] && !image[2];
    if (!isRegister && with == swaps.end())
      return std::nullopt;
    bases[0].bases.push_back({isRegister ? image[0] : with->reg});
  }
  LinearLayout renaming(bases, {{kRegister, transfer.outputSize(kRegister)}});
  LinearLayout source = problem.expand.compose(renaming);
  std::vector<ConversionPlan::Step> steps(swaps.begin(), swaps.end());
  if (problem.expands || !isIdentity(source))
    steps.push_back(RegisterStep{source});
  return steps;
}

namespace {

/// The step, followed by the registers of the destination that repeat others.
std::vector<ConversionPlan::Step> withExpansion(const Problem &problem, ConversionPlan::Step step) {
  std::vector<ConversionPlan::Step> steps = {std::move(step)};
  if (problem.expands)
    steps.push_back(RegisterStep{problem.expand});
  return steps;
}

} // namespace
} // namespace conversion

using namespace conversion;

ConversionPlan planConversion(const LinearLayout &source, const LinearLayout &destination,
                              const ConversionOptions &options) {
  Problem problem = makeProblem(source, destination, options);
  std::vector<ConversionPlan::Step> steps;
  double price = 0;
  auto plan = [&] { return ConversionPlan(source, destination, options, steps, price); };
  std::optional<LinearLayout> transfer = transferWithinWarp(problem);
  if (transfer) {
    if (std::optional<RegisterStep> renaming = registerStep(problem, *transfer)) {
      if (!isIdentity(renaming->source))
        steps.push_back(*renaming);
      return plan();
    }
  }
  price = ConversionPrices::kNever;
  auto offer = [&](std::vector<ConversionPlan::Step> offered) {
    double asked = priceOf(problem, offered);
    if (asked >= price)
      return;
    price = asked;
    steps = std::move(offered);
  };
  if (transfer) {
    if (std::optional<PairStep> pair = pairStep(problem, *transfer))
      offer({*pair});
    if (std::optional<std::vector<ConversionPlan::Step>> swaps = swapSteps(problem, *transfer))
      offer(std::move(*swaps));
    if (std::optional<ShuffleStep> shuffle = shuffleStep(problem, *transfer))
      offer(withExpansion(problem, *shuffle));
  }
  bool hasRoom = options.sharedBytes >= options.elementBytes;
  if (price == ConversionPrices::kNever || (hasRoom && price > leastSharedPrice(problem)))
    offer(withExpansion(problem, sharedStep(problem)));
  return plan();
}

} // namespace tegula::layout
