// Values of YAML and JSON texts, as PyYAML's safe_load gives them.
#include "frontend/language/host/HostYaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

HostObject item(const HostObject &object, const std::string &key) {
  for (auto &[k, value] : object.dict()->items)
    if (k.as<std::string>() && *k.as<std::string>() == key)
      return value;
  return std::string("absent");
}

HostObject readAs(const std::string &text) {
  std::string problem;
  auto value = readYaml(text, problem);
  EXPECT_TRUE(value) << problem;
  return value.value_or(HostObject());
}

TEST(Yaml, Scalars) {
  HostObject all = readAs("n: ~\nempty:\nt: yes\nf: False\ni: -12\nhex: 0x1F\noct: 010\nbig: 1_000\nr: 1.5e+3\n"
                          "inf: -.inf\nquoted: '12'\nword: plain text\nversion: 1.2.3\n");
  EXPECT_TRUE(item(all, "n").as<std::monostate>());
  EXPECT_TRUE(item(all, "empty").as<std::monostate>());
  EXPECT_EQ(*item(all, "t").as<bool>(), true);
  EXPECT_EQ(*item(all, "f").as<bool>(), false);
  EXPECT_EQ(*item(all, "i").as<int64_t>(), -12);
  EXPECT_EQ(*item(all, "hex").as<int64_t>(), 31);
  EXPECT_EQ(*item(all, "oct").as<int64_t>(), 8);
  EXPECT_EQ(*item(all, "big").as<int64_t>(), 1000);
  EXPECT_EQ(*item(all, "r").as<double>(), 1500);
  EXPECT_LT(*item(all, "inf").as<double>(), -1e308);
  EXPECT_EQ(*item(all, "quoted").as<std::string>(), "12");
  EXPECT_EQ(*item(all, "word").as<std::string>(), "plain text");
  EXPECT_EQ(*item(all, "version").as<std::string>(), "1.2.3");
}

TEST(Yaml, ListsDictionariesAndAnchors) {
  HostObject all =
      readAs("base: &b {warps: 4, stages: 2}\nmine:\n  <<: *b\n  warps: 8\nsame: *b\nlist:\n- 1\n- [2, x]\n");
  EXPECT_EQ(item(item(all, "mine"), "warps").integer(), 8);
  EXPECT_EQ(item(item(all, "mine"), "stages").integer(), 2);
  EXPECT_EQ(item(item(all, "same"), "warps").integer(), 4);
  EXPECT_EQ(item(all, "list").list()->items[1].list()->items[0].integer(), 2);
}

TEST(Yaml, Json) {
  HostObject all = readAs("{\"a\": [1, 2.5, true, null, \"x\\ny\"], \"b\": 1e-3}");
  const std::vector<HostObject> &items = item(all, "a").list()->items;
  EXPECT_EQ(items[0].integer(), 1);
  EXPECT_EQ(*items[1].as<double>(), 2.5);
  EXPECT_EQ(*items[2].as<bool>(), true);
  EXPECT_TRUE(items[3].as<std::monostate>());
  EXPECT_EQ(*items[4].as<std::string>(), "x\ny");
  EXPECT_EQ(*item(all, "b").as<double>(), 1e-3);
}

TEST(Yaml, WrongTexts) {
  std::string problem;
  EXPECT_FALSE(readYaml("a: [1, 2", problem));
  EXPECT_THAT(problem, ::testing::StartsWith("line 1: "));
  EXPECT_FALSE(readYaml("a: *nowhere\n", problem));
  EXPECT_FALSE(readYaml(std::string(200, '[') + std::string(200, ']'), problem));
  EXPECT_EQ(problem, "it is nested too deeply, or too long");
}

} // namespace
} // namespace tegula::lang
