// The law of linear forms: where a form's conditions hold, it gives every element of values of random functions. A mask
// is all true if its conditions hold and, if nothing wrapped, only then.
#include "core/passes/analysis/LinearForm.h"
#include "tests/passes/Interpreter.h"
#include "tests/passes/RandomTiles.h"
#include "tests/passes/TileTest.h"
#include "tests/support/Turn.h"

using namespace mlir;
using namespace tegula::tile;
using namespace tegula::tile::test;

namespace {

struct Subject {
  Value value, base; // base: of pointers only
  LinearForm form;   // unused for a mask
  SmallVector<Value> conditions;
  bool mayHold;
};

/// The linear forms of all tensors of the function's outermost block; their scalars are emitted at its end.
std::vector<Subject> subjectsOf(func::FuncOp function) {
  std::vector<Value> tensors;
  for (Operation &op : function.front())
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()))
        tensors.push_back(result);
  OpBuilder builder(function.front().getTerminator());
  std::vector<Subject> subjects;
  for (Value value : tensors) {
    LinearForms forms(builder, builder.getUnknownLoc());
    Subject subject{value, {}, {}, {}, true};
    Type element = getElementTypeOrSelf(value.getType());
    if (isPtrScalar(element)) {
      std::optional<LinearForms::Pointers> found = forms.ofPointers(value);
      if (!found)
        continue;
      subject.base = found->base;
      subject.form = found->offsets;
    } else if (element.isInteger(1)) {
      if (!forms.requireAll(value))
        continue;
    } else if (std::optional<LinearForm> found = forms.of(value)) {
      subject.form = *found;
    } else {
      continue;
    }
    subject.conditions.assign(forms.conditions().begin(), forms.conditions().end());
    subject.mayHold = forms.mayHold();
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

struct LinearFormLaw : TileTest {
  /// Checks one run of the function and counts the cases.
  void check(func::FuncOp function, ArrayRef<Subject> subjects, const std::vector<int64_t> &arguments,
             int64_t program) {
    Interpreter interpreter(function, arguments, program);
    llvm::DenseMap<Value, Snapshot> now;
    for (const auto &[value, snapshot] : interpreter.history())
      now[value] = snapshot;
    auto scalar = [&](Value value) { return value ? now.find(value)->second.elements[0] : 0; };
    for (const Subject &subject : subjects) {
      const Snapshot &actual = now.find(subject.value)->second;
      if (actual.undefined)
        continue;
      bool holds = llvm::all_of(subject.conditions, [&](Value condition) { return scalar(condition) != 0; });
      ASSERT_TRUE(subject.mayHold || !holds);
      ArrayRef<int64_t> shape = shapeOf(subject.value.getType());
      Type element = getElementTypeOrSelf(subject.value.getType());
      if (element.isInteger(1)) {
        bool isFull = llvm::all_of(actual.elements, [](int64_t bit) { return bit != 0; });
        ASSERT_TRUE(isFull || !holds);
        ASSERT_TRUE(holds || !isFull || actual.wrapped);
        ++(isFull ? fullMasks : otherMasks);
        continue;
      }
      if (!holds) {
        ++unmet;
        ASSERT_TRUE(actual.wrapped);
        continue;
      }
      bool isPointer = isPtrScalar(element);
      int64_t bytes = isPointer ? cast<PtrType>(element).getPointee().getIntOrFloatBitWidth() / 8 : 1;
      ++(isPointer ? pointers : integers);
      for (size_t i = 0; i < actual.elements.size(); ++i) {
        uint64_t expected = uint64_t(scalar(subject.form.start));
        int64_t rest = int64_t(i);
        for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
          expected += uint64_t(rest % shape[axis]) * uint64_t(scalar(subject.form.steps[axis]));
        expected = expected * uint64_t(bytes) + uint64_t(isPointer ? scalar(subject.base) : 0);
        ASSERT_EQ(actual.elements[i], int64_t(expected)) << "element " << i;
      }
    }
  }

  int64_t integers = 0, pointers = 0, fullMasks = 0, otherMasks = 0, unmet = 0;
};

/// Sums and products of arguments and of ranges along two axes, like the indices of matrices in kernels.
class RandomMatrix {
public:
  RandomMatrix(MLIRContext &context, uint64_t seed) : b_(&context), random_(seed) {
    module_ = ModuleOp::create(b_.getUnknownLoc());
    b_.setInsertionPointToEnd(module_->getBody());
    Type i32 = b_.getI32Type(), i64 = b_.getI64Type(), pointer = PtrType::get(b_.getF16Type());
    function_ = make<func::FuncOp>("f", b_.getFunctionType({i32, i32, i32, i64, pointer}, {}));
    b_.setInsertionPointToStart(function_.addEntryBlock());
    Value wide = make<arith::ExtSIOp>(tensor(i64), sum());
    if (below(2))
      wide = make<arith::MulIOp>(wide, make<SplatOp>(tensor(i64), function_.getArgument(3)));
    Value all = make<SplatOp>(tensor(pointer), function_.getArgument(4));
    all = make<AddPtrOp>(all, sum());
    if (below(2))
      all = make<AddPtrOp>(all, wide);
    auto limit = [&] {
      constexpr arith::CmpIPredicate kPredicates[] = {arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
                                                      arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
      return make<arith::CmpIOp>(kPredicates[below(4)], sum(), sum());
    };
    Value mask = limit();
    if (below(2))
      make<arith::AndIOp>(mask, limit());
    make<TransOp>(all, ArrayRef<int32_t>{1, 0});
    make<func::ReturnOp>();
  }

  func::FuncOp function() { return function_; }
  int64_t below(int64_t count) { return int64_t(random_() % uint64_t(count)); }
  std::vector<int64_t> arguments() {
    auto integer = [&](unsigned bits) {
      int64_t most = std::numeric_limits<int64_t>::max() >> (64 - bits);
      switch (below(5)) {
      case 0: return most - below(40);
      case 1: return -most + below(40);
      case 2: return most / (1 + below(40));
      default: return below(100) - 30;
      }
    };
    return {integer(32), integer(32), integer(32), integer(64), 4096 + 16 * below(100)};
  }

private:
  template <class Op, class... Arguments> Op make(Arguments &&...arguments) {
    return Op::create(b_, b_.getUnknownLoc(), std::forward<Arguments>(arguments)...);
  }
  Type tensor(Type element) { return RankedTensorType::get({8, 16}, element); }

  Value term() {
    Type type = tensor(b_.getI32Type());
    if (below(3) == 0)
      return make<SplatOp>(type, function_.getArgument(unsigned(below(3))));
    int64_t axis = below(2), extent = axis ? 16 : 8, start = below(3) * extent;
    Value range = make<MakeRangeOp>(uint32_t(start), uint32_t(start + extent));
    return make<BroadcastOp>(type, make<ExpandDimsOp>(range, uint32_t(1 - axis)));
  }
  Value sum() {
    Value value = term();
    for (int64_t terms = below(4); terms > 0; --terms)
      switch (below(4)) {
      case 0: value = make<arith::SubIOp>(value, term()); break;
      case 1:
        value = make<arith::MulIOp>(value, make<SplatOp>(value.getType(), function_.getArgument(unsigned(below(3)))));
        break;
      default: value = make<arith::AddIOp>(term(), value); break;
      }
    return value;
  }

  OpBuilder b_;
  std::mt19937_64 random_;
  OwningOpRef<ModuleOp> module_;
  func::FuncOp function_;
};

constexpr uint64_t kFunctions = 500; // of 1,000

} // namespace

TEST_F(LinearFormLaw, HoldsOfRandomFunctions) {
  const uint64_t first = tegula::turnOf(2) * kFunctions;
  for (uint64_t seed = first; seed < first + kFunctions; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTiles tiles(context, seed);
    std::vector<Subject> subjects = subjectsOf(tiles.function());
    for (int run = 0; run < 4 && !HasFatalFailure(); ++run)
      check(tiles.function(), subjects, tiles.arguments(), tiles.below(40));
  }
  EXPECT_GT(integers, 1000);
  EXPECT_GT(pointers, 1000);
}

TEST_F(LinearFormLaw, HoldsOfRandomMatrices) {
  const uint64_t first = tegula::turnOf(2) * kFunctions;
  for (uint64_t seed = first; seed < first + kFunctions; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomMatrix matrix(context, seed);
    std::vector<Subject> subjects = subjectsOf(matrix.function());
    for (int run = 0; run < 8 && !HasFatalFailure(); ++run)
      check(matrix.function(), subjects, matrix.arguments(), 0);
  }
  // Each kind of case must have occurred.
  for (int64_t count : {integers, pointers, fullMasks, otherMasks, unmet})
    EXPECT_GT(count, 1000);
}
