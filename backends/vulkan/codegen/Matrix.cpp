// Prints opaque fragments as cooperative matrices of a subgroup. SPIR-V can index a matrix's components only through a
// pointer, so they are read and written in a local variable.
#include "backends/vulkan/codegen/Printer.h"

#include "mlir/Support/DebugStringHelper.h"

#include <algorithm>
#include <array>

using namespace mlir;

namespace tegula::vulkan {
namespace {

spirv::MatrixUse useOf(simt::FragmentUse use) {
  switch (use) {
  case simt::FragmentUse::A: return spirv::MatrixUse::A;
  case simt::FragmentUse::B: return spirv::MatrixUse::B;
  case simt::FragmentUse::Accumulator: return spirv::MatrixUse::Accumulator;
  }
  llvm_unreachable("all uses are listed");
}

bool fits(const MatrixInstruction &product, simt::FragmentType type, ScalarType element) {
  int64_t rows = type.getRows(), columns = type.getColumns();
  switch (type.getUse()) {
  case simt::FragmentUse::A: return rows == product.m && columns == product.k && element == product.a.type;
  case simt::FragmentUse::B: return rows == product.k && columns == product.n && element == product.b.type;
  case simt::FragmentUse::Accumulator: return rows == product.m && columns == product.n && element == product.c.type;
  }
  llvm_unreachable("all uses are listed");
}

spirv::MatrixLayout layoutOf(simt::FragmentOrder order) {
  return order == simt::FragmentOrder::RowMajor ? spirv::MatrixLayout::RowMajor : spirv::MatrixLayout::ColumnMajor;
}

// A component's position in a fragment, encoded in the 23 fraction bits of a float: the row in the upper bits, the
// column in the lower ones.
constexpr uint32_t kRowShift = 11, kOneF32 = 0x3f800000;

} // namespace

/// The type of a matrix's components: bf16 and 8-bit floats are distinct types in matrices, but integers in registers.
Id Printer::componentType(ScalarType type) {
  switch (type) {
  case ScalarType::BF16: return m.floatType(16, spirv::FloatFormat::BFloat16);
  case ScalarType::F8E4M3: return m.floatType(8, spirv::FloatFormat::F8E4M3);
  case ScalarType::F8E5M2: return m.floatType(8, spirv::FloatFormat::F8E5M2);
  default: return memoryType(type);
  }
}

Id Printer::fragmentType(Operation *op, simt::FragmentType type) {
  ScalarType element = numberOf(op, type.getElementType());
  needSubgroups(op, Feature::CooperativeMatrix);
  bool known = std::any_of(profile_.matrices.begin(), profile_.matrices.end(),
                           [&](const MatrixInstruction &product) { return fits(product, type, element); });
  if (!known) {
    std::string products;
    for (const MatrixInstruction &product : profile_.matrices)
      products += (products.empty() ? "" : ", ") + product.name;
    fail(op,
         "target " + target_ + " has no cooperative matrix " + debugString(type) + "; its products are " + products);
  }
  return m.matrixType(componentType(element), spv::Scope::Subgroup, uint32_t(type.getRows()),
                      uint32_t(type.getColumns()), useOf(type.getUse()));
}

/// A pointer to the matrix's first component in global or shared memory.
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

/// Makes, at the first call for `kind` and `type`, a SPIR-V function that combines two elements to one by `kind`.
/// Returns its id.
Id Printer::combineFunction(simt::CombineKind kind, ScalarType type) {
  Id &function = combineFunctions_[{kind, type}];
  if (function)
    return function;
  spirv::Builder body(m);
  Scalars elements(body, profile_);
  std::array<Id, 2> types = {memoryType(type), memoryType(type)};
  spirv::Builder::Ids params;
  function = body.beginFunction(types[0], types, &params);
  body.ret(combine(elements, kind, type, params[0], params[1]));
  body.endFunction();
  return function;
}

/// Makes the SPIR-V function place(row, column, element). It encodes the component's position in the fraction bits of a
/// float between 1 and 2, which every compiler treats as an ordinary number.
Id Printer::placeFunction() {
  if (placeFunction_)
    return placeFunction_;
  spirv::Builder body(m);
  Id u32 = m.intType(32), f32 = m.floatType(32);
  std::array<Id, 3> types = {u32, u32, f32};
  spirv::Builder::Ids params;
  placeFunction_ = body.beginFunction(f32, types, &params);
  Id row = body.binary(spv::Op::OpShiftLeftLogical, params[0], m.constantU32(kRowShift));
  Id place = body.binary(spv::Op::OpBitwiseOr, row, params[1]);
  body.ret(body.bitcast(body.binary(spv::Op::OpBitwiseOr, place, m.constantU32(kOneF32)), f32));
  body.endFunction();
  return placeFunction_;
}

void Printer::printCoordinates(simt::FragmentCoordinatesOp op) {
  auto of = cast<simt::FragmentType>(op.getOf());
  need(op, Feature::MatrixPerElement);
  if (numberOf(op, of.getElementType()) != ScalarType::F32)
    fail(op, "target " + target_ + " knows places in fragments of f32 only");
  Id type = fragmentType(op, of), variable = fragmentVariable(type), u32 = m.intType(32);
  b.store(variable, b.matrixPerElement(b.splat(type, m.constantF32(1)), placeFunction()));
  Values rows, columns;
  for (int64_t i = 0; i < simt::elementsOf(op.getRows().getType()); ++i) {
    Id place = b.bitcast(b.load(b.access(variable, {m.constantU32(uint32_t(i))})), u32);
    auto field = [&](uint32_t shift) {
      Id shifted = shift ? b.binary(spv::Op::OpShiftRightLogical, place, m.constantU32(shift)) : place;
      return b.binary(spv::Op::OpBitwiseAnd, shifted, m.constantU32((1u << kRowShift) - 1));
    };
    rows.push_back(field(kRowShift));
    columns.push_back(field(0));
  }
  set(op.getRows(), rows);
  set(op.getColumns(), columns);
}

void Printer::printFragmentMma(simt::FragmentMmaOp op) {
  ScalarType a = numberOf(op, op.getA().getType().getElementType()),
             c = numberOf(op, op.getC().getType().getElementType());
  auto matches = [&](const MatrixInstruction &product) {
    return fits(product, op.getA().getType(), a) && fits(product, op.getB().getType(), a) &&
           fits(product, op.getC().getType(), c);
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
  } else if (auto reduce = dyn_cast<simt::FragmentReduceRowsOp>(op)) {
    ScalarType type = element(reduce.getType());
    need(op, Feature::MatrixReductions);
    fragmentType(op, reduce.getType());
    if (componentType(type) != memoryType(type) || bitWidth(type) < 32)
      fail(op, "target " + target_ + " reduces rows of f32 and i32 only");
    set(reduce, b.matrixReduceRows(one(reduce.getSrc()), combineFunction(reduce.getKind(), type)));
  } else if (auto convert = dyn_cast<simt::FragmentConvertOp>(op)) {
    need(op, Feature::MatrixConversions);
    set(convert, b.matrixConvert(one(convert.getSrc()), fragmentType(op, convert.getType())));
  } else if (auto places = dyn_cast<simt::FragmentCoordinatesOp>(op)) {
    printCoordinates(places);
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
