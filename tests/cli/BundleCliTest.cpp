// `tegula build` and `tegula inspect`.
#include "tests/cli/CliFixture.h"

#include "core/support/Files.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace tegula::test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BundleCli : public CliTest {
protected:
  static std::string kernel(const std::string &name) { return std::string(TEGULA_KERNELS) + "::" + name; }
  Outcome build(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"build", kernel("add"), "-o", "k.tgb", "--targets=cpu"});
    return tegula(arguments);
  }
  const std::string signature_ = "--signature=add: *fp32:16, *fp32, *fp32, i32:16";
};

TEST_F(BundleCli, SeveralKernelsAndTheirHeader) {
  Outcome built = build({kernel("widen"), kernel("tuned"), signature_, "--signature=widen: *fp16, *fp32, fp32",
                         "--signature=tuned: *i32, i32=64", "--signature=tuned: *i32, i32=65", "--const",
                         "add.BLOCK=64", "--configs=all", "--header=k.hpp", "--embed=k.c", "--namespace=my_kernels"});
  ASSERT_EQ(built.status, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr("k.tgb: 3 kernels, "));
  Outcome seen = tegula({"inspect", "k.tgb"});
  EXPECT_THAT(seen.out, AllOf(HasSubstr("kernels.py:7\n  add(*f32, *f32, *f32, i32) with BLOCK=64, num_warps=4"),
                              HasSubstr("widen(*f16, *f32, f32) with BLOCK=4"), HasSubstr("any arguments"),
                              HasSubstr("tuned(*i32, i32) with BLOCK=16, EVEN=True, num_warps=2"),
                              HasSubstr("tuned(*i32, i32) with BLOCK=32, EVEN=False, num_warps=4")));
  Outcome json = tegula({"inspect", "k.tgb", "--json"});
  nlohmann::json parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed["instances"][0]["kernel"], "add");
  EXPECT_EQ(parsed["instances"][0]["code"][0]["target"], "cpu");
  EXPECT_GT(parsed["instances"][0]["code"][0]["bytes"], 100);
  std::string header = readTextFile(path("k.hpp"));
  EXPECT_THAT(header,
              AllOf(HasSubstr("namespace my_kernels {"), HasSubstr("const tegula::Tensor<tegula::DType::F16> &x_ptr"),
                    HasSubstr("std::same_as<int32_t> auto n"), HasSubstr("std::same_as<float> auto factor"),
                    HasSubstr("tegula::TypedScalar{tegula::DType::I32, static_cast<std::uint64_t>(n)}")));
  EXPECT_THAT(readTextFile(path("k.c")), HasSubstr("my_kernels_begin"));
}

TEST_F(BundleCli, ParametersOfTheHeaderAreNoMacros) {
  std::ofstream(path("m.py")) << "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                                 "def clear(x_ptr, EOF, errno):\n    tl.store(x_ptr + EOF, errno)\n";
  Outcome built = tegula({"build", path("m.py") + "::clear", "-o", "m.tgb", "--targets=cpu",
                          "--signature=*fp32, i32, fp32", "--header=m.hpp", "--namespace=m"});
  ASSERT_EQ(built.status, 0) << built.err;
  std::string header = readTextFile(path("m.hpp"));
  EXPECT_THAT(header, AllOf(HasSubstr("&x_ptr,"), HasSubstr("auto EOF_,"), HasSubstr("(EOF_)}, errno_}, options)")));
}

TEST_F(BundleCli, TunedConfigurations) {
  auto writeTable = [&](const std::string &text) {
    std::ofstream(path("cpu.json")) << R"({"format": 1, "target": "cpu", "rows": [
    {"kernel": "tuned", "text": ")" + text +
                                           R"(", "key": {"n": [1, 64]}, "config": {"BLOCK": 16},
     "source": "reasoned: small"},
    {"kernel": "tuned", "text": ")" + text +
                                           R"(", "key": {"n": [65, 4096]}, "config": {"BLOCK": 32},
     "source": "measured: here"}]})";
  };
  std::map<std::string, std::string> environment = {{"TEGULA_TUNING_PATH", path("cpu.json")}, {"TEGULA_LOG", "tuning"}};
  // A launch logs the hash of its kernel's text if a table has rows for another text. Checked launches measure nothing,
  // so this one leaves no record.
  writeTable("another");
  std::string said =
      tegula({"run", kernel("tuned"), "--grid=4", "out_ptr=zeros:i32:128", "n=64", "--device=cpu", "--check"},
             environment)
          .err;
  constexpr std::string_view kBefore = "the text of this one is ";
  ASSERT_THAT(said, HasSubstr(kBefore));
  writeTable(said.substr(said.find(kBefore) + kBefore.size(), 32));
  std::vector<std::string> words = {"build",
                                    kernel("tuned"),
                                    kernel("widen"),
                                    "-o",
                                    "k.tgb",
                                    "--targets=cpu",
                                    "--signature=tuned: *i32, i32=64",
                                    "--signature=widen: *fp16, *fp32, fp32",
                                    "--configs=tuned"};
  Outcome built = tegula(words, environment);
  ASSERT_EQ(built.status, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr("k.tgb: 2 kernels, 3 instances, code for 1 targets"));
  EXPECT_THAT(built.out, HasSubstr("widen for cpu: no record and no table has a configuration; "));
  EXPECT_THAT(tegula({"inspect", "k.tgb"}).out, AllOf(HasSubstr("      fast for n 1..64: reasoned: small\n"),
                                                      HasSubstr("      fast for n 65..4096: measured: here\n")));
  nlohmann::json parsed = nlohmann::json::parse(tegula({"inspect", "k.tgb", "--json"}).out);
  EXPECT_EQ(parsed["instances"][1]["code"][0]["tuning"],
            nlohmann::json::parse(R"([{"key": {"n": [65, 4096]}, "source": "measured: here"}])"));
}

TEST_F(BundleCli, MessagesSayWhatToDo) {
  expectMessage(build({"--quiet"}), 2,
                "kernel 'add' has no signature; give the types of its parameters by --signature");
  expectMessage(build({"--quiet", "--signature=*fp32, *fp33, *fp32, i32", "--const", "BLOCK=64"}), 2,
                "--signature:1:8: error: ");
  expectMessage(build({"--quiet", signature_}), 2, "needs a value for its constexpr parameter 'BLOCK'");
  expectMessage(build({"--quiet", signature_, "--const", "add.BLOCK=64", "--const", "ad.BLOCK=64"}), 2,
                "there is no kernel 'ad'; the kernels are add; did you mean 'add'?");
  expectMessage(build({"--quiet", signature_, "--const", "BLOCKS=64"}), 2,
                "no kernel has a constexpr parameter 'BLOCKS'");
  expectMessage(build({"--quiet", kernel("widen"), "--signature=*fp32"}), 2,
                "say which kernel it is for, as in 'add: *fp32, i32'; the kernels are add and widen");
  expectMessage(build({"--quiet", signature_, "--configs=best"}), 2,
                "--configs: expected first, all or tuned, found 'best'");
  expectMessage(build({"--quiet", signature_, "--const", "BLOCK=64", "--header=k.hpp", "--namespace=a-b"}), 2,
                "'a-b' is no name of a namespace");
  expectMessage(tegula({"build", kernel("add"), "-o", "k.tgb", "--targets=cpux"}), 2, "unknown target 'cpux'");
  expectMessage(tegula({"inspect", "none.tgb"}), 2, "none.tgb");
  // A bundle is for machines with any devices, so that it names targets; a backend stands for none of them.
  for (const char *backend : {"cuda", "rocm", "vulkan"})
    EXPECT_THAT(tegula({"build", kernel("add"), "-o", "k.tgb", "--targets", backend}).err,
                AnyOf(HasSubstr(std::string("unknown target '") + backend + "': it names devices; targets of the " +
                                backend + " backend are "),
                      HasSubstr(std::string("unknown target '") + backend + "': the " + backend +
                                " backend is not in this build, which has ")));
}

TEST_F(BundleCli, SignaturesChooseAmongTheKernelsOfAFile) {
  Outcome built =
      tegula({"build", TEGULA_KERNELS, "-o", "k.tgb", "--targets=cpu", "--signature=widen: *fp16, *fp32, fp32",
              "--signature=add: *fp32, *fp32, *fp32, i32", "--const", "add.BLOCK=64"});
  ASSERT_EQ(built.status, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr("k.tgb: 2 kernels, 2 instances"));
  std::string listed = tegula({"inspect", "k.tgb"}).out;
  EXPECT_THAT(listed, AllOf(HasSubstr("add"), HasSubstr("widen"), Not(HasSubstr("gather"))));
  expectMessage(tegula({"build", TEGULA_KERNELS, "-o", "k.tgb", "--targets=cpu", "--signature=*fp32, i32"}), 2,
                "holds 9 kernels; name one of add,");
}

} // namespace
} // namespace tegula::test
