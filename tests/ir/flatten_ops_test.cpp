// Constants, elementwise ops that are no table entries, regions, locations, and ops that cannot be flattened.
#include "tests/ir/FlattenFixture.h"

#include <gmock/gmock.h>

namespace tegula::cpu {
namespace {

using ::testing::HasSubstr;

/// A kernel that stores the tensor `%r` (four elements of `element`) that `body` defines from the pointers %x and %out.
std::string kernel4(const std::string &body, const std::string &element, const std::string &params = "") {
  std::string ptr = "!tile.ptr<" + element + ">", ptrs = "tensor<4x" + ptr + ">";
  return "func.func @k(%out: " + ptr + params + ") {\n  %o = tile.make_range 0 to 4\n" + body +
         "\n  %ps = tile.splat %out : " + ptr + " -> " + ptrs + "\n  %p = tile.addptr %ps, %o : " + ptrs +
         ", tensor<4xi32>\n  tile.store %p, %r : " + ptrs + "\n  return\n}";
}

TEST_F(FlattenTest, Constants) {
  std::vector<int32_t> ints(4);
  run(kernel4("%r = arith.constant dense<[1, -2, 2147483647, -2147483648]> : tensor<4xi32>", "i32"), {pointer(ints)});
  EXPECT_EQ(ints, (std::vector<int32_t>{1, -2, INT32_MAX, INT32_MIN}));
  run(kernel4("%r = arith.constant dense<-7> : tensor<4xi32>", "i32"), {pointer(ints)});
  EXPECT_EQ(ints, (std::vector<int32_t>(4, -7)));
  std::vector<double> doubles(4);
  run(kernel4("%r = arith.constant dense<[0.1, -0.0, 1.0e300, 0x7FF0000000000000]> : tensor<4xf64>", "f64"),
      {pointer(doubles)});
  EXPECT_EQ(doubles, (std::vector<double>{0.1, -0.0, 1e300, INFINITY}));
  std::vector<float> floats(4);
  run(kernel4("%r = arith.constant dense<0xFF800000> : tensor<4xf32>", "f32"), {pointer(floats)});
  EXPECT_EQ(floats, (std::vector<float>(4, -INFINITY)));
  std::vector<uint16_t> halves(4);
  run(kernel4("%r = arith.constant dense<[1.0, 2.0, -0.5, 0x7C00]> : tensor<4xf16>", "f16"), {pointer(halves)});
  EXPECT_EQ(halves, (std::vector<uint16_t>{0x3c00, 0x4000, 0xb800, 0x7c00}));
  std::vector<uint8_t> bools(4, 9);
  run(kernel4("%r = arith.constant dense<[true, false, false, true]> : tensor<4xi1>", "i1"), {pointer(bools)});
  EXPECT_EQ(bools, (std::vector<uint8_t>{1, 0, 0, 1}));
}

TEST_F(FlattenTest, EqualConstantsAreMadeOnceAndBeforeLoops) {
  Module module = flattenText(R"(
func.func @k(%out: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %one = arith.constant 1 : i32
    %seven = arith.constant 7 : i32
    %wide = arith.constant 1 : i64
    %s = arith.addi %one, %seven : i32
    %p = tile.addptr %out, %wide : !tile.ptr<i32>, i64
    tile.store %p, %s : !tile.ptr<i32>
  }
  return
})");
  const Function &function = module.functions[0];
  EXPECT_EQ(countOf(function, Opcode::ConstInt), 4u); // 0, 1 and 7 as i32, 1 as i64
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(function.code[i].opcode, Opcode::ConstInt) << "instruction " << i;
}

TEST_F(FlattenTest, ExtendedArithmetic) {
  const std::string operands = R"(
    %a = arith.constant dense<[-1, 2147483647, -2147483648, 65536]> : tensor<4xi32>
    %b = arith.constant dense<[-1, 2, -2147483648, 65536]> : tensor<4xi32>)";
  std::vector<int32_t> out(4);
  run(kernel4(operands + "%l, %r = arith.mulsi_extended %a, %b : tensor<4xi32>", "i32"), {pointer(out)});
  EXPECT_EQ(out, (std::vector<int32_t>{0, 0, 0x40000000, 1}));
  run(kernel4(operands + "%l, %r = arith.mului_extended %a, %b : tensor<4xi32>", "i32"), {pointer(out)});
  EXPECT_EQ(out, (std::vector<int32_t>{-2, 0, 0x40000000, 1}));
  run(kernel4(operands + "%r, %h = arith.mului_extended %a, %b : tensor<4xi32>", "i32"), {pointer(out)});
  EXPECT_EQ(out, (std::vector<int32_t>{1, -2, 0, 0}));
  run(kernel4(operands + R"(%s, %c = arith.addui_extended %a, %b : tensor<4xi32>, tensor<4xi1>
    %r = arith.extui %c : tensor<4xi1> to tensor<4xi32>)",
              "i32"),
      {pointer(out)});
  EXPECT_EQ(out, (std::vector<int32_t>{1, 0, 1, 0}));
}

TEST_F(FlattenTest, SelectWithAScalarCondition) {
  const std::string text = kernel4(R"(
    %a = arith.constant dense<1> : tensor<4xi32>
    %r = arith.select %c, %a, %o : i1, tensor<4xi32>)",
                                   "i32", ", %c: i1");
  std::vector<int32_t> out(4);
  run(text, {pointer(out), integer(1)});
  EXPECT_EQ(out, (std::vector<int32_t>{1, 1, 1, 1}));
  run(text, {pointer(out), integer(0)});
  EXPECT_EQ(out, (std::vector<int32_t>{0, 1, 2, 3}));
}

TEST_F(FlattenTest, FloatComparisons) {
  auto compare = [&](const std::string &predicate) {
    std::vector<uint8_t> out(4);
    run(kernel4("%a = arith.constant dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>\n"
                "%b = arith.constant dense<2.0> : tensor<4xf32>\n"
                "%r = arith.cmpf " +
                    predicate + ", %a, %b : tensor<4xf32>",
                "i1"),
        {pointer(out)});
    return std::string{char('0' + out[0]), char('0' + out[1]), char('0' + out[2]), char('0' + out[3])};
  };
  const std::pair<const char *, const char *> expected[] = {
      {"oeq", "0100"}, {"one", "1010"}, {"olt", "1000"},  {"ole", "1100"},  {"ogt", "0010"}, {"oge", "0110"},
      {"ord", "1110"}, {"ueq", "0101"}, {"une", "1011"},  {"ult", "1001"},  {"ule", "1101"}, {"ugt", "0011"},
      {"uge", "0111"}, {"uno", "0001"}, {"true", "1111"}, {"false", "0000"}};
  for (auto [predicate, result] : expected)
    EXPECT_EQ(compare(predicate), result) << predicate;
}

TEST_F(FlattenTest, IntegerComparisons) {
  auto compare = [&](const std::string &predicate) {
    std::vector<uint8_t> out(4);
    run(kernel4(
            "%a = arith.constant dense<[1, 2, 3, -1]> : tensor<4xi32>\n%b = arith.constant dense<2> : tensor<4xi32>\n"
            "%r = arith.cmpi " +
                predicate + ", %a, %b : tensor<4xi32>",
            "i1"),
        {pointer(out)});
    return std::string{char('0' + out[0]), char('0' + out[1]), char('0' + out[2]), char('0' + out[3])};
  };
  const std::pair<const char *, const char *> expected[] = {
      {"eq", "0100"},  {"ne", "1011"},  {"slt", "1001"}, {"sle", "1101"}, {"sgt", "0010"},
      {"sge", "0110"}, {"ult", "1000"}, {"ule", "1100"}, {"ugt", "0011"}, {"uge", "0111"}};
  for (auto [predicate, result] : expected)
    EXPECT_EQ(compare(predicate), result) << predicate;
}

// The index of the largest element is reduced with it; for equal elements the smaller index is taken.
TEST_F(FlattenTest, ReduceOfTwoOperands) {
  const char *text = R"(
func.func @k(%out: !tile.ptr<i32>) {
  %v = arith.constant dense<[3, 9, -4, 9, 0, 1, 2, 3]> : tensor<8xi32>
  %i = tile.make_range 0 to 8
  %r:2 = tile.reduce(%v, %i) axis 0 : (tensor<8xi32>, tensor<8xi32>) -> (i32, i32) {
  ^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):
    %gt = arith.cmpi sgt, %a, %b : i32
    %eq = arith.cmpi eq, %a, %b : i32
    %lower = arith.cmpi slt, %ai, %bi : i32
    %tie = arith.andi %eq, %lower : i1
    %left = arith.ori %gt, %tie : i1
    %m = arith.select %left, %a, %b : i32
    %mi = arith.select %left, %ai, %bi : i32
    tile.yield %m, %mi : i32, i32
  }
  tile.store %out, %r#1 : !tile.ptr<i32>
  return
})";
  std::vector<int32_t> out(1, -1);
  run(text, {pointer(out)});
  EXPECT_EQ(out[0], 1);
}

TEST_F(FlattenTest, ScanBothWays) {
  auto scan = [&](const std::string &reverse) {
    std::vector<int32_t> out(4);
    run(kernel4("%x = arith.constant dense<[1, 10, 100, 1000]> : tensor<4xi32>\n%r = tile.scan(%x) axis 0 " + reverse +
                    " : (tensor<4xi32>) -> tensor<4xi32> {\n^bb0(%a: i32, %b: i32):\n  %s = arith.addi %a, %b : i32\n"
                    "  tile.yield %s : i32\n}",
                "i32"),
        {pointer(out)});
    return out;
  };
  EXPECT_EQ(scan(""), (std::vector<int32_t>{1, 11, 111, 1111}));
  EXPECT_EQ(scan("reverse"), (std::vector<int32_t>{1111, 1110, 1100, 1000}));
}

// A loop and a branch, run for each element alone.
TEST_F(FlattenTest, MapElementwiseMayBranch) {
  const std::string text = kernel4(R"(
    %r = tile.map_elementwise(%o) : (tensor<4xi32>) -> tensor<4xi32> {
    ^bb0(%n: i32):
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %f = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c1) -> (i32) : i32 {
        %d = arith.muli %a, %c2 : i32
        scf.yield %d : i32
      }
      %odd = arith.remsi %n, %c2 : i32
      %is = arith.cmpi ne, %odd, %c0 : i32
      %v = scf.if %is -> i32 {
        %m = arith.subi %c0, %f : i32
        scf.yield %m : i32
      } else {
        scf.yield %f : i32
      }
      tile.yield %v : i32
    })",
                                   "i32");
  std::vector<int32_t> out(4);
  run(text, {pointer(out)});
  EXPECT_EQ(out, (std::vector<int32_t>{1, -2, 4, -8}));
}

TEST_F(FlattenTest, HintsAreTransparentAndParametersNamed) {
  Module module = flattenText(R"(
func.func @k(%out: !tile.ptr<i32> {tile.name = "out_ptr"}, %n: i32) {
  %h = tile.hint %n divisibility [16] : i32
  tile.store %out, %h : !tile.ptr<i32>
  return
})");
  EXPECT_EQ(module.functions[0].code.size(), 2u);
  EXPECT_EQ(module.paramNames, (std::vector<std::string>{"out_ptr", "arg1"}));
}

TEST_F(FlattenTest, LocationsKeepTheirCallers) {
  Module module = flattenText(R"(
func.func @k(%out: !tile.ptr<i32>, %n: i32) {
  %a = arith.addi %n, %n : i32 loc("k.py":3:7)
  %b = arith.addi %a, %n : i32 loc(callsite(callsite("k.py":30:5 at "k.py":20:9) at "k.py":4:1))
  %c = arith.addi %b, %n : i32 loc(fused["name"("k.py":5:2), "k.py":6:2])
  tile.store %out, %c : !tile.ptr<i32> loc(unknown)
  return
} loc("k.py":1:1))");
  EXPECT_EQ(module.file, "k.py");
  const Function &function = module.functions[0];
  auto at = [&](size_t instruction) { return module.locations[function.code[instruction].location]; };
  EXPECT_EQ(at(0), (Location{3, 7, -1}));
  EXPECT_EQ(at(1).line, 30u);
  const Location &middle = module.locations[size_t(at(1).caller)];
  EXPECT_EQ(middle.line, 20u);
  EXPECT_EQ(module.locations[size_t(middle.caller)], (Location{4, 1, -1}));
  EXPECT_EQ(at(2), (Location{5, 2, -1}));
  EXPECT_EQ(function.code[3].location, 0u);
}

TEST_F(FlattenTest, SelectOfDescriptors) {
  const char *text = R"(
func.func @k(%out: !tile.ptr<i32>, %d: !tile.desc<4xi32>, %e: !tile.desc<4xi32>, %c: i1) {
  %c0 = arith.constant 0 : i32
  %s = arith.select %c, %d, %e : !tile.desc<4xi32>
  %v = tile.desc_load %s[%c0] : !tile.desc<4xi32> -> tensor<4xi32>
  %o = tile.make_range 0 to 4
  %ps = tile.splat %out : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %ps, %o : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %p, %v : tensor<4x!tile.ptr<i32>>
  return
})";
  std::vector<int32_t> a = {1, 2, 3, 4}, b = {5, 6}, out(4);
  DescriptorArgument first{a.data(), {4}, {1}, false}, second{b.data(), {2}, {1}, false};
  run(text, {pointer(out), {.bits = 0, .descriptor = &first}, {.bits = 0, .descriptor = &second}, integer(1)});
  EXPECT_EQ(out, a);
  run(text, {pointer(out), {.bits = 0, .descriptor = &first}, {.bits = 0, .descriptor = &second}, integer(0)});
  EXPECT_EQ(out, (std::vector<int32_t>{5, 6, 0, 0}));
}

TEST_F(FlattenTest, PartsOfDescriptors) {
  const char *text = R"(
func.func @k(%out: !tile.ptr<i64>, %d: !tile.desc<2x4xf32>) {
  %base = tile.desc_base %d : !tile.desc<2x4xf32>
  %0 = tile.ptr_to_int %base : !tile.ptr<f32> -> i64
  %1 = tile.desc_extent %d axis 0 : !tile.desc<2x4xf32>
  %2 = tile.desc_extent %d axis 1 : !tile.desc<2x4xf32>
  %3 = tile.desc_stride %d axis 0 : !tile.desc<2x4xf32>
  %4 = tile.desc_stride %d axis 1 : !tile.desc<2x4xf32>
  %nan = tile.desc_pads_nan %d : !tile.desc<2x4xf32>
  %5 = arith.extui %nan : i1 to i64
  %c1 = arith.constant 1 : i32
  %p1 = tile.addptr %out, %c1 : !tile.ptr<i64>, i32
  %p2 = tile.addptr %p1, %c1 : !tile.ptr<i64>, i32
  %p3 = tile.addptr %p2, %c1 : !tile.ptr<i64>, i32
  %p4 = tile.addptr %p3, %c1 : !tile.ptr<i64>, i32
  %p5 = tile.addptr %p4, %c1 : !tile.ptr<i64>, i32
  tile.store %out, %0 : !tile.ptr<i64>
  tile.store %p1, %1 : !tile.ptr<i64>
  tile.store %p2, %2 : !tile.ptr<i64>
  tile.store %p3, %3 : !tile.ptr<i64>
  tile.store %p4, %4 : !tile.ptr<i64>
  tile.store %p5, %5 : !tile.ptr<i64>
  return
})";
  float data = 0;
  std::vector<int64_t> out(6);
  for (bool nan : {false, true}) {
    DescriptorArgument descriptor{&data, {7, int64_t(1) << 40}, {-(int64_t(1) << 33), 1}, nan};
    run(text, {pointer(out), {.bits = 0, .descriptor = &descriptor}});
    EXPECT_EQ(out,
              (std::vector<int64_t>{std::bit_cast<int64_t>(&data), 7, int64_t(1) << 40, -(int64_t(1) << 33), 1, nan}));
  }
}

// --- ops that cannot be flattened ---

TEST_F(FlattenTest, UnknownKernel) {
  EXPECT_THAT(errorOf("func.func private @other()"), HasSubstr("expected a function 'k'"));
}

TEST_F(FlattenTest, OpsWithoutBytecode) {
  SourceLocation location;
  EXPECT_THAT(errorOf(R"(
func.func @k(%n: i32) {
  %a = math.ctpop %n : i32 loc("k.py":3:7)
  return
})",
                      &location),
              HasSubstr("cannot run 'math.ctpop'"));
  EXPECT_EQ(location, (SourceLocation{"k.py", 3, 7}));
}

TEST_F(FlattenTest, CallsMustBeInlined) {
  EXPECT_THAT(errorOf(R"(
func.func private @g(%n: i32) {
  return
}
func.func @k(%n: i32) {
  func.call @g(%n) : (i32) -> () loc("k.py":8:2)
  return
})"),
              HasSubstr("cannot run 'func.call'"));
}

TEST_F(FlattenTest, TypesWithoutBytecode) {
  EXPECT_THAT(errorOf("func.func @k(%n: index) {\n  return\n}"), HasSubstr("found a value of type index"));
}

TEST_F(FlattenTest, BranchesInCombiningFunctions) {
  SourceLocation location;
  EXPECT_THAT(errorOf(R"(
func.func @k(%x: tensor<4xi32>) {
  %r = tile.reduce(%x) axis 0 : (tensor<4xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi slt, %a, %b : i32
    %v = scf.if %c -> i32 {
      scf.yield %a : i32
    } else {
      scf.yield %b : i32
    } loc("k.py":12:5)
    tile.yield %v : i32
  }
  return
})",
                      &location),
              HasSubstr("cannot branch inside the combining function of a reduce"));
  EXPECT_EQ(location.line, 12u);
}

} // namespace
} // namespace tegula::cpu
