// The configuration of a launch: records, tables, measurement (docs/tuning.md).
#include "tests/runtime/RuntimeFixture.h"

#include "core/runtime/Session.h"
#include "core/runtime/launch/PreparedLaunch.h"
#include "core/tuning/Records.h"

#include <gmock/gmock.h>

#include <atomic>
#include <barrier>
#include <fstream>
#include <mutex>
#include <thread>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A device with a clock of its own: a launch takes as many microseconds as the artifact has threads. Launches add one
/// to the first 32-bit word of their first argument's buffer.
class TimedDriver final : public null::NullDriver {
public:
  struct Loaded : DriverKernel {
    explicit Loaded(std::atomic<size_t> &count) : count(count) { ++count; }
    ~Loaded() override { --count; }
    std::atomic<size_t> &count;
    uint32_t microseconds = 0;
  };
  std::unique_ptr<DriverKernel> load(const Artifact &artifact) override {
    if (artifact.sharedBytes > 1000)
      throw Error("too much for this device", {"shared memory", artifact.sharedBytes, 1000});
    auto loaded = std::make_unique<Loaded>(loadedKernels);
    loaded->microseconds = artifact.threads;
    return loaded;
  }
  void launch(void *, const DriverKernel &kernel, const LaunchRequest &request) override {
    uint32_t cost = static_cast<const Loaded &>(kernel).microseconds;
    std::lock_guard lock(mutex);
    launched.push_back(cost);
    now += cost;
    if (cost == faulty)
      throw KernelFault("an address that is none");
    ++*reinterpret_cast<uint32_t *>(request.arguments[0].bits);
  }
  void *recordEvent(void *) override { return new uint64_t(now.load()); }
  void destroyEvent(void *event) override { delete static_cast<uint64_t *>(event); }
  double elapsed(void *start, void *end) override {
    return 1e-6 * double(*static_cast<uint64_t *>(end) - *static_cast<uint64_t *>(start));
  }
  DeviceMemory allocate(size_t bytes) override {
    if (live == most)
      throw Error("out of memory");
    ++live;
    return NullDriver::allocate(bytes);
  }
  void free(const DeviceMemory &memory) override {
    --live;
    NullDriver::free(memory);
  }
  bool supportsCapture() const override { return true; }
  void beginCapture(void *) override {}
  void *endCapture(void *) override { return nullptr; }
  std::mutex mutex; // guards `launched`
  std::atomic<uint64_t> now = 0;
  std::vector<uint32_t> launched;
  std::atomic<size_t> live = 0, loadedKernels = 0;
  size_t most = 1000;  // allocations
  uint32_t faulty = 0; // threads of the code whose launches fail
};

KernelConfig config(int64_t block, int warps = 4) {
  KernelConfig made;
  made.constants["BLOCK"] = block;
  made.numWarps = warps;
  return made;
}

/// A kernel whose best block is 64 for small n and 256 for large n.
class Autotune : public RuntimeTest {
protected:
  Autotune() : x_(device_, DType::I32, {64}) {
    fake_.kernels = {makeKernel("k", {"x_ptr", "n", "BLOCK"})};
    fake_.kernels[0].configs = {config(32), config(64), config(128), config(256)};
    fake_.kernels[0].autotuneKey = {"n"};
    fake_.kernels[0].tuneMilliseconds = 0.01;
    fake_.onCompile = [this](const CompileRequest &request, CompileResult &result) {
      int64_t block = std::get<int64_t>(request.constants.at("BLOCK"));
      result.artifact->threads = static_cast<uint32_t>(1000 + std::abs(block - best_));
      if (block == failing_)
        result.error = Diagnostic{Diagnostic::Severity::Error, {"file.py", 3, 5}, "too large", "", {}};
      if (block == lacking_) {
        result.error = Diagnostic{Diagnostic::Severity::Error, {"file.py", 3, 5}, "40 warps are too many", "", {}};
        result.error->shortage = {"threads", 1280, 1024};
      }
      if (block == greedy_)
        result.artifact->sharedBytes = 5000;
    };
    auto timed = std::make_unique<TimedDriver>();
    driver_ = timed.get();
    old_ = std::exchange(device_.impl()->driver, std::move(timed));
    clear();
  }
  ~Autotune() override { device_.impl()->driver = std::move(old_); }

  void clear() { stream_.fill(x_, 0); }
  int32_t first() {
    std::vector<int32_t> host(64);
    stream_.read(x_, host.data());
    return host[0];
  }
  int64_t blockOf(const Kernel &kernel, int64_t n, const LaunchOptions &options = {}) {
    kernel.launch(stream_, {1}, {x_, n}, options);
    return std::get<int64_t>(session::lastLaunch(kernel).configuration.constants.at("BLOCK"));
  }
  std::string database() const { return (directory_ / "cache" / "tuning.sqlite").string(); }

  Buffer x_;
  int64_t best_ = 64, failing_ = 0, greedy_ = 0, lacking_ = 0;
  TimedDriver *driver_;
  std::unique_ptr<Driver> old_;
};

TEST_F(Autotune, TheFastestIsTakenForEachBucket) {
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100), 64);
  size_t before = driver_->launched.size();
  EXPECT_EQ(blockOf(kernel, 128), 64) << "the same bucket";
  EXPECT_EQ(driver_->launched.size(), before + 1);
  best_ = 256;
  ScopedVariable always("TRITON_ALWAYS_COMPILE", "1"); // what the compiler makes has changed
  EXPECT_EQ(blockOf(kernel, 5000), 256);
  EXPECT_GT(driver_->launched.size(), before + 10);
  EXPECT_EQ(blockOf(kernel, 100), 64);
}

TEST_F(Autotune, AnEmptyKeyIsOneBucket) {
  fake_.kernels[0].autotuneKey.clear();
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100), 64);
  best_ = 256;
  EXPECT_EQ(blockOf(kernel, 5000), 64);
  EXPECT_EQ(tuning::Records::open().list().size(), 1u);
}

TEST_F(Autotune, ARecordServesLaterProcessesWithoutMeasuring) {
  EXPECT_EQ(blockOf(load(), 100), 64);
  best_ = 256;
  driver_->launched.clear();
  EXPECT_EQ(blockOf(load(), 100), 64) << "a second kernel object stands for a second process";
  EXPECT_EQ(driver_->launched.size(), 1u);
  EXPECT_EQ(tuning::Records::open().list().size(), 1u);
  EXPECT_EQ(blockOf(load("another source"), 100), 256);
  EXPECT_EQ(tuning::Records::open().list().size(), 2u);
}

TEST_F(Autotune, WithoutTheDatabaseTheTableHolds) {
  std::string table = (directory_ / "null.json").string();
  std::ofstream(table) << R"({"format": 1, "target": "null", "rows": [
    {"kernel": "k*", "key": {"n": [1, 1024]}, "config": {"BLOCK": 32}, "num_warps": 2, "source": "reasoned: small"},
    {"kernel": "k*", "key": {"n": [100000, 200000]}, "config": {"BLOCK": 128}, "source": "measured: here"}]})";
  EXPECT_EQ(blockOf(load(), 100), 64);
  ScopedVariable path("TEGULA_TUNING_PATH", table.c_str());
  EXPECT_EQ(blockOf(load(), 100), 64) << "a record is better than a table";
  std::filesystem::remove(database());
  driver_->launched.clear();
  ScopedVariable log("TEGULA_LOG", "tuning");
  testing::internal::CaptureStderr();
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100), 32);
  EXPECT_EQ(session::lastLaunch(kernel).configuration.numWarps, 2);
  EXPECT_EQ(blockOf(kernel, 50000), 128);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said,
              HasSubstr("tegula: k on null for n=128: row " + table + ":2, reasoned: small: BLOCK=32, num_warps=2"));
  EXPECT_THAT(said, HasSubstr("tegula: k on null for n=65536: row " + table + ":3, nearest at a distance of 0.6"));
  EXPECT_EQ(driver_->launched.size(), 2u) << "nothing is measured";
}

TEST_F(Autotune, AMalformedTableIsOneMessageAndTheKernelRuns) {
  std::string table = (directory_ / "null.json").string();
  std::ofstream(table) << "{\"format\": 1, \"target\": \"null\",\n \"rows\": [\n  {\"kernle\": \"k\"}]}";
  ScopedVariable path("TEGULA_TUNING_PATH", table.c_str());
  testing::internal::CaptureStderr();
  EXPECT_EQ(blockOf(load(), 100), 64);
  EXPECT_EQ(blockOf(load(), 100), 64);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, ::testing::StartsWith(table + ":3:1: warning: a row has no member 'kernle'"));
  EXPECT_THAT(said, HasSubstr("did you mean 'kernel'?; this tuning table is not used\n"));
  EXPECT_EQ(said.find("warning"), said.rfind("warning"));
}

TEST_F(Autotune, TheCallDecides) {
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100, {.constants = {{"BLOCK", 512}}}), 512);
  EXPECT_EQ(driver_->launched.size(), 1u);
  EXPECT_EQ(blockOf(kernel, 100, {.numWarps = 8}), 64);
  EXPECT_EQ(session::lastLaunch(kernel).configuration.numWarps, 8);
}

TEST_F(Autotune, WhereItIsNotAllowedTheFirstIsTaken) {
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100, {.autotune = false}), 32);
  EXPECT_EQ(driver_->launched.size(), 1u);
  EXPECT_EQ(tuning::Records::open().list().size(), 0u);
  EXPECT_EQ(blockOf(kernel, 100), 64) << "a launch that may measure is not bound by one that may not";
  size_t before = driver_->launched.size();
  EXPECT_EQ(blockOf(kernel, 100, {.autotune = false}), 32) << "as at first";
  EXPECT_EQ(blockOf(kernel, 101, {.autotune = false}), 64) << "what is known holds for launches that choose anew";
  EXPECT_EQ(driver_->launched.size(), before + 2);
}

TEST_F(Autotune, NothingIsMeasuredIntoAGraph) {
  Kernel kernel = load();
  stream_.beginCapture();
  EXPECT_EQ(blockOf(kernel, 100), 32);
  EXPECT_EQ(driver_->launched.size(), 1u);
  stream_.endCapture();
  EXPECT_EQ(blockOf(kernel, 100), 64);
}

TEST_F(Autotune, WhatTheProcessMeasuredHoldsInAGraphWithoutRecords) {
  std::filesystem::create_directories(database()); // no file can be there
  testing::internal::CaptureStderr();
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100), 64);
  size_t before = driver_->launched.size();
  EXPECT_EQ(blockOf(kernel, 100, {.autotune = false}), 64);
  stream_.beginCapture();
  EXPECT_EQ(blockOf(kernel, 100), 64);
  stream_.endCapture();
  EXPECT_EQ(driver_->launched.size(), before + 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the result of tuning 'k' is not kept"));
}

TEST_F(Autotune, APreparedLaunchTakesWhatIsKnownAndMeasuresNothing) {
  Kernel kernel = load();
  const std::vector<Argument> arguments = {x_, 100};
  auto blockOfPrepared = [&] {
    PreparedLaunch prepared(kernel, device_, arguments, {});
    uint64_t slots[2] = {x_.address(), 100};
    prepared.launch(stream_, {1}, slots);
    return std::get<int64_t>(prepared.requestFor(prepared.variantFor(slots)).constants.at("BLOCK"));
  };
  EXPECT_EQ(blockOfPrepared(), 32);
  EXPECT_EQ(driver_->launched.size(), 1u);
  EXPECT_EQ(blockOf(kernel, 100), 64) << "it does not keep later launches from measuring";
  kernel = load(); // stands for a second process
  driver_->launched.clear();
  EXPECT_EQ(blockOfPrepared(), 64) << "the record's";
  EXPECT_EQ(driver_->launched.size(), 1u);
}

TEST_F(Autotune, TuningOnRequestHoldsForLaterLaunchesOfTheProcess) {
  auto grid = [](const std::map<std::string, Constant> &) { return Grid(1); };
  auto space = [](int64_t a, int64_t b) {
    return TuneOptions{.space = {Config{.constants = {{"BLOCK", a}}}, Config{.constants = {{"BLOCK", b}}}}};
  };
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100), 64);
  EXPECT_EQ(blockOf(kernel, 5000), 64);
  TuneReport report = kernel.tune(stream_, grid, {x_, 100}, {}, space(128, 65));
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.best->constants.at("BLOCK").value(), Constant(65).value());
  EXPECT_EQ(report.candidates, 2u);
  EXPECT_EQ(report.key, "n=128");
  EXPECT_EQ(blockOf(kernel, 100), 65);
  EXPECT_EQ(blockOf(kernel, 5000), 64) << "another bucket";
  EXPECT_EQ(blockOf(load(), 100), 65);

  fake_.kernels[0].configs.clear(); // without @triton.autotune, and unknown to all tables
  Kernel plain = load("plain");
  EXPECT_THAT(messageOf([&] { blockOf(plain, 100); }), HasSubstr("'BLOCK'"));
  EXPECT_EQ(blockOf(plain, 100, {.constants = {{"BLOCK", 32}}}), 32);
  plain.tune(stream_, grid, NamedArguments{{"x_ptr", x_}, {"n", 100}}, {}, space(70, 256));
  EXPECT_EQ(blockOf(plain, 100), 70);
  failing_ = 96;
  TuneReport none = plain.tune(stream_, grid, {x_, 100}, {}, space(96, 96));
  EXPECT_FALSE(none.best);
  EXPECT_EQ(none.candidates, 1u);
  EXPECT_THAT(none.table, HasSubstr("too large"));
  EXPECT_EQ(blockOf(plain, 100), 70);
}

TEST_F(Autotune, ADefaultIsNotTuned) {
  fake_.kernels = {makeKernel("k", {"x_ptr", "n", "BLOCK", "VEC"})};
  fake_.kernels[0].params[2].defaultValue = int64_t(64);
  for (int64_t vec : {1, 2})
    fake_.kernels[0].configs.emplace_back().constants["VEC"] = vec;
  Kernel kernel = load();
  auto tune = [&](const char *name) {
    kernel.tune(stream_, [](const auto &) { return Grid(1); }, {x_, 100}, {},
                {.space = {Config{.constants = {{name, 1}}}, Config{.constants = {{name, 32}}}}});
  };
  ApiError::Kind kind{};
  EXPECT_THAT(messageOf([&] { tune("BLOCK"); }, &kind),
              HasSubstr("the space sets 'BLOCK', for which kernel 'k' has a"));
  EXPECT_EQ(kind, ApiError::Kind::BadUse);
  tune("VEC");
  std::vector<tuning::Record> records = tuning::Records::open().list();
  ASSERT_EQ(records.size(), 1u);
  records[0].config.constants["BLOCK"] = int64_t(32); // as of a version that did not refuse it, or of a changed space
  tuning::Records::open().store(records);
  ScopedVariable log("TEGULA_LOG", "tuning");
  testing::internal::CaptureStderr();
  EXPECT_EQ(blockOf(load(), 100, {.autotune = false}), 64) << "the caller computed the grid with it";
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("is not used: it sets 'BLOCK', which the call has"));
}

TEST_F(Autotune, WhatWasComparedWithNothingIsNoRecord) {
  Kernel kernel = load();
  testing::internal::CaptureStderr();
  EXPECT_EQ(blockOf(kernel, 100, {.tuneSeconds = 1e-9}), 32) << "the compilations take longer";
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("the result of tuning 'k' is not kept: the time was spent when one of 4 configurations"));
  EXPECT_EQ(tuning::Records::open().list().size(), 0u);
  failing_ = 128;
  EXPECT_EQ(blockOf(load("2"), 100), 64);
  ASSERT_EQ(tuning::Records::open().list().size(), 1u);
  EXPECT_EQ(tuning::Records::open().list()[0].compared, 3) << "one does not compile";
  fake_.kernels[0].configs = {config(64), config(128)};
  EXPECT_EQ(blockOf(load("3"), 100, {.tuneSeconds = 1e-9}), 64);
  EXPECT_EQ(tuning::Records::open().list().size(), 2u) << "no other can be launched";
}

TEST_F(Autotune, ProgressIsReportedInTheCallingThread) {
  int calls = 0, elsewhere = 0;
  TuneOptions how;
  for (int64_t block = 1; block < 40; ++block)
    how.space.push_back({{{"BLOCK", block}}, std::nullopt, std::nullopt});
  how.progress = [&, caller = std::this_thread::get_id()](double, double) {
    ++calls;
    elsewhere += std::this_thread::get_id() != caller;
  };
  load().tune(stream_, [](const auto &) { return Grid(1); }, {x_, 100}, {}, how);
  EXPECT_GT(calls, 10);
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(Autotune, FailingConfigurationsAreDropped) {
  failing_ = 64;
  greedy_ = 32;
  EXPECT_EQ(blockOf(load(), 100), 128);
  fake_.kernels[0].configs = {config(64), config(32)};
  std::string problem = messageOf([&] { blockOf(load("2"), 100); });
  EXPECT_THAT(problem, HasSubstr("file.py:3:5: error: too large")) << "the first one's message";
}

TEST_F(Autotune, ConfigurationsOutOfResourcesAreDroppedAndSayIt) {
  greedy_ = 64;   // for the device
  lacking_ = 128; // for the target
  Kernel kernel = load();
  std::vector<Config> space;
  for (int64_t block : {64, 128, 256})
    space.push_back({{{"BLOCK", block}}, std::nullopt, std::nullopt});
  TuneReport report = kernel.tune(stream_, [](const auto &) { return Grid(1); }, {x_, 100}, {}, {.space = space});
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.best->constants.at("BLOCK").value(), Constant(256).value());
  EXPECT_THAT(report.table, HasSubstr("out of resources: too much for this device"));
  EXPECT_THAT(report.table, HasSubstr("out of resources: file.py:3:5: error: 40 warps are too many"));
  EXPECT_THAT(report.table, Not(HasSubstr("does not compile")));

  auto shortageOf = [&](int64_t block) -> std::optional<ApiError> {
    try {
      blockOf(kernel, 100, {.constants = {{"BLOCK", block}}});
      return std::nullopt;
    } catch (const ApiError &e) {
      return e;
    }
  };
  std::optional<ApiError> device = shortageOf(64), target = shortageOf(128);
  ASSERT_TRUE(device && target);
  EXPECT_EQ(device->kind(), ApiError::Kind::OutOfResources);
  EXPECT_EQ(device->shortage().resource, "shared memory");
  EXPECT_EQ(device->shortage().required, 5000u);
  EXPECT_EQ(device->shortage().limit, 1000u);
  EXPECT_EQ(target->kind(), ApiError::Kind::OutOfResources);
  EXPECT_EQ(target->shortage().resource, "threads");
  EXPECT_EQ(target->shortage().required, 1280u);
  EXPECT_EQ(target->place().line, 3u);
  EXPECT_THAT(target->what(), HasSubstr("note: while compiling k(")) << "as other errors of compilations";
}

TEST_F(Autotune, ALaunchFromACallbackDoesNotWaitForTheMeasurementThatCalls) {
  Kernel kernel = load();
  int calls = 0;
  Kernel::GridFunction grid = [&](const std::map<std::string, Constant> &) {
    if (++calls == 1)
      EXPECT_EQ(blockOf(kernel, 100), 32) << "the first one: nothing is measured inside of a measurement";
    return Grid(1);
  };
  kernel.launch(stream_, grid, {x_, 100});
  EXPECT_GT(calls, 4) << "it measured";
  EXPECT_EQ(blockOf(kernel, 100), 64);
}

TEST_F(Autotune, ALaunchFromACallbackOfTuningMeasuresNothing) {
  Kernel kernel = load(), other = load("2");
  int calls = 0;
  Kernel::GridFunction grid = [&](const std::map<std::string, Constant> &) {
    if (++calls == 1)
      EXPECT_EQ(blockOf(other, 100), 32);
    return Grid(1);
  };
  kernel.tune(stream_, grid, {x_, 100});
  EXPECT_EQ(tuning::Records::open().list().size(), 1u) << "of the kernel that is tuned";
  EXPECT_EQ(blockOf(other, 100), 64) << "it measures behind that";
}

TEST_F(Autotune, KernelsThatLaunchEachOtherFromCallbacksDoNotWaitForEachOther) {
  Kernel kernels[2] = {load("1"), load("2")};
  std::barrier both(2);
  Stream streams[2] = {Stream(device_), Stream(device_)};
  Buffer buffers[2] = {{device_, DType::I32, {64}}, {device_, DType::I32, {64}}};
  auto measure = [&](int own) {
    const Stream &stream = streams[own];
    const Buffer &x = buffers[own];
    bool isFirst = true;
    Kernel::GridFunction grid = [&](const std::map<std::string, Constant> &) {
      if (std::exchange(isFirst, false)) {
        both.arrive_and_wait(); // each kernel is being measured
        kernels[1 - own].launch(stream, {1}, {x, 100});
      }
      return Grid(1);
    };
    kernels[own].launch(stream, grid, {x, 100});
  };
  std::jthread other([&] { measure(1); });
  measure(0);
}

TEST_F(Autotune, AFaultWhileMeasuringIsHeard) {
  driver_->faulty = 1000 + 128 - 64; // the block of 128
  ApiError::Kind kind{};
  EXPECT_THAT(messageOf([&] { blockOf(load(), 100); }, &kind), HasSubstr("an address that is none"));
  EXPECT_EQ(kind, ApiError::Kind::KernelFault);
}

TEST_F(Autotune, PruningIsAskedWithTheArguments) {
  fake_.kernels[0].prunesConfigs = true;
  fake_.kept = {{3, 0}};
  EXPECT_EQ(blockOf(load(), 100), 32);
  ASSERT_EQ(fake_.pruneRequests.size(), 1u);
  ASSERT_EQ(fake_.pruneRequests[0].values.size(), 2u);
  EXPECT_EQ(fake_.pruneRequests[0].values[0].shape, std::vector<int64_t>{64});
  EXPECT_FALSE(fake_.pruneRequests[0].values[0].constant);
  EXPECT_EQ(fake_.pruneRequests[0].values[1].constant, ConstantValue(int64_t(100)));
}

TEST_F(Autotune, BuffersAreRestoredAndCleared) {
  std::vector<int32_t> host(64, 7);
  stream_.write(x_, host.data());
  fake_.kernels[0].restoreValue = {"x_ptr"};
  EXPECT_EQ(blockOf(load("1"), 100), 64);
  EXPECT_EQ(first(), 8) << "one launch has been seen";
  fake_.kernels[0].restoreValue.clear();
  fake_.kernels[0].resetToZero = {"x_ptr"};
  EXPECT_EQ(blockOf(load("2"), 100), 64);
  EXPECT_EQ(first(), 1);
  fake_.kernels[0].resetToZero = {"n"};
  testing::internal::CaptureStderr();
  Kernel kernel = load("3");
  size_t before = fake_.requests.size();
  EXPECT_EQ(blockOf(kernel, 100), 32);
  EXPECT_EQ(blockOf(kernel, 100), 32);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said,
              HasSubstr("kernel 'k' is not tuned: 'n' in reset_to_zero of kernel 'k' is no buffer of this launch"));
  EXPECT_EQ(said.find("warning"), said.rfind("warning")) << "what failed is not repeated";
  EXPECT_EQ(fake_.requests.size(), before + 1) << "no candidate is compiled in vain";
}

TEST_F(Autotune, CopiesAreFreedWhereNotAllBuffersCanBeSaved) {
  fake_.kernels[0].restoreValue = {"x_ptr", "x_ptr"};
  driver_->most = driver_->live + 1;
  testing::internal::CaptureStderr();
  EXPECT_EQ(blockOf(load(), 100), 32);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("kernel 'k' is not tuned: out of memory"));
  EXPECT_EQ(driver_->live + 1, driver_->most);
}

TEST_F(Autotune, AGraphKeepsItsKernels) {
  {
    Graph graph;
    {
      Kernel kernel = load();
      blockOf(kernel, 100, {.autotune = false});
      stream_.beginCapture();
      blockOf(kernel, 100, {.autotune = false});
      graph = stream_.endCapture();
      blockOf(load("another source"), 100, {.autotune = false});
    }
    EXPECT_EQ(driver_->loadedKernels, 1u);
  }
  EXPECT_EQ(driver_->loadedKernels, 0u);
}

TEST_F(Autotune, TritonsTextIsPrintedOnce) {
  ScopedVariable print("TRITON_PRINT_AUTOTUNING", "1");
  testing::internal::CaptureStdout();
  Kernel kernel = load();
  blockOf(kernel, 100);
  blockOf(kernel, 100);
  std::string said = testing::internal::GetCapturedStdout();
  EXPECT_THAT(said,
              ::testing::StartsWith("Triton autotuning for function k,\nwith key as (128, 'i32'),\nfinished after "));
  EXPECT_THAT(said, HasSubstr("s,\nbest config selected: BLOCK: 64, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: "
                              "None;\n      1.0000 ms +-  0%  BLOCK: 64, "));
  EXPECT_THAT(said, HasSubstr("      1.1920 ms +-  0%  BLOCK: 256, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: "
                              "None\n"));
  EXPECT_EQ(said.find("finished"), said.rfind("finished"));
}

TEST_F(Autotune, HooksAreNamedOnce) {
  fake_.kernels[0].hooks = {"pre_hook", "post_hook"};
  Kernel kernel = load();
  testing::internal::CaptureStderr();
  blockOf(kernel, 100, {.constants = {{"BLOCK", 64}}});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the caller has chosen, and has run what Python would run";
  testing::internal::CaptureStderr();
  blockOf(kernel, 100);
  blockOf(kernel, 5000);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said,
              ::testing::StartsWith("warning: kernel 'k' has Python code that does not run: pre_hook and post_hook"));
  EXPECT_EQ(said.find("warning"), said.rfind("warning"));
}

TEST_F(Autotune, AnEmptyGridMeasuresNothing) {
  Kernel kernel = load();
  kernel.launch(stream_, Grid(0), {x_, 100});
  EXPECT_TRUE(driver_->launched.empty());
  EXPECT_EQ(tuning::Records::open().list().size(), 0u);
  EXPECT_EQ(blockOf(kernel, 100), 64) << "a later launch measures";
}

TEST_F(Autotune, AKernelWithoutDecoratorTakesTables) {
  fake_.kernels[0].configs.clear();
  fake_.kernels[0].autotuneKey.clear();
  EXPECT_THAT(messageOf([&] { blockOf(load(), 100); }), HasSubstr("needs a value for its constexpr parameter 'BLOCK'"));
  std::string table = (directory_ / "null.json").string();
  std::ofstream(table) << R"({"format": 1, "target": "null", "rows": [
    {"kernel": "k", "key": {"n": [1, 1024]}, "config": {"BLOCK": 32}, "source": "reasoned: small"}]})";
  ScopedVariable path("TEGULA_TUNING_PATH", table.c_str());
  EXPECT_EQ(blockOf(load(), 100), 32);
  EXPECT_EQ(blockOf(load(), 100, {.constants = {{"BLOCK", 16}}}), 16);
}

} // namespace
} // namespace tegula::test
