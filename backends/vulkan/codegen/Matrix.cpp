// Opaque fragments are cooperative matrices of a subgroup. Their elements are read and written through a local
// variable, which is SPIR-V's way to index them.
#include "backends/vulkan/codegen/Printer.h"

#include "mlir/Support/DebugStringHelper.h"

#include <algorithm>

using namespace mlir;

namespace tegula::vulkan {
namespace {

spirv::MatrixUse useOf(simt::FragmentUse use) {
  switch (use) {
  case simt::FragmentUse::A:
    return spirv::MatrixUse::A;
  case simt::FragmentUse::B:
    return spirv::MatrixUse::B;
  case simt::FragmentUse::Accumulator:
    return spirv::MatrixUse::Accumulator;
  }
  llvm_unreachable("all uses are listed");
}

bool fits(const MatrixRow &row, simt::FragmentType type, ScalarType element) {
  int64_t rows = type.getRows(), columns = type.getColumns();
  switch (type.getUse()) {
  case simt::FragmentUse::A:
    return rows == row.m && columns == row.k && element == row.operand;
  case simt::FragmentUse::B:
    return rows == row.k && columns == row.n && element == row.operand;
  case simt::FragmentUse::Accumulator:
    return rows == row.m && columns == row.n && element == row.accumulator;
  }
  llvm_unreachable("all uses are listed");
}

spirv::MatrixLayout layoutOf(simt::FragmentOrder order) {
  return order == simt::FragmentOrder::RowMajor ? spirv::MatrixLayout::RowMajor : spirv::MatrixLayout::ColumnMajor;
}

} // namespace

/// What a matrix' components are: formats that registers hold as integers have types of their own there.
Id Printer::componentType(ScalarType type) {
  switch (type) {
  case ScalarType::BF16:
    return m.floatType(16, spirv::FloatFormat::BFloat16);
  case ScalarType::F8E4M3:
    return m.floatType(8, spirv::FloatFormat::F8E4M3);
  case ScalarType::F8E5M2:
    return m.floatType(8, spirv::FloatFormat::F8E5M2);
  default:
    return memoryType(type);
  }
}

Id Printer::fragmentType(Operation *op, simt::FragmentType type) {
  ScalarType element = numberOf(op, type.getElementType());
  needSubgroups(op, Feature::CooperativeMatrix);
  bool known = std::any_of(profile_.matrices.begin(), profile_.matrices.end(),
                           [&](const MatrixRow &row) { return fits(row, type, element); });
  if (!known) {
    std::string rows;
    for (const MatrixRow &row : profile_.matrices)
      rows += (rows.empty() ? "" : ", ") + describe(row);
    fail(op, "target " + target_ + " has no cooperative matrix " + debugString(type) + "; its products are " + rows);
  }
  return m.matrixType(componentType(element), spv::Scope::Subgroup, uint32_t(type.getRows()),
                      uint32_t(type.getColumns()), useOf(type.getUse()));
}

/// Where an element of global or shared memory is, as a pointer to the matrix' components.
Id Printer::fragmentPointer(Operation *op, mlir::Value memory, Id offset, ScalarType type, spirv::Access &access) {
  if (!isa<simt::SharedType>(memory.getType())) {
    access.alignment = byteSize(type);
    return b.physicalPointer(elementAddress(one(memory), offset, byteSize(type)), componentType(type));
  }
  const SharedPlan::Storage &storage = storageOf(memory);
  Id pointer = sharedPointer(storage, componentType(type), add(one(memory), offset));
  if (m.infoOf(pointer).element != componentType(type))
    fail(op, "target " + target_ + " has typed shared memory: expected buffers of other elements not to share the " +
                 "storage of this one");
  return pointer;
}

Id Printer::fragmentVariable(Id type) {
  Id &variable = fragmentVariables_[type];
  if (!variable)
    variable = b.local(type);
  return variable;
}

void Printer::printFragmentMma(simt::FragmentMmaOp op) {
  ScalarType a = numberOf(op, op.getA().getType().getElementType()),
             c = numberOf(op, op.getC().getType().getElementType());
  auto matches = [&](const MatrixRow &row) {
    return fits(row, op.getA().getType(), a) && fits(row, op.getB().getType(), a) && fits(row, op.getC().getType(), c);
  };
  if (std::none_of(profile_.matrices.begin(), profile_.matrices.end(), matches))
    fail(op, "target " + target_ + " has no product of cooperative matrices of these shapes and types");
  uint32_t signs = isFloat(a) ? uint32_t(spirv::kMatrixNone)
                              : spirv::kSignedA | spirv::kSignedB | spirv::kSignedC | spirv::kSignedResult;
  set(op, b.matrixMulAdd(one(op.getA()), one(op.getB()), one(op.getC()), signs));
}

bool Printer::printMatrix(Operation *op) {
  auto element = [&](simt::FragmentType type) { return numberOf(op, type.getElementType()); };
  if (auto fill = dyn_cast<simt::FragmentFillOp>(op)) {
    Id type = fragmentType(op, fill.getType());
    set(fill, b.splat(type, b.bitcast(toMemory(element(fill.getType()), one(fill.getValue())),
                                      componentType(element(fill.getType())))));
  } else if (auto load = dyn_cast<simt::FragmentLoadOp>(op)) {
    Id type = fragmentType(op, load.getType());
    spirv::Access access;
    Id pointer = fragmentPointer(op, load.getSrc(), one(load.getOffset()), element(load.getType()), access);
    set(load, b.matrixLoad(type, pointer, layoutOf(load.getOrder()), one(load.getStride()), access));
  } else if (auto store = dyn_cast<simt::FragmentStoreOp>(op)) {
    spirv::Access access;
    Id pointer =
        fragmentPointer(op, store.getDst(), one(store.getOffset()), element(store.getValue().getType()), access);
    b.matrixStore(pointer, one(store.getValue()), layoutOf(store.getOrder()), one(store.getStride()), access);
  } else if (auto product = dyn_cast<simt::FragmentMmaOp>(op)) {
    printFragmentMma(product);
  } else if (auto taken = dyn_cast<simt::FragmentElementsOp>(op)) {
    ScalarType type = element(taken.getSrc().getType());
    Id variable = fragmentVariable(m.typeOf(one(taken.getSrc())));
    b.store(variable, one(taken.getSrc()));
    Values elements;
    for (int64_t i = 0; i < simt::elementsOf(taken.getType()); ++i)
      elements.push_back(fromMemory(type, b.bitcast(b.load(b.access(variable, {u32(i)})), memoryType(type))));
    set(taken, elements);
  } else if (auto made = dyn_cast<simt::FragmentFromElementsOp>(op)) {
    ScalarType type = element(made.getType());
    Id variable = fragmentVariable(fragmentType(op, made.getType()));
    for (auto [i, value] : llvm::enumerate(get(made.getSrc())))
      b.store(b.access(variable, {u32(int64_t(i))}), b.bitcast(toMemory(type, value), componentType(type)));
    set(made, b.load(variable));
  } else if (isa<simt::MmaOp, simt::LoadMatrixOp, simt::StoreMatrixOp>(op)) {
    fail(op, "target " + target_ + " has opaque fragments only, and no instruction with known places of elements");
  } else if (isa<simt::AsyncCopy, simt::AsyncMatmul, simt::BarrierLike>(op)) {
    fail(op, "target " + target_ + " does nothing asynchronously, which this op asks for");
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::vulkan
