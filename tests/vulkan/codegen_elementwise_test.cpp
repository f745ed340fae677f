// arith and math on integers and floats of all widths, bit for bit against the simt executor.
#include "tests/vulkan/ElementwiseTest.h"

#include "llvm/ADT/APFloat.h"

namespace tegula::vulkan::test {
namespace {

class VulkanElementwise : public ElementwiseTest {};

TEST_P(VulkanElementwise, Integers) {
  for (const Number &type : kIntegers) {
    Bits x = someIntegers(type.type, 512, 1), y = someIntegers(type.type, 512, 2), z = someIntegers(type.type, 512, 3);
    std::rotate(y.begin(), y.begin() + 7, y.end());
    for (const char *op : {"addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"})
      expectAsExecuted(std::string("arith.") + op + " %x, %y : IN", type, type, {x, y, {}});
    Bits divisors = y, dividends = x;
    for (size_t i = 0; i < y.size(); ++i)
      divisors[i] += divisors[i] == 0;
    dividends[2] = 5; // not the smallest number over -1
    for (size_t i = 0; i < y.size(); ++i)
      if (dividends[i] == uint64_t(1) << (bitWidth(type.type) - 1))
        dividends[i] = 5;
    for (const char *op : {"divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi"})
      expectAsExecuted(std::string("arith.") + op + " %x, %y : IN", type, type, {dividends, divisors, {}});
    for (const char *op : {"absi", "ctlz", "cttz", "ctpop"})
      expectAsExecuted(std::string("math.") + op + " %x : IN", type, type, {x, {}, {}});
    Bits by(512);
    for (size_t i = 0; i < by.size(); ++i)
      by[i] = i % bitWidth(type.type);
    for (const char *op : {"shli", "shrsi", "shrui"})
      expectAsExecuted(std::string("arith.") + op + " %x, %y : IN", type, type, {x, by, {}});
    y[20] = x[20];
    for (const char *op : {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
      expectAsExecuted(std::string("arith.cmpi ") + op + ", %x, %y : IN", type, {"i1", ScalarType::I1}, {x, y, {}});
    for (const char *op : {"mulsi_extended", "mului_extended"})
      expectAsExecuted(std::string("arith.addi %low, %high : IN"), type, type, {x, y, {}},
                       std::string("%low, %high = arith.") + op + " %x, %y : IN");
    expectAsExecuted("arith.select %less, %x, %z : vector<4xi1>, IN", type, type, {x, y, z},
                     "%less = arith.cmpi slt, %y, %z : IN");
  }
}

TEST_P(VulkanElementwise, IntegerWidths) {
  for (const Number &from : kIntegers)
    for (const Number &to : kIntegers) {
      Bits x = someIntegers(from.type, 512, 4);
      if (bitWidth(from.type) < bitWidth(to.type)) {
        expectAsExecuted("arith.extsi %x : IN to OUT", from, to, {x, {}, {}});
        expectAsExecuted("arith.extui %x : IN to OUT", from, to, {x, {}, {}});
      } else if (bitWidth(from.type) > bitWidth(to.type)) {
        expectAsExecuted("arith.trunci %x : IN to OUT", from, to, {x, {}, {}});
      }
    }
  const Number boolean{"i1", ScalarType::I1};
  Bits truth(512);
  for (size_t i = 0; i < truth.size(); ++i)
    truth[i] = i / 3 % 2;
  Bits other(512);
  for (size_t i = 0; i < other.size(); ++i)
    other[i] = i % 2;
  for (const Number &to : kIntegers) {
    expectAsExecuted("arith.extsi %x : IN to OUT", boolean, to, {truth, {}, {}});
    expectAsExecuted("arith.extui %x : IN to OUT", boolean, to, {truth, {}, {}});
  }
  for (const char *op : {"andi", "ori", "xori", "addi", "subi", "muli", "minsi", "maxsi", "minui", "maxui"})
    expectAsExecuted(std::string("arith.") + op + " %x, %y : IN", boolean, boolean, {truth, other, {}});
  for (const char *op : {"eq", "ne", "slt", "ult"})
    expectAsExecuted(std::string("arith.cmpi ") + op + ", %x, %y : IN", boolean, boolean, {truth, other, {}});
}

TEST_P(VulkanElementwise, Floats) {
  for (const Number &type : kComputed)
    for (uint32_t seed : {1u, 2u}) {
      Bits x = someFloats(type.type, 512, seed), y = someFloats(type.type, 512, seed + 10),
           z = someFloats(type.type, 512, seed + 20);
      for (const char *op : {"addf", "subf", "mulf", "divf", "maximumf", "minimumf"})
        expectAsExecuted(std::string("arith.") + op + " %x, %y : IN", type, type, {x, y, {}});
      expectAsExecuted("arith.negf %x : IN", type, type, {x, {}, {}});
      for (const char *op : {"absf", "floor", "ceil", "trunc", "round", "roundeven", "sqrt"})
        expectAsExecuted(std::string("math.") + op + " %x : IN", type, type, {x, {}, {}});
      expectAsExecuted("math.copysign %x, %y : IN", type, type, {x, y, {}});
      if (type.type != ScalarType::F64)
        expectAsExecuted("arith.remf %x, %y : IN", type, type, {x, y, {}});
      Bits noZeros = x; // of two zeros either result is allowed
      for (uint64_t &bits : noZeros)
        bits = decodeFloat(floatFormat(type.type), bits) == 0 ? encodeFloat(floatFormat(type.type), 3) : bits;
      for (const char *op : {"maxnumf", "minnumf"})
        expectAsExecuted(std::string("arith.") + op + " %x, %y : IN", type, type, {noZeros, y, {}});
      for (size_t i = 0; i < 512; i += 5)
        y[i] = x[i];
      for (const char *op : {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
                             "uno", "false", "true"})
        expectAsExecuted(std::string("arith.cmpf ") + op + ", %x, %y : IN", type, {"i1", ScalarType::I1}, {x, y, {}});
    }
}

/// f32 and f64 are rounded once only where the device fuses.
TEST_P(VulkanElementwise, NarrowFusedMultiplyAdds) {
  const std::pair<Number, const llvm::fltSemantics &> formats[] = {{kFloats[0], llvm::APFloat::IEEEhalf()},
                                                                   {kFloats[1], llvm::APFloat::BFloat()}};
  for (auto &[type, semantics] : formats) {
    Bits x = someFloats(type.type, 4096, 1), y = someFloats(type.type, 4096, 2), z = someFloats(type.type, 4096, 3);
    Bits found = evaluate("math.fma %x, %y, %z : IN", type, type, {x, y, z});
    for (size_t i = 0; i < x.size(); ++i) {
      auto number = [&](uint64_t bits) { return llvm::APFloat(semantics, llvm::APInt(bitWidth(type.type), bits)); };
      llvm::APFloat expected = number(x[i]);
      expected.fusedMultiplyAdd(number(y[i]), number(z[i]), llvm::APFloat::rmNearestTiesToEven);
      EXPECT_TRUE(isSame(type.type, found[i], expected.bitcastToAPInt().getZExtValue()))
          << type.mlir << ' ' << hex(x[i]) << " * " << hex(y[i]) << " + " << hex(z[i]) << ": " << hex(found[i]);
    }
  }
}

TEGULA_ON_EACH_DEVICE(VulkanElementwise);

} // namespace
} // namespace tegula::vulkan::test
