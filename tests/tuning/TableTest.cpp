// Tables: what applies to a launch, which row is nearest, and what is refused with file, line and key.
#include "core/tuning/Table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::tuning {
namespace {

using ::testing::HasSubstr;

std::string problem(const std::string &text) {
  try {
    parseTable(text, "t.json");
  } catch (const Error &e) {
    return format(e.diagnostic());
  }
  return "(accepted)";
}

std::string tableWith(const std::string &row) {
  return "{\"format\": 1,\n \"target\": \"cpu\",\n \"rows\": [\n" + row + "\n]}";
}

TEST(Tables, AreReadAsWritten) {
  Table table =
      parseTable(tableWith(R"({"kernel": "matmul_2d", "text": "t", "types": ["f16", "fp32"], "key": {"M": [1, 64]},
     "config": {"BLOCK": 64, "ACT": null, "EPS": 1e-5, "FAST": true, "MODE": "x\"y", "OUT": {"dtype": "bf16"},
                "BIG": {"float": "inf"}}, "num_warps": 8, "source": "measured: here"})"),
                 "t.json");
  EXPECT_EQ(table.target, "cpu");
  ASSERT_EQ(table.rows.size(), 1u);
  const Row &row = table.rows[0];
  EXPECT_EQ(row.line, 4u);
  EXPECT_EQ(row.types, (std::vector{ScalarType::F16, ScalarType::F32}));
  EXPECT_EQ(row.key[0].second, (std::array<int64_t, 2>{1, 64}));
  EXPECT_EQ(row.config.numWarps, 8);
  EXPECT_FALSE(row.config.numStages);
  const Constants &constants = row.config.constants;
  EXPECT_EQ(constants.at("BLOCK"), ConstantValue(int64_t(64)));
  EXPECT_EQ(constants.at("ACT"), ConstantValue());
  EXPECT_EQ(constants.at("EPS"), ConstantValue(1e-5));
  EXPECT_EQ(constants.at("FAST"), ConstantValue(true));
  EXPECT_EQ(constants.at("MODE"), ConstantValue(std::string("x\"y")));
  EXPECT_EQ(constants.at("OUT"), ConstantValue(ScalarType::BF16));
  EXPECT_EQ(constants.at("BIG"), ConstantValue(HUGE_VAL));
  // Written and read again, every kind of constant is the same.
  Record record{"k", "s", "cpu", "d", "b", "*f16, i32", "", "M=64, N=1", row.config, 1e-3, 0.01, 5, 7};
  Table again = parseTable(formatTable("cpu", {record}), "again.json");
  ASSERT_TRUE(again.rows.at(0).record);
  EXPECT_EQ(again.rows[0].record->config.constants, constants);
  EXPECT_EQ(again.rows[0].record->seconds, 1e-3);
  EXPECT_EQ(again.rows[0].types, std::vector{ScalarType::F16});
  EXPECT_EQ(again.rows[0].key[0].second, (std::array<int64_t, 2>{33, 64}));
  EXPECT_EQ(again.rows[0].key[1].second, (std::array<int64_t, 2>{1, 1}));
}

TEST(Tables, AreRefusedWithFileLineAndKey) {
  const std::string good = R"("kernel": "k", "text": "t", "config": {}, "source": "reasoned: so")";
  EXPECT_EQ(problem(tableWith("{" + good + "}")), "(accepted)");
  struct Case {
    std::string text, expected;
  };
  const Case cases[] = {
      {"", "t.json:1:1: error: not JSON: "},
      {"{\"format\": 1,\n\"target\" \"cpu\"}", "t.json:2:1: error: not JSON: syntax error"},
      {"[]", "t.json:1:1: error: the table is a list; an object is expected"},
      {"{\"format\": 2,\n\"target\": \"cpu\", \"rows\": []}", "t.json:1:1: error: 'format' is 2; 1 is the one"},
      {"{\"format\": 1,\n\"rows\": []}", "error: the table needs a member 'target': a text"},
      {"{\"format\": 1,\n\"target\": 5, \"rows\": []}",
       "t.json:2:1: error: 'target' is an integer; a text is expected"},
      {"{\"format\": 1, \"format\": 1}", "'format' stands twice in one object"},
      {"{\"format\": 99999999999999999999}", "'format' is a number; an integer is expected"},
      {tableWith("{" + good + ",\n \"keys\": {}}"), "t.json:5:1: error: a row has no member 'keys'"},
      {tableWith("{" + good + ",\n \"key\": {\"M\": [5, 2]}}"), "t.json:5:1: error: the range of 'M' in 'key'"},
      {tableWith("{" + good + ",\n\n \"types\": [\"f31\"]}"), "t.json:6:1: error: 'types' has 'f31'"},
      {tableWith("{" + good + ",\n \"num_warps\": 3}"), "t.json:5:1: error: 'num_warps' is 3; expected a power of two"},
      {tableWith(R"({"kernel": "k", "text": "t", "config": {"B": [1]}, "source": "reasoned: so"})"),
       "'B' is a list; expected"},
      {tableWith(R"({"kernel": "k", "text": "t", "config": {}, "source": "guessed"})"), "must begin with 'measured: '"},
      {tableWith("5"), "t.json:4:1: error: a row is an integer"},
      {std::string(100000, '['), "nested deeper than 32 levels"},
  };
  for (const Case &c : cases)
    EXPECT_THAT(problem(c.text), HasSubstr(c.expected)) << c.text.substr(0, 200);
}

Query query(uint64_t m, uint64_t n) {
  Query made;
  made.kernel = "matmul_2d";
  made.text = "t";
  made.target = "cpu";
  made.open = {"BLOCK", "SPLIT"};
  for (int64_t block : {1, 3, 16, 64, 128, 256})
    made.own.push_back({{{"BLOCK", block}}, 4, 3});
  made.floats = {ScalarType::F32};
  made.key = {{"M", m}, {"N", n}};
  return made;
}

std::vector<Row> rows(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts)
    all += (all.empty() ? "" : ",\n") + text;
  return parseTable(tableWith(all), "t.json").rows;
}

TEST(Tables, TheNearestRowWins) {
  auto made = rows({
      R"({"kernel": "matmul_2d", "text": "t", "key": {"M": [1, 64], "N": [1, 64]},
          "config": {"BLOCK": 16}, "source": "reasoned: a"})",
      R"({"kernel": "matmul_2d", "text": "t", "key": {"M": [1024, 4096], "N": [1024, 4096]},
          "config": {"BLOCK": 128}, "source": "reasoned: b"})",
      R"({"kernel": "matmul_2d", "text": "t", "key": {"M": [1024, 1024], "N": [1024, 1024]},
          "config": {"BLOCK": 256}, "source": "reasoned: c"})",
      R"({"kernel": "matmul_2d", "text": "t", "config": {"BLOCK": 1}, "types": ["f16"],
          "source": "reasoned: other type"})",
      R"({"kernel": "softmax", "text": "t", "config": {"BLOCK": 2}, "source": "reasoned: other kernel"})",
      R"({"kernel": "matmul_2d", "text": "t", "config": {"SPLIT": 2},
          "source": "reasoned: other constant"})",
      R"({"kernel": "matmul_2d", "text": "t", "key": {"K": [1, 64]}, "config": {"BLOCK": 3},
          "source": "reasoned: other argument"})",
  });
  auto block = [&](const Query &asked) -> int64_t {
    const Row *row = nearest(made, asked);
    return row ? std::get<int64_t>(row->config.constants.at("BLOCK")) : 0;
  };
  EXPECT_EQ(block(query(32, 64)), 16);
  EXPECT_EQ(block(query(128, 128)), 16) << "2 octaves outside of the first, 6 outside of the others";
  EXPECT_EQ(block(query(512, 512)), 256) << "equally far: the narrower one";
  EXPECT_EQ(block(query(2048, 1024)), 128);
  EXPECT_EQ(block(query(1024, 1024)), 256) << "both hold it: the narrower one";
  EXPECT_EQ(fitOf(made[0], query(128, 256))->distance, 3.0);
  Query fixed = query(1024, 1024);
  fixed.open.clear();
  fixed.fixed["BLOCK"] = int64_t(128);
  EXPECT_EQ(block(fixed), 128) << "a row that contradicts the call does not apply";
  fixed.fixed["BLOCK"] = int64_t(77);
  EXPECT_EQ(block(fixed), 0);
}

TEST(Tables, ARowChoosesAmongTheKernelsOwnConfigurations) {
  Query asked = query(32, 32);
  asked.own = {{{{"BLOCK", int64_t(64)}}, 4, 3}, {{{"BLOCK", int64_t(64)}}, 8, 3}};
  auto chosen = [&](const std::string &row) { return ownConfig(rows({row})[0], asked); };
  auto row = [](const std::string &config) {
    return R"({"kernel": "matmul_2d", "text": "t", "config": {)" + config + R"(, "source": "reasoned: so"})";
  };
  EXPECT_EQ(chosen(row(R"("BLOCK": 64})")), &asked.own[0]);
  EXPECT_EQ(chosen(row(R"("BLOCK": 64}, "num_warps": 8)")), &asked.own[1]);
  EXPECT_EQ(chosen(row(R"("BLOCK": 64}, "num_warps": 2)")), nullptr);
  EXPECT_EQ(chosen(row(R"("BLOCK": 64}, "num_stages": 2)")), nullptr);
  EXPECT_EQ(chosen(row(R"("BLOCK": 128})")), nullptr);
  EXPECT_EQ(chosen(row(R"("BLOCK": 64, "SPLIT": 2})")), nullptr) << "none of its own has that constant";
  asked.numWarps = 8;
  EXPECT_EQ(chosen(row(R"("BLOCK": 64})")), &asked.own[1]) << "the call fixes the warps";
  asked.numWarps = 2;
  EXPECT_EQ(chosen(row(R"("BLOCK": 64})")), nullptr) << "no configuration has as many warps";
  asked.numWarps.reset();
  asked.fixed["BLOCK"] = int64_t(32);
  EXPECT_EQ(chosen(row("}")), nullptr) << "none of its own has the block that the call gives";
  asked.fixed.clear();
  auto applies = [&](const std::string &text) { return nearest(rows({text}), asked) != nullptr; };
  EXPECT_TRUE(applies(row(R"("BLOCK": 64})")));
  EXPECT_FALSE(applies(row(R"("BLOCK": 128})")));
  asked.text = "another kernel of this name";
  EXPECT_FALSE(applies(row(R"("BLOCK": 64})")));
}

} // namespace
} // namespace tegula::tuning
