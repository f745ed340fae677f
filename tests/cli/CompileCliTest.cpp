// `tegula compile`: levels, restarts, artifacts, messages.
#include "tests/cli/CliFixture.h"

#include "core/support/Files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace tegula::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class CompileCli : public CliTest {
protected:
  Outcome compile(const std::string &kernel, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"compile", std::string(TEGULA_KERNELS) + "::" + kernel});
    return tegula(arguments);
  }
  const std::vector<std::string> add_ = {"--target=cpu", "--signature=*fp32:16, *fp32, *fp32, i32", "--const",
                                         "BLOCK=64"};
  std::vector<std::string> with(std::vector<std::string> more) const {
    more.insert(more.begin(), add_.begin(), add_.end());
    return more;
  }
};

TEST_F(CompileCli, LevelsArePrinted) {
  Outcome tile = compile("add", with({"--emit=tile"}));
  EXPECT_EQ(tile.status, 0) << tile.err;
  EXPECT_THAT(tile.out, HasSubstr("tile.load"));
  Outcome ast = compile("add", {"--emit=ast"});
  EXPECT_EQ(ast.status, 0) << "no types are needed: " << ast.err;
  EXPECT_NE(ast.out, "");
  Outcome both = compile("add", with({"--emit=tile,bytecode"}));
  EXPECT_THAT(both.out, HasSubstr("// ----- tile -----\n"));
  EXPECT_THAT(both.out, HasSubstr("// ----- bytecode -----\n"));
}

TEST_F(CompileCli, OptionsStandAmongTheConstants) {
  EXPECT_EQ(compile("add", with({"--maxnreg", "64", "--emit=tile"})).status, 0);
  EXPECT_THAT(compile("add", with({"--maxnreg", "5"})).err, HasSubstr("maxnreg is 5; it must be an integer from 16"));
  EXPECT_THAT(compile("add", with({"--maxnreg", "64", "maxnreg=32"})).err, HasSubstr("maxnreg is given twice"));
  Outcome checked = compile("add", with({"sanitize_overflow=True", "--emit=tile"}));
  EXPECT_THAT(checked.out, HasSubstr("tile.assert")) << checked.err;
  EXPECT_THAT(compile("add", with({"--emit=tile"})).out, ::testing::Not(HasSubstr("tile.assert")));
  auto assertions = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--signature=*i32, i32", "--emit=tile"});
    return compile("below", options).out;
  };
  EXPECT_THAT(assertions({"debug=True"}), HasSubstr("tile.assert"));
  for (const std::string &without : {assertions({}), assertions({"debug=False"})})
    EXPECT_THAT(without, ::testing::AllOf(HasSubstr("tile.store"), ::testing::Not(HasSubstr("tile.assert")),
                                          ::testing::Not(HasSubstr("cmpi"))));
  EXPECT_THAT(compile("add", with({"debug=2"})).err, HasSubstr("debug is no bool"));
  EXPECT_THAT(compile("add", with({"sanitize_overflow=2"})).err, HasSubstr("sanitize_overflow is no bool"));
  EXPECT_EQ(compile("add", with({"--emit=tile", "-o", path("add.mlir")})).status, 0);
  Outcome late = tegula({"compile", "add.mlir", "--target=cpu", "sanitize_overflow=True"});
  EXPECT_THAT(late.err, HasSubstr("sanitize_overflow is for kernels in source; kernel 'add' of add.mlir is at the "
                                  "level tile"));
}

TEST_F(CompileCli, AssertionsOfIrAreThereOrNot) {
  EXPECT_EQ(compile("add", with({"--emit=tile", "-o", path("add.mlir")})).status, 0);
  EXPECT_THAT(tegula({"compile", "add.mlir", "--target=cpu", "debug=True"}).err,
              HasSubstr("debug is for kernels in source"));
  Outcome checked = tegula({"run", "add.mlir", "--device=cpu", "--grid=1", "--check", "x_ptr=zeros:f32:64",
                            "y_ptr=zeros:f32:64", "z_ptr=empty:f32:64", "n=64"});
  EXPECT_EQ(checked.status, 0) << checked.err;
}

TEST_F(CompileCli, ALevelIsAStart) {
  EXPECT_EQ(compile("add", with({"--emit=tile", "-o", path("add.mlir")})).status, 0);
  Outcome direct = compile("add", with({"--emit=bytecode"}));
  Outcome again = tegula({"compile", "--start-from=tile", "add.mlir::add", "--target=cpu", "--emit=tile"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.out, readTextFile(path("add.mlir")));
  Outcome bytecode = tegula({"compile", "--start-from=tile", "add.mlir", "--target=cpu", "--emit=bytecode"});
  EXPECT_EQ(bytecode.status, 0) << bytecode.err;
  EXPECT_NE(direct.out, "");
  EXPECT_NE(bytecode.out, "");
}

TEST_F(CompileCli, WithoutALevelTheKernelIsSummedUpOrWritten) {
  Outcome summary = compile("add", with({}));
  EXPECT_EQ(summary.status, 0) << summary.err;
  EXPECT_THAT(summary.out, HasSubstr("add for cpu: "));
  EXPECT_THAT(summary.out, HasSubstr("  x_ptr: *f32\n"));
  EXPECT_THAT(summary.out, HasSubstr("  n: i32\n"));
  Outcome written = compile("add", with({"-o", path("add.bin")}));
  EXPECT_EQ(written.out, "");
  EXPECT_THAT(readTextFile(path("add.bin")), ::testing::StartsWith("TGULARTF"));
}

/// Whether a line behind a label in assembly names the label: a branch back.
bool goesBack(const std::string &assembly) {
  std::istringstream lines(assembly);
  std::vector<std::string> labels;
  for (std::string line; std::getline(lines, line);) {
    if (std::ranges::any_of(labels, [&](const std::string &label) { return line.find(label) != std::string::npos; }))
      return true;
    if (!line.empty() && (line[0] == '$' || line[0] == '.') && line.ends_with(":"))
      labels.push_back(line.substr(0, line.size() - 1));
  }
  return false;
}

// What the CPU does is RunCli.EndlessLoopsStay.
TEST_F(CompileCli, EndlessLoopsStayInCodeForGpus) {
  for (const char *kernel : {"endless", "endless_unused", "endless_wait"})
    for (auto [target, level] : {std::pair{"sm_80", "ptx"},
                                 {"sm_90a", "ptx"},
                                 {"gfx942", "asm"},
                                 {"gfx1100", "asm"},
                                 {"spirv:generic", "spirv"}}) {
      Outcome made =
          tegula({"compile", std::string(TEGULA_ENDLESS_KERNELS) + "::" + kernel, "--target=" + std::string(target),
                  "--signature=*i32, i32", "--num-warps=1", "--emit=" + std::string(level)});
      if (made.err.find("unknown target") != std::string::npos)
        continue; // its backend is not built
      EXPECT_EQ(made.status, 0) << made.err;
      bool loops =
          std::string(level) == "spirv" ? made.out.find("OpLoopMerge") != std::string::npos : goesBack(made.out);
      EXPECT_TRUE(loops) << kernel << " for " << target << ":\n" << made.out;
    }
}

TEST_F(CompileCli, LiteralsDropTheirArgument) {
  Outcome outcome = compile("add", {"--target=cpu", "--signature=*fp32, *fp32, *fp32, 100", "--const=BLOCK=64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("  n: ")));
}

TEST_F(CompileCli, ConfigurationsSupplyConstantsAndHeuristicsAskForLiterals) {
  Outcome outcome = compile("tuned", {"--signature=*i32, 64", "--emit=tile"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("tensor<16x"));
  expectMessage(compile("tuned", {"--signature=*i32, i32", "--emit=tile"}), 2,
                "a heuristic of kernel 'tuned' needs the value of 'n'; give it in the signature, as in "
                "'i32=64', or the heuristic's constant by --const");
  Outcome even = compile("tuned", {"--signature=*i32, i32=64", "--emit=tile"});
  EXPECT_EQ(even.status, 0) << even.err;
  Outcome odd = compile("tuned", {"--signature=*i32, i32=65", "--emit=tile"});
  EXPECT_THAT(even.out, ::testing::Not(HasSubstr("cmpi")));
  EXPECT_THAT(odd.out, HasSubstr("cmpi"));
  EXPECT_THAT(odd.out, HasSubstr("{tile.name = \"n\"}")) << "the code is for any value";
  EXPECT_EQ(compile("tuned", {"--signature=*i32, i32", "--const", "EVEN=False", "BLOCK=32", "--emit=tile"}).status, 0);
}

TEST_F(CompileCli, TimesGoToStandardError) {
  Outcome outcome = compile("add", with({"--emit=tile", "--time-passes"}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("stage"));
  EXPECT_THAT(outcome.err, HasSubstr("total"));
}

TEST_F(CompileCli, DecisionsAreExplained) {
  writeFile(path("product.py"), R"(
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, k):
    i = tl.arange(0, 16)
    total = tl.zeros((16, 16), dtype=tl.float32)
    for start in range(0, k, 16):
        a = tl.load(a_ptr + i[:, None] * k + (start + i)[None, :])
        b = tl.load(b_ptr + (start + i)[:, None] * 16 + i[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_ptr + i[:, None] * 16 + i[None, :], total)
)");
  auto compiled = [&](const char *target, std::vector<std::string> more) {
    more.insert(more.begin(), {"compile", "product.py", target, "--signature=*fp16, *fp16, *fp32, i32"});
    return tegula(more);
  };
  auto product = [&](std::vector<std::string> more) { return compiled("--target=spirv:sg8", std::move(more)); };
  expectMessage(product({"--explain=pipelin"}), 2,
                "--explain: expected one of budget, copies, dot, pipeline and wraps, found 'pipelin'");
  Outcome ahead = product({"--explain=pipeline"});
  if (ahead.err.find("unknown target") != std::string::npos)
    GTEST_SKIP() << "no backend for this target is built";
  EXPECT_EQ(ahead.status, 0);
  EXPECT_THAT(ahead.err,
              HasSubstr("product.py:10:5: note: pipeline: 2 of the loop's 2 loads for products are issued one "
                        "iteration ahead\n        for start in range(0, k, 16):"));
  EXPECT_THAT(ahead.err, HasSubstr("product.py:11:13: note: issued one iteration ahead, 8 bytes a thread\n"));
  EXPECT_THAT(product({"--explain=pipeline", "--num-stages=1"}).err,
              HasSubstr("the loop's loads are not issued ahead: num_stages is 1"));
  EXPECT_EQ(product({}).err, "");
  EXPECT_THAT(product({"--explain=dot"}).err,
              HasSubstr("product.py:13:17: note: dot: 16x16x16 of f16 into f32: none, because "
                        "the target has no matrix instructions\n"));
  EXPECT_THAT(compiled("--target=spirv:lavapipe-cm", {"--explain=dot", "--emit=planned"}).err,
              HasSubstr("note: dot: 16x16x16 of f16 into f32: 8x8x8.f16.f32\n"));
  EXPECT_THAT(product({"--explain=budget"}).err,
              ::testing::ContainsRegex("note: budget: [0-9]+ bytes of shared memory of 32768\n"));
  // Remarks are printed although a later stage fails.
  Outcome failed = tegula({"compile", "product.py", "--target=sm_80", "--signature=*fp16, *fp16, *fp32, i32",
                           "--explain=dot", "--emit=cubin"},
                          {{"TRITON_PTXAS_PATH", "/bin/false"}});
  if (failed.err.find("unknown target") == std::string::npos) {
    EXPECT_THAT(failed.err, HasSubstr("note: dot: 16x16x16 of f16 into f32: mma.m16n8k16.f32.f16\n"));
    EXPECT_THAT(failed.err, HasSubstr("error: ptxas cannot assemble product.ptx for sm_80"));
    EXPECT_EQ(failed.status, 2);
  }
  EXPECT_EQ(compiled("--target=cpu", {"--explain=dot"}).err, "dot: nothing to decide in this kernel for target cpu\n");
}

TEST_F(CompileCli, UnknownTargetsNameFamilies) {
  auto said = [&](const std::string &target) {
    Outcome outcome = compile("add", {"--signature=*fp32, *fp32, *fp32, i32", "--const=BLOCK=64", "--target", target});
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  std::string z80 = said("z80");
  EXPECT_LT(z80.size(), 300u) << z80;
  EXPECT_THAT(z80, HasSubstr("`tegula targets` lists all"));
  for (auto [target, backend] : {std::pair("sm_99", "cuda"), {"gfx9000", "rocm"}, {"spirv:sg3", "vulkan"}})
    EXPECT_THAT(said(target), AnyOf(HasSubstr(std::string("; targets of the ") + backend + " backend are "),
                                    HasSubstr(std::string(": the ") + backend + " backend is not in this build")));
}

TEST_F(CompileCli, ABackendIsItsDevicesTarget) {
  std::istringstream lines(tegula({"targets"}).out);
  for (std::string line; std::getline(lines, line);) {
    std::string backend = line.substr(0, line.find(':'));
    auto device = nlohmann::json::parse(tegula({"devices", "--json"}).out)["devices"];
    auto found = std::ranges::find_if(
        device, [&](auto &each) { return each["name"].template get<std::string>().starts_with(backend); });
    Outcome outcome = compile("add", {"--signature=*fp32, *fp32, *fp32, i32", "--const=BLOCK=64", "--target", backend});
    if (found != device.end()) {
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_THAT(outcome.out, HasSubstr("add for " + (*found)["target"].get<std::string>() + ":"));
    } else {
      expectMessage(outcome, 2, "target '" + backend + "' stands for that of a device, but there is none: ");
      EXPECT_THAT(outcome.err, HasSubstr("; without a device name a target, which `tegula targets` lists"));
    }
  }
}

TEST_F(CompileCli, TooManyWarpsNameTheKernel) {
  Outcome outcome = compile(
      "add", {"--signature=*fp32, *fp32, *fp32, i32", "--const=BLOCK=4096", "--num-warps=32", "--target=gfx90a"});
  if (outcome.err.find("unknown target") != std::string::npos)
    GTEST_SKIP() << "no backend for this target is built";
  expectMessage(outcome, 2,
                "kernel 'add': expected at most 16 warps of 64 threads on target gfx90a, found 32; choose a "
                "smaller num_warps");
  EXPECT_THAT(outcome.err, HasSubstr("kernels.py:"));
}

TEST_F(CompileCli, Messages) {
  expectMessage(compile("add", {"--target=cpu"}), 2,
                "has 4 parameters that are not constexpr (x_ptr, y_ptr, z_ptr and n); give their types, e.g. "
                "--signature='*fp32, i32'");
  expectMessage(compile("add", {"--signature=*fp32, i32", "--const=BLOCK=4"}), 2,
                "has 4 parameters that are not constexpr (x_ptr, y_ptr, z_ptr and n), the signature lists 2");
  expectMessage(compile("add", {"--signature=*fp32, *fp32, *fp32, i32, i32"}), 2,
                "the signature lists 5; constants, by annotation or by their use, are given by --const: BLOCK");
  expectMessage(compile("add", {"--signature=*fp32, *fp32, *fp32, i23"}), 2,
                "--signature:1:22: error: i23: unknown type 'i23'");
  expectMessage(compile("add", {"--signature=*fp32, *fp32, *fp32, i32"}), 2,
                "needs a value for its constexpr parameter 'BLOCK'");
  expectMessage(compile("add", {"--signature=*fp32, *fp32, *fp32, i32", "--const=BLOCK=4", "BLOCK=8"}), 2,
                "constant 'BLOCK' is given twice");
  expectMessage(compile("add", {"--signature=*fp32, *fp32, *fp32, i32", "--const=BLOK=4"}), 2, "did you mean 'BLOCK'?");
  expectMessage(compile("add", {"--signature=*fp32, *fp32, *fp32, i32", "--const=BLOCK=4", "--target=z80"}), 2,
                "unknown target 'z80'; this build compiles for cpu");
  expectMessage(compile("add", {"--signature=*float, *fp32, *fp32, i32"}), 2,
                "--signature:1:1: error: *float: unknown type 'float'; write f32, or f64 for Python's");
  expectMessage(compile("add", {"--signature=*fp32, *fp32, *fp32, i32", "--const=BLOCK=4", "--emit=tiles"}), 2,
                "'tiles'");
  expectMessage(tegula({"compile", "--start-from=tile", "nosuch.mlir"}), 2, "cannot read 'nosuch.mlir'");
  writeFile(path("bad.mlir"), "module {\n  tile.nosuch\n}\n");
  expectMessage(tegula({"compile", "--start-from=tile", "bad.mlir", "--emit=tile"}), 2, "bad.mlir:2:");
  expectMessage(tegula({"compile", "--start-from=planed", "bad.mlir", "--emit=tile"}), 2,
                "cannot start from the level 'planed'");
}

} // namespace
} // namespace tegula::test
