// The line about a compilation that takes longer than two seconds: what is in it, and when there is none.
#include "tests/runtime/RuntimeFixture.h"

#include "core/runtime/Session.h"

#include <gmock/gmock.h>

#include <thread>

namespace tegula::test {
namespace {

class LongCompiles : public RuntimeTest {
protected:
  LongCompiles() : x_(device_, DType::F32, {16}) { fake_.kernels = {makeKernel("k", {"x_ptr", "n"})}; }
  ~LongCompiles() override { session::showLongCompiles(false); }

  /// Standard error of a launch whose compilation takes `duration` in its second pass.
  std::string errorsOf(std::chrono::milliseconds duration, const char *log) {
    ScopedVariable variable("TEGULA_LOG", log);
    fake_.onCompile = [&](const CompileRequest &request, CompileResult &) {
      request.onStep("the pass first");
      request.onStep("the pass second");
      std::this_thread::sleep_for(duration);
    };
    testing::internal::CaptureStderr();
    load().launch(stream_, {1}, {x_, 4});
    return testing::internal::GetCapturedStderr();
  }

  Buffer x_;
};

constexpr std::chrono::milliseconds kLong{2300}, kShort{100};

TEST_F(LongCompiles, TheLogHasThemIfAsked) {
  EXPECT_THAT(errorsOf(kLong, "compile"), testing::MatchesRegex("tegula: compiling k \\(file.py\\) for null for 2 s, "
                                                                "now in the pass second\n"));
}

TEST_F(LongCompiles, TheCommandLineShowsThem) {
  session::showLongCompiles(true);
  EXPECT_THAT(errorsOf(kLong, nullptr), testing::HasSubstr(" for 2 s, now in the pass second\n"));
}

TEST_F(LongCompiles, ShortOnesAreSilent) {
  session::showLongCompiles(true);
  EXPECT_EQ(errorsOf(kShort, "compile"), "");
}

TEST_F(LongCompiles, NothingIsSaidUnasked) { EXPECT_EQ(errorsOf(kLong, nullptr), ""); }

TEST_F(LongCompiles, TheLogTurnsThemOff) {
  session::showLongCompiles(true);
  EXPECT_EQ(errorsOf(kLong, "0"), "");
}

} // namespace
} // namespace tegula::test
