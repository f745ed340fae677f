// Checked mode: follows results that Triton leaves undefined through registers. An integer division by zero, a shift by
// the type's width or a conversion out of the integer's range is no fault by itself, because a mask or a select may
// drop such an element. It becomes a fault when the element reaches memory, an address, a branch or another program.
// (After J. Seward and N. Nethercote, "Using Valgrind to detect undefined value errors with bit-precision", 2005, with
// elements in place of bits.)
#include "backends/cpu/executor/Slices.h"
#include "backends/cpu/executor/Symbolic.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace tegula::cpu {

namespace {

bool isShift(Opcode opcode) { return opcode == Opcode::Shl || opcode == Opcode::ShrS || opcode == Opcode::ShrU; }
bool isDivision(Opcode opcode) {
  return opcode == Opcode::DivS || opcode == Opcode::DivU || opcode == Opcode::RemS || opcode == Opcode::RemU;
}
bool isConversion(Opcode opcode) { return opcode == Opcode::FToSI || opcode == Opcode::FToUI; }

/// Returns an i1 tile of shape `shape` that is true where test(bits) is true; `bits` is the element of `x`,
/// zero-extended to 64 bits. A scalar `x` is repeated to the shape.
template <class Test> Value whereInteger(const Value &x, const Shape &shape, Test test) {
  Value spread = toStrided(x);
  if (spread.shape.rank < shape.rank) {
    spread.step = {};
    spread.splatTo(shape);
  }
  const Value numbers = toRowMajor(spread);
  const unsigned size = byteSize(numbers.element);
  Value where = Value::dense(ElementKind::I1, shape);
  for (int64_t i = 0, n = shape.count(); i < n; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, numbers.elements() + i * static_cast<int64_t>(size), size);
    where.as<uint8_t>()[i] = test(bits);
  }
  return where;
}

/// Returns an i1 tile: true where `right`, the shift amount or divisor, leaves the result of `opcode` (a shift,
/// division or remainder) undefined. Returns nothing if `right` is Affine and its smallest and largest element show
/// that no element does.
std::optional<Value> whereOperand(Opcode opcode, ElementKind kind, const Value &right, const Shape &shape) {
  const uint64_t bits = bitWidth(kind);
  if (right.form == Value::Form::Affine)
    if (std::optional<Range> range = affineRange(right)) {
      const bool inside = range->low >= 0 && static_cast<uint64_t>(range->high) < bits;
      if (isShift(opcode) ? inside : range->low > 0 || range->high < 0)
        return std::nullopt;
    }
  if (isShift(opcode))
    return whereInteger(right, shape, [bits](uint64_t amount) { return amount >= bits; });
  return whereInteger(right, shape, [](uint64_t divisor) { return divisor == 0; });
}

/// Returns an i1 tile: true where an element of `numbers` (f64), truncated to an integer, does not fit `bits` bits.
Value whereTooLarge(const Value &numbers, unsigned bits, bool isSigned) {
  const double limit = std::ldexp(1.0, static_cast<int>(bits - isSigned)), least = isSigned ? -limit : 0;
  return whereInteger(numbers, numbers.shape, [=](uint64_t word) {
    const double x = std::trunc(std::bit_cast<double>(word));
    return !(x >= least && x < limit);
  });
}

bool any(const Value &where) {
  if (where.isUniform())
    return where.integer() != 0;
  const Value bytes = toRowMajor(where);
  return std::memchr(bytes.elements(), 1, static_cast<size_t>(bytes.shape.count())) != nullptr;
}

} // namespace

const Value *Machine::undefinedOf(const Frame &frame, const Value *value) const {
  const auto at = static_cast<size_t>(value - frame.registers.data());
  return at < frame.undefined.size() && frame.undefined[at].where.form != Value::Form::Empty
             ? &frame.undefined[at].where
             : nullptr;
}

/// Applies an operation to two i1 tiles and returns the result; the operands are not overwritten.
Value Machine::onTruths(Opcode opcode, Value x, Value y) {
  RowOperation operation;
  operation.kernel = kernels_.elementwise[static_cast<size_t>(opcode)][0];
  operation.inputBytes[0] = operation.inputBytes[1] = operation.outputBytes = 1;
  Operand operands[2] = {{&x, false}, {&y, false}};
  return elementwise(operation, ElementKind::I1, operands);
}

std::optional<Machine::Undefined> Machine::undefinedHere(const Context &c) {
  const Opcode opcode = c.instruction.opcode;
  std::optional<Value> where;
  const char *cause = isShift(opcode) ? "shift by the width of the type or more" : "integer division by zero";
  if (isShift(opcode) || isDivision(opcode)) {
    where = whereOperand(opcode, c.resultType().element, *c.operand(1), commonShape(c.operands));
  } else if (isConversion(opcode) && c.resultType().element != ElementKind::I1) {
    Value numbers = *c.operand(0);
    numbers = convertFloat({&numbers, true}, ElementKind::F64, RoundingMode::NearestEven);
    where = whereTooLarge(numbers, bitWidth(c.resultType().element), opcode == Opcode::FToSI);
    cause = "conversion of a number that the integer type cannot hold";
  }
  if (!where || !any(*where))
    return std::nullopt;
  return Undefined{std::move(*where), location_, cause};
}

/// Returns an i1 tile: true for the undefined elements of an elementwise result. An element is undefined if the same
/// element of an operand is, unless the other operands determine the result: for example, a select is defined if the
/// operand that it chooses is.
Value Machine::undefinedElements(const Frame &frame, const Context &c) {
  const Opcode opcode = c.instruction.opcode;
  auto of = [&](unsigned k) {
    const Value *found = undefinedOf(frame, c.operands[k].value);
    return found ? *found : Value::boolean(c.operand(k)->shape, false);
  };
  if (opcode == Opcode::Select) {
    const Value &condition = *c.operand(0);
    Value no = onTruths(Opcode::And, onTruths(Opcode::Xor, condition, Value::boolean(condition.shape, true)), of(2));
    return onTruths(Opcode::Or, of(0), onTruths(Opcode::Or, onTruths(Opcode::And, condition, of(1)), std::move(no)));
  }
  const bool isAnd = opcode == Opcode::And;
  if ((isAnd || opcode == Opcode::Or) && c.resultType().element == ElementKind::I1) {
    // An element of x and y (or x or y) is undefined if both operands are, or if one is undefined and the other one
    // does not determine the result. For an Or, true determines the result; for an And, false.
    auto open = [&](unsigned k) {
      Value undecided =
          isAnd ? *c.operand(k) : onTruths(Opcode::Xor, *c.operand(k), Value::boolean(c.operand(k)->shape, true));
      return onTruths(Opcode::Or, of(k), std::move(undecided));
    };
    Value left = onTruths(Opcode::And, of(0), open(1));
    return onTruths(Opcode::Or, std::move(left), onTruths(Opcode::And, of(1), open(0)));
  }
  Value where = of(0);
  for (unsigned k = 1; k < c.operands.size(); ++k)
    where = onTruths(Opcode::Or, std::move(where), of(k));
  return where;
}

void Machine::useUndefined(const Frame &frame, const Context &c, unsigned k, const Value *mask) {
  const Value *found = undefinedOf(frame, c.operands[k].value);
  if (!found)
    return;
  const Value where = toRowMajor(mask ? onTruths(Opcode::And, *found, *mask) : *found);
  for (int64_t i = 0, n = where.shape.count(); i < n; ++i) {
    if (!where.as<uint8_t>()[i])
      continue;
    const Undefined &origin = frame.undefined[static_cast<size_t>(c.operands[k].value - frame.registers.data())];
    const std::string index = indexText(where.shape, i);
    const uint32_t use = location_;
    location_ = origin.location;
    fault(origin.cause, "its result" + (index.empty() ? "" : ", for element " + index + ",") + " is used here", use);
  }
}

/// Throws a fault if the instruction passes an undefined operand to memory, an address, a branch or another program.
/// Returns true if the instruction's results cannot be undefined any more, false if undefinedResult must compute which
/// of their elements are.
bool Machine::endsUndefined(const Frame &frame, const Context &c) {
  auto maskAt = [&](unsigned k) { return c.operands.size() > k ? c.operands[k].value : nullptr; };
  auto useAll = [&](const Value *mask) {
    for (unsigned k = 0; k < c.operands.size(); ++k)
      useUndefined(frame, c, k, c.operands[k].value == mask ? nullptr : mask);
    return true;
  };
  switch (c.instruction.opcode) {
  case Opcode::Load:
    useUndefined(frame, c, 0, maskAt(1));
    if (c.operands.size() > 1)
      useUndefined(frame, c, 1, nullptr);
    return c.operands.size() < 3;
  case Opcode::Histogram: return useAll(maskAt(1));
  case Opcode::Store:
  case Opcode::AtomicRmw: return useAll(maskAt(2));
  case Opcode::Print:
  case Opcode::Barrier:
  case Opcode::Jump: return true;
  case Opcode::AtomicCas:
  case Opcode::MakeDescriptor:
  case Opcode::DescLoad:
  case Opcode::DescStore:
  case Opcode::DescAtomic:
  case Opcode::DescGather:
  case Opcode::DescScatter:
  case Opcode::Dot:
  case Opcode::Scan:
  case Opcode::Gather:
  case Opcode::Sort:
  case Opcode::Assert:
  case Opcode::Assume:
  case Opcode::BranchIfFalse:
  case Opcode::ForTest: return useAll(nullptr);
  case Opcode::Return: return !frame.returnsUndefined && useAll(nullptr);
  default: return false;
  }
}

/// Returns an i1 tile: true for the elements of the instruction's result number `result` that depend on undefined
/// elements of its operands.
Value Machine::undefinedResult(const Frame &frame, const Context &c, unsigned result) {
  auto truths = [&] { // the operands, with each element replaced by whether it is undefined
    std::vector<Value> values;
    for (const Operand &operand : c.operands) {
      const Value *found = undefinedOf(frame, operand.value);
      values.push_back(found ? *found : Value::boolean(operand->shape, false));
    }
    return values;
  };
  const Opcode opcode = c.instruction.opcode;
  if (opcode == Opcode::Load) // masked-off elements have the value of `other`
    return onTruths(Opcode::And, truths()[2],
                    onTruths(Opcode::Xor, *c.operand(1), Value::boolean(c.operand(1)->shape, true)));
  if (opcode == Opcode::Reduce) {
    Value all = undefinedElements(frame, c);
    return reduceSimple(Opcode::Or, toRowMajor(all), static_cast<unsigned>(c.attribute(0)));
  }
  if (opcode == Opcode::Split)
    return half(truths()[0], result);
  if (opcode < Opcode::Splat || opcode > Opcode::Concat)
    return undefinedElements(frame, c);
  std::vector<Value> values = truths();
  std::vector<Operand> operands;
  for (Value &value : values)
    operands.push_back({&value, false});
  return shapeOperation({c.function, c.instruction, operands, c.results});
}

/// Marks further elements of the instruction's results as undefined, in addition to those that followUndefined found.
/// `more` is empty or has an entry for each result.
void Machine::addUndefined(Frame &frame, const Context &c, std::vector<Undefined> more) {
  if (more.empty())
    return;
  frame.undefined.resize(frame.registers.size());
  for (size_t k = 0; k < c.results.size(); ++k) {
    if (c.results[k] == kNoRegister || more[k].where.form == Value::Form::Empty)
      continue;
    Undefined &known = frame.undefined[c.results[k]];
    if (known.where.form == Value::Form::Empty)
      known = std::move(more[k]);
    else
      known.where = onTruths(Opcode::Or, std::move(known.where), std::move(more[k].where));
  }
}

void Machine::followUndefined(Frame &frame, const Context &c) {
  std::optional<Undefined> made = undefinedHere(c);
  const Undefined *passed = nullptr;
  for (const Operand &operand : c.operands)
    if (undefinedOf(frame, operand.value))
      passed = &frame.undefined[static_cast<size_t>(operand.value - frame.registers.data())];
  if (passed && endsUndefined(frame, c))
    passed = nullptr;
  if (frame.undefined.empty() && !made)
    return;
  std::vector<Undefined> results(c.results.size());
  for (unsigned k = 0; k < results.size() && (passed || made); ++k) {
    results[k] = made ? *made : Undefined{{}, passed->location, passed->cause};
    if (passed) {
      Value where = undefinedResult(frame, c, k);
      results[k].where = made ? onTruths(Opcode::Or, std::move(results[k].where), std::move(where)) : std::move(where);
    }
    if (!any(results[k].where))
      results[k].where = {};
  }
  frame.undefined.resize(frame.registers.size());
  for (unsigned k = 0; k < results.size(); ++k)
    if (c.results[k] != kNoRegister)
      frame.undefined[c.results[k]] = std::move(results[k]);
}

} // namespace tegula::cpu
