// Lesson 8: an algorithm that only exists as a kernel. Attention in one pass over the keys.
//
//   $ build/cpu/bin/samples/08_flash_attention
//   08_flash_attention on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     variant                      size                        first       time            rate max error / allowed
//     full                         4x301x333x64              7.62 ms    2.03 ms    50.6 GFLOP/s   1.4e-04 / 2.3e-03  ok
//     causal                       4x301x333x64              3.99 ms    1.39 ms    40.6 GFLOP/s   3.9e-04 / 2.8e-03  ok

#include "HostArray.h"
#include "Lesson.h"

#include <algorithm>
#include <cmath>

namespace {

struct Problem {
  int64_t heads, queries, keys, head;
  size_t qSize() const { return static_cast<size_t>(heads * queries * head); }
  size_t kSize() const { return static_cast<size_t>(heads * keys * head); }
  int64_t visible(int64_t query, bool causal) const { return causal ? query + 1 + keys - queries : keys; }
};

struct Data {
  std::vector<float> q, k, v;
};

// softmax(q k^T / sqrt(head)) v, for one query after the other.
std::vector<double> reference(const Problem &problem, const Data &data, bool causal) {
  std::vector<double> result(problem.qSize());
  double scale = 1 / std::sqrt(double(problem.head));
  for (int64_t row = 0; row < problem.heads * problem.queries; ++row) {
    int64_t first = row / problem.queries * problem.keys, visible = problem.visible(row % problem.queries, causal);
    const float *q = data.q.data() + row * problem.head;
    std::vector<double> weight(static_cast<size_t>(visible));
    for (int64_t j = 0; j < visible; ++j) {
      const float *k = data.k.data() + (first + j) * problem.head;
      double score = 0;
      for (int64_t d = 0; d < problem.head; ++d)
        score += double(q[d]) * double(k[d]);
      weight[static_cast<size_t>(j)] = score * scale;
    }
    double largest = *std::max_element(weight.begin(), weight.end()), total = 0;
    for (double &each : weight)
      total += each = std::exp(each - largest);
    double *out = result.data() + row * problem.head;
    for (int64_t j = 0; j < visible; ++j)
      for (int64_t d = 0; d < problem.head; ++d)
        out[d] += weight[static_cast<size_t>(j)] / total * data.v[static_cast<size_t>((first + j) * problem.head + d)];
  }
  return result;
}

constexpr tegula::DType kType = tegula::DType::F16;
constexpr int64_t kQueries = 64; // of a program

/// A program holds kQueries x head results and as many scores as it takes keys at a time. Wide heads take more threads
/// and fewer keys, so that a thread's share fits its registers.
struct Blocks {
  explicit Blocks(int64_t head) : keys(head < 256 ? 64 : 16), numWarps(head < 128 ? 4 : 8) {}
  int64_t keys;
  int numWarps;
};

void report(samples::Lesson &lesson, const Problem &problem, const Data &data, bool causal, const std::string &variant,
            const samples::Timing &timing, const tegula::Buffer &out) {
  // The weights, at most 1, are rounded to f16 before the product with the values; the result is rounded once more.
  samples::Tolerance tolerance = {2e-3, 2 * samples::roundingError(kType)};
  std::vector<double> expected = reference(problem, data, causal);
  std::vector<float> actual = samples::download(lesson.stream(), out);
  samples::Comparison comparison = samples::compare(
      actual.size(), [&](size_t i) { return actual[i]; }, [&](size_t i) { return expected[i]; }, tolerance);
  double pairs = 0;
  for (int64_t i = 0; i < problem.queries; ++i)
    pairs += double(problem.visible(i, causal));
  // Two products, two operations each, for every visible pair of query and key.
  lesson.report(variant,
                std::to_string(problem.heads) + "x" + std::to_string(problem.queries) + "x" +
                    std::to_string(problem.keys) + "x" + std::to_string(problem.head),
                timing, samples::Work::flops(4.0 * double(problem.heads) * pairs * double(problem.head)), comparison);
}

void runPointers(samples::Lesson &lesson, const Problem &problem, const Data &data, bool causal) {
  tegula::Stream &stream = lesson.stream();
  tegula::Buffer q = samples::upload(stream, kType, {problem.heads, problem.queries, problem.head}, data.q);
  tegula::Buffer k = samples::upload(stream, kType, {problem.heads, problem.keys, problem.head}, data.k);
  tegula::Buffer v = samples::upload(stream, kType, {problem.heads, problem.keys, problem.head}, data.v);
  tegula::Buffer out(lesson.device(), kType, q.shape());
  stream.fill(out, 0xff);

  tegula::Kernel attention = lesson.kernel("flash_attention.py", "attention_forward");
  tegula::Grid grid(tegula::cdiv(problem.queries, kQueries), problem.heads);
  Blocks blocks(problem.head);
  samples::Timing timing = lesson.time([&] {
    attention.launch(
        stream, grid, {q, k, v, out, problem.queries, problem.keys, 1 / std::sqrt(double(problem.head))},
        lesson.with({{"HEAD", problem.head}, {"BLOCK_Q", kQueries}, {"BLOCK_K", blocks.keys}, {"CAUSAL", causal}},
                    blocks.numWarps));
  });
  report(lesson, problem, data, causal, causal ? "causal" : "full", timing, out);
}

// As many queries as keys, a multiple of the block.
void runDescriptors(samples::Lesson &lesson, const Problem &problem, const Data &data) {
  tegula::Stream &stream = lesson.stream();
  Blocks blocks(problem.head);
  std::vector<int64_t> rows = {problem.heads * problem.queries, problem.head};
  std::vector<int64_t> block = {kQueries, problem.head}, keyBlock = {blocks.keys, problem.head};
  tegula::Buffer q = samples::upload(stream, kType, rows, data.q), k = samples::upload(stream, kType, rows, data.k),
                 v = samples::upload(stream, kType, rows, data.v), out(lesson.device(), kType, rows);
  stream.fill(out, 0xff);

  tegula::TensorDescriptor qTiles(q, block), kTiles(k, keyBlock), vTiles(v, keyBlock), outTiles(out, block);
  tegula::Kernel attention = lesson.kernel("flash_attention.py", "attention_descriptor");
  tegula::Grid grid(problem.queries / kQueries, problem.heads);
  samples::Timing timing = lesson.time([&] {
    attention.launch(
        stream, grid, {qTiles, kTiles, vTiles, outTiles, problem.queries, 1 / std::sqrt(double(problem.head))},
        lesson.with({{"HEAD", problem.head}, {"BLOCK_Q", kQueries}, {"BLOCK_K", blocks.keys}}, blocks.numWarps));
  });
  report(lesson, problem, data, false, "full, through descriptors", timing, out);
}

Data randomData(const Problem &problem) {
  Data data = {samples::normal(problem.qSize(), 11), samples::normal(problem.kSize(), 12),
               samples::normal(problem.kSize(), 13)};
  for (std::vector<float> *part : {&data.q, &data.k, &data.v})
    samples::roundTo(kType, *part);
  return data;
}

void runLesson(samples::Lesson &lesson, const Problem &problem) {
  if (problem.head < 16 || problem.head > 256 || tegula::nextPowerOf2(problem.head) != problem.head)
    throw samples::BadUse("--head must be a power of two from 16 to 256, not " + std::to_string(problem.head));
  Data data = randomData(problem);
  runPointers(lesson, problem, data, false);
  if (problem.keys >= problem.queries)
    runPointers(lesson, problem, data, true);
  else
    lesson.note("causal left out: with fewer keys than queries, the first queries see nothing");
  int64_t length = tegula::cdiv(problem.queries, kQueries) * kQueries;
  Problem whole = {problem.heads, length, length, problem.head};
  runDescriptors(lesson, whole, randomData(whole));
}

} // namespace

int main(int argc, char **argv) {
  Problem problem = {4, 301, 333, 64};
  samples::Lesson lesson("08_flash_attention",
                         "Attention forward in f16, full and causal, for lengths that no block divides.");
  lesson.option("--heads", problem.heads, "heads of all sequences together", 1, 65535);
  lesson.option("--queries", problem.queries, "queries of each head", 1, 65536);
  lesson.option("--keys", problem.keys, "keys and values of each head", 1, 65536);
  lesson.option("--head", problem.head, "numbers in a query: a power of two", 16, 256);
  return lesson.run(argc, argv, [&] { runLesson(lesson, problem); });
}
