// Exchanges of elements between threads: shuffles within a warp, shared memory between warps.
#include "core/passes/tosimt/Lowering.h"

#include "core/layout/Conversion.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {

Value Lowering::fromPeer(Value vector, int64_t laneMask, int64_t warpMask) {
  if (warpMask == 0)
    return laneMask == 0 ? vector
                         : simt::ShuffleOp::create(b_, location_, simt::ShuffleMode::Xor, vector, constant(laneMask));
  return fromThread(vector, arith::XOrIOp::create(b_, location_, thread_, constant(warpMask * warpSize_ + laneMask)));
}

Value Lowering::fromFirstHolder(Value vector, Layout layout, ArrayRef<int64_t> shape) {
  auto [lanes, warpBits] = copyBits(layout, shape);
  if (lanes == 0 && warpBits == 0)
    return vector;
  if (warpBits == 0)
    return simt::ShuffleOp::create(b_, location_, simt::ShuffleMode::Index, vector,
                                   arith::AndIOp::create(b_, location_, lane_, constant(~lanes & (warpSize_ - 1))));
  int64_t mask = lanes | warpBits * warpSize_;
  return fromThread(vector, arith::AndIOp::create(b_, location_, thread_, constant(~mask & (threads() - 1))));
}

/// The bases of the input dimension `dim` of the map. Each is one number, which joins the bits of all output
/// dimensions.
SmallVector<int64_t> basesOf(const layout::LinearLayout &map, layout::Dim dim) {
  SmallVector<int64_t> bases;
  for (uint64_t basis : map.flatBases(dim))
    bases.push_back(static_cast<int64_t>(basis));
  return bases;
}

namespace {

/// The registers in the order in which a thread's accesses to shared memory store or load them.
SmallVector<int32_t> orderOf(const layout::SharedAccess &access) {
  SmallVector<int32_t> order;
  for (uint32_t i = 0; i < access.order.inputSize(layout::kRegister); ++i)
    order.push_back(static_cast<int32_t>(access.order.applyFlat(i)));
  return order;
}

} // namespace

Value Lowering::exchangePairs(Value vector, const layout::PairStep &step) {
  auto count = int32_t(countOf(vector));
  Value peer = fromPeer(vector, step.bit, 0), both = concat({vector, peer}, 2 * count, elementOf(vector));
  // For each new register, the index in `both` of the element that it gets: in the lower lane of a pair (bit `step.bit`
  // of its number is 0), and in the upper lane.
  SmallVector<int32_t> ofLower, ofUpper;
  for (uint32_t i = 0; i < step.source.inputSize(layout::kRegister); ++i) {
    layout::Coordinates from = step.source.apply({{layout::kRegister, i}});
    ofLower.push_back(int32_t(from[0]) + (from[1] ? count : 0));
    ofUpper.push_back(int32_t(from[0]) + (from[1] ? 0 : count));
  }
  Value bit = arith::AndIOp::create(b_, location_, lane_, constant(step.bit));
  Value isUpper = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ne, bit, constant(0));
  return arith::SelectOp::create(b_, location_, isUpper, pick(both, ofUpper), pick(both, ofLower));
}

Value Lowering::swapBits(Value vector, const layout::SwapStep &step) {
  Type element = elementOf(vector);
  int64_t count = countOf(vector), half = count / 2;
  SmallVector<int32_t> without, with, joined(count);
  for (int32_t i = 0; i < count; ++i) {
    SmallVector<int32_t> &part = i & int32_t(step.reg) ? with : without;
    joined[i] = int32_t(part.size()) + (i & int32_t(step.reg) ? int32_t(half) : 0);
    part.push_back(i);
  }
  Value bit = arith::AndIOp::create(b_, location_, lane_, constant(step.lane));
  Value isUpper = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ne, bit, constant(0));
  auto choose = [&](Value upper, Value lower) -> Value {
    return arith::SelectOp::create(b_, location_, isUpper, upper, lower);
  };
  Value low = pick(vector, without), high = pick(vector, with);
  Value received = fromPeer(choose(low, high), step.lane, 0);
  return pick(concat({choose(received, low), choose(high, received)}, count, element), joined);
}

Value Lowering::pickByThread(Value vector, const layout::LinearLayout &offsets) {
  int64_t count = countOf(vector);
  auto permute = [&](Value number, layout::Dim dim) {
    // If several bits of `number` have the same offset, their parity decides: the offset applies if an odd number of
    // them is set.
    llvm::MapVector<int64_t, Value> parities;
    for (auto [bit, offset] : llvm::enumerate(basesOf(offsets, dim))) {
      if (offset == 0)
        continue;
      Value own = arith::ShRUIOp::create(b_, location_, number, constant(int64_t(bit)));
      Value &parity = parities[offset];
      parity = parity ? arith::XOrIOp::create(b_, location_, parity, own) : own;
    }
    for (auto [offset, parity] : parities) {
      SmallVector<int32_t> others;
      for (int64_t i = 0; i < count; ++i)
        others.push_back(int32_t(i ^ offset));
      Value bit = arith::AndIOp::create(b_, location_, parity, constant(1));
      Value isSet = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ne, bit, constant(0));
      vector = arith::SelectOp::create(b_, location_, isSet, pick(vector, others), vector);
    }
  };
  permute(lane_, layout::kLane);
  permute(warp_, layout::kWarp);
  return vector;
}

Value Lowering::shuffleRounds(Value vector, const layout::ShuffleStep &step) {
  Type element = elementOf(vector);
  uint32_t slots = step.give.inputSize(layout::kRegister), inGroup = slots / step.groups;
  SmallVector<int32_t> given, numbers(slots);
  // A thread receives each slot from a peer, whose number is the XOR of a part by slot and a part by thread. Slots with
  // equal parts by slot have the same peer and are received by one shuffle.
  llvm::MapVector<uint64_t, SmallVector<int32_t>> byPeer;
  for (uint32_t slot = 0; slot < slots; ++slot) {
    given.push_back(int32_t(step.give.applyFlat(slot)));
    byPeer[step.peer.applyFlat(slot)].push_back(int32_t(slot));
  }
  Value giving = pick(pickByThread(vector, step.give), given),
        ofThread = linear(lane_, basesOf(step.peer, layout::kLane));
  if (Value ofWarp = linear(warp_, basesOf(step.peer, layout::kWarp)))
    ofThread = ofThread ? arith::XOrIOp::create(b_, location_, ofThread, ofWarp) : ofWarp;
  SmallVector<Value> received;
  for (auto &[peer, together] : byPeer) {
    Value number = constant(int64_t(peer));
    if (ofThread)
      number = arith::XOrIOp::create(b_, location_, ofThread, number);
    received.push_back(
        simt::ShuffleOp::create(b_, location_, simt::ShuffleMode::Index, pick(giving, together), number));
  }
  int32_t next = 0;
  for (auto &[peer, together] : byPeer)
    for (int32_t slot : together)
      numbers[slot] = next++;
  Value bySlot = pick(concat(received, slots, element), numbers);
  // Lane l received its new register r in slot s(r) ^ S(l). `slotOf` is s, the inverse of `step.into`, which maps the
  // slots of a group one to one to registers; `shift` is S, which is linear in the bits of l.
  layout::LinearLayout inverse = step.into.sublayoutOfInputs({layout::kRegister});
  SmallVector<int32_t> slotOf(inGroup);
  for (uint32_t slot = 0; slot < inGroup; ++slot)
    slotOf[inverse.applyFlat(slot)] = int32_t(slot);
  std::vector<layout::InputBases> offsets = {{layout::kRegister, {}}, {layout::kLane, {}}, {layout::kWarp, {}}};
  for (uint32_t bit = 0; bit < step.into.inputBits(layout::kLane); ++bit) {
    uint32_t group = step.groupOf.basis(layout::kLane, bit)[0];
    offsets[1].bases.push_back({group * inGroup ^ uint32_t(slotOf[step.into.basis(layout::kLane, bit)[0]])});
  }
  layout::LinearLayout shift(offsets, {{layout::kRegister, slots}});
  return pick(pickByThread(bySlot, shift), slotOf);
}

Lowering::SharedPlaces Lowering::placesOf(const layout::SharedAccess &access, const layout::SharedStep &shared) {
  SmallVector<int64_t> registers = basesOf(access.offsets, layout::kRegister),
                       lanes = basesOf(access.offsets, layout::kLane), warps = basesOf(access.offsets, layout::kWarp);
  SmallVector<int64_t> byAccess = combinations(ArrayRef<int64_t>(registers).drop_front(llvm::Log2_32(access.width)));
  int64_t inPass = shared.passElements() - 1;
  unsigned shift = llvm::Log2_64(shared.passElements());
  SharedPlaces made;
  for (auto [number, offset] : llvm::enumerate(byAccess)) {
    made.byRegisterPart[offset >> shift].push_back(int32_t(number));
    offset &= inPass;
  }
  made.places = constants(byAccess, b_.getI32Type());
  for (auto [number, bases] : {std::pair(lane_, &lanes), std::pair(warp_, &warps)}) {
    SmallVector<int64_t> passBases;
    for (int64_t &basis : *bases) {
      passBases.push_back(basis >> shift);
      basis &= inPass;
    }
    if (Value part = linear(number, *bases))
      made.places = arith::XOrIOp::create(b_, location_, splat(part, byAccess.size()), made.places);
    if (Value part = linear(number, passBases))
      made.passOfThread = made.passOfThread ? arith::XOrIOp::create(b_, location_, made.passOfThread, part) : part;
  }
  made.places = paddedOffsets(made.places, shared.memory.paddings());
  return made;
}

Value Lowering::exchangeInShared(Value vector, const layout::SharedStep &shared) {
  Type element = elementOf(vector);
  int64_t perPass = shared.passElements(), passes = shared.passes;
  Value buffer = scratch(int64_t(shared.memory.addressOfOffset(perPass - 1)) + 1, element);
  SharedPlaces store = placesOf(shared.store, shared), load = placesOf(shared.load, shared);
  Value outgoing = pick(vector, orderOf(shared.store));
  SmallVector<int32_t> loadOrder = orderOf(shared.load), inverse(loadOrder.size());
  for (auto [at, number] : llvm::enumerate(loadOrder))
    inverse[number] = int32_t(at);
  if (passes == 1) {
    storeShared(buffer, store.places, outgoing);
    return pick(loadShared(buffer, load.places, loadOrder.size(), element), inverse);
  }
  // If the buffer is too small, the exchange takes several passes: pass p moves the elements whose offsets are in
  // [p perPass, (p + 1) perPass). The pass of an access is the XOR of a part by register and a part by thread. Accesses
  // with equal parts by register happen in the same pass, under one condition.
  auto inPass = [&](const SharedPlaces &side, int64_t pass, int64_t ofRegisters) -> Value {
    return arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, side.passOfThread,
                                 constant(pass ^ ofRegisters));
  };
  // The places of the registers that some accesses of `width` registers move, in the order of all accesses.
  auto placesOfRegisters = [](ArrayRef<int32_t> accesses, int64_t width) {
    SmallVector<int32_t> registers;
    for (int32_t access : accesses)
      for (int64_t i = 0; i < width; ++i)
        registers.push_back(int32_t(access * width + i));
    return registers;
  };
  llvm::MapVector<int64_t, Value> received;
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (const auto &[ofRegisters, accesses] : store.byRegisterPart) {
      if (!store.passOfThread && ofRegisters != pass)
        continue;
      Value values = pick(outgoing, placesOfRegisters(accesses, shared.store.width));
      OpBuilder::InsertionGuard guard(b_);
      if (store.passOfThread) {
        auto branch = scf::IfOp::create(b_, location_, inPass(store, pass, ofRegisters), /*withElse=*/false);
        branch->setAttr(simt::kDivergentAttr, b_.getUnitAttr());
        b_.setInsertionPointToStart(branch.thenBlock());
      }
      storeShared(buffer, pick(store.places, accesses), values);
    }
    for (const auto &[ofRegisters, accesses] : load.byRegisterPart) {
      int64_t count = int64_t(accesses.size()) * shared.load.width;
      auto loadNow = [&] { return loadShared(buffer, pick(load.places, accesses), count, element); };
      Value &values = received[ofRegisters];
      if (!load.passOfThread) {
        if (ofRegisters == pass)
          values = loadNow();
        continue;
      }
      VectorType type = vectorOf(count, element);
      if (!values)
        values = arith::ConstantOp::create(b_, location_, type, b_.getZeroAttr(type));
      auto branch = scf::IfOp::create(b_, location_, type, inPass(load, pass, ofRegisters), /*withElse=*/true);
      branch->setAttr(simt::kDivergentAttr, b_.getUnitAttr());
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b_, location_, loadNow());
      b_.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b_, location_, values);
      values = branch.getResult(0);
    }
  }
  SmallVector<Value> groups;
  SmallVector<int32_t> at(loadOrder.size()), result;
  int32_t next = 0;
  for (const auto &[ofRegisters, accesses] : load.byRegisterPart) {
    groups.push_back(received[ofRegisters]);
    for (int32_t number : placesOfRegisters(accesses, shared.load.width))
      at[number] = next++;
  }
  for (int32_t number : inverse)
    result.push_back(at[number]);
  return pick(concat(groups, loadOrder.size(), element), result);
}

Value Lowering::convertLayout(Value vector, Layout from, Layout to, ArrayRef<int64_t> shape, Operation *op) {
  Type element = elementOf(vector);
  layout::ConversionOptions options;
  options.elementBytes = scratchBytes(element);
  options.sharedBytes = room_;
  if (element.isIntOrFloat() && target_.policies.exchangesPairs)
    options.prices.pair = 1;
  if (element.isIntOrFloat() && target_.policies.shufflesConversions)
    options.prices.swap = options.prices.shuffle = 1;
  layout::ConversionPlan plan = layout::planConversion(from.getLayout(shape), to.getLayout(shape), options);
  for (const layout::ConversionPlan::Step &step : plan.steps()) {
    if (const auto *moved = std::get_if<layout::RegisterStep>(&step)) {
      SmallVector<int32_t> source;
      for (uint32_t i = 0; i < moved->source.inputSize(layout::kRegister); ++i)
        source.push_back(static_cast<int32_t>(moved->source.applyFlat(i)));
      vector = pick(vector, source);
      continue;
    }
    if (const auto *pair = std::get_if<layout::PairStep>(&step)) {
      vector = exchangePairs(vector, *pair);
      continue;
    }
    if (const auto *swap = std::get_if<layout::SwapStep>(&step)) {
      vector = swapBits(vector, *swap);
      continue;
    }
    if (const auto *shuffle = std::get_if<layout::ShuffleStep>(&step)) {
      vector = shuffleRounds(vector, *shuffle);
      continue;
    }
    vector = exchangeInShared(vector, std::get<layout::SharedStep>(step));
  }
  return vector;
}

} // namespace tegula::tosimt
