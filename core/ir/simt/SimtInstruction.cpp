// The attribute #simt.instruction: a matrix instruction of the target.
#include "core/ir/Numbers.h"
#include "core/ir/simt/Simt.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <array>

// MLIR generates static functions of these names for each dialect, and a unity build compiles two dialects together, so
// they are renamed.
#define generatedAttributeParser simtAttributeParser
#define generatedAttributePrinter simtAttributePrinter
#define GET_ATTRDEF_CLASSES
#include "core/ir/simt/SimtAttributes.cpp.inc"
#undef generatedAttributeParser
#undef generatedAttributePrinter

using namespace mlir;

namespace tegula::simt {
namespace {

/// The names, in the order of OperandPlace.
constexpr std::array<StringLiteral, 4> kPlaces = {"registers", "shared", "either", "fragment"};

OperandAttr operandOf(MLIRContext *context, const MatrixOperand &operand, bool readsTf32) {
  layout_ir::DistributedAttr layout;
  if (!operand.layout.shape().empty())
    layout = layout_ir::DistributedAttr::get(context, operand.layout);
  Type type = readsTf32 ? Type(FloatTF32Type::get(context)) : tile::typeOf(context, operand.type);
  return OperandAttr::get(context, type, operand.place, layout);
}

} // namespace

InstructionAttr instructionOf(Operation *dot) { return dot->getAttrOfType<InstructionAttr>(kInstructionAttr); }

void SimtDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "core/ir/simt/SimtAttributes.cpp.inc"
      >();
}

Attribute OperandAttr::parse(AsmParser &parser, Type) {
  Type element;
  StringRef place;
  layout_ir::DistributedAttr layout;
  if (parser.parseLess() || parser.parseType(element))
    return {};
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&place))
    return {};
  const auto *found = llvm::find(kPlaces, place);
  if (found == kPlaces.end()) {
    parser.emitError(at) << "expected registers, shared, either or fragment, found '" << place << "'";
    return {};
  }
  if (failed(parser.parseOptionalGreater()))
    if (parser.parseCustomAttributeWithFallback(layout) || parser.parseGreater())
      return {};
  return get(parser.getContext(), element, OperandPlace(found - kPlaces.begin()), layout);
}

void OperandAttr::print(AsmPrinter &printer) const {
  printer << '<' << getElementType() << ' ' << kPlaces[size_t(getPlace())];
  if (getLayout()) {
    printer << ' ';
    printer.printStrippedAttrOrType(getLayout());
  }
  printer << '>';
}

Attribute InstructionAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SmallVector<int64_t> shape;
  std::array<OperandAttr, 3> operands;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&name) || parser.parseComma() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/false))
    return {};
  for (auto [keyword, operand] : llvm::zip(std::array<StringRef, 3>{"a", "b", "c"}, operands))
    if (parser.parseComma() || parser.parseKeyword(keyword) || parser.parseCustomAttributeWithFallback(operand))
      return {};
  if (parser.parseGreater())
    return {};
  if (shape.size() != 3) {
    parser.emitError(at) << "expected an instruction's m x n x k, found " << shape.size() << " extents";
    return {};
  }
  return parser.getChecked<InstructionAttr>(at, parser.getContext(), name, shape[0], shape[1], shape[2], operands[0],
                                            operands[1], operands[2]);
}

void InstructionAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getName());
  printer << ", " << getM() << 'x' << getN() << 'x' << getK();
  for (auto [name, operand] : llvm::zip(std::array<StringRef, 3>{"a", "b", "c"}, std::array{getA(), getB(), getC()})) {
    printer << ", " << name << ' ';
    printer.printStrippedAttrOrType(operand);
  }
  printer << '>';
}

LogicalResult InstructionAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef, int64_t m, int64_t n,
                                      int64_t k, OperandAttr a, OperandAttr b, OperandAttr c) {
  for (int64_t extent : {m, n, k})
    if (extent <= 0)
      return emitError() << "expected a positive m, n and k, found " << extent;
  auto fits = [&](StringRef name, OperandAttr operand, int64_t rows, int64_t columns) -> LogicalResult {
    bool hasLayout = operand.getPlace() == OperandPlace::Registers || operand.getPlace() == OperandPlace::Either;
    if (hasLayout != bool(operand.getLayout()))
      return emitError() << "expected a layout of " << name << " if it can be in registers, and only then";
    if (!hasLayout)
      return success();
    // If an extent is no power of two, the layout is that of the next power of two.
    SmallVector<int64_t> shape = {int64_t(llvm::PowerOf2Ceil(rows)), int64_t(llvm::PowerOf2Ceil(columns))};
    layout_ir::DistributedAttr layout = operand.getLayout();
    bool isInside = layout.getRank() == 2 && layout.getBlocks().empty();
    for (ArrayRef<int64_t> bases : {layout.getRegisters(), layout.getLanes(), layout.getWarps()})
      for (size_t at = 0; isInside && at < bases.size(); ++at)
        isInside = bases[at] < shape[at % 2];
    if (!isInside || !layout.getLayout(shape).isSurjective())
      return emitError() << "expected a layout of " << rows << 'x' << columns << " for " << name << ", found "
                         << layout;
    return success();
  };
  if ((a.getPlace() == OperandPlace::Fragment) != (c.getPlace() == OperandPlace::Fragment) ||
      (b.getPlace() == OperandPlace::Fragment) != (c.getPlace() == OperandPlace::Fragment))
    return emitError() << "expected all of A, B and C in fragments, or none";
  if (failed(fits("A", a, m, k)) || failed(fits("B", b, k, n)) || failed(fits("C", c, m, n)))
    return failure();
  for (OperandAttr operand : {a, b})
    if (operand.getLayout() && c.getLayout() &&
        operand.getLayout().getLanes().size() != c.getLayout().getLanes().size())
      return emitError() << "expected as many lanes in " << operand.getLayout() << " as in " << c.getLayout();
  return success();
}

InstructionAttr InstructionAttr::get(MLIRContext *context, const MatrixInstruction &instruction) {
  return get(context, instruction.name, instruction.m, instruction.n, instruction.k,
             operandOf(context, instruction.a, instruction.readsTf32),
             operandOf(context, instruction.b, instruction.readsTf32), operandOf(context, instruction.c, false));
}

} // namespace tegula::simt
