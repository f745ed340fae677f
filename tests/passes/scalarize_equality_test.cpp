// tile-scalarize-uniform changes no result: random functions are interpreted before and after it.
#include "core/ir/Register.h"
#include "core/passes/Passes.h"
#include "tests/passes/Interpreter.h"
#include "tests/passes/RandomTiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tegula::tile;
using namespace tegula::tile::test;

namespace {

/// The number of tensors that loops of the function carry.
int64_t carriedTensors(func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](scf::ForOp loop) {
    for (Type type : loop.getResultTypes())
      count += isa<RankedTensorType>(type);
  });
  return count;
}

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

} // namespace

TEST(ScalarizeUniform, ChangesNoResult) {
  DialectRegistry registry;
  registerTileDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  int64_t before = 0, after = 0, compared = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    RandomTiles tiles(context, seed);
    OwningOpRef<ModuleOp> original = tiles.module().clone();
    PassManager passes(&context);
    passes.addPass(createScalarizeUniform());
    ASSERT_TRUE(succeeded(passes.run(tiles.module()))) << "seed " << seed << "\n" << textOf(*original);
    auto unchanged = *original->getOps<func::FuncOp>().begin();
    before += carriedTensors(unchanged);
    after += carriedTensors(tiles.function());
    for (int64_t program : {int64_t(0), int64_t(5), int64_t(1) << 30}) {
      std::vector<int64_t> arguments = tiles.arguments();
      std::vector<Snapshot> expected = Interpreter(unchanged, arguments, program).results();
      std::vector<Snapshot> actual = Interpreter(tiles.function(), arguments, program).results();
      for (size_t i = 0; i < expected.size(); ++i) {
        if (expected[i].undefined)
          continue;
        ++compared;
        ASSERT_EQ(actual[i].elements, expected[i].elements)
            << "result " << i << " of seed " << seed << ", program " << program << "\n"
            << textOf(*original) << "became\n"
            << textOf(tiles.module());
      }
    }
  }
  EXPECT_GT(compared, 15000);
  EXPECT_LT(after, before * 3 / 4) << "loops that move tensors uniformly carry scalars";
}
