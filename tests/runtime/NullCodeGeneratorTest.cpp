// Both halves of the example backend fit: its driver loads and launches its code generator's artifacts.
#include "backends/null/CodeGenerator.h"
#include "backends/null/Driver.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace tegula::null {
namespace {

TEST(NullCodeGenerator, AcceptsItsTargetOnly) {
  const CodeGenerator &generator = *nullCodeGenerator();
  EXPECT_TRUE(generator.accepts("null"));
  EXPECT_FALSE(generator.accepts("cpu"));
  EXPECT_EQ(generator.targets(), std::vector<std::string>{"null"});
}

TEST(NullCodeGenerator, ItsArtifactsRunOnItsDevice) {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  Artifact artifact;
  artifact.target = "null";
  artifact.entry = "add";
  artifact.params = {{"n", ArtifactParam::Kind::Scalar, ScalarType::I32, {}}};
  std::string text;
  EXPECT_TRUE(nullCodeGenerator()->generate(*module, artifact, [&](std::string_view level, const auto &print) {
    EXPECT_EQ(level, "name");
    text += print();
    return true;
  }));
  EXPECT_EQ(text, "null:add\n");
  EXPECT_EQ(nullCodeGenerator()->print(artifact, "name"), "null:add\n");

  NullDriver driver;
  std::unique_ptr<DriverKernel> kernel = driver.load(artifact);
  LaunchRequest request;
  request.arguments = {{7, nullptr}};
  driver.launch(nullptr, *kernel, request);
  ASSERT_EQ(driver.launches().size(), 1u);
  EXPECT_EQ(driver.launches()[0].kernel, "add");
  EXPECT_EQ(driver.launches()[0].arguments[0].bits, 7u);
}

} // namespace
} // namespace tegula::null
