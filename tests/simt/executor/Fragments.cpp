// Opaque fragments. The lane of each element is random for each run, so that no kernel can rely on it.
#include "Combine.h"
#include "Flatten.h"
#include "Machine.h"
#include "core/ir/Numbers.h"

#include <cstring>
#include <optional>

using namespace mlir;

namespace tegula::simt_test {
namespace {

/// detail: rows; detail2: columns; data[0]: use; of the result or, for a store, of the operand.
void fill(Workgroup &group, ThreadRange set, const Instruction &next) {
  const Slot &result = next.results[0];
  for (uint32_t i = set.first; i < set.first + set.count; ++i)
    std::fill_n(group.thread(i).at(result), result.lanes, group.thread(i).scalar(next.operands[0]));
}

/// Calls visit(thread, register, row, column) for each element of a fragment; `type` is the slot's.
template <class Visit>
void forElements(Workgroup &group, ThreadRange set, const Slot &slot, int64_t rows, int64_t columns, uint64_t use,
                 ScalarType type, Visit visit) {
  const std::vector<uint32_t> &spread =
      group.spread(static_cast<uint32_t>(rows), static_cast<uint32_t>(columns), static_cast<uint32_t>(use), type);
  for (size_t i = 0; i < spread.size(); ++i)
    visit(group.thread(set.first + static_cast<uint32_t>(i) / slot.lanes), static_cast<uint32_t>(i) % slot.lanes,
          spread[i] / columns, spread[i] % columns);
}

template <class Visit>
void forElements(Workgroup &group, ThreadRange set, const Slot &slot, int64_t rows, int64_t columns, uint64_t use,
                 Visit visit) {
  forElements(group, set, slot, rows, columns, use, slot.type, visit);
}

/// operands: memory, offset, stride; for a store also the fragment. data: use, whether by columns, whether a store.
/// layout: of shared memory; null for global memory.
void access(Workgroup &group, ThreadRange set, const Instruction &next) {
  bool byColumns = next.data[1] != 0, stores = next.data[2] != 0;
  const Slot &fragment = stores ? next.operands[3] : next.results[0];
  auto bytes = static_cast<int64_t>(byteSize(fragment.type));
  Thread &first = group.thread(set.first);
  for (uint32_t i = set.first; i < set.first + set.count; ++i)
    for (size_t operand = 0; operand < 3; ++operand)
      if (group.thread(i).scalar(next.operands[operand]) != first.scalar(next.operands[operand])) {
        group.report(ReportKind::Undefined, i, next, nullptr,
                     [] { return std::string("expected the lanes of a warp to give the same place and stride"); });
        break;
      }
  uint64_t base = first.scalar(next.operands[0]);
  int64_t offset = toSigned(ScalarType::I32, first.scalar(next.operands[1]));
  int64_t stride = toSigned(ScalarType::I32, first.scalar(next.operands[2]));
  forElements(group, set, fragment, next.detail, next.detail2, next.data[0],
              [&](Thread &thread, uint32_t number, int64_t row, int64_t column) {
                int64_t place = (offset + (byColumns ? column * stride + row : row * stride + column)) * bytes;
                uint64_t at = base + static_cast<uint64_t>(place), size = static_cast<uint64_t>(bytes);
                uint64_t &element = thread.at(fragment)[number];
                Actor actor = group.actor(thread, next);
                if (next.layout) {
                  if (!group.checkShared(thread, next, base, place, bytes, next.layout->stageBytes(), bytes))
                    return;
                  stores ? group.noteWrite(actor, at, size) : group.noteRead(actor, at, size);
                  if (stores)
                    group.poke(at, static_cast<uint32_t>(bytes), element);
                  else
                    element = group.peek(at, static_cast<uint32_t>(bytes));
                  return;
                }
                std::byte *memory = group.global(thread, next, at, size, size);
                if (!memory)
                  return;
                stores ? group.noteGlobalWrite(actor, at, size) : group.noteGlobalRead(actor, at, size);
                if (!stores)
                  element = 0;
                stores ? std::memcpy(memory, &element, size) : std::memcpy(&element, memory, size);
              });
}

/// detail: m; detail2: n; data: k, and the uses of a, b, c.
void multiply(Workgroup &group, ThreadRange set, const Instruction &next) {
  int64_t m = next.detail, n = next.detail2, k = static_cast<int64_t>(next.data[0]);
  auto matrix = [&](size_t operand, int64_t rows, int64_t columns) {
    const Slot &slot = next.operands[operand];
    std::vector<double> values(static_cast<size_t>(rows * columns));
    forElements(group, set, slot, rows, columns, operand,
                [&](Thread &thread, uint32_t number, int64_t row, int64_t column) {
                  uint64_t bits = thread.at(slot)[number];
                  values[static_cast<size_t>(row * columns + column)] =
                      isFloat(slot.type) ? toDouble(slot.type, bits) : static_cast<double>(toSigned(slot.type, bits));
                });
    return values;
  };
  std::vector<double> a = matrix(0, m, k), b = matrix(1, k, n), c = matrix(2, m, n);
  const Slot &result = next.results[0];
  forElements(group, set, result, m, n, 2, [&](Thread &thread, uint32_t number, int64_t row, int64_t column) {
    double sum = c[static_cast<size_t>(row * n + column)];
    for (int64_t l = 0; l < k; ++l)
      sum += a[static_cast<size_t>(row * k + l)] * b[static_cast<size_t>(l * n + column)];
    thread.at(result)[number] = isFloat(result.type)
                                    ? fromDouble(result.type, sum)
                                    : truncated(result.type, static_cast<uint64_t>(static_cast<int64_t>(sum)));
  });
}

void copyElements(Workgroup &group, ThreadRange set, const Instruction &next) {
  for (uint32_t i = set.first; i < set.first + set.count; ++i)
    std::copy_n(group.thread(i).at(next.operands[0]), next.operands[0].lanes, group.thread(i).at(next.results[0]));
}

/// detail: rows; detail2: columns; data: use, kind.
void reduceRows(Workgroup &group, ThreadRange set, const Instruction &next) {
  const Slot &src = next.operands[0], &result = next.results[0];
  auto kind = static_cast<simt::CombineKind>(next.data[1]);
  std::vector<std::optional<uint64_t>> rows(static_cast<size_t>(next.detail));
  forElements(group, set, src, next.detail, next.detail2, next.data[0],
              [&](Thread &thread, uint32_t number, int64_t row, int64_t) {
                std::optional<uint64_t> &value = rows[static_cast<size_t>(row)];
                uint64_t element = thread.at(src)[number];
                value = value ? combine(kind, src.type, *value, element) : element;
              });
  forElements(group, set, result, next.detail, next.detail2, next.data[0],
              [&](Thread &thread, uint32_t number, int64_t row, int64_t) {
                thread.at(result)[number] = *rows[static_cast<size_t>(row)];
              });
}

/// detail: rows; detail2: columns; data: the source's use, the result's.
void convert(Workgroup &group, ThreadRange set, const Instruction &next) {
  const Slot &src = next.operands[0], &result = next.results[0];
  std::vector<double> values(static_cast<size_t>(next.detail * next.detail2));
  forElements(group, set, src, next.detail, next.detail2, next.data[0],
              [&](Thread &thread, uint32_t number, int64_t row, int64_t column) {
                values[static_cast<size_t>(row * next.detail2 + column)] = toDouble(src.type, thread.at(src)[number]);
              });
  forElements(group, set, result, next.detail, next.detail2, next.data[1],
              [&](Thread &thread, uint32_t number, int64_t row, int64_t column) {
                double value = values[static_cast<size_t>(row * next.detail2 + column)];
                uint64_t bits = fromDouble(result.type, value);
                if (double held = toDouble(result.type, bits); held != value && value == value)
                  group.report(ReportKind::Undefined, thread.index, next, nullptr, [&] {
                    return "expected values that the result's type has, found " + std::to_string(value);
                  });
                thread.at(result)[number] = bits;
              });
}

/// detail: rows; detail2: columns; data: use, type. results: rows, columns.
void coordinates(Workgroup &group, ThreadRange set, const Instruction &next) {
  forElements(group, set, next.results[0], next.detail, next.detail2, next.data[0],
              static_cast<ScalarType>(next.data[1]), [&](Thread &thread, uint32_t number, int64_t row, int64_t column) {
                thread.at(next.results[0])[number] = static_cast<uint64_t>(row);
                thread.at(next.results[1])[number] = static_cast<uint64_t>(column);
              });
}

void describe(Instruction &next, simt::FragmentType type) {
  next.detail = type.getRows();
  next.detail2 = type.getColumns();
  next.data = {static_cast<uint64_t>(type.getUse())};
}

void flattenAccess(Flattener &flattener, Operation *op, simt::FragmentType type, Type memory, simt::FragmentOrder order,
                   std::initializer_list<Value> operands) {
  Instruction &next = flattener.emitCollective(op, access);
  next.operands.clear();
  for (Value operand : operands)
    next.operands.push_back(flattener.slot(operand));
  describe(next, type);
  next.data.push_back(order == simt::FragmentOrder::ColumnMajor);
  next.data.push_back(isa<simt::FragmentStoreOp>(op));
  if (auto shared = dyn_cast<simt::SharedType>(memory))
    next.layout = flattener.layout(shared);
}

} // namespace

bool flattenFragments(Flattener &flattener, Operation *op) {
  if (auto filled = dyn_cast<simt::FragmentFillOp>(op)) {
    describe(flattener.emitCollective(op, fill), filled.getType());
  } else if (auto load = dyn_cast<simt::FragmentLoadOp>(op)) {
    flattenAccess(flattener, op, load.getType(), load.getSrc().getType(), load.getOrder(),
                  {load.getSrc(), load.getOffset(), load.getStride()});
  } else if (auto store = dyn_cast<simt::FragmentStoreOp>(op)) {
    flattenAccess(flattener, op, store.getValue().getType(), store.getDst().getType(), store.getOrder(),
                  {store.getDst(), store.getOffset(), store.getStride(), store.getValue()});
  } else if (auto product = dyn_cast<simt::FragmentMmaOp>(op)) {
    Instruction &next = flattener.emitCollective(op, multiply);
    describe(next, product.getType());
    next.data = {static_cast<uint64_t>(product.getA().getType().getColumns())};
  } else if (isa<simt::FragmentElementsOp, simt::FragmentFromElementsOp>(op)) {
    flattener.emitCollective(op, copyElements);
  } else if (auto reduce = dyn_cast<simt::FragmentReduceRowsOp>(op)) {
    Instruction &next = flattener.emitCollective(op, reduceRows);
    describe(next, reduce.getType());
    next.data.push_back(static_cast<uint64_t>(reduce.getKind()));
  } else if (auto converted = dyn_cast<simt::FragmentConvertOp>(op)) {
    Instruction &next = flattener.emitCollective(op, convert);
    describe(next, converted.getSrc().getType());
    next.data.push_back(static_cast<uint64_t>(converted.getType().getUse()));
  } else if (auto places = dyn_cast<simt::FragmentCoordinatesOp>(op)) {
    auto of = cast<simt::FragmentType>(places.getOf());
    Instruction &next = flattener.emitCollective(op, coordinates);
    describe(next, of);
    next.data.push_back(static_cast<uint64_t>(tile::scalarType(of.getElementType()).value()));
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::simt_test
