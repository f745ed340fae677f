// `tegula run` with invalid input: one message, the right status, and no file written.
#include "tests/cli/CliFixture.h"

#include "core/support/Files.h"

namespace tegula::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class RunMessages : public CliTest {
protected:
  /// `add` with one value replaced or added.
  Outcome add(const std::string &change, const std::vector<std::string> &options = {}) const {
    std::vector<std::string> values = {"x_ptr=zeros:f32:8", "y_ptr=zeros:f32:8", "z_ptr=zeros:f32:8", "n=8", "BLOCK=8"};
    std::string name = change.substr(0, change.find('='));
    bool replaced = false;
    for (std::string &value : values)
      if (value.substr(0, value.find('=')) == name) {
        value = change;
        replaced = true;
      }
    if (!replaced && !change.empty())
      values.push_back(change);
    values.insert(values.end(), options.begin(), options.end());
    if (std::find_if(values.begin(), values.end(), [](auto &v) { return v.starts_with("--grid"); }) == values.end())
      values.push_back("--grid=1");
    return run("add", values);
  }
};

TEST_F(RunMessages, Kernels) {
  expectMessage(
      run("ad", {"--grid=1"}), 2,
      "has no kernel 'ad'; it has add, unmasked, gather, negate_block, widen, tuned, below, count and broken; did "
      "you mean 'add'?");
  expectMessage(tegula({"run", TEGULA_KERNELS, "--grid=1"}), 2, "holds 9 kernels; name one of add,");
  expectMessage(tegula({"run", "nosuch.py::add", "--grid=1"}), 2, "cannot read 'nosuch.py': No such file or directory");
  expectMessage(tegula({"run", "kernels.py::", "--grid=1"}), 2, "names no kernel; expected FILE.py::KERNEL");
  expectMessage(tegula({"run", "kernels.py:add", "--grid=1"}), 2,
                "'kernels.py:add': a kernel stands behind two colons: kernels.py::add");
  writeFile(path("bad.py"), "import triton\n@triton.jit\ndef f(x:\n    pass\n");
  expectMessage(tegula({"run", "bad.py::f", "--grid=1"}), 2, "bad.py:");
  writeFile(path("host.py"), "print('no kernel here')\n");
  expectMessage(tegula({"run", "host.py", "--grid=1"}), 2, "'host.py' holds no kernel");
  expectMessage(run("broken", {"--grid=1", "x_ptr=zeros:f32:8", "BLOCK=8"}), 2, "kernels.py:");
}

TEST_F(RunMessages, AnnotatedTypes) {
  writeFile(path("k.py"), "import triton\nimport triton.language as tl\n@triton.jit\n"
                          "def k(p: \"*i64\", n: tl.int32):\n    tl.store(p + tl.arange(0, 8), n)\n");
  auto given = [&](const char *p, const char *n) { return tegula({"run", "k.py", "--grid=1", p, n}); };
  EXPECT_EQ(given("p=zeros:i64:8", "n=1").status, 0);
  expectMessage(
      given("p=zeros:i32:8", "n=1"), 2,
      "parameter 'p' of kernel 'k' is given an i32 array for a pointer to i64; pass an array of i64 or change "
      "the annotation");
  expectMessage(given("p=3", "n=1"), 2, "parameter 'p' of kernel 'k' is annotated *i64; an integer was given");
  expectMessage(given("p=zeros:i64:8", "n=zeros:i32:1"), 2,
                "parameter 'n' of kernel 'k' is annotated i32; a buffer was given");
}

TEST_F(RunMessages, Parameters) {
  expectMessage(add("BLOK=8"), 2,
                "kernel 'add' has no parameter 'BLOK'; it has x_ptr, y_ptr, z_ptr, n and BLOCK; did you mean 'BLOCK'?");
  expectMessage(add("n8"), 2, "'n8' is not NAME=VALUE");
  expectMessage(add("", {"n=9"}), 2, "parameter 'n' is given twice");
  expectMessage(add("", {"--const=BLOCK=4"}), 2, "parameter 'BLOCK' is given twice");
  expectMessage(run("add", {"--grid=1", "x_ptr=zeros:f32:8", "BLOCK=8"}), 2,
                "needs an argument for its parameter 'y_ptr'");
  expectMessage(run("unmasked", {"--grid=1", "x_ptr=zeros:f32:8", "y_ptr=zeros:f32:8"}), 2,
                "needs a value for its constexpr parameter 'BLOCK'");
  expectMessage(run("widen", {"--grid=1", "x_ptr=zeros:f32:4", "out_ptr=zeros:f32:4", "factor=zeros:f32:1"}), 2,
                "parameter 'factor' of kernel 'widen' is annotated f32; a buffer was given");
  expectMessage(add("BLOCK=7"), 2, "power of 2");
  expectMessage(add("", {"--num-warps=3"}), 2, "num_warps is 3; it must be a power of two from 1 to 32");
}

TEST_F(RunMessages, Devices) {
  expectMessage(add("", {"--device=cup"}), 2, "unknown device 'cup'");
  expectMessage(add("", {"--device=CPU"}), 2, "unknown device 'CPU'; devices of the cpu backend are cpu");
  std::string gpu = tegula({"run", TEGULA_KERNELS "::add", "--grid=1", "--device=gpu"}).err;
  EXPECT_THAT(gpu, AnyOf(HasSubstr("unknown device 'gpu'; no GPU was found, and `tegula doctor` says why"),
                         HasSubstr("unknown device 'gpu'; the GPUs are ")));
  // With a device, without one, or in a build without the backend: always by the backend's own name.
  for (auto [word, backend] : {std::pair("nvidia", "cuda"), {"NVIDIA:0", "cuda"}, {"amd", "rocm"}, {"vk", "vulkan"}})
    EXPECT_THAT(add("", {"--device=" + std::string(word)}).err,
                AnyOf(HasSubstr("'; the " + std::string(backend) + " backend finds no device: "),
                      HasSubstr("'; devices of the " + std::string(backend) + " backend are " + backend + ":0"),
                      HasSubstr("'; the " + std::string(backend) + " backend is not in this build, which has ")))
        << word;
}

TEST_F(RunMessages, Grids) {
  expectMessage(add("", {"--grid=cdiv(n, BLOKC)"}), 2,
                "--grid:1:9: error: unknown name 'BLOKC'; did you mean 'BLOCK'?");
  expectMessage(add("", {"--grid=n / 2"}), 2, "use // to divide integers");
  expectMessage(add("", {"--grid=1, 2, 3, 4"}), 2, "--grid has 4 axes; at most 3 are expected");
  expectMessage(add("", {"--grid=(1"}), 2, "--grid:1:3: error: ')' expected");
  expectMessage(add("", {"--grid=-1"}), 2, "grid axis 0 of kernel 'add' is -1");
  expectMessage(add("", {"--grid=1 // (n - 8)"}), 2, "division by zero");
  expectMessage(add("", {"--grid="}), 2, "'--grid=' has no value behind '='");
}

TEST_F(RunMessages, Files) {
  expectMessage(add("x_ptr=@nosuch.npy"), 2, "cannot read 'nosuch.npy': No such file or directory");
  writeFile(path("text.npy"), "not an array");
  expectMessage(add("x_ptr=@text.npy"), 2, "'text.npy': not a .npy file");
  save("x.npy", std::vector<float>(8), ScalarType::F32, {8});
  std::vector<uint8_t> whole = readFile(path("x.npy"));
  whole.resize(whole.size() - 3);
  writeFile(path("short.npy"), whole);
  expectMessage(add("x_ptr=@short.npy"), 2,
                "'short.npy': shape (8,) of 4-byte items takes 32 bytes, the file holds 29; it is truncated");
  expectMessage(add("x_ptr=x.npy"), 2, "x_ptr=x.npy: an array from a file is given with '@': x_ptr=@x.npy");
  expectMessage(add("x_ptr=zeros:float:8"), 2, "unknown type 'float'; write f32, or f64 for Python's");
  expectMessage(add("x_ptr=zeros:double:8"), 2, "unknown type 'double'; write f64");
  expectMessage(add("x_ptr=bf16:@x.npy"), 2, "'x.npy' holds items of 4 bytes, bf16 takes 2");
}

TEST_F(RunMessages, Outputs) {
  expectMessage(add("", {"--out", "w=w.npy"}), 2,
                "--out w: no array argument of that name; the arrays are x_ptr, y_ptr and z_ptr");
  expectMessage(add("", {"--out", "n=n.npy"}), 2, "--out n: it is not an array");
  expectMessage(add("", {"--out", "z_ptr"}), 2, "'z_ptr' is not NAME=VALUE");
  expectMessage(add("", {"--out", "z_ptr[1]=z.npy"}), 2, "there are 1 arrays");
  expectMessage(add("", {"--out", "z_ptr=nosuch/z.npy"}), 2, "cannot write 'nosuch/z.npy'");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "w.npy"));
}

TEST_F(RunMessages, FaultsEndWithOne) {
  expectMessage(run("unmasked", {"--grid=2", "--check", "x_ptr=zeros:f32:12", "y_ptr=zeros:f32:16", "BLOCK=8", "--out",
                                 "y_ptr=y.npy"}),
                1, "kernels.py:16:");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "y.npy")) << "no result of a failed kernel";
  expectMessage(run("unmasked", {"--grid=1", "--check", "x_ptr=empty:f32:8", "y_ptr=empty:f32:8", "BLOCK=8"}), 1,
                "never written");
}

} // namespace
} // namespace tegula::test
