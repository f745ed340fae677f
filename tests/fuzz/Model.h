// Random kernels as data: the generator builds them, the renderer prints them in the Triton language, the shrinker
// makes them smaller. No device, no runtime and nothing of the compiler may enter here except the names of element
// types.
//
// Every operation accepts any operands of its types: the renderer restricts an invalid operand (a shift that is too
// far, an index outside, a zero divisor, a sum whose order matters) by an operation before it. So any node may be
// replaced by another one of its type, which keeps kernels valid during generation and shrinking.
#pragma once

#include "tegula/tegula.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace tegula::fuzz {

constexpr int kSymbols = 3;

/// 2^bits times the product of the kernel's symbolic extents, each with a power. Shapes stay symbolic, so that
/// shrinking can reduce an extent in the whole kernel at once.
struct Dim {
  int bits = 0;
  std::array<int, kSymbols> powers{};
  bool operator==(const Dim &) const = default;
};
using Shape = std::vector<Dim>; // empty: a scalar

struct Type {
  DType element = DType::I32;
  Shape shape;
  bool operator==(const Type &) const = default;
};

/// The fields `in` and `n` for each operation. `literal` is a small whole number; [x] may be absent.
enum class Op : uint8_t {
  Argument,   // in: region; n: index. A region's carried value inside of it
  Result,     // in: region; n: index. The same value after the region
  Index,      // in: region. The loop's variable, a scalar i32
  Program,    // the program's number, a scalar i32
  Parameter,  // a scalar i32 argument of the launch; n: index
  Full,       // n: literal
  Iota,       // n: axis. The index along an axis
  Load,       // in: [mask], [other]; n: see Access, in that order
  LoadAt,     // in: index of any integer type, [mask], [other]; n: buffer
  LoadStream, // in: region. Through a pointer that its loop advances
  Unary,      // n: index in kUnary
  Binary,     // n: index in kBinary
  Literal,    // a binary operation with a literal; n: index in kBinary, literal, literal on the left
  Compare,    // n: index of the comparison
  Where,      // in: condition, then, else
  Cast,       //
  Bits,       // the bits reinterpreted, integers of one width
  Promote,    // in: two integers of any types; n: index in kBinary; the result is cast
  Fma,        // f32 and f64 of small whole numbers
  Reduce,     // n: index in kReduce, axis or -1, axis kept
  Scan,       // n: index in kScan, axis, reverse
  Sort,       // n: descending
  Flip,       // n: axis
  Gather,     // in: source, index; n: axis
  Histogram,  // in: integers of rank 1
  Reshape,
  Permute /* n: axes */,
  Expand /* n: axis */,
  Broadcast,
  Join,
  Split /* n: which */,
  Cat,
  Interleave,
  Dot,    // in: a, b, [accumulator]; n: index in kDot
  Call,   // in: arguments; a helper function: blocks[0], one yield
  For,    // in: [tensor-free bound], initial values; n: largest trip count, bound given, form
  While,  // in: bound, initial values; n: largest trip count, 1, form
  If,     // in: condition, initial values; blocks: then, else
  Store,  // in: value, [mask]; n: order of axes, reversed, region whose variable spreads it or -1
  Atomic, // in: index, value, [mask]; n: index in kAtomic
};

constexpr const char *kUnary[] = {"-", "~", "abs", "floor", "ceil"};
constexpr const char *kBinary[] = {"+", "-", "*", "&", "|", "^", "min", "max", "//", "%", "<<", ">>"};
constexpr const char *kCompare[] = {"==", "!=", "<", "<=", ">", ">="};
enum BinaryKind { kAdd, kSub, kMul, kAnd, kOr, kXor, kMin, kMax, kDiv, kMod, kShl, kShr };
constexpr const char *kReduce[] = {"sum", "max",     "min",        "xor_sum", "argmax", "argmin",
                                   "or",  "product", "recurrence", "last",    "first",  "extent"};
constexpr int64_t kFirstPairReduce = 8; // of kReduce, from here on: the second result of a reduction of pairs
constexpr const char *kScan[] = {"cumsum", "max", "xor", "recurrence", "last"};
constexpr const char *kAtomic[] = {"add", "max", "min", "or", "xor", "and"};
constexpr const char *kDot[] = {"tl.float16", "tl.float32", "tl.int8", "tl.bfloat16"};

/// A Load's addresses: element strides from an order of axes.
struct Access {
  int64_t buffer = 0, order = 0, gap = 1, flat = 0 /* bits: axes of stride 0 */, reversed = 0, offset = 0, program = 0;
  int64_t mask = 0 /* 0 none, 1 bound on the offset, 2 bound on the first axis, 3 a node */;
  int64_t other = 0 /* 0 none, 1 literal, 2 a node */, literal = 0;
};

struct Block {
  std::vector<int> nodes; // ids, in order of execution
  std::vector<int> yields;
};

struct Node {
  Op op = Op::Full;
  Type type;
  std::vector<int> in;
  std::vector<int64_t> n;
  std::vector<Block> blocks;
};

struct Model {
  std::vector<Node> nodes; // by id; a node that no block contains does not exist
  Block body;
  std::array<int, kSymbols> extents{}; // log2 of the symbols
  std::array<int, kSymbols> least{};   // their lower limits while shrinking
  std::array<int64_t, 2> grid{1, 1};
  int warps = 4;
  uint64_t data = 0; // seed of the input data
  std::vector<DType> inputs;
  std::vector<int64_t> parameters;

  int log2(const Dim &dim) const;
  int64_t size(const Dim &dim) const { return int64_t(1) << log2(dim); }
  int log2(const Shape &shape) const;
  int64_t size(const Shape &shape) const { return int64_t(1) << log2(shape); }
};

inline bool isFloat(DType type) { return type >= DType::F16; }
inline bool isFp8(DType type) { return type >= DType::F8E4M3; }
inline bool isInteger(DType type) { return type >= DType::I8 && type <= DType::U64; }
inline bool isUnsigned(DType type) { return type >= DType::U8 && type <= DType::U64; }
/// The language's name of a type: `tl.float16`
std::string languageName(DType type);

struct Random {
  std::mt19937_64 engine;
  explicit Random(uint64_t seed) : engine(seed) {}
  /// A number in [0, count).
  int64_t below(int64_t count) { return int64_t(engine() % uint64_t(count)); }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool oneIn(int64_t count) { return below(count) == 0; }
  template <class Values> auto pick(const Values &values) { return *(std::begin(values) + below(std::size(values))); }
};

/// Equal seeds give equal kernels on every machine.
Model generate(uint64_t seed);

/// A buffer of the rendered kernel.
struct BufferPlan {
  std::string name;
  DType type = DType::I32;
  int64_t elements = 0;
  bool output = false;
  int64_t first = 77; // initial value of outputs and counters
};

struct Rendered {
  std::string source;
  std::vector<BufferPlan> buffers; // in the order of parameters; scalar parameters follow
  bool zeroSignsMayDiffer = false; // minima, maxima and matrix products leave the sign of zero open
  int statements = 0;
};
Rendered render(const Model &model);

/// Removes nodes that no store, atomic operation or control flow needs, and buffers without reads.
void prune(Model &model);

} // namespace tegula::fuzz
