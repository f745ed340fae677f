// Bundles: what they hold, which code a launch takes of them, and that damaged ones are refused. The null device's
// target is `null`; further targets have names that no device runs.
#include "core/runtime/KernelImpl.h"
#include "core/runtime/bundle/BundleBuild.h"
#include "core/runtime/c/Handles.h"
#include "core/runtime/tune/Choice.h"
#include "core/support/Files.h"
#include "core/support/Hash.h"
#include "core/tuning/Records.h"
#include "tests/runtime/AutotuneFixture.h"

#include <gmock/gmock.h>

#include <random>

namespace tegula::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

ParamType pointer(ScalarType type, uint32_t divisibility = 1) {
  ParamType result;
  result.kind = ParamType::Kind::Pointer;
  result.type = type;
  result.divisibility = divisibility;
  return result;
}

ParamType scalar(ScalarType type, uint32_t divisibility = 1) {
  ParamType result;
  result.type = type;
  result.divisibility = divisibility;
  return result;
}

ParamType literal(ConstantValue value) {
  ParamType result;
  result.kind = ParamType::Kind::Constant;
  result.value = std::move(value);
  return result;
}

class Bundles : public RuntimeTest {
protected:
  Bundles() : x_(device_, DType::F32, {64}) {
    fake_.kernels = {makeKernel("k", {"x", "n", "BLOCK"})};
    // This compiler relies on a divisibility of 16, and tells the code's constants by the name of its entry.
    fake_.onCompile = [](const CompileRequest &request, CompileResult &result) {
      if (request.signature[1].divisibility >= 16)
        result.artifact->guards.push_back({Guard::Kind::DivisibleBy, 1, 16});
      if (request.signature[1].isOne)
        result.artifact->guards.push_back({Guard::Kind::Equals, 1, 1});
      const ConstantValue &block = request.constants.at("BLOCK");
      auto *real = std::get_if<double>(&block);
      std::string binary = std::string(null::kMagic) + "k" +
                           (real ? std::to_string(*real) : std::to_string(std::get<int64_t>(block))) +
                           (result.artifact->guards.empty() ? "" : " guarded");
      result.artifact->binary.assign(binary.begin(), binary.end());
    };
  }

  BundleItem item(std::vector<std::vector<ParamType>> signatures, int64_t block = 64) const {
    BundleItem made;
    made.path = "k.py";
    made.source = "source";
    made.info = fake_.kernels[0];
    made.info.text = made.source;
    made.signatures = std::move(signatures);
    made.constants = {{"BLOCK", block}};
    return made;
  }
  static BundleFile build(const std::vector<BundleItem> &items, const std::vector<std::string> &targets = {"null"}) {
    return buildBundle(items, targets, [](const std::string &) {});
  }
  Bundle open(const BundleFile &file) {
    std::string path = directory_ / "k.tgb";
    writeFile(path, serialize(file));
    return Bundle::open(path);
  }
  /// The code that a launch ran.
  std::string launch(const Kernel &kernel, Argument n, const LaunchOptions &options = {}) {
    kernel.launch(stream_, {1}, {x_, n}, options);
    return launches().back().kernel;
  }

  Buffer x_;
};

TEST_F(Bundles, ALaunchNeedsNoCompiler) {
  Kernel kernel = open(build({item({{pointer(ScalarType::F32, 16), scalar(ScalarType::I32, 16)}})})).kernel("k");
  size_t compiled = fake_.requests.size();
  EXPECT_EQ(launch(kernel, 32), "k64 guarded");
  EXPECT_EQ(launch(kernel, 33), "k64");
  EXPECT_EQ(launch(kernel, 32), "k64 guarded");
  EXPECT_EQ(fake_.requests.size(), compiled);
  EXPECT_EQ(fake_.inspections, 0);
}

TEST_F(Bundles, TheOrderOfLaunchesDoesNotMatter) {
  Kernel kernel = open(build({item({{pointer(ScalarType::F32), scalar(ScalarType::I32, 16)},
                                    {pointer(ScalarType::F32), literal(int64_t(1))}})}))
                      .kernel("k");
  EXPECT_EQ(launch(kernel, 7), "k64");
  EXPECT_EQ(launch(kernel, 1), "k64 guarded");
  EXPECT_EQ(launch(kernel, 16), "k64 guarded");
  EXPECT_EQ(open(build({item({{pointer(ScalarType::F32), scalar(ScalarType::I32)}})})).kernels(),
            std::vector<std::string>{"k"});
}

TEST_F(Bundles, ConstantsChooseAmongInstances) {
  BundleItem all = item({{pointer(ScalarType::F32), scalar(ScalarType::I32)}});
  all.constants.clear();
  all.configs = BundleConfigs::All;
  for (int64_t block : {128, 256}) {
    KernelConfig config;
    config.constants["BLOCK"] = block;
    config.numWarps = block == 128 ? 2 : 8;
    all.info.configs.push_back(config);
  }
  Kernel kernel = open(build({all})).kernel("k");
  EXPECT_EQ(launch(kernel, 5), "k128"); // the first configuration
  EXPECT_EQ(launch(kernel, 5, {.constants = {{"BLOCK", 256}}}), "k256");
  EXPECT_EQ(launch(kernel, 5, {.numWarps = 8}), "k256");
  EXPECT_THAT(messageOf([&] { launch(kernel, 5, {.constants = {{"BLOCK", 64}}}); }),
              AllOf(HasSubstr("was not built for (*f32, i32) with BLOCK=64"),
                    HasSubstr("it was built for (*f32, i32) with BLOCK=128; (*f32, i32) with BLOCK=256")));
  EXPECT_THAT(messageOf([&] { launch(kernel, 5, {.numWarps = 4}); }),
              AllOf(HasSubstr("was not built for (*f32, i32) with num_warps=4; it was built for (*f32, i32) with "
                              "BLOCK=128, num_warps=2; (*f32, i32) with BLOCK=256, num_warps=8")));
  EXPECT_THAT(messageOf([&] { launch(kernel, 5, {.constants = {{"BLOCK", 256}}, .numStages = 7}); }),
              AllOf(HasSubstr("with BLOCK=256, num_stages=7; it was built for"), HasSubstr("BLOCK=256, num_stages=3")));
}

TEST_F(Bundles, AssertionsAreThoseThatItWasBuiltWith) {
  auto file = std::make_shared<BundleFile>(build({item({{pointer(ScalarType::F32), scalar(ScalarType::I32)}})}));
  auto taken = [&](const Constants &given, bool isChecked) {
    const std::vector<BoundArgument> arguments;
    BundleChoice choice =
        choose({file, 0}, *device_.impl()->driver, {arguments, given, std::nullopt, std::nullopt, {}, isChecked});
    return choice.instance - file->instances.data();
  };
  const Constants debug = {{"debug", true}}, none = {{"debug", false}};
  file->instances[0].types.clear();
  EXPECT_EQ(taken({}, false), 0);
  EXPECT_EQ(taken(none, false), 0);
  EXPECT_EQ(taken(debug, true), 0) << "there is no other code";
  EXPECT_THROW(taken(debug, false), Error) << "it was not built for debug=True";
  file->instances.insert(file->instances.begin(), file->instances[0]);
  file->instances[0].constants.insert(debug.begin(), debug.end());
  file->code.push_back(file->code[0]);
  file->code[1].instance = 1;
  EXPECT_EQ(taken({}, false), 1) << "although it is not the first";
  EXPECT_EQ(taken(debug, false), 0);
  EXPECT_EQ(taken(debug, true), 0);
  EXPECT_EQ(taken(none, true), 0);
}

TEST_F(Bundles, ANaNIsAConstantLikeOthers) {
  BundleItem made =
      item({{pointer(ScalarType::F32), scalar(ScalarType::I32)}, {pointer(ScalarType::F32), literal(int64_t(1))}});
  double nan = std::numeric_limits<double>::quiet_NaN();
  made.constants = {{"BLOCK", nan}};
  BundleFile file = build({made});
  EXPECT_EQ(file.instances.size(), 1u) << "of both signatures";
  Kernel kernel = open(file).kernel("k");
  EXPECT_EQ(launch(kernel, 5), "knan");
  EXPECT_EQ(launch(kernel, 5, {.constants = {{"BLOCK", nan}}}), "knan");
  EXPECT_THAT(messageOf([&] { launch(kernel, 5, {.constants = {{"BLOCK", 1.0}}}); }),
              HasSubstr("it was built for (*f32, i32) with BLOCK=nan"));
}

TEST_F(Bundles, TablesDoNotApply) {
  std::string table = (directory_ / "null.json").string();
  std::string rows = R"({"format": 1, "target": "null", "rows": [
    {"kernel": "k", "text": "source", "config": {"BLOCK": 512}, "source": "reasoned: for this test"}]})";
  writeFile(table, std::vector<uint8_t>(rows.begin(), rows.end()));
  ScopedVariable path("TEGULA_TUNING_PATH", table.c_str());
  fake_.kernels[0].configs = {config(64), config(512)};
  Kernel kernel = open(build({item({{pointer(ScalarType::F32), scalar(ScalarType::I32)}})})).kernel("k");
  EXPECT_EQ(launch(kernel, 5), "k64");
  load().launch(stream_, {1}, {x_, 5});
  EXPECT_EQ(launches().back().kernel, "k512") << "the table is read, and holds for a kernel of a file";
}

/// What tables and records have for the target when a bundle is built decides by the sizes of each launch.
class TunedBundles : public Bundles {
protected:
  TunedBundles() {
    table(R"({"format": 1, "target": "null", "rows": [
      {"kernel": "k", "text": "source", "types": ["f16"], "config": {"BLOCK": 512}, "source": "reasoned: another type"},
      {"kernel": "k", "text": "source", "key": {"m": [1, 2]}, "config": {"BLOCK": 512}, "source": "reasoned: no such"},
      {"kernel": "other", "text": "source", "config": {"BLOCK": 512}, "source": "reasoned: another kernel"},
      {"kernel": "k", "text": "other", "config": {"BLOCK": 512}, "source": "reasoned: another text"},
      {"kernel": "k", "text": "source", "config": {"BLOCK": 1024}, "source": "reasoned: none of its own"},
      {"kernel": "k", "text": "source", "key": {"n": [65, 4096]}, "config": {"BLOCK": 128}, "source": "measured: a"},
      {"kernel": "k", "text": "source", "key": {"n": [8193, 16384]}, "config": {"BLOCK": 128},
       "source": "measured: b"},
      {"kernel": "k", "text": "source", "key": {"n": [1, 64]}, "config": {"BLOCK": 32},
       "source": "reasoned: small"}]})");
  }
  void table(const std::string &text) {
    std::string file = (directory_ / "null.json").string();
    writeFile(file, std::vector<uint8_t>(text.begin(), text.end()));
    path_ = std::make_unique<ScopedVariable>("TEGULA_TUNING_PATH", file.c_str());
  }
  BundleItem tuned() const {
    BundleItem made = item({{pointer(ScalarType::F32), scalar(ScalarType::I32)}});
    made.constants.clear();
    made.configs = BundleConfigs::Tuned;
    made.info.configs = {config(16), config(32), config(128, 8), config(512)};
    made.info.autotuneKey = {"n"};
    return made;
  }
  static tuning::Record record(const BundleItem &of, const std::string &key, int64_t block, int64_t when) {
    tuning::Record made;
    made.kernel = of.info.name;
    made.text = of.info.text;
    made.target = "null";
    made.driver = "driver";
    made.types = "*f32, i32";
    made.key = key;
    made.config.constants = {{"BLOCK", block}};
    made.when = when;
    return made;
  }
  std::unique_ptr<ScopedVariable> path_;
};

TEST_F(TunedBundles, SizesDecide) {
  BundleFile file = build({tuned()});
  ASSERT_EQ(file.code.size(), 2u);
  EXPECT_EQ(file.code[0].tuning.size(), 2u) << "two rows have one configuration";
  path_.reset();
  size_t compiled = fake_.requests.size();
  Kernel kernel = open(file).kernel("k");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(launch(kernel, 10), "k32");
    EXPECT_EQ(launch(kernel, 64), "k32");
    EXPECT_EQ(launch(kernel, 2000), "k128");
    EXPECT_EQ(launch(kernel, 1 << 20), "k128") << "the nearest";
    EXPECT_EQ(launch(kernel, 0), "k32");
  }
  EXPECT_EQ(launch(kernel, 2000, {.constants = {{"BLOCK", 32}}}), "k32") << "the call decides first";
  EXPECT_EQ(launch(kernel, 10, {.numWarps = 8}), "k128");
  EXPECT_EQ(fake_.requests.size(), compiled);
  tegula_kernel c = {kernel};
  tegula_launcher *launcher = nullptr;
  tegula_device device = {device_};
  tegula_argument arguments[2] = {{nullptr, TEGULA_ARG_ADDRESS, TEGULA_F32, {0x1000}},
                                  {nullptr, TEGULA_ARG_INTEGER, TEGULA_I32, {2000}}};
  ASSERT_EQ(tegula_launcher_prepare(&c, &device, 2, arguments, nullptr, &launcher), TEGULA_OK) << tegula_last_error();
  EXPECT_EQ(launcher->value.variantFor(std::array<uint64_t, 2>{0x1000, 2000}.data()).compiled.artifact.binary.size(),
            std::string(null::kMagic).size() + 4);
  tegula_launcher_release(launcher);
}

TEST_F(TunedBundles, RecordsOfTheSameLaunchesComeFirst) {
  BundleItem with = tuned();
  std::vector<tuning::Record> records = {record(with, "n=2048", 256, 5), record(with, "n=2048", 64, 4),
                                         record(with, "n=16", 1024, 1)};
  records[1].driver = "an older one";
  records[2].types = "*f16, i32";
  tuning::Records::open().store(records);
  Kernel kernel = open(build({with})).kernel("k");
  EXPECT_EQ(launch(kernel, 2000), "k256");
  EXPECT_EQ(launch(kernel, 200), "k128");
  EXPECT_EQ(launch(kernel, 10), "k32");
  with.constants = {{"BLOCK", int64_t(128)}}; // of the table's rows one agrees; the records are for no given constants
  EXPECT_EQ(launch(open(build({with})).kernel("k"), 10), "k128");
}

TEST_F(TunedBundles, ATargetOfWhichNothingIsKnownGetsTheFirst) {
  BundleItem with = tuned();
  std::vector<std::string> steps;
  BundleFile file = buildBundle({with}, {"null", "far"}, [&](const std::string &step) { steps.push_back(step); });
  EXPECT_THAT(steps, ::testing::Contains("k for far: no record and no table has a configuration; the first one is "
                                         "built"));
  ASSERT_EQ(file.code.size(), 3u);
  EXPECT_EQ(file.code[2].target, "far");
  EXPECT_EQ(file.instances[file.code[2].instance].constants.at("BLOCK"), ConstantValue(int64_t(16)));
  EXPECT_TRUE(file.code[2].tuning.empty());
  EXPECT_EQ(launch(open(file).kernel("k"), 10), "k32");
  with.info.configs.clear();
  EXPECT_THAT(messageOf([&] { build({with}, {"far"}); }), HasSubstr("constexpr parameter 'BLOCK'"));
}

TEST_F(Bundles, ArgumentsAreConvertedToTheTypesThatAllInstancesHave) {
  Kernel kernel = open(build({item({{pointer(ScalarType::F32), scalar(ScalarType::I64)}})})).kernel("k");
  EXPECT_EQ(launch(kernel, 5), "k64");
  Buffer other(device_, DType::F16, {4});
  EXPECT_THAT(messageOf([&] { kernel.launch(stream_, {1}, {other, 5}); }),
              HasSubstr("was not built for (*f16, i64); it was built for (*f32, i64) with BLOCK=64"));
}

TEST_F(Bundles, HeuristicsAreEvaluatedAtEachLaunch) {
  BundleItem even = item({{pointer(ScalarType::F32), scalar(ScalarType::I32)}});
  even.constants.clear();
  even.info.heuristics = {{"BLOCK", "128 if n % 2 == 0 else 64", ""}};
  even.signatures[0][1].value = int64_t(4);
  Kernel kernel = open(build({even})).kernel("k");
  EXPECT_EQ(launch(kernel, 6), "k128");
  EXPECT_THAT(messageOf([&] { launch(kernel, 7); }), HasSubstr("and what its heuristics give for them"));
  even.signatures.push_back(even.signatures[0]);
  even.signatures[1][1].value = int64_t(5);
  Kernel both = open(build({even})).kernel("k");
  EXPECT_EQ(launch(both, 6), "k128");
  EXPECT_EQ(launch(both, 7), "k64");
  EXPECT_EQ(launch(both, 8), "k128");
  tegula_kernel c = {both};
  tegula_launcher *launcher = nullptr;
  tegula_device device = {device_};
  tegula_argument arguments[2] = {{nullptr, TEGULA_ARG_ADDRESS, TEGULA_F32, {0x1000}},
                                  {nullptr, TEGULA_ARG_INTEGER, TEGULA_I32, {6}}};
  EXPECT_EQ(tegula_launcher_prepare(&c, &device, 2, arguments, nullptr, &launcher), TEGULA_BAD_USE);
  EXPECT_THAT(tegula_last_error(), HasSubstr("has a heuristic for 'BLOCK'"));
}

TEST_F(Bundles, TileIrServesFurtherTargets) {
  BundleFile file = build({item({{pointer(ScalarType::F32), scalar(ScalarType::I32, 16)}})}, {"other"});
  Kernel kernel = open(file).kernel("k");
  EXPECT_EQ(launch(kernel, 32), "k64 guarded");
  EXPECT_EQ(fake_.requests.back().source, "text of tile");
  EXPECT_EQ(fake_.requests.back().startFrom, "tile");
  EXPECT_EQ(fake_.requests.back().target, "null");
}

TEST_F(Bundles, ASignatureHasNoOtherLiterals) {
  EXPECT_THAT(messageOf([&] { build({item({{pointer(ScalarType::F32), literal(int64_t(7))}})}); }),
              HasSubstr("the literal 7"));
  EXPECT_THAT(messageOf([&] { build({item({{pointer(ScalarType::F32)}})}); }), HasSubstr("the signature lists 1"));
  EXPECT_THAT(messageOf([&] { build({item({}), item({})}); }), HasSubstr("two kernels of the bundle are called 'k'"));
}

TEST_F(Bundles, MessagesNameTheBundle) {
  EXPECT_THAT(messageOf([&] { Bundle::open(directory_ / "none.tgb"); }), HasSubstr("none.tgb"));
  Bundle bundle = open(build({item({{pointer(ScalarType::F32), scalar(ScalarType::I32)}})}));
  EXPECT_THAT(messageOf([&] { bundle.kernel("kk"); }), HasSubstr("has no kernel 'kk'; it has k; did you mean 'k'?"));
  std::vector<uint8_t> text = {'h', 'e', 'l', 'l', 'o', ' ', 'w', 'o', 'r', 'l', 'd'};
  EXPECT_THAT(messageOf([&] { Bundle::fromMemory(std::as_bytes(std::span(text)), "text"); }),
              HasSubstr("bundle 'text': not a bundle"));
  std::vector<uint8_t> other = serialize(*bundle.impl()->file);
  other[8] = 99;
  EXPECT_THAT(messageOf([&] { Bundle::fromMemory(std::as_bytes(std::span(other)), "other"); }),
              HasSubstr("it has version 99, this library reads version 4"));
}

/// One damage: bits, bytes, a number in place of another, a part that is missing, repeated or moved.
std::vector<uint8_t> mutated(std::vector<uint8_t> bytes, std::mt19937 &random, size_t begin) {
  auto at = [&] { return begin + random() % (bytes.size() - begin); };
  for (unsigned n = 1 + random() % 3; n; --n)
    switch (random() % 6) {
    case 0: bytes[at()] ^= uint8_t(1u << (random() % 8)); break;
    case 1: bytes[at()] = uint8_t(random()); break;
    case 2: {
      constexpr uint32_t kNumbers[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x10000};
      uint32_t number = kNumbers[random() % 6];
      size_t to = at();
      for (size_t i = 0; i < 4 && to + i < bytes.size(); ++i)
        bytes[to + i] = uint8_t(number >> (8 * i));
      break;
    }
    case 3: bytes.resize(std::max(at(), begin + 1)); break;
    case 4: {
      size_t from = at(), count = std::min<size_t>(1 + random() % 32, bytes.size() - from);
      std::vector<uint8_t> part(bytes.begin() + long(from), bytes.begin() + long(from + count));
      bytes.insert(bytes.begin() + long(at()), part.begin(), part.end());
      break;
    }
    default: {
      size_t from = at(), count = std::min<size_t>(1 + random() % 32, bytes.size() - from);
      if (bytes.size() - begin > count + 1)
        bytes.erase(bytes.begin() + long(from), bytes.begin() + long(from + count));
    }
    }
  return bytes;
}

// With its checksum a damaged bundle is always refused. Where the damage has a checksum that agrees, which nothing but
// intent makes, the bundle is refused or names something else; what its kernels then launch is refused or runs.
TEST_F(Bundles, TenThousandDamagedBundlesAreRefused) {
  BundleItem other = item({{pointer(ScalarType::F16, 16), literal(int64_t(1))}}, 128);
  fake_.kernels.push_back(other.info = makeKernel("other", {"a", "b", "BLOCK"}));
  BundleFile built = build({item({{pointer(ScalarType::F32), scalar(ScalarType::I32, 16)}}), other}, {"null", "far"});
  built.code[0].tuning = {{{{"n", {65, 4096}}}, "measured: a"}, {{{"n", {1, 64}}, {"x", {1, 1}}}, "reasoned: b"}};
  const std::vector<uint8_t> good = serialize(built);
  constexpr size_t kBody = 8 + 4 + 16;
  static unsigned seed = 0; // --gtest_repeat goes on to other damages
  std::mt19937 random(++seed);
  size_t accepted = 0, unchanged = 0;
  for (int round = 0; round < 10000; ++round) {
    bool agrees = round % 2;
    std::vector<uint8_t> bytes = mutated(good, random, agrees ? kBody : 0);
    if (bytes == good) {
      ++unchanged;
      continue;
    }
    if (agrees) {
      Hash128 sum = hash128(std::span(bytes).subspan(kBody));
      std::copy(sum.begin(), sum.end(), bytes.begin() + 12);
    }
    try {
      Bundle bundle = Bundle::fromMemory(std::as_bytes(std::span(bytes)), "damaged");
      ASSERT_TRUE(agrees) << "round " << round;
      ++accepted;
      for (const std::string &name : bundle.kernels()) {
        Kernel kernel = bundle.kernel(name);
        std::string message = messageOf([&] { kernel.launch(stream_, {1}, {x_, 16}); });
        ASSERT_FALSE(message.empty());
      }
    } catch (const ApiError &error) {
      ASSERT_EQ(error.kind(), ApiError::Kind::BadUse) << "round " << round << ": " << error.what();
      ASSERT_THAT(error.what(), HasSubstr("bundle 'damaged'"));
    }
  }
  EXPECT_GT(accepted, 100u); // changed texts, for example: the check goes beyond the checksum
  EXPECT_LT(unchanged, 100u);
}

} // namespace
} // namespace tegula::test
