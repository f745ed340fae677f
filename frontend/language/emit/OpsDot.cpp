// The matrix product.
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/EnumText.h"

namespace tegula::lang {

using namespace mlir;

Tensor Emitter::dot(Loc loc, Tensor lhs, Tensor rhs, std::optional<Tensor> acc, const std::string &inputPrecision,
                    ElementType outType, int64_t maxImprecise) {
  size_t rank = lhs.shape.size();
  if ((rank != 2 && rank != 3) || rhs.shape.size() != rank)
    fail(loc, "dot needs two tensors of rank 2, or of rank 3 for a batch, found shapes " + str(lhs.shape) + " and " +
                  str(rhs.shape));
  bool sameBatch = rank == 2 || lhs.shape[0] == rhs.shape[0];
  if (lhs.shape[rank - 1] != rhs.shape[rank - 2] || !sameBatch)
    fail(loc, "dot's operands do not fit: " + str(lhs.shape) + " and " + str(rhs.shape) +
                  "; the columns of the first must be the rows of the second");
  bool bothFp8 = isFp8(lhs.type.scalar) && isFp8(rhs.type.scalar);
  if (lhs.type.isPointer() || rhs.type.isPointer() || (!(lhs.type == rhs.type) && !bothFp8))
    fail(loc, "dot's operands must have one type, found " + lhs.type.str() + " and " + rhs.type.str() +
                  "; convert one with .to()");
  if (lhs.type.isInteger() && !(lhs.type == ElementType(ScalarType::I8)))
    fail(loc, "dot takes i8 or floating-point operands, found " + lhs.type.str() + "; convert them with .to()");
  ElementType result = outType;
  if (lhs.type.isInteger())
    result = ScalarType::I32;
  else if (lhs.type == ElementType(ScalarType::F64))
    result = ScalarType::F64;
  else if (!(outType == ElementType(ScalarType::F16)) && !(outType == ElementType(ScalarType::F32)))
    fail(loc, "dot's out_dtype must be f32 or f16 for " + lhs.type.str() + " operands, found " + outType.str());
  else if (lhs.type == ElementType(ScalarType::F32) || lhs.type == ElementType(ScalarType::BF16))
    result = ScalarType::F32;
  Shape shape = lhs.shape;
  shape[rank - 1] = rhs.shape[rank - 1];
  checkSize(loc, shape);
  if (acc && acc->shape != shape)
    fail(loc, "dot's accumulator has shape " + str(acc->shape) + ", expected " + str(shape));
  if (acc && acc->type.isFloat() && acc->type == ElementType(ScalarType::F16) &&
      lhs.type == ElementType(ScalarType::F16))
    result = ScalarType::F16;
  if (acc && !(acc->type == result))
    fail(loc, "dot's accumulator is " + acc->type.str() + ", expected " + result.str());
  Tensor start = acc ? *acc : fullTensor(loc, shape, scalarConstant(loc, Const(Int(0)), result));
  using P = tile::InputPrecision;
  P precision = enumOf<P>(
      *this, loc, inputPrecision, "input precision",
      {{"tf32", P::Tf32}, {"ieee", P::Ieee}, {"tf32x3", P::Tf32x3}, {"bf16x3", P::Bf16x3}, {"bf16x6", P::Bf16x6}});
  auto op = tile::DotOp::create(builder, at(loc), lhs.value, rhs.value, start.value, precision,
                                static_cast<int32_t>(maxImprecise));
  return wrap(op, result, shape);
}

} // namespace tegula::lang
