// Help, misspellings, devices.
#include "tests/cli/CliFixture.h"

#include <nlohmann/json.hpp>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HelpCli : public CliTest {};

TEST_F(HelpCli, EveryCommandTeaches) {
  Outcome top = tegula({"--help"});
  EXPECT_EQ(top.status, 0);
  for (const char *command : {"devices", "compile", "run", "layout", "cache"}) {
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
  EXPECT_THAT(tegula({"--version"}).out, ::testing::MatchesRegex("tegula [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(HelpCli, NoCommandIsBadUse) {
  Outcome outcome = tegula({});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("Usage: tegula"));
}

TEST_F(HelpCli, MisspellingsAreSuggested) {
  expectMessage(tegula({"rum"}), 2, "unknown command 'rum'; did you mean 'run'?");
  expectMessage(tegula({"explode"}), 2,
                "unknown command 'explode'; the commands are devices, compile, run, build, inspect, layout, tune, "
                "bench and cache");
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

TEST_F(HelpCli, OutputThatCannotBeWrittenIsAFailure) {
  std::filesystem::create_symlink("/dev/full", directory_ / "full");
  Outcome outcome = tegula({"compile", TEGULA_KERNELS "::add", "--emit=ast", "-o", path("full")});
  expectMessage(outcome, 2, "cannot write '" + path("full") + "': No space left on device");
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path("/dev/full")));
}

} // namespace
} // namespace tegula::test
