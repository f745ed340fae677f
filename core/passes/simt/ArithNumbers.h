// A number type for the algorithm templates of core/math whose values are IR: scalars or vectors of f32 or f64,
// integers of the same width, or i1. Instantiating an algorithm with it emits the algorithm's ops.
#pragma once

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <array>

namespace tegula::simt {

template <unsigned width> class ArithNumbers {
public:
  static constexpr unsigned kBits = width;
  using Value = mlir::Value;
  using RealValue = Value;
  using WholeValue = Value;
  using TruthValue = Value;

  /// Emits numbers of the shape of `like`. `fuses`: the target has a fused multiply-add instruction.
  ArithNumbers(mlir::OpBuilder &builder, mlir::Location location, mlir::Type like, bool fuses)
      : b_(builder), location_(location), fuses_(fuses) {
    auto shaped = [&](mlir::Type element) -> mlir::Type {
      auto vector = llvm::dyn_cast<mlir::VectorType>(like);
      return vector ? vector.clone(element) : element;
    };
    real_ = shaped(width == 32 ? b_.getF32Type() : b_.getF64Type());
    whole_ = shaped(b_.getIntegerType(width));
    truth_ = shaped(b_.getI1Type());
  }

  Value real(double value) { return constant(real_, b_.getFloatAttr(getElementTypeOrSelf(real_), value)); }
  Value whole(uint64_t value) {
    return constant(whole_, b_.getIntegerAttr(getElementTypeOrSelf(whole_), llvm::APInt(64, value).trunc(width)));
  }
  Value add(Value x, Value y) { return make<mlir::arith::AddFOp>(x, y); }
  Value subtract(Value x, Value y) { return make<mlir::arith::SubFOp>(x, y); }
  Value multiply(Value x, Value y) { return make<mlir::arith::MulFOp>(x, y); }
  Value divide(Value x, Value y) { return make<mlir::arith::DivFOp>(x, y); }
  Value negate(Value x) { return make<mlir::arith::NegFOp>(x); }
  Value squareRoot(Value x) { return make<mlir::math::SqrtOp>(x); }
  Value nativeExp2(Value x) { return make<mlir::math::Exp2Op>(x); }
  Value fuse(Value x, Value y, Value z) {
    return fuses_ ? Value(mlir::math::FmaOp::create(b_, location_, x, y, z)) : add(multiply(x, y), z);
  }
  Value less(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OLT, x, y); }
  Value equal(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OEQ, x, y); }
  Value bits(Value x) { return mlir::arith::BitcastOp::create(b_, location_, whole_, x); }
  Value fromBits(Value x) { return mlir::arith::BitcastOp::create(b_, location_, real_, x); }
  Value addWhole(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value subtractWhole(Value x, Value y) { return make<mlir::arith::SubIOp>(x, y); }
  Value multiplyWhole(Value x, Value y) { return make<mlir::arith::MulIOp>(x, y); }
  Value multiplyHigh(Value x, Value y) { return mlir::arith::MulUIExtendedOp::create(b_, location_, x, y).getHigh(); }
  Value modulo(Value x, Value y) { return make<mlir::arith::RemUIOp>(x, y); }
  Value both(Value x, Value y) { return make<mlir::arith::AndIOp>(x, y); }
  Value either(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value differ(Value x, Value y) { return make<mlir::arith::XOrIOp>(x, y); }
  Value shiftLeft(Value x, Value y) { return make<mlir::arith::ShLIOp>(x, y); }
  Value shiftRight(Value x, Value y) { return make<mlir::arith::ShRUIOp>(x, y); }
  Value leadingZeros(Value x) { return make<mlir::math::CountLeadingZerosOp>(x); }
  Value lessWhole(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::ult, x, y); }
  Value lessSigned(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::slt, x, y); }
  Value equalWhole(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::eq, x, y); }
  Value andTruth(Value x, Value y) { return make<mlir::arith::AndIOp>(x, y); }
  Value orTruth(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value notTruth(Value x) { return make<mlir::arith::XOrIOp>(x, constant(truth_, b_.getBoolAttr(true))); }
  Value select(Value condition, Value x, Value y) { return make<mlir::arith::SelectOp>(condition, x, y); }

  /// Emits a loop that repeats `step` while `more` is true for at least one of the thread's elements.
  template <class State, class More, class Step> State loop(State state, More &&more, Step &&step) {
    llvm::SmallVector<mlir::Type> types(state.size(), whole_);
    auto loop = mlir::scf::WhileOp::create(
        b_, location_, types, mlir::ValueRange(state),
        [&](mlir::OpBuilder &, mlir::Location, mlir::ValueRange values) {
          Value wanted = more(taken<State>(values));
          if (llvm::isa<mlir::VectorType>(truth_)) {
            auto one = mlir::VectorType::get({1}, b_.getI1Type());
            wanted = ReduceRegistersOp::create(b_, location_, one, CombineKind::OrI, wanted, 0);
            wanted = PickOp::create(b_, location_, b_.getI1Type(), wanted, llvm::ArrayRef<int32_t>{0});
          }
          mlir::scf::ConditionOp::create(b_, location_, wanted, values);
        },
        [&](mlir::OpBuilder &, mlir::Location, mlir::ValueRange values) {
          State next = step(taken<State>(values));
          mlir::scf::YieldOp::create(b_, location_, mlir::ValueRange(next));
        });
    loop->setAttr(kDivergentAttr, b_.getUnitAttr());
    return taken<State>(loop.getResults());
  }

private:
  template <class Op, class... Operands> Value make(Operands... operands) {
    return Op::create(b_, location_, operands...);
  }
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b_, location_, predicate, x, y);
  }
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpIOp::create(b_, location_, predicate, x, y);
  }
  Value constant(mlir::Type type, mlir::TypedAttr value) {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      value = mlir::DenseElementsAttr::get(vector, mlir::Attribute(value));
    return mlir::arith::ConstantOp::create(b_, location_, value);
  }
  template <class State> State taken(mlir::ValueRange values) {
    State state;
    llvm::copy(values, state.begin());
    return state;
  }

  mlir::OpBuilder &b_;
  mlir::Location location_;
  bool fuses_;
  mlir::Type real_, whole_, truth_;
};

} // namespace tegula::simt
