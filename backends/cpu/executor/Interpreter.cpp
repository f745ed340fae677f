// The loop over instructions, control flow, and operations that only rearrange elements.
#include "backends/cpu/executor/Descriptor.h"
#include "backends/cpu/executor/Machine.h"
#include "backends/cpu/executor/Symbolic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tegula::cpu {

namespace {

/// Transposes x: axis i of the result is axis order[i] of x.
Value transposed(Value x, std::span<const int64_t> order) {
  const Value source = x;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<size_t>(order[i]);
    x.shape.extent[i] = source.shape.extent[from];
    x.step[i] = source.step[from];
    x.high[i] = source.high[from];
  }
  return x;
}

Value expanded(Value x, unsigned axis) {
  for (unsigned d = x.shape.rank; d > axis; --d) {
    x.shape.extent[d] = x.shape.extent[d - 1];
    x.step[d] = x.step[d - 1];
    x.high[d] = x.high[d - 1];
  }
  x.shape.extent[axis] = 1;
  x.step[axis] = 0;
  x.high[axis] = 1;
  ++x.shape.rank;
  return x;
}

Value broadcast(Value x, const Shape &shape) {
  for (unsigned d = 0; d < shape.rank; ++d)
    if (x.shape.extent[d] != shape.extent[d]) {
      x.step[d] = 0;
      x.high[d] = shape.extent[d];
    }
  x.shape = shape;
  return x;
}

/// Returns `x` with the shape `shape`, without copying elements, if the two shapes differ only in axes of extent 1;
/// otherwise nothing.
std::optional<Value> squeezed(const Value &x, const Shape &shape) {
  Value r = x;
  r.shape = shape;
  r.step = {};
  r.high = shape.extent;
  unsigned from = 0;
  for (unsigned d = 0; d < shape.rank; ++d) {
    if (shape.extent[d] == 1)
      continue;
    while (from < x.shape.rank && x.shape.extent[from] == 1)
      ++from;
    if (from == x.shape.rank || x.shape.extent[from] != shape.extent[d])
      return std::nullopt;
    r.step[d] = x.step[from];
    r.high[d] = x.high[from];
    ++from;
  }
  return r;
}

Value reshaped(Value x, const Shape &shape) {
  if (x.isUniform()) {
    x.step = {};
    x.splatTo(shape);
    return x;
  }
  if (std::optional<Value> r = squeezed(x, shape))
    return std::move(*r);
  x = toRowMajor(x);
  x.shape = shape;
  x.step = rowMajorSteps(shape);
  return x;
}

/// Writes the elements of `tile` to the elements of `joined` whose index along the last axis (of extent 2) is `offset`.
void interleave(Value &joined, const Value &tile, int64_t offset) {
  const Value source = toStrided(tile);
  const auto size = static_cast<int64_t>(byteSize(source.element));
  Extents to{}, from{};
  for (unsigned d = 0; d < source.shape.rank; ++d) {
    to[d] = joined.step[d] * size;
    from[d] = source.step[d] * size;
  }
  copyStrided(joined.mutableElements() + offset * size, to, source.elements(), from, source.shape,
              static_cast<unsigned>(size));
}

} // namespace

Machine::Machine(const Launch &launch) : launch_(launch), module_(launch.module), kernels_(kernels()) {
  kernel_.prepared = &launch.functions[0];
  kernel_.registers.resize(launch.functions[0].function->registers.size());
  spareRegisters_.resize(launch.functions.size());
}

void Machine::run(std::array<uint32_t, 3> program) {
  program_ = program;
  kernel_.undefined.clear();
  setParameters();
  execute(kernel_);
}

void Machine::setParameters() {
  const Function &function = *kernel_.prepared->function;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const TileType &type = function.type(function.params[i]);
    const ArgumentValue &argument = launch_.arguments[i];
    Value &v = kernel_.registers[function.params[i]];
    if (type.element == ElementKind::Descriptor) {
      const DescriptorArgument &from = *argument.descriptor;
      DescriptorData d;
      const auto address = reinterpret_cast<uint64_t>(from.base);
      d.base = static_cast<int64_t>(checked() ? launch_.buffers->fromAddress(address) : address);
      d.rank = static_cast<unsigned>(from.shape.size());
      std::copy(from.shape.begin(), from.shape.end(), d.extent.begin());
      std::copy(from.strides.begin(), from.strides.end(), d.stride.begin());
      d.paddingNaN = from.paddingNaN;
      v = descriptorValue(type, d);
      continue;
    }
    uint64_t bits = argument.bits;
    if (type.element == ElementKind::Pointer && checked())
      bits = launch_.buffers->fromAddress(bits);
    if (type.element == ElementKind::I1)
      v = Value::boolean(Shape(), bits & 1);
    else if (isAffineKind(type.element))
      v = Value::affine(type.element, Shape(), wrapToWidth(static_cast<int64_t>(bits), bitWidth(type.element)));
    else
      v = Value::uniformBits(type.element, Shape(), bits);
    v.pointee = type.pointee;
  }
}

std::vector<Value> Machine::call(uint32_t index, std::vector<Value> arguments, std::vector<Undefined> *undefined) {
  const PreparedFunction &prepared = launch_.functions[index];
  const Function &function = *prepared.function;
  Frame frame;
  frame.prepared = &prepared;
  frame.returnsUndefined = undefined;
  frame.registers = std::move(spareRegisters_[index]);
  frame.registers.resize(function.registers.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    frame.registers[function.params[i]] = std::move(arguments[i]);
  const uint32_t location = location_;
  execute(frame);
  location_ = location;
  const Instruction &last = function.code[frame.pc];
  std::vector<Value> results;
  for (uint32_t r : prepared.operandsOf(last))
    results.push_back(frame.registers[r & ~kLastUse]);
  if (undefined && !frame.undefined.empty())
    for (uint32_t r : prepared.operandsOf(last))
      undefined->push_back(frame.undefined[r & ~kLastUse]);
  for (Value &v : frame.registers) // drops the frame's references, so that results can be overwritten in place
    v.block = BlockRef();
  spareRegisters_[index] = std::move(frame.registers);
  return results;
}

void Machine::execute(Frame &frame) {
  frame.pc = 0;
  frame.returned = false;
  const std::vector<Instruction> &code = frame.prepared->function->code;
  while (!frame.returned) {
    const Instruction &instruction = code[frame.pc++];
    location_ = instruction.location;
    if (--untilPoll_ == 0)
      pollInterruption();
    step(frame, instruction);
  }
  --frame.pc; // leave pc at the Return
}

void Machine::pollInterruption() {
  untilPoll_ = kInstructionsPerPoll;
  launch_.interruption.poll();
  if (launch_.interruption.isStopped())
    throw Interrupted("interrupted");
}

ExecutionPoint Machine::executionPoint() const {
  auto line = [](const void *executor) {
    const auto &machine = *static_cast<const Machine *>(executor);
    const std::vector<Location> &locations = machine.module_.locations;
    return machine.location_ < locations.size() ? locations[machine.location_].line : 0;
  };
  return {module_.functions[0].name.c_str(), module_.file.c_str(), program_.data(), line, this};
}

void Machine::fault(const std::string &message) const { fault(message, "", 0); }

void Machine::fault(const std::string &message, const std::string &note, uint32_t noteLocation) const {
  auto at = [&](uint32_t index) {
    const Location &l = module_.locations[index];
    Diagnostic d;
    d.location = {module_.file, l.line, l.column};
    if (l.line && launch_.options.sourceLine)
      d.sourceLine = launch_.options.sourceLine(l.line);
    return d;
  };
  Diagnostic d = at(location_);
  d.message = message + ", in program (" + std::to_string(program_[0]) + ", " + std::to_string(program_[1]) + ", " +
              std::to_string(program_[2]) + ")";
  if (!note.empty()) {
    Diagnostic second = at(noteLocation);
    second.severity = Diagnostic::Severity::Note;
    second.message = note;
    d.notes.push_back(std::move(second));
  }
  for (int32_t caller = module_.locations[location_].caller; caller >= 0;
       caller = module_.locations[static_cast<size_t>(caller)].caller) {
    Diagnostic note = at(static_cast<uint32_t>(caller));
    note.severity = Diagnostic::Severity::Note;
    note.message = "called from here";
    d.notes.push_back(std::move(note));
  }
  throw KernelFault(std::move(d));
}

Value Machine::constant(const Context &c) {
  const TileType &type = c.resultType();
  const Shape shape(type.shape);
  switch (c.instruction.opcode) {
  case Opcode::ConstInt: {
    if (type.element == ElementKind::I1)
      return Value::boolean(shape, c.attribute(0) & 1);
    Value v = Value::affine(type.element, shape, wrapToWidth(c.attribute(0), bitWidth(type.element)));
    v.pointee = type.pointee;
    return v;
  }
  case Opcode::ConstFloat: {
    const auto number = std::bit_cast<double>(c.attribute(0));
    if (type.element == ElementKind::F8E5M2 && std::isinf(number)) // a conversion to the type would saturate
      return Value::uniformBits(type.element, shape, number < 0 ? 0xfc : 0x7c);
    Value v = Value::uniformBits(ElementKind::F64, shape, static_cast<uint64_t>(c.attribute(0)));
    return convertFloat({&v, true}, type.element, RoundingMode::NearestEven);
  }
  case Opcode::ConstDense: {
    Value v = Value::dense(type.element, shape);
    std::memcpy(v.mutableElements(), module_.data.data() + c.attribute(1), static_cast<size_t>(c.attribute(0)));
    return v;
  }
  case Opcode::MakeRange: {
    Value v = Value::affine(type.element, shape, c.attribute(0));
    v.step[0] = shape.extent[0] == 1 ? 0 : 1;
    return v;
  }
  case Opcode::ProgramId:
    return Value::affine(ElementKind::I32, shape, wrapToWidth(program_[static_cast<size_t>(c.attribute(0))], 32));
  default: // NumPrograms
    return Value::affine(ElementKind::I32, shape,
                         wrapToWidth(launch_.options.grid[static_cast<size_t>(c.attribute(0))], 32));
  }
}

Value Machine::shapeOperation(const Context &c) {
  const Shape shape = c.results.empty() ? Shape() : c.resultShape();
  switch (c.instruction.opcode) {
  case Opcode::Splat: {
    Value v = c.operand(0).take();
    v.step = {};
    v.splatTo(shape);
    return v;
  }
  case Opcode::ExpandDims: return expanded(c.operand(0).take(), static_cast<unsigned>(c.attribute(0)));
  case Opcode::Broadcast: return broadcast(c.operand(0).take(), shape);
  case Opcode::Reshape: return reshaped(c.operand(0).take(), shape);
  case Opcode::Transpose:
    return transposed(c.operand(0).take(),
                      std::span(c.function.integers).subspan(c.instruction.attributes, shape.rank));
  case Opcode::Join: {
    Value v = Value::dense(c.operand(0)->element, shape);
    v.pointee = c.operand(0)->pointee;
    interleave(v, *c.operand(0), 0);
    interleave(v, *c.operand(1), 1);
    return v;
  }
  default: { // Concat
    Value v = Value::dense(c.operand(0)->element, shape);
    v.pointee = c.operand(0)->pointee;
    interleave(v, *c.operand(0), 0);
    interleave(v, *c.operand(1), c.operand(0)->shape.extent[0]);
    return v;
  }
  }
}

Value half(const Value &tile, int64_t which) {
  Value r = toStrided(tile);
  const unsigned last = r.shape.rank - 1;
  if (r.block)
    r.data += which * r.step[last] * static_cast<int64_t>(byteSize(r.element));
  r.step[last] = 0;
  r.shape.rank = last;
  return r;
}

void Machine::control(Frame &frame, const Context &c) {
  switch (c.instruction.opcode) {
  case Opcode::Jump: frame.pc = static_cast<uint32_t>(c.attribute(0)); break;
  case Opcode::BranchIfFalse:
    if (!c.operand(0)->integer())
      frame.pc = static_cast<uint32_t>(c.attribute(0));
    break;
  case Opcode::ForTest: {
    const int64_t step = c.operand(2)->integer();
    if (step <= 0 && checked())
      fault("the step of a range must be positive, found " + std::to_string(step));
    const Value &iv = *c.operand(0);
    const IntPredicate ends = c.attribute(1) ? IntPredicate::GeU : IntPredicate::GeS;
    if (step <= 0 || evaluate(ends, iv.integer(), c.operand(1)->integer(), bitWidth(iv.element)))
      frame.pc = static_cast<uint32_t>(c.attribute(0));
    break;
  }
  default: // Return
    frame.returned = true;
  }
}

void Machine::step(Frame &frame, const Instruction &instruction) {
  constexpr size_t kInline = 4;
  const std::span<const uint32_t> uses = frame.prepared->operandsOf(instruction);
  const std::span<const uint32_t> results = frame.prepared->resultsOf(instruction);
  Operand few[kInline];
  std::vector<Operand> many;
  std::span<Operand> operands(few, std::min(uses.size(), kInline));
  if (uses.size() > kInline) {
    many.resize(uses.size());
    operands = many;
  }
  for (size_t k = 0; k < uses.size(); ++k)
    operands[k] = {&frame.registers[uses[k] & ~kLastUse], (uses[k] & kLastUse) != 0};
  const Context c{*frame.prepared->function, instruction, operands, results};
  if (checked())
    followUndefined(frame, c);

  auto release = [&] {
    if (instruction.opcode == Opcode::Return)
      return;
    for (const Operand &o : operands)
      if (o.last)
        o.value->block = BlockRef();
  };
  auto give = [&](Value v) {
    release();
    if (!results.empty() && results[0] != kNoRegister)
      frame.registers[results[0]] = std::move(v);
  };
  auto giveAll = [&](std::vector<Value> values) {
    release();
    for (size_t k = 0; k < results.size(); ++k)
      if (results[k] != kNoRegister)
        frame.registers[results[k]] = std::move(values[k]);
  };

  switch (instruction.opcode) {
  case Opcode::ConstInt:
  case Opcode::ConstFloat:
  case Opcode::ConstDense:
  case Opcode::MakeRange:
  case Opcode::ProgramId:
  case Opcode::NumPrograms: return give(constant(c));
  case Opcode::Move: return give(c.operand(0).take());
  case Opcode::Splat:
  case Opcode::ExpandDims:
  case Opcode::Broadcast:
  case Opcode::Reshape:
  case Opcode::Transpose:
  case Opcode::Join:
  case Opcode::Concat: return give(shapeOperation(c));
  case Opcode::Split: return giveAll({half(*c.operand(0), 0), half(*c.operand(0), 1)});
  case Opcode::CmpI: return give(compareInteger(c));
  case Opcode::CmpF: return give(compareFloat(c));
  case Opcode::Select: return give(select(c));
  case Opcode::ExtS:
  case Opcode::ExtU:
  case Opcode::TruncI:
  case Opcode::SIToF:
  case Opcode::UIToF:
  case Opcode::FToSI:
  case Opcode::FToUI:
  case Opcode::ConvertF:
  case Opcode::Bitcast:
  case Opcode::PtrToInt:
  case Opcode::IntToPtr:
  case Opcode::PtrCast: {
    Value v = cast(c);
    v.pointee = c.resultType().pointee;
    return give(std::move(v));
  }
  case Opcode::AddPtr: {
    Value v = addPointer(c);
    v.pointee = c.resultType().pointee;
    return give(std::move(v));
  }
  case Opcode::Load: return give(load(c));
  case Opcode::Store: store(c); return release();
  case Opcode::AtomicRmw: return give(atomicRmw(c));
  case Opcode::AtomicCas: return give(atomicCas(c));
  case Opcode::MakeDescriptor: return give(makeDescriptor(c));
  case Opcode::DescPart: return give(descriptorPart(c));
  case Opcode::DescLoad: {
    Value v;
    descriptorAccess(c, &v);
    return give(std::move(v));
  }
  case Opcode::DescStore:
  case Opcode::DescAtomic: descriptorAccess(c, nullptr); return release();
  case Opcode::DescGather: return give(descriptorGather(c));
  case Opcode::DescScatter: descriptorScatter(c); return release();
  case Opcode::Dot: return give(dot(c));
  case Opcode::Reduce: return giveAll(reduce(c));
  case Opcode::Scan: return giveAll(scan(c));
  case Opcode::Gather: return give(gather(c));
  case Opcode::Histogram: return give(histogram(c));
  case Opcode::Sort: return give(sort(c));
  case Opcode::MapElements: return giveAll(mapElements(frame, c));
  case Opcode::Print: print(c); return release();
  case Opcode::Assert:
  case Opcode::Assume: assertion(c); return release();
  case Opcode::Barrier: // no effect: a program is one thread
    return;
  case Opcode::Jump:
  case Opcode::BranchIfFalse:
  case Opcode::ForTest:
  case Opcode::Return: return control(frame, c);
  default:
    if (instruction.opcode >= Opcode::AddF)
      return give(floatOperation(c));
    return give(binaryInteger(c));
  }
}

} // namespace tegula::cpu
