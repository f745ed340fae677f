// Help, misspellings, devices.
#include "tests/cli/CliFixture.h"

#include "core/support/Files.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HelpCli : public CliTest {};

TEST_F(HelpCli, EveryCommandTeaches) {
  Outcome top = tegula({"--help"});
  EXPECT_EQ(top.status, 0);
  for (const char *command : {"devices", "targets", "compile", "run", "layout", "cache", "doctor"}) {
    EXPECT_THAT(top.out, HasSubstr(std::string("\n  ") + command));
    for (std::vector<std::string> ask :
         {std::vector<std::string>{command, "--help"}, {"help", command}, {command, "-h"}}) {
      Outcome help = tegula(ask);
      EXPECT_EQ(help.status, 0);
      EXPECT_THAT(help.out, HasSubstr("Usage: tegula " + std::string(command)));
      EXPECT_THAT(help.out, HasSubstr("Examples:\n"));
      EXPECT_EQ(help.err, "");
    }
  }
  for (const char *variable : {"TEGULA_CACHE_DIR", "TRITON_INTERPRET", "TEGULA_DEVICE"})
    EXPECT_THAT(top.out, HasSubstr(variable));
}

TEST_F(HelpCli, VersionsNameCommitAndBackends) {
  // Of sources without a git repository there is no commit.
  EXPECT_THAT(
      tegula({"--version"}).out,
      ::testing::MatchesRegex("tegula [0-9]+\\.[0-9]+\\.[0-9]+(, commit [0-9a-f]{12}\\+?)?, backends .*cpu.*\n"));
}

TEST_F(HelpCli, NoCommandIsBadUse) {
  Outcome outcome = tegula({});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("Usage: tegula"));
}

TEST_F(HelpCli, MisspellingsAreSuggested) {
  expectMessage(tegula({"rum"}), 2, "unknown command 'rum'; did you mean 'run'?");
  expectMessage(tegula({"explode"}), 2,
                "unknown command 'explode'; the commands are devices, targets, compile, run, build, inspect, layout, "
                "tune, bench, cache and doctor");
  expectMessage(tegula({"--versoin"}), 2, "unknown option '--versoin'; did you mean '--version'?");
  expectMessage(tegula({"devices", "--jsn"}), 2, "unknown option '--jsn'; did you mean '--json'?");
  expectMessage(tegula({"run", "x.py", "--gird=1"}), 2, "unknown option '--gird'; did you mean '--grid'?");
  expectMessage(tegula({"compile", "x.py", "--tartget=cpu"}), 2,
                "unknown option '--tartget'; did you mean '--target'?");
  expectMessage(tegula({"devices", "--zzzzzz"}), 2,
                "unknown option '--zzzzzz'; `tegula devices --help` lists what there is");
  expectMessage(tegula({"devices", "cpu"}), 2, "unexpected argument 'cpu'");
  expectMessage(tegula({"cache", "lst"}), 2,
                "unknown action 'lst'; expected list, verify, clear or path; did you mean 'list'?");
}

TEST_F(HelpCli, WhatIsMissingIsNamed) {
  expectMessage(tegula({"run"}), 2, "FILE::KERNEL is required; `tegula run --help` shows examples");
  expectMessage(tegula({"run", "x.py"}), 2, "--grid is required");
  expectMessage(tegula({"compile"}), 2, "FILE is required");
  expectMessage(tegula({"cache"}), 2, "ACTION is required");
  expectMessage(tegula({"run", "x.py", "--grid=1", "--repeat=0"}), 2, "--repeat is 0; it must be from 1 to 1000000");
  expectMessage(tegula({"run", "x.py", "--grid=1", "--num-warps=many"}), 2, "--num-warps");
}

TEST_F(HelpCli, Devices) {
  Outcome table = tegula({"devices"});
  EXPECT_EQ(table.status, 0);
  EXPECT_THAT(table.out, HasSubstr("cpu\n"));
  EXPECT_THAT(table.out, HasSubstr("target cpu"));
  Outcome json = tegula({"devices", "--json"});
  EXPECT_EQ(json.status, 0);
  auto parsed = nlohmann::json::parse(json.out);
  bool found = false;
  for (auto &device : parsed["devices"])
    if (device["name"] == "cpu") {
      found = true;
      EXPECT_EQ(device["target"], "cpu");
      EXPECT_GT(device["memoryBytes"].get<uint64_t>(), 0u);
      EXPECT_FALSE(device["isRealGpu"].get<bool>());
      EXPECT_THAT(device["properties"]["cores"].get<std::string>(), Not(""));
    }
  EXPECT_TRUE(found);
  EXPECT_TRUE(parsed["absent"].is_array());
}

TEST_F(HelpCli, TargetsAreByBackend) {
  Outcome outcome = tegula({"targets"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("cpu: cpu\n"));
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_THAT(line, ::testing::MatchesRegex("[a-z]+:( [a-z0-9_:+-]+)+"));
}

TEST_F(HelpCli, DoctorLooksAtEachPart) {
  std::filesystem::create_directory(path("tables"));
  std::ofstream(path("tables/cpu.json")) << R"({"format": 1, "target": "cpu", "rows": [
    {"kernel": "k", "text": "0123456789abcdef0123456789abcdef", "key": {"n": [1, 64]}, "config": {"BLOCK": 16},
     "source": "reasoned: small"}]})";
  std::map<std::string, std::string> environment = {{"TEGULA_TUNING_PATH", path("tables")}};
  Outcome outcome = tegula({"doctor"}, environment);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ok build       tegula "));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\nok LLVM        [0-9]+\\."));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\nok cpu  .*; a kernel ran, compiled and checked in "));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\nok cache       /.*/kernels: [0-9]+ entr")) << "the probe's";
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\nok tables      [0-9]+ rows in [0-9]+ tuning tables"));
  EXPECT_THAT(outcome.out, HasSubstr("\nok records     none yet; "));
  EXPECT_THAT(outcome.out, HasSubstr("TEGULA_TUNING_PATH=" + path("tables")));
}

TEST_F(HelpCli, DoctorFindsWhatIsBroken) {
  writeFile(path("table.json"), "{");
  writeFile(path("ptxas"), "#!/bin/sh\nexit 3\n");
  std::filesystem::permissions(path("ptxas"), std::filesystem::perms::owner_all);
  writeFile(path("tuning.sqlite"), std::string(4096, 'x'));
  Outcome outcome = tegula({"doctor"}, {{"TEGULA_TUNING_PATH", path("table.json")},
                                        {"TRITON_PTXAS_PATH", path("ptxas")},
                                        {"TEGULA_CACHE_DIR", directory_.string()}});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("!! tables      " + path("table.json") + " is not used: "));
  EXPECT_THAT(outcome.out, HasSubstr("to mend it: correct the file, or take it out of TEGULA_TUNING_PATH"));
  EXPECT_THAT(outcome.out, HasSubstr("!! records     "));
  EXPECT_THAT(outcome.out, HasSubstr("to mend it: rm " + path("tuning.sqlite")));
  if (tegula({"targets"}).out.find("cuda:") != std::string::npos) {
    EXPECT_THAT(outcome.out, HasSubstr("!! ptxas       " + path("ptxas") + " does not answer to --version: "));
  }
  std::filesystem::permissions(directory_, std::filesystem::perms(0755));
  std::filesystem::create_directory(path("open"));
  std::filesystem::create_directory(path("open/kernels"));
  std::filesystem::permissions(path("open/kernels"), std::filesystem::perms(0777));
  EXPECT_THAT(tegula({"doctor"}, {{"TEGULA_CACHE_DIR", path("open")}}).out,
              HasSubstr("!! cache       " + path("open/kernels") + " cannot be used"));
}

TEST_F(HelpCli, OutputThatCannotBeWrittenIsAFailure) {
  std::filesystem::create_symlink("/dev/full", directory_ / "full");
  Outcome outcome = tegula({"compile", TEGULA_KERNELS "::add", "--emit=ast", "-o", path("full")});
  expectMessage(outcome, 2, "cannot write '" + path("full") + "': No space left on device");
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path("/dev/full")));
}

} // namespace
} // namespace tegula::test
