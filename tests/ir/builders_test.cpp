// The builders for C++ code: inferred result types, regions filled by callbacks, ops that verify.
#include "core/ir/Locations.h"
#include "core/ir/Numbers.h"
#include "core/ir/Register.h"
#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tegula::tile {
namespace {

class BuildersTest : public ::testing::Test {
protected:
  BuildersTest() : context(registry()), builder(&context) {
    context.loadAllAvailableDialects();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
  }

  /// A function with parameters of these types; the builder inserts into its body.
  SmallVector<Value> open(ArrayRef<Type> params) {
    auto function = func::FuncOp::create(builder, loc(), "k", builder.getFunctionType(params, {}));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    end = func::ReturnOp::create(builder, loc());
    builder.setInsertionPoint(end);
    return SmallVector<Value>(block->getArguments());
  }

  Location loc() { return builder.getUnknownLoc(); }
  Type tensor(ArrayRef<int64_t> shape, Type element) { return RankedTensorType::get(shape, element); }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  Operation *end = nullptr;

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerTileDialects(registry);
    return registry;
  }
};

TEST_F(BuildersTest, ShapesAreInferred) {
  Type f32 = builder.getF32Type();
  Value x = open({tensor({4, 8}, f32)})[0];
  EXPECT_EQ(MakeRangeOp::create(builder, loc(), 0, 16).getType(), tensor({16}, builder.getI32Type()));
  EXPECT_EQ(ExpandDimsOp::create(builder, loc(), x, 1).getType(), tensor({4, 1, 8}, f32));
  EXPECT_EQ(TransOp::create(builder, loc(), x, ArrayRef<int32_t>{1, 0}).getType(), tensor({8, 4}, f32));
  EXPECT_EQ(ReshapeOp::create(builder, loc(), ArrayRef<int64_t>{32}, x).getType(), tensor({32}, f32));
  Value joined = JoinOp::create(builder, loc(), x, x);
  EXPECT_EQ(joined.getType(), tensor({4, 8, 2}, f32));
  EXPECT_EQ(SplitOp::create(builder, loc(), joined).getLhs().getType(), x.getType());
  Value row = ExpandDimsOp::create(builder, loc(), x, 0);
  EXPECT_EQ(BroadcastOp::create(builder, loc(), ArrayRef<int64_t>{2, 4, 8}, row).getType(), tensor({2, 4, 8}, f32));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(BuildersTest, MemoryTypesFollowThePointer) {
  Type f16 = builder.getF16Type(), ptr = PtrType::get(f16);
  SmallVector<Value> args = open({ptr, builder.getI32Type()});
  Value one = AddPtrOp::create(builder, loc(), args[0], args[1]);
  EXPECT_EQ(one.getType(), ptr);
  EXPECT_EQ(LoadOp::create(builder, loc(), one, Value(), Value()).getType(), f16);
  Value many = SplatOp::create(builder, loc(), ArrayRef<int64_t>{8}, one);
  EXPECT_EQ(many.getType(), tensor({8}, ptr));
  auto load = LoadOp::create(builder, loc(), many, Value(), Value(), CacheModifier::CacheGlobal,
                             EvictionPolicy::EvictLast, true);
  EXPECT_EQ(load.getType(), tensor({8}, f16));
  EXPECT_TRUE(load.getIsVolatile());
  StoreOp::create(builder, loc(), many, load, Value());
  Value old =
      AtomicRmwOp::create(builder, loc(), AtomicKind::FAdd, MemoryOrder::Relaxed, Scope::Device, many, load, Value());
  EXPECT_EQ(old.getType(), load.getType());
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(BuildersTest, RegionsAreFilled) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  SmallVector<Value> args = open({tensor({4, 8}, f32), tensor({4, 8}, i32)});
  auto first = [](OpBuilder &, ValueRange accumulators, ValueRange) { return SmallVector<Value>(accumulators); };
  auto reduce = ReduceOp::create(builder, loc(), ValueRange(args), 1, CombineBody(first));
  EXPECT_EQ(reduce.getResult(0).getType(), tensor({4}, f32));
  EXPECT_EQ(reduce.getResult(1).getType(), tensor({4}, i32));
  auto sum = [&](OpBuilder &inner, ValueRange accumulators, ValueRange elements) {
    return SmallVector<Value>{arith::AddFOp::create(inner, loc(), accumulators[0], elements[0])};
  };
  auto scan = ScanOp::create(builder, loc(), ValueRange(args).take_front(1), 0, /*reverse=*/true, sum);
  EXPECT_EQ(scan.getResult(0).getType(), args[0].getType());
  auto scalar = ReduceOp::create(builder, loc(), ValueRange(reduce.getResult(0)), 0, sum);
  EXPECT_EQ(scalar.getResult(0).getType(), f32);
  EXPECT_EQ(builder.getInsertionPoint(), Block::iterator(end));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(BuildersTest, DescriptorsMoveTheirBlock) {
  Type f16 = builder.getF16Type(), i32 = builder.getI32Type();
  SmallVector<Value> args = open({DescType::get({1, 32}, f16), i32, tensor({16}, i32)});
  SmallVector<Value> offsets = {args[1], args[1]};
  EXPECT_EQ(DescLoadOp::create(builder, loc(), args[0], offsets).getType(), tensor({1, 32}, f16));
  EXPECT_EQ(DescGatherOp::create(builder, loc(), args[0], args[2], args[1]).getType(), tensor({16, 32}, f16));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(BuildersTest, ElementTypesHaveNames) {
  for (auto [width, type] : {std::pair(1, ScalarType::I1),
                             {8, ScalarType::I8},
                             {16, ScalarType::I16},
                             {32, ScalarType::I32},
                             {64, ScalarType::I64}})
    EXPECT_EQ(scalarType(builder.getIntegerType(unsigned(width))), type);
  for (auto [type, name] : {std::pair<Type, ScalarType>(builder.getF16Type(), ScalarType::F16),
                            {builder.getBF16Type(), ScalarType::BF16},
                            {builder.getF32Type(), ScalarType::F32},
                            {builder.getF64Type(), ScalarType::F64},
                            {builder.getType<Float8E4M3FNType>(), ScalarType::F8E4M3},
                            {builder.getType<Float8E5M2Type>(), ScalarType::F8E5M2},
                            {builder.getType<Float8E4M3FNUZType>(), ScalarType::F8E4M3FNUZ},
                            {builder.getType<Float8E5M2FNUZType>(), ScalarType::F8E5M2FNUZ}}) {
    EXPECT_EQ(scalarType(type), name);
    EXPECT_EQ(scalarType(tensor({4, 8}, type)), name);
    EXPECT_EQ(scalarType(VectorType::get({4}, type)), name);
  }
  EXPECT_EQ(scalarType(builder.getIntegerType(24)), std::nullopt);
  EXPECT_EQ(scalarType(PtrType::get(builder.getF32Type())), std::nullopt);
  EXPECT_EQ(scalarType(builder.getIndexType()), std::nullopt);
}

TEST_F(BuildersTest, TheInnermostPlaceIsFound) {
  Location callee = FileLineColLoc::get(&context, "callee.py", 3, 5),
           caller = FileLineColLoc::get(&context, "k.py", 9, 1);
  SourceLocation place = locationOf(CallSiteLoc::get(NameLoc::get(builder.getStringAttr("helper"), callee), caller));
  EXPECT_EQ(place.file, "callee.py");
  EXPECT_EQ(place.line, 3u);
  EXPECT_EQ(place.column, 5u);
  EXPECT_EQ(locationOf(loc()).file, "");
  open({});
  end->setLoc(caller);
  try {
    failAt(end, "too late");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error &error) {
    EXPECT_EQ(error.diagnostic().message, "'func.return': too late");
    EXPECT_EQ(error.diagnostic().location.line, 9u);
  }
}

} // namespace
} // namespace tegula::tile
