// `tegula bench`: its forms of output, and comparisons.
#include "frontend/cli/bench/Results.h"
#include "tests/cli/CliFixture.h"

#include <gmock/gmock.h>

#include <fstream>

namespace tegula::test {
namespace {

using cli::BenchReport;
using cli::BenchResult;
using ::testing::HasSubstr;

std::string contentOf(const std::string &file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

BenchReport report(double scale) {
  BenchReport made;
  made.kernel = "m.py::k";
  for (int64_t n : {64, 128, 256})
    for (const char *type : {"f32", "f16"}) {
      BenchResult result;
      result.device = "cpu";
      result.description = "a <device> & more";
      result.type = type;
      result.sizes = {{"K", 7}, {"M", n}, {"N", n}};
      result.median = 1e-6 * double(n) * scale;
      result.lower = result.median * 0.95;
      result.upper = result.median * 1.05;
      result.launches = 10;
      result.bytes = 4000.0 * double(n);
      result.flops = 2.0 * double(n * n);
      result.copyRate = 1e10;
      result.configuration = "BLOCK=64, ACT='a,b'";
      made.results.push_back(result);
    }
  return made;
}

TEST(BenchResults, TablesShowRates) {
  std::string table = formatTable(report(1));
  EXPECT_THAT(table, ::testing::StartsWith("device  type  sizes                median  spread"));
  EXPECT_THAT(table, HasSubstr("cpu     f32   K=7 M=64 N=64     64.000 us  +-5.0%  4.00      40%  0.000128\n"));
  EXPECT_THAT(
      formatCsv(report(1)),
      HasSubstr("m.py::k,cpu,a <device> & more,f16,K=7 M=256 N=256,0.000256,0.0002432,0.0002688,10,1024000,131072,"
                "1e+10,\"BLOCK=64, ACT='a,b'\"\n"));
}

TEST(BenchResults, JsonIsReadAgain) {
  BenchReport again = cli::parseReport(formatJson(report(1)), "r.json");
  EXPECT_EQ(formatJson(again), formatJson(report(1)));
  for (const char *text : {"", "[]", "{\"format\": 2}", "{\"format\": 1, \"kernel\": \"k\", \"results\": [{}]}",
                           "{\"format\": 1, \"kernel\": 5, \"results\": []}"})
    EXPECT_THROW(cli::parseReport(text, "r.json"), Error) << text;
}

TEST(BenchResults, ComparisonsShowRatiosAndWhatIsMissing) {
  BenchReport before = report(1), after = report(0.5);
  EXPECT_THAT(compareReports(before, after), HasSubstr("128.000 us   64.000 us  0.500  faster\n"));
  EXPECT_THAT(compareReports(before, after), HasSubstr("geometric mean of the ratios: 0.500\n"));
  EXPECT_THAT(compareReports(before, report(1.02)), HasSubstr("1.020  within the spread\n"));
  after.results.erase(after.results.begin());
  before.results.pop_back();
  std::string text = compareReports(before, after);
  EXPECT_THAT(text, HasSubstr("only after: cpu f16 K=7 M=256 N=256\nonly before: cpu f32 K=7 M=64 N=64\n"));
  after.results.clear();
  EXPECT_THROW(compareReports(before, after), Error);
}

TEST(BenchResults, PlotsHaveAxesUnitsLegendAndDevice) {
  std::string svg = plotReport(report(1));
  for (const char *text : {"m.py::k</text>", "cpu: a &lt;device&gt; &amp; more</text>", "TFLOP/s (median)</text>",
                           ">M = N (logarithmic)</text>", ">cpu f32</text>", ">cpu f16</text>", ">128</text>"})
    EXPECT_THAT(svg, HasSubstr(text));
  BenchReport bytes = report(1);
  bytes.results[0].flops = 0;
  for (BenchResult &result : bytes.results)
    result.sizes["M"] *= 1024;
  for (const char *text : {"GB/s (median)", ">64Ki</text>", ">256Ki</text>", ">M (logarithmic)</text>",
                           "stroke-dasharray", "dashed: a copy on the device</text>"})
    EXPECT_THAT(plotReport(bytes), HasSubstr(text));
  EXPECT_EQ(svg.find("stroke-dasharray"), std::string::npos) << "a copy computes nothing";
  EXPECT_THROW(cli::plotReport({}), Error);
  bytes.results[1].sizes = {{"rows", 5}};
  EXPECT_THROW(plotReport(bytes), Error);
}

class BenchCli : public CliTest {};

TEST_F(BenchCli, MeasuresAndWritesEveryForm) {
  Outcome outcome = tegula({"bench", TEGULA_KERNELS "::widen", "--shapes=n=4; n=8", "--types=f32,f16", "--devices=cpu",
                            "--grid=1", "--flops=n", "--seconds=0.001", "x_ptr=rand:{T}:{n}", "out_ptr=empty:f32:{n}",
                            "factor=2.0", "--json", path("r.json"), "--csv", path("r.csv"), "--svg", path("r.svg")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 5);
  EXPECT_EQ(cli::parseReport(contentOf(path("r.json")), "r.json").results.size(), 4u);
  EXPECT_THAT(contentOf(path("r.svg")), HasSubstr("</svg>"));
  Outcome compared = tegula({"bench", "--compare", path("r.json"), path("r.json")});
  EXPECT_THAT(compared.out, HasSubstr("geometric mean of the ratios: 1.000"));
  expectMessage(tegula({"bench", "--compare", path("r.json"), path("r.csv")}), 2, "is no result of `tegula bench");
  expectMessage(tegula({"bench", TEGULA_KERNELS "::widen", "--grid=1"}), 2, "--shapes is missing");
  expectMessage(tegula({"bench", TEGULA_KERNELS "::widen", "--grid=1", "--shapes=n=4", "--types={T}", "--devices=cpu",
                        "x_ptr=rand:{T}:{n}", "out_ptr=empty:f32:{n}", "factor=2.0"}),
                2, "{T}");
  expectMessage(tegula({"bench", TEGULA_KERNELS "::widen", "--grid=1", "--shapes=n"}), 2, "'n' in --shapes is no size");
}

TEST_F(BenchCli, PicturesAsPngNeedARenderer) {
  std::ofstream(path("r.json")) << formatJson(report(1));
  std::vector<std::string> words = {
      "bench",           TEGULA_KERNELS "::widen", "--shapes=n=4",          "--devices=cpu", "--grid=1",
      "--seconds=0.001", "x_ptr=rand:f32:{n}",     "out_ptr=empty:f32:{n}", "factor=2.0",    "--png",
      path("r.png")};
  Outcome outcome = tegula(words);
  if (std::filesystem::exists("/usr/bin/rsvg-convert"))
    EXPECT_EQ(contentOf(path("r.png")).substr(1, 3), "PNG") << outcome.err;
  expectMessage(tegula(words, {{"PATH", directory_.string()}}), 2, "need rsvg-convert (Debian: librsvg2-bin)");
}

TEST_F(BenchCli, AnEmptyGridIsNoMeasurement) {
  expectMessage(tegula({"bench", TEGULA_KERNELS "::widen", "--shapes=n=4", "--devices=cpu", "--grid=BLOCK - 4",
                        "--seconds=0.001", "x_ptr=rand:f32:{n}", "out_ptr=empty:f32:{n}", "factor=2.0"}),
                2, "--grid gives no programs for n=4; nothing can be timed");
}

class TuneCli : public CliTest {};

TEST_F(TuneCli, BadUseIsNamed) {
  expectMessage(tegula({"tune"}), 2, "nothing to do: FILE.py::KERNEL, --export or --import is expected");
  std::vector<std::string> words = {"tune",         TEGULA_KERNELS "::unmasked", "--grid=1",           "--shapes=n=4",
                                    "--device=cpu", "x_ptr=rand:f32:{n}",        "y_ptr=empty:f32:{n}"};
  expectMessage(tegula(words), 2, "kernel 'unmasked' has no configurations to choose from");
  words.push_back("--budget=soon");
  expectMessage(tegula(words), 2, "--budget is 'soon'; expected a time such as 60s, 2m or 1h");
  words.back() = "--space=BLOCK=";
  expectMessage(tegula(words), 2, "'BLOCK=' in --space is no list of values");
  words.back() = "--space=BLOCK=4|";
  expectMessage(tegula(words), 2, "'BLOCK=4|' in --space is no list of values");
  words.back() = "--space=BLOK=4|8";
  expectMessage(tegula(words), 2,
                "kernel 'unmasked' has no constexpr parameter 'BLOK'; it has BLOCK; did you mean 'BLOCK'?");
  words.back() = "--space=BLOCK=3|5";
  Outcome none = tegula(words);
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, HasSubstr("none of 2 configurations can be launched"));
  EXPECT_THAT(none.out, HasSubstr("arange's extent must be a power of 2, found 3"));
  std::vector<std::string> late = words;
  late.back() = "--space=BLOCK=2|4";
  late.push_back("--budget=0.000001s");
  Outcome spent = tegula(late);
  EXPECT_EQ(spent.status, 1) << "nothing is kept";
  EXPECT_THAT(spent.out, HasSubstr(", the best of 1 in "));
  EXPECT_THAT(spent.err, HasSubstr("the time was spent when one of 2 configurations had been measured; allow more"));
  words.back() = "--shapes=n=4,m=5";
  words.erase(words.begin() + 3);
  expectMessage(tegula(words), 2, "'n=4,m=5' in --shapes is no size");
  words.insert(words.begin() + 3, "--shapes=n=4");
  words.back() = "x_ptr=rand:f32:{m}";
  expectMessage(tegula(words), 2, "unknown name 'm'");
  expectMessage(tegula({"tune", TEGULA_KERNELS "::widen", "--grid=1", "--shapes=n=8", "--device=cpu",
                        "x_ptr=rand:f32:{n}", "out_ptr=empty:f32:{n}", "factor=2.0", "--space=BLOCK=4|8"}),
                2, "the space sets 'BLOCK', for which kernel 'widen' has a default");
  std::ofstream(path("t.json")) << "{\"format\": 1,\n \"target\": 5, \"rows\": []}";
  expectMessage(tegula({"tune", "--import", path("t.json")}), 2, "t.json:2:1: error: 'target' is an integer");
}

TEST_F(TuneCli, RecordsAreExportedAndImported) {
  Outcome tuned = tegula({"tune", TEGULA_KERNELS "::unmasked", "--grid=1", "--shapes=n=8; n=100", "--space=BLOCK=4|8",
                          "--device=cpu", "x_ptr=rand:f32:{n}", "y_ptr=empty:f32:{n}", "--budget=5s"});
  EXPECT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("n=8: "));
  EXPECT_THAT(tuned.out, HasSubstr(", the best of 2 in "));
  EXPECT_EQ(tegula({"tune", "--export", path("tables")}).out, path("tables") + "/cpu.json\n");
  for (const char *suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(path("cache/tuning.sqlite") + suffix);
  EXPECT_THAT(tegula({"tune", "--import", path("tables") + "/cpu.json"}).out, HasSubstr("1 records merged into "))
      << "the kernel has no integer argument, so there is one bucket";
}

} // namespace
} // namespace tegula::test
