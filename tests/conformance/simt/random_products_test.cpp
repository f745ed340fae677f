// Random kernels around matrix products, compiled for NVIDIA's targets and run in the simt executor, which reports
// races, waits that never end and accesses outside of arrays; results are compared with those of the CPU backend. They
// combine what decides how operands are copied and when products run: descriptors and pointers, masks, loops, what is
// done with the operands and with the sum.
#include "tests/conformance/Fills.h"
#include "tests/conformance/Policies.h"
#include "tests/conformance/simt/CaseRun.h"
#include "tests/conformance/simt/CaseText.h"

#include "core/support/Diagnostic.h"
#include "core/support/Files.h"
#include "tests/support/Turn.h"

#include "llvm/ADT/ScopeExit.h"
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <sstream>
#include <unistd.h>

namespace tegula::conformance {
namespace {

/// Writes one kernel, and makes its case. Numbers are small and whole, so that sums are exact in any order, but for
/// those of a softmax.
class Maker {
public:
  Maker(uint64_t seed, std::string path) : seed_(seed), random_(seed), path_(std::move(path)) {}

  std::string text() const { return text_; }

  Case make() {
    Case made;
    made.name = "random/kernel/seed " + std::to_string(seed_);
    made.file = path_;
    made.kernel = "kernel";
    made.numWarps = pick({4, 8});
    made.programs = {pick({1, 2, 3}), pick({1, 2}), 1};
    m_ = pick({64, 128});
    n_ = pick({32, 64, 128});
    k_ = pick({16, 32, 64});
    isAttention_ = oneIn(3);
    isSoftmax_ = isAttention_ && oneIn(2);
    trips_ = pick({0, 1, 2, 3, 5});
    rows_ = made.programs[0] * m_;
    columns_ = made.programs[1] * n_;
    if (!isSoftmax_ && oneIn(3)) {
      made.real(2.0);
      param("first");
      hasFirst_ = true;
    }
    if (isAttention_)
      attention(made);
    else
      product(made);
    text_ = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(" + params_.substr(2) + "):\n" +
            body_.str();
    return made;
  }

private:
  bool oneIn(int64_t count) { return int64_t(random_() % uint64_t(count)) == 0; }
  int64_t pick(std::initializer_list<int64_t> from) { return from.begin()[random_() % from.size()]; }
  /// Begins a line of the kernel's text at a level of indentation; all lines of a loop over tiles stand one level
  /// deeper.
  std::ostream &line(int64_t indent) {
    return body_ << std::string(size_t(4 * (indent + (isPersistent_ ? 1 : 0))), ' ');
  }
  Policy policy() const { return isSoftmax_ ? near(3e-3, 3e-3) : exactAnyZero(); }
  Fill numbers() const { return isAttention_ ? whole(-1, 1) : whole(-2, 2); }

  std::string param(const std::string &name) {
    params_ += ", " + name;
    return name;
  }

  /// A matrix of the kernel, and how its blocks are loaded.
  struct Matrix {
    std::string name;
    int64_t rows = 0, columns = 0, blockRows = 0, blockColumns = 0;
    bool isDescribed = false, isMasked = false, isWrapped = false;
    bool isPaged = false, isGathered = false; // the row numbers of a block are read: one of a page, or each
  };

  /// `isRead`: blocks of rows may be found by numbers that the kernel reads.
  Matrix matrix(Case &made, const std::string &name, int64_t rows, int64_t columns, int64_t blockRows,
                int64_t blockColumns, bool isRead = false) {
    Matrix result{param(name), rows, columns, blockRows, blockColumns, oneIn(2)};
    if (result.isDescribed) {
      made.describedIn(type_, {std::max<int64_t>(rows, 1), columns}, {blockRows, blockColumns}, numbers());
    } else {
      made.in(type_, std::max<int64_t>(rows * columns, 16), numbers());
      made.value(rows).value(columns);
      param(name + "_rows"), param(name + "_columns");
      // Without a mask, only blocks that lie inside are read.
      result.isMasked = rows % blockRows != 0 || columns % blockColumns != 0 || oneIn(2);
      result.isWrapped = rows > 0 && rows % blockRows == 0 && oneIn(3);
      result.isPaged = isRead && oneIn(3);
      result.isGathered = isRead && !result.isPaged && oneIn(3);
      int64_t pages = std::max<int64_t>(rows / blockRows, 1);
      if (result.isPaged)
        made.in(DType::I32, cdiv(std::max<int64_t>(rows, 1), blockRows), whole(0, pages - 1));
      else if (result.isGathered)
        made.in(DType::I32, cdiv(std::max<int64_t>(rows, 1), blockRows) * blockRows,
                whole(0, std::max<int64_t>(rows - 1, 0)));
      if (result.isPaged || result.isGathered)
        param(name + "_places");
    }
    return result;
  }

  /// An expression for the block at (row, column).
  std::string load(const Matrix &of, const std::string &row, const std::string &column) {
    if (of.isDescribed)
      return of.name + ".load([" + row + ", " + column + "])";
    std::string extent = std::to_string(of.blockRows), first = row;
    if (of.isPaged)
      first = "tl.load(" + of.name + "_places + (" + row + ") // " + extent + ") * " + extent;
    std::string i = "(" + first + " + tl.arange(0, " + extent + "))",
                j = "(" + column + " + tl.arange(0, " + std::to_string(of.blockColumns) + "))";
    if (of.isGathered)
      i = "tl.load(" + of.name + "_places + " + i + ")";
    std::string at = of.isWrapped ? "(" + i + " % " + of.name + "_rows)" : i;
    std::string address = of.name + " + " + at + "[:, None] * " + of.name + "_columns + " + j + "[None, :]";
    if (!of.isMasked)
      return "tl.load(" + address + ")";
    return "tl.load(" + address + ", mask=(" + i + "[:, None] < " + of.name + "_rows) & (" + j + "[None, :] < " +
           of.name + "_columns), other=0.0)";
  }

  /// The first sum, and afterwards what is done with it before it is stored.
  void start(int64_t rows, int64_t columns) {
    std::string shape = "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
    if (type_ == DType::I8) {
      line(1) << "total = tl.zeros(" << shape << ", tl.int32)\n";
    } else if (hasFirst_) {
      line(1) << "total = tl.full(" << shape << ", first, tl.float32)\n";
    } else {
      line(1) << "total = tl.zeros(" << shape << ", tl.float32)\n";
    }
  }

  void finish(Case &made, int64_t columns, int64_t blockRows, int64_t blockColumns) {
    if (oneIn(4) && !isPersistent_) {
      Matrix residual = matrix(made, "residual", rows_, columns, blockRows, blockColumns);
      line(1) << "total += " << load(residual, "row", "column") << "\n";
    }
    if (oneIn(4))
      line(1) << "total = tl.abs(total)\n";
    DType type = type_ == DType::I8 ? DType::I32 : oneIn(2) ? DType::F32 : DType::F16;
    std::string cast = type == DType::F16 ? ".to(tl.float16)" : "";
    param("out");
    if (oneIn(2)) {
      made.describedOut(type, {rows_, columns}, {blockRows, blockColumns}, blank(), policy());
      line(1) << "out.store([row, column], total" << cast << ")\n";
    } else {
      made.out(type, rows_ * columns, policy());
      made.value(columns);
      line(1) << "i = row + tl.arange(0, " << blockRows << ")\n";
      line(1) << "j = column + tl.arange(0, " << blockColumns << ")\n";
      line(1) << "tl.store(out + i[:, None] * " << param("out_columns") << " + j[None, :], total" << cast << ")\n";
    }
  }

  std::string touched(const std::string &operand) {
    return oneIn(5) ? "(" + operand + " * 2)" : oneIn(8) ? "tl.abs(" + operand + ")" : operand;
  }

  std::string stages() { return oneIn(2) ? "" : ", num_stages=" + std::to_string(pick({1, 2, 3, 4})); }

  std::string options() { return stages() + (oneIn(6) ? ", warp_specialize=True" : ""); }

  void product(Case &made) {
    type_ = oneIn(4) ? DType::BF16 : oneIn(6) ? DType::I8 : DType::F16;
    bool isByColumns = oneIn(2) || type_ == DType::I8, isLoop = !oneIn(5);
    int64_t depth = isLoop ? trips_ * k_ - (trips_ > 1 && oneIn(3) ? 16 : 0) : k_;
    Matrix a = matrix(made, "a", rows_, std::max<int64_t>(depth, 16), m_, k_);
    Matrix b = isByColumns ? matrix(made, "b", columns_, std::max<int64_t>(depth, 16), n_, k_)
                           : matrix(made, "b", depth, columns_, k_, n_, /*isRead=*/true);
    b.isWrapped &= isByColumns; // along the depth, what lies beyond must be zero
    made.value(depth);
    param("depth");
    // A state that each iteration stores: loads of the next ones pass it where the arrays are apart.
    bool isStored = isLoop && oneIn(5);
    if (isStored) {
      param("states");
      made.out(type_, std::max<int64_t>(trips_, 1) * rows_ * columns_, exactAnyZero());
    }
    place(made);
    start(m_, n_);
    int64_t loops = oneIn(4) ? 2 : 1, outer = oneIn(6) ? 1 : 0;
    // Each halving takes a bit of the sum's 24, of which whole numbers have up to 12.
    bool mayScale = type_ != DType::I8 && trips_ * loops * (1 + outer) <= 10;
    auto add = [&](int64_t indent, const std::string &at) {
      bool isScaledFirst = oneIn(4) && mayScale;
      if (isScaledFirst)
        line(indent) << "total = total * 0.5\n";
      line(indent) << "x = " << load(a, "row", at) << "\n";
      line(indent) << "y = " << (isByColumns ? load(b, "column", at) + ".T" : load(b, at, "column")) << "\n";
      line(indent) << "total = tl.dot(" << touched("x") << ", " << touched("y") << ", total)\n";
      if (!isScaledFirst && mayScale && oneIn(5))
        line(indent) << "total = total * 0.5 + 1.0\n";
      if (isStored)
        line(indent) << "tl.store(states + (" << at << ") // " << k_ << " * " << rows_ * columns_
                     << " + (row + tl.arange(0, " << m_ << "))[:, None] * " << columns_ << " + (column + tl.arange(0, "
                     << n_ << "))[None, :], total.to(states.dtype.element_ty))\n";
    };
    if (!isLoop) {
      add(1, "0");
    } else {
      if (outer != 0)
        line(1) << "for again in range(2):\n";
      for (int64_t i = 0; i < loops; ++i) {
        bool isCounted = oneIn(2);
        std::string step = std::to_string(k_), first = oneIn(5) ? step : "0";
        line(1 + outer) << (isCounted ? "for trip in tl.range(0, tl.cdiv(depth, " + step + ")"
                                      : "for start in tl.range(" + first + ", depth, " + step)
                        << options() << "):\n";
        add(2 + outer, isCounted ? "trip * " + step : "start");
      }
    }
    finish(made, columns_, m_, n_);
  }

  /// Where the program's tile is; sometimes in a loop over several tiles.
  void place(Case &made) {
    if (oneIn(4)) {
      body_ << "    for tile in tl.range(tl.program_id(0), " << made.programs[0] * made.programs[1]
            << ", tl.num_programs(0)" << (oneIn(2) ? ", flatten=True" : "") << "):\n";
      isPersistent_ = true;
      line(1) << "row = tile % " << made.programs[0] << " * " << m_ << "\n";
      line(1) << "column = tile // " << made.programs[0] << " * " << n_ << "\n";
      made.programs = {pick({1, 2}), 1, 1};
    } else {
      line(1) << "row = tl.program_id(0) * " << m_ << "\n";
      line(1) << "column = tl.program_id(1) * " << n_ << "\n";
    }
  }

  void attention(Case &made) {
    int64_t keys = trips_ * n_, width = pick({32, 64, 128});
    made.programs[1] = 1;
    Matrix q = matrix(made, "q", rows_, width, m_, width);
    Matrix k = matrix(made, "k", keys, width, n_, width, /*isRead=*/true);
    Matrix v = matrix(made, "v", keys, width, n_, width, /*isRead=*/true);
    made.value(keys);
    param("keys");
    line(1) << "row = tl.program_id(0) * " << m_ << "\n";
    line(1) << "column = 0\n";
    start(m_, width);
    if (isSoftmax_) {
      line(1) << "largest = tl.full((" << m_ << ",), -float('inf'), tl.float32)\n";
      line(1) << "sums = tl.zeros((" << m_ << ",), tl.float32)\n";
    }
    line(1) << "x = " << load(q, "row", "0") << "\n";
    line(1) << "for start in tl.range(0, keys, " << n_ << stages() << "):\n";
    bool isScaledFirst = !isSoftmax_ && oneIn(3);
    if (isScaledFirst)
      line(2) << "total = total * 0.5\n";
    line(2) << "y = " << load(k, "start", "0") << "\n";
    line(2) << "score = tl.dot(x, y.T)\n";
    if (isSoftmax_) {
      line(2) << "score = score * 0.25\n";
      if (oneIn(2)) // of which the first is never masked off
        line(2) << "score = tl.where((row + tl.arange(0, " << m_ << "))[:, None] >= (start + tl.arange(0, " << n_
                << "))[None, :], score, -float('inf'))\n";
      line(2) << "now = tl.maximum(largest, tl.max(score, axis=1))\n";
      line(2) << "score = tl.exp2(score - now[:, None])\n";
      line(2) << "shrink = tl.exp2(largest - now)\n";
      line(2) << "sums = sums * shrink + tl.sum(score, axis=1)\n";
      line(2) << "largest = now\n";
    } else if (oneIn(2)) {
      line(2) << "score = tl.maximum(score, 0.0)\n";
    }
    line(2) << "z = " << load(v, "start", "0") << "\n";
    line(2) << "total = tl.dot(score.to(tl.float16), z, total" << (isSoftmax_ ? " * shrink[:, None]" : "") << ")\n";
    if (isSoftmax_ && trips_ > 0)
      line(1) << "total = total / sums[:, None]\n";
    finish(made, width, m_, width);
  }

  uint64_t seed_;
  std::mt19937_64 random_;
  std::string path_, params_, text_;
  std::ostringstream body_;
  int64_t m_ = 0, n_ = 0, k_ = 0, trips_ = 0, rows_ = 0, columns_ = 0;
  bool isAttention_ = false, isSoftmax_ = false, isPersistent_ = false, hasFirst_ = false;
  DType type_ = DType::F16;
};

/// In how many kernels each of these stands at the simt level.
using OpCounts = std::map<std::string, int>;

/// Runs the case's kernel. Returns reports of the executor, or differences from what is expected.
std::string judgeCase(const Case &made, const HostCase &host, const std::vector<std::vector<uint8_t>> &expected,
                      const std::string &target, uint64_t seed, OpCounts &counts) {
  for (bool forLaunch : {true, false}) { // launches that break a condition take other code
    std::string simt = withLastPasses(target, textOfKernel(made, {target, "simt", forLaunch}));
    SimtOutcome outcome =
        runInExecutor(simt, made, host, {.seed = seed, .maxReports = 4, .maxSteps = uint64_t(1) << 27});
    if (outcome.isRefused)
      continue;
    for (auto &[op, count] : counts)
      count += simt.find(op) != std::string::npos;
    return judge(outcome, host, expected);
  }
  return "no launch could meet the conditions";
}

/// The same with several programs for each block, which must find what one finds. Nothing if the kernel's depth cannot
/// be split.
std::string judgeSplit(Case made, const HostCase &host, const std::vector<std::vector<uint8_t>> &expected,
                       const std::string &target, uint64_t seed, int &count) {
  made.with("depth_splits", 2 + int64_t(seed % 3));
  OpCounts splits = {{"tile.grid_factor", 0}};
  try {
    std::string wrong = judgeCase(made, host, expected, target, seed, splits);
    count += splits.begin()->second;
    return wrong.empty() ? wrong : "with split depth: " + wrong;
  } catch (const Error &error) {
    std::string message = error.what();
    return message.find("depth_splits is ") != std::string::npos ? "" : message;
  }
}

/// Makes the kernel of a seed and runs it. Returns what is wrong: the compiler's message, reports of the executor, or
/// differences from the CPU's results; empty if nothing is. `text` becomes the kernel's source.
std::string judgeSeed(uint64_t seed, const std::string &target, std::string &text, OpCounts &counts, int &splits) {
  std::string path = testing::TempDir() + "/product_" + std::to_string(getpid()) + "_" + std::to_string(seed) + ".py";
  Maker maker(seed, path);
  Case made = maker.make();
  text = maker.text();
  writeFile(path, text);
  auto remove = llvm::make_scope_exit([&] { unlink(path.c_str()); });
  try {
    HostCase host = materialise(made);
    std::vector<std::vector<uint8_t>> expected = expectedOf(made, host);
    std::string wrong = judgeCase(made, host, expected, target, seed, counts);
    return wrong.empty() ? judgeSplit(made, host, expected, target, seed, splits) : wrong;
  } catch (const Error &error) {
    return error.what();
  }
}

/// Judges a run's random kernels, 60 or as many as TEGULA_TEST_PRODUCTS says; some have each of the ops.
void run(const std::string &target, std::initializer_list<const char *> ops) {
  const char *count = std::getenv("TEGULA_TEST_PRODUCTS");
  uint64_t kernels = count ? std::strtoull(count, nullptr, 10) : 60, first = turnOf(1000) * kernels;
  OpCounts counts;
  int splits = 0;
  for (const char *op : ops)
    counts[op] = 0;
  for (uint64_t seed = first; seed < first + kernels; ++seed) {
    std::string text, wrong = judgeSeed(seed, target, text, counts, splits);
    EXPECT_EQ(wrong, "") << "seed " << seed << " for " << target << "\n" << text;
  }
  std::printf("%s: %d with split depth\n", target.c_str(), splits);
  EXPECT_TRUE(splits > 0 || kernels < 60);
  for (auto &[op, found] : counts) {
    std::printf("%s: %s in %d of %llu kernels\n", target.c_str(), op.c_str(), found,
                static_cast<unsigned long long>(kernels));
    EXPECT_TRUE(found > 0 || kernels < 60) << op; // each of these stands in an eighth of all kernels, or more
  }
}

TEST(RandomProducts, AreRightByAsyncUnits) {
  run("sm_90a",
      {"simt.matmul_async", "simt.load_tile", "simt.store_tile", "simt.async_load", "tile.tensor", "simt.warp_groups"});
}

TEST(RandomProducts, AreRightByWarps) { run("sm_80", {"simt.mma ", "simt.async_load"}); }

} // namespace
} // namespace tegula::conformance
