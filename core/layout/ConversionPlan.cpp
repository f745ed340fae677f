// Executes a plan on values, and traces its accesses to shared memory.
#include "core/layout/Conversion.h"
#include "core/support/Diagnostic.h"

namespace tegula::layout {
namespace {

/// The registers of all threads: one list for each (warp, lane).
struct Threads {
  uint32_t lanes, warps;
  std::vector<std::vector<uint64_t>> registers;
  std::vector<uint64_t> &of(uint32_t warp, uint32_t lane) { return registers[warp * lanes + lane]; }
};

bool takesPart(const SharedAccess &access, uint32_t lane, uint32_t warp) {
  return !(lane & access.idleLanes) && !(warp & access.idleWarps);
}

/// A layout whose bases are looked up once, for evaluation at many registers, lanes and warps. The result is the flat
/// output, as of LinearLayout::applyFlat.
class FlatMap {
public:
  explicit FlatMap(const LinearLayout &layout)
      : registers_(bases(layout, kRegister)), lanes_(bases(layout, kLane)), warps_(bases(layout, kWarp)) {}

  uint64_t operator()(uint32_t reg, uint32_t lane = 0, uint32_t warp = 0) const {
    return combined(registers_, reg) ^ combined(lanes_, lane) ^ combined(warps_, warp);
  }

private:
  static std::vector<uint64_t> bases(const LinearLayout &layout, Dim dim) {
    return layout.hasInput(dim) ? layout.flatBases(dim) : std::vector<uint64_t>();
  }
  static uint64_t combined(const std::vector<uint64_t> &bases, uint32_t value) {
    uint64_t result = 0;
    for (size_t bit = 0; bit < bases.size(); ++bit)
      if (value >> bit & 1)
        result ^= bases[bit];
    return result;
  }

  std::vector<uint64_t> registers_, lanes_, warps_;
};

void run(const RegisterStep &step, Threads &threads) {
  for (std::vector<uint64_t> &registers : threads.registers) {
    std::vector<uint64_t> renamed(step.source.inputSize(kRegister));
    for (uint32_t i = 0; i < renamed.size(); ++i)
      renamed[i] = registers[step.source.applyFlat(i)];
    registers = std::move(renamed);
  }
}

void run(const PairStep &step, Threads &threads) {
  Threads result = threads;
  for (uint32_t warp = 0; warp < threads.warps; ++warp)
    for (uint32_t lane = 0; lane < threads.lanes; ++lane) {
      std::vector<uint64_t> &made = result.of(warp, lane);
      made.assign(step.source.inputSize(kRegister), 0);
      for (uint32_t i = 0; i < made.size(); ++i) {
        Coordinates from = step.source.apply({{kRegister, i}});
        made[i] = threads.of(warp, (lane & ~step.bit) | from[1])[from[0]];
      }
    }
  threads = std::move(result);
}

void run(const SwapStep &step, Threads &threads) {
  Threads old = threads;
  for (uint32_t warp = 0; warp < threads.warps; ++warp)
    for (uint32_t lane = 0; lane < threads.lanes; ++lane)
      for (uint32_t i = 0; i < threads.of(warp, lane).size(); ++i) {
        uint32_t reg = lane & step.lane ? i | step.reg : i & ~step.reg;
        uint32_t from = i & step.reg ? lane | step.lane : lane & ~step.lane;
        threads.of(warp, lane)[i] = old.of(warp, from)[reg];
      }
}

void run(const ShuffleStep &step, Threads &threads) {
  Threads result = threads;
  for (std::vector<uint64_t> &registers : result.registers)
    registers.assign(step.into.outputSize(kRegister), ~uint64_t(0));
  for (uint32_t warp = 0; warp < threads.warps; ++warp)
    for (uint32_t slot = 0; slot < step.give.inputSize(kRegister); ++slot) {
      std::vector<uint64_t> given(threads.lanes);
      for (uint32_t lane = 0; lane < threads.lanes; ++lane)
        given[lane] = threads.of(warp, lane)[step.give.apply({{kRegister, slot}, {kLane, lane}, {kWarp, warp}})[0]];
      for (uint32_t lane = 0; lane < threads.lanes; ++lane) {
        if (step.groupOf.apply({{kLane, lane}})[0] != step.groupOfSlot(slot))
          continue;
        uint32_t peer = step.peer.apply({{kRegister, slot}, {kLane, lane}, {kWarp, warp}})[0];
        result.of(warp, lane)[step.into.apply({{kRegister, slot}, {kLane, lane}})[0]] = given[peer];
      }
    }
  threads = std::move(result);
}

void run(const SharedStep &step, Threads &threads) {
  Threads result = threads;
  for (std::vector<uint64_t> &registers : result.registers)
    registers.assign(step.load.order.outputSize(kRegister), ~uint64_t(0));
  uint64_t size = step.passElements();
  for (uint32_t pass = 0; pass < step.passes; ++pass) {
    std::vector<std::optional<uint64_t>> memory(size);
    auto forEach = [&](const SharedAccess &access, auto move) {
      FlatMap offsets(access.offsets), order(access.order);
      for (uint32_t warp = 0; warp < threads.warps; ++warp)
        for (uint32_t lane = 0; lane < threads.lanes; ++lane)
          for (uint32_t i = 0; takesPart(access, lane, warp) && i < access.count(); ++i)
            if (uint64_t offset = offsets(i * access.width, lane, warp); offset / size == pass)
              for (uint32_t element = 0; element < access.width; ++element)
                move(warp, lane, static_cast<uint32_t>(order(i * access.width + element)),
                     memory[offset % size + element]);
    };
    forEach(step.store, [&](uint32_t warp, uint32_t lane, uint32_t reg, std::optional<uint64_t> &cell) {
      cell = threads.of(warp, lane)[reg];
    });
    forEach(step.load, [&](uint32_t warp, uint32_t lane, uint32_t reg, std::optional<uint64_t> &cell) {
      if (!cell)
        throw InternalError("layout: a plan loads an element that it has not stored");
      result.of(warp, lane)[reg] = *cell;
    });
  }
  threads = std::move(result);
}

} // namespace

ConversionPlan::ConversionPlan(LinearLayout source, LinearLayout destination, ConversionOptions options,
                               std::vector<Step> steps, double price)
    : source_(std::move(source)), destination_(std::move(destination)), options_(options), steps_(std::move(steps)),
      price_(price) {}

ConversionPlan::Kind ConversionPlan::kind() const {
  if (steps_.empty())
    return Kind::Nothing;
  if (std::holds_alternative<RegisterStep>(steps_[0]))
    return Kind::Registers;
  if (std::holds_alternative<PairStep>(steps_[0]))
    return Kind::Pair;
  if (std::holds_alternative<SwapStep>(steps_[0]))
    return Kind::Swap;
  return std::holds_alternative<ShuffleStep>(steps_[0]) ? Kind::Shuffle : Kind::Shared;
}

const SharedStep *ConversionPlan::shared() const {
  return steps_.empty() ? nullptr : std::get_if<SharedStep>(&steps_[0]);
}

std::vector<uint64_t> ConversionPlan::execute(std::span<const uint64_t> registers) const {
  Threads threads{source_.inputSize(kLane), source_.inputSize(kWarp), {}};
  size_t each = source_.inputSize(kRegister), count = size_t(threads.lanes) * threads.warps;
  if (registers.size() != each * count)
    throw Error("layout: " + std::to_string(registers.size()) + " registers given to a conversion; expected " +
                std::to_string(each * count));
  for (size_t i = 0; i < count; ++i)
    threads.registers.emplace_back(registers.begin() + static_cast<ptrdiff_t>(i * each),
                                   registers.begin() + static_cast<ptrdiff_t>((i + 1) * each));
  for (const Step &step : steps_)
    std::visit([&](const auto &s) { run(s, threads); }, step);
  std::vector<uint64_t> result;
  for (const std::vector<uint64_t> &thread : threads.registers)
    result.insert(result.end(), thread.begin(), thread.end());
  return result;
}

std::vector<ConversionPlan::Traced> ConversionPlan::trace() const {
  std::vector<Traced> result;
  const SharedStep *step = shared();
  if (!step)
    return result;
  uint64_t size = step->passElements();
  for (uint32_t pass = 0; pass < step->passes; ++pass)
    for (const SharedAccess *access : {&step->store, &step->load}) {
      FlatMap offsets(access->offsets);
      for (uint32_t warp = 0; warp < source_.inputSize(kWarp); ++warp)
        for (uint32_t i = 0; i < access->count(); ++i) {
          Traced traced{access == &step->store, pass, warp, i, {}, access->width * options_.elementBytes,
                        access->conflicts};
          bool any = false;
          for (uint32_t lane = 0; lane < source_.inputSize(kLane); ++lane) {
            uint64_t offset = offsets(i * access->width, lane, warp);
            bool active = takesPart(*access, lane, warp) && offset / size == pass;
            traced.addresses.push_back(active ? std::optional(offset % size * options_.elementBytes) : std::nullopt);
            any = any || active;
          }
          if (any)
            result.push_back(std::move(traced));
        }
    }
  return result;
}

} // namespace tegula::layout
