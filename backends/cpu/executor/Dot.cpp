// Products of tiles: converts the operands to the type in which products are summed, copies b if its rows do not have
// unit stride, and calls the kernel.
#include "backends/cpu/executor/Machine.h"

#include <algorithm>
#include <cstring>

namespace tegula::cpu {

namespace {

/// The type in which products are summed: i32 for integers, f64 for f64, f32 for all other floats.
ElementKind computeKind(ElementKind accumulator) {
  if (isInteger(accumulator))
    return ElementKind::I32;
  return accumulator == ElementKind::F64 ? ElementKind::F64 : ElementKind::F32;
}

DotKernel kernelOf(const KernelTable &table, ElementKind kind) {
  return kind == ElementKind::F64 ? table.dotF64 : kind == ElementKind::I32 ? table.dotI32 : table.dotF32;
}

/// True if the kernel may add to c's storage in place: it is row-major and has no other reference.
bool isAccumulator(const Value &c) { return c.block.unique() && c.isRowMajor(); }

/// Returns a tile with the elements of `b` and with unit step along the last axis: `b` itself, or a row-major copy.
Value withUnitRows(Value b) {
  const unsigned last = b.shape.rank - 1;
  return b.block && (b.step[last] == 1 || b.shape.extent[last] == 1) ? b : toRowMajor(b);
}

bool isZero(const Value &v) { return v.isUniform() && v.uniformElement() == 0; }

} // namespace

Value Machine::dot(const Context &c) {
  const ElementKind resultKind = c.resultType().element;
  const ElementKind compute = computeKind(resultKind);
  auto operandIn = [&](unsigned i) {
    const Operand x = c.operand(i);
    Value v;
    if (x->element == compute)
      v = x.last ? (x->form == Value::Form::Strided ? x.take() : toStrided(*x)) : toStrided(*x);
    else if (isInteger(compute))
      v = toStrided(resizeInteger(x, compute, true));
    else
      v = convertFloat(x, compute, RoundingMode::NearestEven);
    return v.block ? v : toRowMajor(v); // the kernel reads memory
  };
  const Value a = operandIn(0);
  const Value b = withUnitRows(operandIn(1));
  DotTile tile;
  const bool fromZero = isZero(*c.operand(2));
  Value sum;
  if (fromZero) {
    sum = Value::dense(compute, c.resultShape());
  } else {
    sum = operandIn(2);
    if (!isAccumulator(sum)) {
      const std::array<unsigned, 3> order = {0, 1, 2};
      sum = copyInOrder(sum, std::span(order.data(), sum.shape.rank));
    }
  }

  const unsigned rank = a.shape.rank;
  const unsigned row = rank - 2, column = rank - 1;
  tile.m = static_cast<size_t>(a.shape.extent[row]);
  tile.k = static_cast<size_t>(a.shape.extent[column]);
  tile.n = static_cast<size_t>(b.shape.extent[column]);
  tile.aRow = a.step[row];
  tile.aColumn = a.step[column];
  tile.bRow = b.step[row];
  tile.cRow = static_cast<ptrdiff_t>(tile.n);
  tile.startFromZero = fromZero;
  const size_t wanted = dotScratchBytes(tile.k) + 64;
  if (scratch_.size() < wanted)
    scratch_.resize(wanted);
  tile.scratch = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(scratch_.data()) + 63) & ~uintptr_t{63});
  const auto size = static_cast<int64_t>(byteSize(compute));
  const DotKernel kernel = kernelOf(kernels_, compute);
  const int64_t batches = rank == 3 ? a.shape.extent[0] : 1;
  for (int64_t batch = 0; batch < batches; ++batch) {
    tile.a = a.elements() + (rank == 3 ? batch * a.step[0] * size : 0);
    tile.b = b.elements() + (rank == 3 ? batch * b.step[0] * size : 0);
    tile.c = sum.mutableElements() + batch * static_cast<int64_t>(tile.m * tile.n) * size;
    kernel(tile);
  }
  return resultKind == compute ? sum : convertFloat({&sum, true}, resultKind, RoundingMode::NearestEven);
}

} // namespace tegula::cpu
