// Random kernels as data: what the generator builds, the renderer prints in the Triton language and the shrinker makes
// smaller. No device, no runtime and nothing of the compiler may enter here but the names of element types.
//
// Every operation accepts any operands of its types: what an operation could not bear (a shift that is too far, an
// index outside, a divisor of zero, a sum whose order would show) the renderer puts in range with an operation before
// it. So a node may be replaced by any other of its type, which keeps kernels valid while they are made and while they
// shrink.
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

/// 2^bits times the product of the kernel's symbolic extents, each to a power. Shapes stay symbolic, so that an extent
/// can shrink in the whole kernel at once.
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

/// `in` and `n` by operation; `literal` stands for a small whole number. [x]: may be absent.
enum class Op : uint8_t {
  Argument,   // in: region; n: which. A region's carried value inside of it
  Result,     // in: region; n: which. The same after it
  Index,      // in: region. The loop's variable, a scalar i32
  Program,    // the program's number, a scalar i32
  Parameter,  // a scalar i32 argument of the launch; n: which
  Full,       // n: literal
  Iota,       // n: axis. The place along an axis
  Load,       // in: [mask], [other]; n: see Access, in that order
  LoadAt,     // in: index of any integer type, [mask], [other]; n: buffer
  LoadStream, // in: region. Through a pointer that its loop advances
  Unary,      // n: which of kUnary
  Binary,     // n: which of kBinary
  Literal,    // a binary operation with a literal; n: which of kBinary, literal, literal on the left
  Compare,    // n: which
  Where,      // in: condition, then, else
  Cast,       //
  Bits,       // reinterpreted, integers of one width
  Promote,    // in: two integers of any types; n: which of kBinary; the result cast
  Fma,        // f32 and f64 of small whole numbers
  Reduce,     // n: which of kReduce, axis or -1, axis kept
  Scan,       // n: which of kScan, axis, reverse
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
  Dot,    // in: a, b, [accumulator]; n: which of kDot
  Call,   // in: arguments; a helper function: blocks[0], one yield
  For,    // in: [tensor-free bound], initial values; n: trips at most, bound given, stream buffer or -1, step of it
  While,  // in: bound, initial values; n: trips at most
  If,     // in: condition, initial values; blocks: then, else
  Store,  // in: value, [mask]; n: order of axes, reversed, region whose variable spreads it or -1
  Atomic, // in: index, value, [mask]; n: which of kAtomic
};

constexpr const char *kUnary[] = {"-", "~", "abs", "floor", "ceil"};
constexpr const char *kBinary[] = {"+", "-", "*", "&", "|", "^", "min", "max", "//", "%", "<<", ">>"};
constexpr const char *kCompare[] = {"==", "!=", "<", "<=", ">", ">="};
enum BinaryKind { kAdd, kSub, kMul, kAnd, kOr, kXor, kMin, kMax, kDiv, kMod, kShl, kShr };
constexpr const char *kReduce[] = {"sum", "max", "min", "xor_sum", "argmax", "argmin", "or", "product"};
constexpr const char *kScan[] = {"cumsum", "max", "xor", "recurrence", "last"};
constexpr const char *kAtomic[] = {"add", "max", "min", "or", "xor", "and"};
constexpr const char *kDot[] = {"tl.float16", "tl.float32", "tl.int8", "tl.bfloat16"};

/// How Load reaches its buffer: element strides from an order of axes.
struct Access {
  int64_t buffer = 0, order = 0, gap = 1, flat = 0 /* bits: axes of stride 0 */, reversed = 0, offset = 0, program = 0;
  int64_t mask = 0 /* 0 none, 1 bound on the offset, 2 bound on the first axis, 3 a node */;
  int64_t other = 0 /* 0 none, 1 literal, 2 a node */, literal = 0;
};

struct Block {
  std::vector<int> nodes; // in order
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
  std::vector<Node> nodes; // by id; those that no block holds are not there
  Block body;
  std::array<int, kSymbols> extents{}; // log2 of the symbols
  std::array<int, kSymbols> least{};   // what they may shrink to
  std::array<int64_t, 2> grid{1, 1};
  int warps = 4;
  uint64_t data = 0; // seed of the inputs
  std::vector<DType> inputs;
  std::vector<int64_t> parameters;

  int log2(const Dim &dim) const;
  int64_t size(const Dim &dim) const { return int64_t(1) << log2(dim); }
  int log2(const Shape &shape) const;
  int64_t size(const Shape &shape) const { return int64_t(1) << log2(shape); }
};

inline bool isFloat(DType type) { return type >= DType::F16; }
inline bool isInteger(DType type) { return type >= DType::I8 && type <= DType::U64; }
inline bool isUnsigned(DType type) { return type >= DType::U8 && type <= DType::U64; }
/// `tl.float16`
std::string languageName(DType type);

struct Random {
  std::mt19937_64 engine;
  explicit Random(uint64_t seed) : engine(seed) {}
  /// In [0, count).
  int64_t below(int64_t count) { return int64_t(engine() % uint64_t(count)); }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool oneIn(int64_t count) { return below(count) == 0; }
  template <class Values> auto pick(const Values &values) { return *(std::begin(values) + below(std::size(values))); }
};

/// The same kernel for the same seed, on every machine.
Model generate(uint64_t seed);

/// A buffer of the rendered kernel.
struct BufferPlan {
  std::string name;
  DType type = DType::I32;
  int64_t elements = 0;
  bool output = false;
  int64_t first = 77; // what outputs and counters hold before
};

struct Rendered {
  std::string source;
  std::vector<BufferPlan> buffers; // in the order of the parameters; then the scalar parameters follow
  bool zeroSignsMayDiffer = false; // minima, maxima and products of matrices leave them open
  int statements = 0;
};
Rendered render(const Model &model);

/// Drops what no store, atomic operation or control needs, and buffers that nobody reads.
void prune(Model &model);

} // namespace tegula::fuzz
