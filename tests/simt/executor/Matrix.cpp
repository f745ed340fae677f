// Matrix instructions of a warp on registers, and asynchronous ones of four warps.
#include "Flatten.h"
#include "Machine.h"
#include "MatrixUnit.h"

using namespace mlir;

namespace tegula::simt_test {
namespace {

double elementValue(ScalarType type, uint64_t bits) {
  return isFloat(type) ? toDouble(type, bits) : static_cast<double>(toSigned(type, bits));
}

uint64_t elementBits(ScalarType type, double value) {
  return isFloat(type) ? fromDouble(type, value) : truncated(type, static_cast<uint64_t>(static_cast<int64_t>(value)));
}

/// Collects one fragment from the registers of all threads; `registersOf(thread)` points to the thread's part.
/// `transposed`: column by column. Returns whether all copies of each element agree.
template <class RegistersOf>
bool gather(const MatrixHolding &holding, uint32_t threads, bool transposed, RegistersOf registersOf, double *out) {
  std::vector<uint64_t> bits(size_t(holding.rows) * holding.columns);
  std::vector<bool> seen(bits.size());
  bool agree = true;
  for (uint32_t thread = 0; thread < threads; ++thread)
    for (uint32_t i = 0; i < holding.registers; ++i) {
      uint32_t element = holding.elements[thread * holding.registers + i];
      uint64_t value = registersOf(thread)[i];
      agree &= !seen[element] || bits[element] == value;
      seen[element] = true;
      bits[element] = value;
    }
  for (uint32_t row = 0; row < holding.rows; ++row)
    for (uint32_t column = 0; column < holding.columns; ++column)
      out[transposed ? column * holding.rows + row : row * holding.columns + column] =
          elementValue(holding.type, bits[row * holding.columns + column] & holding.readBits);
  return agree;
}

template <class RegistersOf>
void scatter(const MatrixHolding &holding, uint32_t threads, const double *values, RegistersOf registersOf) {
  for (uint32_t thread = 0; thread < threads; ++thread)
    for (uint32_t i = 0; i < holding.registers; ++i)
      registersOf(thread)[i] = elementBits(holding.type, values[holding.elements[thread * holding.registers + i]]);
}

/// unit; data: tiles of m, n, k.
void multiply(Workgroup &group, ThreadRange set, const Instruction &next) {
  const MatrixUnit &unit = *next.unit;
  size_t tilesM = next.data[0], tilesN = next.data[1], tilesK = next.data[2];
  bool agree = true;
  auto fragments = [&](const Slot &slot, const MatrixHolding &holding, size_t count, bool transposed) {
    size_t elements = size_t(holding.rows) * holding.columns;
    std::vector<double> values(count * elements);
    for (size_t i = 0; i < count; ++i)
      agree &= gather(
          holding, set.count, transposed,
          [&](uint32_t thread) { return group.thread(set.first + thread).at(slot) + i * holding.registers; },
          values.data() + i * elements);
    return values;
  };
  std::vector<double> a = fragments(next.operands[0], unit.a, tilesM * tilesK, false);
  std::vector<double> b = fragments(next.operands[1], unit.b, tilesN * tilesK, true);
  std::vector<double> c = fragments(next.operands[2], unit.c, tilesM * tilesN, false);
  if (!agree)
    group.report(ReportKind::Undefined, set.first, next, nullptr, [] {
      return std::string("expected lanes that hold the same element to agree, found different values");
    });
  for (size_t i = 0; i < tilesM; ++i)
    for (size_t j = 0; j < tilesN; ++j) {
      double *out = c.data() + (i * tilesN + j) * unit.m * unit.n;
      for (size_t l = 0; l < tilesK; ++l)
        multiplyAccumulate(unit, a.data() + (i * tilesK + l) * unit.m * unit.k,
                           b.data() + (j * tilesK + l) * unit.n * unit.k, out);
      scatter(unit.c, set.count, out, [&](uint32_t thread) {
        return group.thread(set.first + thread).at(next.results[0]) + (i * tilesN + j) * unit.c.registers;
      });
    }
}

/// The operand's first lane, which must be equal in all threads; reports a difference.
uint64_t agreed(Workgroup &group, ThreadRange set, const Instruction &next, const Slot &slot, bool flight = false) {
  auto value = [&](uint32_t index) {
    return flight ? group.thread(index).flight(slot) : group.thread(index).scalar(slot);
  };
  uint64_t first = value(set.first);
  for (uint32_t i = set.first + 1; i < set.first + set.count; ++i)
    if (value(i) != first) {
      group.report(ReportKind::Undefined, i, next, nullptr, [] {
        return std::string("expected the threads that do this together to give the same operand, found different ones");
      });
      break;
    }
  return first;
}

/// operands: a, b, accumulator, whether to accumulate or none; unit; layout: of b; layout2: of a, null for registers.
void startMatmul(Workgroup &group, ThreadRange set, const Instruction &next) {
  const Slot &a = next.operands[0], &accumulator = next.operands[2];
  Product product;
  product.instruction = &next;
  product.threads = set;
  product.b = agreed(group, set, next, next.operands[1]);
  if (next.layout2)
    product.a = agreed(group, set, next, a);
  else
    for (uint32_t i = 0; i < set.count; ++i) {
      const uint64_t *from = group.thread(set.first + i).at(a);
      product.aRegisters.insert(product.aRegisters.end(), from, from + a.lanes);
    }
  product.accumulate = !next.operands[3] || agreed(group, set, next, next.operands[3]) != 0;
  product.predecessor = static_cast<uint32_t>(agreed(group, set, next, accumulator, true));
  if (product.predecessor == 0)
    for (uint32_t i = 0; i < set.count; ++i) {
      const uint64_t *from = group.thread(set.first + i).at(accumulator);
      product.accumulator.insert(product.accumulator.end(), from, from + accumulator.lanes);
    }
  uint32_t number = group.startProduct(std::move(product));
  for (uint32_t i = set.first; i < set.first + set.count; ++i) {
    Thread &thread = group.thread(i);
    constexpr uint64_t kNothingYet = 0x7FC0DEAD;
    std::fill_n(thread.at(next.results[0]), next.results[0].lanes, kNothingYet);
    thread.flight(next.results[0]) = number;
  }
}

/// detail: the number of products that may be in flight.
void waitMatmul(Workgroup &group, ThreadRange set, const Instruction &next) {
  MatrixQueue &queue = group.matrixQueue(set);
  auto ended = static_cast<uint32_t>(std::max<int64_t>(0, int64_t(queue.started) - next.detail));
  group.performProducts(queue, ended);
  for (uint32_t i = 0; i < set.count; ++i) {
    Thread &thread = group.thread(set.first + i);
    uint32_t &seen = thread.clock[group.matrixAgent(set) + i / group.program().warpSize];
    seen = std::max(seen, ended);
    for (size_t j = 0; j < next.operands.size(); ++j) {
      const Slot &from = next.operands[j], &to = next.results[j];
      auto number = static_cast<uint32_t>(thread.flight(from));
      std::copy_n(thread.at(from), from.lanes, thread.at(to));
      thread.flight(to) = 0;
      if (number == 0)
        continue;
      const Product &product = group.product(number);
      if (product.taken) {
        group.report(ReportKind::MissingWait, thread.index, next, product.instruction,
                     [] { return std::string("expected an accumulator that no other product has taken, found one"); });
        continue;
      }
      if (product.sequence <= ended) {
        std::copy_n(product.accumulator.data() + size_t(i) * from.lanes, from.lanes, thread.at(to));
        continue;
      }
      thread.flight(to) = number;
      group.report(ReportKind::MissingWait, thread.index, next, product.instruction, [&] {
        return "expected an accumulator whose product has ended, found one that may be under way with " +
               std::to_string(next.detail) + " pending";
      });
    }
  }
}

/// Computes the product with the operands that are in memory now.
void perform(Workgroup &group, Product &product) {
  const Instruction &next = *product.instruction;
  const MatrixUnit &unit = *next.unit;
  size_t accumulatorLanes = next.operands[2].lanes, tilesM = accumulatorLanes / unit.c.registers;
  size_t tilesK = static_cast<size_t>(next.layout->shape()[0]) / unit.k;
  uint32_t threads = product.threads.count;
  auto fromShared = [&](uint64_t base, const SharedLayout &layout, const MatrixHolding &holding, size_t row,
                        size_t column) {
    auto bytes = static_cast<uint32_t>(layout.elementBytes());
    uint64_t place = base + static_cast<uint64_t>(layout.place(int64_t(row), int64_t(column))) * bytes;
    return elementValue(holding.type, group.peek(place, bytes) & holding.readBits);
  };
  size_t aLanes = tilesM * tilesK * unit.a.registers;
  std::vector<double> a(size_t(unit.m) * unit.k), b(tilesK * unit.n * unit.k), c(size_t(unit.m) * unit.n);
  for (size_t l = 0; l < tilesK; ++l)
    for (size_t column = 0; column < unit.n; ++column)
      for (size_t row = 0; row < unit.k; ++row)
        b[(l * unit.n + column) * unit.k + row] = fromShared(product.b, *next.layout, unit.b, l * unit.k + row, column);
  for (size_t i = 0; i < tilesM; ++i) {
    auto accumulatorOf = [&](uint32_t thread) {
      return product.accumulator.data() + thread * accumulatorLanes + i * unit.c.registers;
    };
    std::fill(c.begin(), c.end(), 0.0);
    if (product.accumulate)
      gather(unit.c, threads, false, accumulatorOf, c.data());
    for (size_t l = 0; l < tilesK; ++l) {
      if (!next.layout2)
        gather(
            unit.a, threads, false,
            [&](uint32_t thread) {
              return product.aRegisters.data() + thread * aLanes + (i * tilesK + l) * unit.a.registers;
            },
            a.data());
      for (size_t row = 0; next.layout2 && row < unit.m; ++row)
        for (size_t column = 0; column < unit.k; ++column)
          a[row * unit.k + column] =
              fromShared(product.a, *next.layout2, unit.a, i * unit.m + row, l * unit.k + column);
      multiplyAccumulate(unit, a.data(), b.data() + l * unit.n * unit.k, c.data());
    }
    scatter(unit.c, threads, c.data(), accumulatorOf);
  }
}

void flattenMultiply(Flattener &flattener, simt::MmaOp op) {
  Instruction &next = flattener.emitCollective(op, multiply);
  next.unit = flattener.unit(op, op.getInstruction());
  next.data.assign(op.getTiles().begin(), op.getTiles().end());
  auto check = [&](const char *what, size_t operand, const MatrixHolding &holding, uint64_t fragments) {
    if (next.operands[operand].lanes != fragments * holding.registers || next.operands[operand].type != holding.type)
      Flattener::fail(op, std::string("expected '") + what + "' of " + std::to_string(fragments * holding.registers) +
                              " elements of " + std::string(name(holding.type)) + ", found " +
                              std::to_string(next.operands[operand].lanes) + " of " +
                              std::string(name(next.operands[operand].type)));
  };
  check("a", 0, next.unit->a, next.data[0] * next.data[2]);
  check("b", 1, next.unit->b, next.data[1] * next.data[2]);
  check("c", 2, next.unit->c, next.data[0] * next.data[1]);
  if (next.unit->threads != flattener.program().warpSize)
    Flattener::fail(op, "expected an instruction of one warp of " + std::to_string(flattener.program().warpSize) +
                            " lanes, found one of " + std::to_string(next.unit->threads) + " threads");
}

void flattenMatmul(Flattener &flattener, simt::MatmulAsyncOp op) {
  Instruction &next = flattener.emitCollective(op, startMatmul);
  if (!op.getAccumulate())
    next.operands.emplace_back();
  next.checksFlight = false;
  next.unit = flattener.unit(op, op.getInstruction());
  next.layout = flattener.layout(op.getB().getType());
  if (auto a = dyn_cast<simt::SharedType>(op.getA().getType()))
    next.layout2 = flattener.layout(a);
  const MatrixUnit &unit = *next.unit;
  auto b = op.getB().getType();
  uint64_t lanes = next.operands[2].lanes, tilesM = lanes / std::max(1u, unit.c.registers);
  bool fits = b.getShape()[1] == unit.n && b.getShape()[0] % unit.k == 0 && lanes % unit.c.registers == 0 &&
              numberType(b.getElementType()) == unit.b.type && next.operands[2].type == unit.c.type &&
              unit.threads == 4 * flattener.program().warpSize;
  if (next.layout2)
    fits = fits && next.layout2->shape()[0] == int64_t(tilesM * unit.m) &&
           numberType(cast<simt::SharedType>(op.getA().getType()).getElementType()) == unit.a.type;
  else
    fits = fits && next.operands[0].lanes == tilesM * (uint64_t(b.getShape()[0]) / unit.k) * unit.a.registers &&
           next.operands[0].type == unit.a.type;
  if (!fits)
    Flattener::fail(op, "expected operands that '" + op.getInstruction().str() + "' multiplies, m " +
                            std::to_string(unit.m) + " n " + std::to_string(unit.n) + " k " + std::to_string(unit.k) +
                            " with " + std::to_string(unit.c.registers) + " accumulators a thread, found others");
}

} // namespace

uint32_t Workgroup::startProduct(Product product) {
  const Instruction &next = *product.instruction;
  MatrixQueue &queue = matrixQueue(product.threads);
  product.sequence = ++queue.started;
  // All four warps' operands are read, so the read has seen only what every thread has seen.
  Clock clock = threads_[product.threads.first].clock, fences = threads_[product.threads.first].fences;
  for (uint32_t i = product.threads.first + 1; i < product.threads.first + product.threads.count; ++i) {
    clock.meet(threads_[i].clock);
    fences.meet(threads_[i].fences);
  }
  Actor reader{{matrixAgent(product.threads), product.sequence, next.number}, &clock, &fences, product.threads.first};
  auto note = [&](uint64_t base, const SharedLayout &layout) {
    auto bytes = static_cast<uint64_t>(layout.elementBytes());
    for (int64_t row = 0; row < layout.shape()[0]; ++row)
      for (int64_t column = 0; column < layout.shape()[1]; ++column)
        noteRead(reader, base + static_cast<uint64_t>(layout.place(row, column)) * bytes, bytes);
  };
  note(product.b, *next.layout);
  if (next.layout2)
    note(product.a, *next.layout2);
  if (product.predecessor != 0) {
    Product &before = this->product(product.predecessor);
    if (before.taken)
      report(ReportKind::MissingWait, product.threads.first, next, before.instruction,
             [] { return std::string("expected an accumulator that no other product has taken, found one"); });
    before.taken = true;
  }
  products_.push_back(std::move(product));
  queue.products.push_back(static_cast<uint32_t>(products_.size()));
  return static_cast<uint32_t>(products_.size());
}

void Workgroup::performProducts(MatrixQueue &queue, uint32_t upTo) {
  for (; queue.performed < upTo; ++queue.performed) {
    Product &next = product(queue.products[queue.performed]);
    // The predecessor ended earlier in the same queue, so its result exists.
    if (next.predecessor != 0)
      next.accumulator = std::move(product(next.predecessor).accumulator);
    next.accumulator.resize(size_t(next.threads.count) * next.instruction->operands[2].lanes);
    perform(*this, next);
    next.performed = true;
    next.aRegisters = {};
  }
}

bool flattenMatrix(Flattener &flattener, Operation *op) {
  if (auto product = dyn_cast<simt::MmaOp>(op)) {
    flattenMultiply(flattener, product);
  } else if (auto product = dyn_cast<simt::MatmulAsyncOp>(op)) {
    flattenMatmul(flattener, product);
  } else if (auto wait = dyn_cast<simt::MatmulWaitOp>(op)) {
    Instruction &next = flattener.emitCollective(op, waitMatmul);
    next.checksFlight = false;
    next.detail = wait.getPending();
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::simt_test
