// Loop ranges, and builtins that act at compile time.
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

using namespace mlir;

namespace {

using Args = Builtin::Args;

std::shared_ptr<RangeValue> bounds(const Args &args) {
  auto range = std::make_shared<RangeValue>();
  bool onlyStop = args[1].isNone();
  range->start = onlyStop ? Value(Const(Int(0))) : args[0];
  range->stop = onlyStop ? args[0] : args[1];
  range->step = args[2].isNone() ? Value(Const(Int(1))) : args[2];
  return range;
}

void checkBounds(Emitter &e, const Args &args, const RangeValue &range) {
  for (size_t i = 0; i < 3; ++i) {
    if (args[i].isNone())
      continue;
    Tensor t = tensorArgument(e, args, i, "a bound of range");
    if (!t.shape.empty() || !t.type.isInteger())
      e.fail(args.locs[i], "a bound of range must be an integer, found " + args[i].describe());
  }
  if (auto *step = range.step.as<Const>(); step && e.constantInt(args.locs[2], range.step, "range's step") == 0)
    e.fail(args.locs[2], "range's step must not be zero");
}

/// A hint of tl.range that is a number; nothing where it is None.
std::optional<int64_t> numberHint(Emitter &e, const Args &args, size_t i, const char *what) {
  if (args[i].isNone())
    return std::nullopt;
  Int value = e.constantInt(args.locs[i], args[i], what);
  if (value < 0 || value > INT32_MAX)
    e.fail(args.locs[i], std::string(what) + " must not be negative, found " + toString(value));
  return static_cast<int64_t>(value);
}

// range(arg1, arg2, step, num_stages, loop_unroll_factor, disallow_acc_multi_buffer, flatten, warp_specialize,
// disable_licm)
Value range(Emitter &e, const Args &args) {
  auto range = bounds(args);
  checkBounds(e, args, *range);
  // Without stages a loop is not pipelined, as with one; a factor of 0 says nothing.
  range->numStages = numberHint(e, args, 3, "num_stages");
  if (range->numStages == 0)
    range->numStages = 1;
  range->unrollFactor = numberHint(e, args, 4, "loop_unroll_factor");
  if (range->unrollFactor == 0)
    range->unrollFactor = std::nullopt;
  range->disallowAccMultiBuffer = flagArgument(e, args, 5, "disallow_acc_multi_buffer");
  range->flatten = flagArgument(e, args, 6, "flatten");
  range->warpSpecialize = flagArgument(e, args, 7, "warp_specialize");
  range->disableLicm = flagArgument(e, args, 8, "disable_licm");
  return range;
}

/// All bounds are constants: the loop is unrolled.
Value staticRange(Emitter &e, const Args &args) {
  auto range = bounds(args);
  for (size_t i = 0; i < 3; ++i)
    if (!args[i].isNone())
      e.constantInt(args.locs[i], args[i], "a bound of static_range");
  checkBounds(e, args, *range);
  range->isStatic = true;
  return range;
}

/// `while tl.condition(c, disable_licm=True)`: returns c; the hint is checked and ignored.
Value condition(Emitter &e, const Args &args) {
  flagArgument(e, args, 1, "disable_licm");
  return args[0];
}

Value staticAssert(Emitter &e, const Args &args) {
  auto holds = e.staticTruth(args.locs[0], args[0]);
  if (!holds)
    e.fail(args.locs[0], "static_assert needs a condition that is known when the kernel is compiled, found " +
                             args[0].describe() + "; use tl.device_assert");
  if (*holds)
    return none();
  std::string message = textArgument(e, args, 1, "static_assert's message");
  e.fail(args.loc, "static assertion failed" + (message.empty() ? std::string() : ": " + message));
}

// static_print(*values, sep, end, file, flush)
Value staticPrint(Emitter &e, const Args &args) {
  std::string separator = textArgument(e, args, 1, "static_print's sep"), line;
  const auto &values = args[0].as<Tuple>()->elements;
  bool isKnown = true; // others are described
  for (size_t i = 0; i < values.size(); ++i)
    line += (i ? separator : "") + shown(values[i], isKnown);
  e.staticOutput += line + textArgument(e, args, 2, "static_print's end");
  return none();
}

} // namespace

std::span<const Builtin> controlBuiltins() {
  static constexpr Builtin table[] = {
      {"range",
       "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, "
       "flatten=False, "
       "warp_specialize=False, disable_licm=False",
       range},
      {"static_range", "arg1, arg2=None, step=None", staticRange},
      {"condition", "arg1, disable_licm=False", condition},
      {"static_assert", "cond, msg=''", staticAssert},
      {"static_print", "*values, sep=' ', end='\\n', file=None, flush=False", staticPrint},
  };
  return table;
}

} // namespace tegula::lang
