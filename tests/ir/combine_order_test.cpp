// Which functions of reductions are proved to commute. Each row is the body of a function; those that are not proved
// are combined in the order of the axis, so a wrong "commutes" is a wrong result and a wrong "does not" costs time
// only.
#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tegula::tile {
namespace {

struct Row {
  const char *name;
  const char *types; // of the operands: the accumulators %a, %b, ..., the elements %A, %B, ...
  const char *body;
  bool commutes;
  bool isOneOp = false;
};

constexpr Row kRows[] = {
    // One op.
    {"sum", "f32", "%r = arith.addf %a, %A : f32\n tile.yield %r : f32", true, true},
    {"swapped_sum", "i32", "%r = arith.addi %A, %a : i32\n tile.yield %r : i32", true, true},
    {"smallest", "i8", "%r = arith.minui %a, %A : i8\n tile.yield %r : i8", true, true},
    {"either", "i1", "%r = arith.ori %a, %A : i1\n tile.yield %r : i1", true, true},
    {"difference", "i32", "%r = arith.subi %a, %A : i32\n tile.yield %r : i32", false},
    {"first", "i32", "tile.yield %a : i32", false},
    {"last", "f32", "tile.yield %A : f32", false},
    {"dropped_sum", "i32", "%r = arith.addi %a, %A : i32\n tile.yield %A : i32", false},
    {"twice_the_left", "i32", "%r = arith.addi %a, %a : i32\n tile.yield %r : i32", false},
    {"truth_and_one", "i8",
     "%l = arith.cmpi sge, %a, %A : i8\n %r = arith.extsi %l : i1 to i32\n"
     "%o = arith.constant 1 : i8\n %s = arith.extsi %o : i8 to i32\n %m = arith.cmpi sgt, %a, %A : i8\n"
     "%t = arith.select %m, %r, %s : i32\n %u = arith.trunci %t : i32 to i8\n tile.yield %u : i8",
     false},
    {"shift", "i32", "%r = arith.shli %a, %A : i32\n tile.yield %r : i32", false},
    {"quotient", "i32", "%r = arith.divsi %a, %A : i32\n tile.yield %r : i32", false},
    // Several results.
    {"extent", "f32, f32, i32",
     "%r = arith.minnumf %a, %A : f32\n %s = arith.maxnumf %b, %B : f32\n %t = arith.addi %c, %C : i32\n"
     "tile.yield %r, %s, %t : f32, f32, i32",
     true},
    {"exchanged", "i32, i32", "tile.yield %B, %a : i32, i32", false},
    {"affine", "i32, i32",
     "%r = arith.muli %a, %A : i32\n %s = arith.muli %b, %A : i32\n %t = arith.addi %s, %B : i32\n"
     "tile.yield %r, %t : i32, i32",
     false},
    {"complex_product", "f32, f32",
     "%r = arith.mulf %a, %A : f32\n %s = arith.mulf %b, %B : f32\n %t = arith.subf %r, %s : f32\n"
     "%u = arith.mulf %a, %B : f32\n %v = arith.mulf %b, %A : f32\n %w = arith.addf %u, %v : f32\n"
     "tile.yield %t, %w : f32, f32",
     true},
    {"quaternion_part", "i32, i32",
     "%r = arith.muli %a, %B : i32\n %s = arith.muli %b, %A : i32\n %t = arith.subi %r, %s : i32\n"
     "tile.yield %t, %t : i32, i32",
     false},
    // Arithmetic: exact for integers, up to rounding for floats.
    {"sum_and_product", "i32",
     "%r = arith.muli %a, %A : i32\n %s = arith.addi %r, %a : i32\n %t = arith.addi %s, %A : i32\n"
     "tile.yield %t : i32",
     true},
    {"mean", "f32",
     "%h = arith.constant 5.0e-01 : f32\n %r = arith.mulf %a, %h : f32\n %s = arith.mulf %A, %h : f32\n"
     "%t = arith.addf %s, %r : f32\n tile.yield %t : f32",
     true},
    {"weighted_mean", "f32",
     "%h = arith.constant 5.0e-01 : f32\n %q = arith.constant 2.5e-01 : f32\n %r = arith.mulf %a, %h : f32\n"
     "%s = arith.mulf %A, %q : f32\n %t = arith.addf %s, %r : f32\n tile.yield %t : f32",
     false},
    {"wide_sum", "f16",
     "%r = arith.extf %a : f16 to f32\n %s = arith.extf %A : f16 to f32\n %t = arith.addf %s, %r : f32\n"
     "%u = tile.fp_cast %t : f32 -> f16\n tile.yield %u : f16",
     true},
    {"equal_as_f16", "f32",
     "%x = tile.fp_cast %a : f32 -> f16\n %y = tile.fp_cast %A : f32 -> f16\n %k = arith.cmpf ogt, %x, %y : f16\n"
     "%l = arith.cmpf olt, %x, %y : f16\n %m = arith.cmpf oeq, %x, %y : f16\n %s = arith.addf %a, %A : f32\n"
     "%t = arith.select %m, %a, %s : f32\n %u = arith.select %l, %A, %t : f32\n"
     "%r = arith.select %k, %a, %u : f32\n tile.yield %r : f32",
     false},
    {"largest_by_f32", "f16",
     "%x = arith.extf %a : f16 to f32\n %y = arith.extf %A : f16 to f32\n %k = arith.cmpf ogt, %x, %y : f32\n"
     "%l = arith.cmpf olt, %x, %y : f32\n %m = arith.cmpf oeq, %x, %y : f32\n %s = arith.addf %a, %A : f16\n"
     "%t = arith.select %m, %a, %s : f16\n %u = arith.select %l, %A, %t : f16\n"
     "%r = arith.select %k, %a, %u : f16\n tile.yield %r : f16",
     true},
    {"divisor_of_one_side", "f32",
     "%z = arith.constant 0.0 : f32\n %o = arith.constant 1.0 : f32\n %k = arith.cmpf oeq, %A, %z : f32\n"
     "%q = arith.divf %a, %A : f32\n %s = arith.select %k, %o, %q : f32\n %p = arith.mulf %s, %A : f32\n"
     "%r = arith.addf %p, %A : f32\n tile.yield %r : f32",
     false},
    {"welford", "f32, f32, f32",
     "%z = arith.constant 0.0 : f32\n %d = arith.subf %A, %a : f32\n %w = arith.addf %c, %C : f32\n"
     "%k = arith.cmpf oeq, %w, %z : f32\n %q = arith.divf %C, %w : f32\n %s = arith.select %k, %z, %q : f32\n"
     "%e = arith.mulf %d, %s : f32\n %m = arith.addf %a, %e : f32\n %n = arith.addf %b, %B : f32\n"
     "%f = arith.mulf %d, %d : f32\n %g = arith.mulf %f, %c : f32\n %h = arith.mulf %g, %s : f32\n"
     "%o = arith.addf %n, %h : f32\n tile.yield %m, %o, %w : f32, f32, f32",
     true},
    {"wrong_welford", "f32, f32", // a sum in place of the difference
     "%d = arith.addf %A, %a : f32\n %w = arith.addf %b, %B : f32\n %q = arith.divf %b, %w : f32\n"
     "%e = arith.mulf %d, %q : f32\n %m = arith.addf %a, %e : f32\n tile.yield %m, %w : f32, f32",
     false},
    {"log_sum_of_exponentials", "f32, f32",
     "%m = arith.maxnumf %a, %A : f32\n %d = arith.subf %a, %m : f32\n %e = arith.subf %A, %m : f32\n"
     "%x = math.exp %d : f32\n %y = math.exp %e : f32\n %s = arith.mulf %b, %x : f32\n %t = arith.mulf %B, %y : f32\n"
     "%u = arith.addf %s, %t : f32\n tile.yield %m, %u : f32, f32",
     true},
    // Comparisons.
    {"larger_integer", "i32",
     "%g = arith.cmpi sgt, %a, %A : i32\n %r = arith.select %g, %a, %A : i32\n tile.yield %r : i32", true},
    {"larger_float", "f32", // of a NaN and a number the right one
     "%g = arith.cmpf ogt, %a, %A : f32\n %r = arith.select %g, %a, %A : f32\n tile.yield %r : f32", false},
    {"larger_magnitude", "i32",
     "%x = math.absi %a : i32\n %y = math.absi %A : i32\n %g = arith.cmpi sgt, %x, %y : i32\n"
     "%e = arith.cmpi eq, %x, %y : i32\n %m = arith.maxsi %a, %A : i32\n %s = arith.select %e, %m, %A : i32\n"
     "%r = arith.select %g, %a, %s : i32\n tile.yield %r : i32",
     true},
    {"any_of_equal_magnitude", "i32",
     "%x = math.absi %a : i32\n %y = math.absi %A : i32\n %g = arith.cmpi sgt, %x, %y : i32\n"
     "%r = arith.select %g, %a, %A : i32\n tile.yield %r : i32",
     false},
    {"argmax_of_integers", "i32, i32",
     "%g = arith.cmpi sgt, %a, %A : i32\n %e = arith.cmpi eq, %a, %A : i32\n %l = arith.cmpi slt, %b, %B : i32\n"
     "%f = arith.andi %e, %l : i1\n %w = arith.ori %g, %f : i1\n %r = arith.select %w, %a, %A : i32\n"
     "%s = arith.select %w, %b, %B : i32\n tile.yield %r, %s : i32, i32",
     true},
    {"argmax_of_floats", "f32, i32", // a NaN on the left is never taken
     "%g = arith.cmpf ogt, %a, %A : f32\n %e = arith.cmpf oeq, %a, %A : f32\n %l = arith.cmpi slt, %b, %B : i32\n"
     "%f = arith.andi %e, %l : i1\n %w = arith.ori %g, %f : i1\n %r = arith.select %w, %a, %A : f32\n"
     "%s = arith.select %w, %b, %B : i32\n tile.yield %r, %s : f32, i32",
     false},
    {"index_with_nans", "f32, i32", // a NaN is larger than any number
     "%g = arith.cmpf ogt, %a, %A : f32\n %e = arith.cmpf oeq, %a, %A : f32\n %x = arith.cmpf une, %a, %a : f32\n"
     "%y = arith.cmpf une, %A, %A : f32\n %t = arith.constant true\n %v = arith.xori %y, %t : i1\n"
     "%o = arith.andi %x, %v : i1\n %h = arith.ori %g, %o : i1\n %p = arith.andi %x, %y : i1\n"
     "%q = arith.ori %e, %p : i1\n %l = arith.cmpi slt, %b, %B : i32\n %f = arith.andi %q, %l : i1\n"
     "%w = arith.ori %h, %f : i1\n %s = arith.select %w, %b, %B : i32\n %m = arith.maximumf %a, %A : f32\n"
     "tile.yield %m, %s : f32, i32",
     true},
    {"first_of_equals", "i32, i32",
     "%g = arith.cmpi sge, %a, %A : i32\n %r = arith.select %g, %a, %A : i32\n %s = arith.select %g, %b, %B : i32\n"
     "tile.yield %r, %s : i32, i32",
     false},
    {"last_that_is_set", "i32, i1",
     "%r = arith.select %B, %A, %a : i32\n %s = arith.ori %b, %B : i1\n tile.yield %r, %s : i32, i1", false},
    {"smaller_or_nan", "f32", // of two equal numbers, or of a NaN and a number, the left one
     "%g = arith.cmpf ule, %a, %A : f32\n %r = arith.select %g, %a, %A : f32\n tile.yield %r : f32", false},
    {"number_of_nans", "f32, i32",
     "%x = arith.cmpf uno, %a, %A : f32\n %y = arith.cmpf ord, %A, %a : f32\n %r = arith.addi %b, %B : i32\n"
     "%s = arith.select %x, %r, %b : i32\n %t = arith.select %y, %r, %s : i32\n %m = arith.maximumf %a, %A : f32\n"
     "tile.yield %m, %t : f32, i32",
     true},
    {"constant_nan", "f32", // never true
     "%n = arith.constant 0x7FC00000 : f32\n %g = arith.cmpf oge, %a, %n : f32\n %m = arith.maxnumf %a, %A : f32\n"
     "%r = arith.select %g, %a, %m : f32\n tile.yield %r : f32",
     true},
    // Assertions are results, too.
    {"asserted_sum", "i32",
     "%r = arith.addi %a, %A : i32\n %l = arith.constant 100 : i32\n %c = arith.cmpi slt, %r, %l : i32\n"
     "tile.assert %c, \"small\" : i1\n tile.yield %r : i32",
     true},
    {"asserted_order", "i32",
     "%c = arith.cmpi sle, %a, %A : i32\n tile.assert %c, \"sorted\" : i1\n %r = arith.maxsi %a, %A : i32\n"
     "tile.yield %r : i32",
     false},
    {"assumed_order", "i32",
     "%c = arith.cmpi sle, %a, %A : i32\n tile.assume %c : i1\n %r = arith.maxsi %a, %A : i32\n"
     "tile.yield %r : i32",
     true},
    // Not understood.
    {"branch", "i32",
     "%c = arith.cmpi sgt, %a, %A : i32\n %r = scf.if %c -> i32 {\n scf.yield %a : i32\n } else {\n"
     "scf.yield %A : i32\n }\n tile.yield %r : i32",
     false},
};

class CombineOrder : public testing::TestWithParam<Row> {};

TEST_P(CombineOrder, is_proved) {
  const Row &row = GetParam();
  MLIRContext context;
  context.loadDialect<TileDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect>();
  SmallVector<StringRef> types;
  StringRef(row.types).split(types, ", ");
  std::string parameters, operands, tensors, results, arguments;
  for (int side : {0, 1})
    for (auto [number, type] : llvm::enumerate(types)) {
      std::string separator = number + size_t(side) ? ", " : "";
      arguments += separator + "%" + char((side ? 'A' : 'a') + number) + ": " + type.str();
      if (side)
        continue;
      parameters += separator + "%x" + std::to_string(number) + ": tensor<8x" + type.str() + ">";
      operands += separator + "%x" + std::to_string(number);
      tensors += separator + "tensor<8x" + type.str() + ">";
      results += separator + type.str();
    }
  std::string text = "func.func @f(" + parameters + ") {\n %0:" + std::to_string(types.size()) + " = tile.reduce(" +
                     operands + ") axis 0 : (" + tensors + ") -> (" + results + ") {\n ^bb0(" + arguments + "):\n" +
                     row.body + "\n }\n return\n}";
  auto module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text;
  module->walk([&](ReduceOp reduce) {
    EXPECT_EQ(reduce.commutes(), row.commutes);
    EXPECT_EQ(reduce.isOneCommutativeOp(), row.isOneOp);
    reduce.setAnyOrder(true);
    EXPECT_TRUE(reduce.commutes());
  });
}

INSTANTIATE_TEST_SUITE_P(Functions, CombineOrder, testing::ValuesIn(kRows),
                         [](auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace tegula::tile
