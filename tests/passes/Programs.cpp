#include "tests/passes/Programs.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace tegula::passes_test {
namespace {

struct Buffer {
  std::string name, view, tile; // types of the buffer and of one stage
  uint32_t bits = 32, perThread = 1, stages = 1;
  std::vector<bool> written; // for each stage: written as a whole on every path
  bool busy = false;         // an asynchronous copy is in flight
};

class Writer {
public:
  Writer(uint64_t seed, bool orderly) : random_(seed * 7919 + 1), orderly_(orderly) {}

  std::string run() {
    for (int i = 0; i < 9; ++i)
      line("%c" + std::to_string(i) + " = arith.constant " + std::to_string(i) + " : i32");
    line("%c16 = arith.constant 16 : i32");
    line("%c31 = arith.constant 31 : i32");
    line("%t = simt.thread_id : i32");
    line("%bit = arith.andi %t, %c1 : i32");
    line("%odd = arith.cmpi eq, %bit, %c1 : i32");
    line("%tt = arith.addi %t, %c8 : i32");
    line("%p0 = simt.load %x[%t] : !tile.ptr<i32>, i32 -> i32"); // permutations, unknown to every analysis
    line("%p1 = simt.load %x[%tt] : !tile.ptr<i32>, i32 -> i32");
    line("%acc = arith.muli %t, %c31 : i32");
    acc_ = "%acc";
    std::vector<Buffer> buffers;
    block(buffers, 6 + below(14), 0);
    line("simt.store %o[%t], " + acc_ + " : !tile.ptr<i32>, i32, i32");
    return "#l = #layout.shared<(1) (2) (4)>\n"
           "#l2 = #layout.shared<(1) (2) (4) (8)>\n" +
           std::string("func.func @k(%x: !tile.ptr<i32>, %o: !tile.ptr<i32>) attributes {simt.warps = 2 : i32, "
                       "simt.warp_size = 4 : i32} {\n") +
           text_ + "return\n}\n";
  }

private:
  uint32_t below(uint32_t bound) { return uint32_t(random_() % bound); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  std::string fresh() { return "%v" + std::to_string(next_++); }
  void line(const std::string &text) { text_ += text + '\n'; }
  std::string let(const std::string &op) {
    std::string name = fresh();
    line(name + " = " + op);
    return name;
  }
  static std::string constant(uint32_t number) { return "%c" + std::to_string(number); }

  // --- accesses ---

  Buffer makeBuffer() {
    static const uint32_t kWidths[] = {8, 16, 32, 32};
    Buffer buffer;
    buffer.name = fresh();
    buffer.bits = kWidths[below(4)];
    buffer.perThread = 1 + below(2);
    buffer.stages = chance(25) ? 2 : 1;
    buffer.written.assign(buffer.stages, false);
    std::string tile = std::to_string(kThreads * buffer.perThread) + "xi" + std::to_string(buffer.bits);
    std::string layout = buffer.stages == 1 ? "" : buffer.perThread == 1 ? ", #l" : ", #l2";
    buffer.tile = "!simt.shared<" + tile + layout + ">";
    buffer.view =
        "!simt.shared<" + (buffer.stages == 1 ? "" : std::to_string(buffer.stages) + "x") + tile + layout + ">";
    line(buffer.name + " = simt.shared_alloc : " + buffer.view);
    return buffer;
  }

  /// A permutation of the threads, known by arithmetic or only at run time.
  std::string permuted() {
    uint32_t way = below(6);
    if (way < 2)
      return "%t";
    if (way < 4)
      return let("arith.xori %t, " + constant(1 + below(7)) + " : i32");
    return way == 4 ? "%p0" : "%p1";
  }

  std::string offsets(const Buffer &buffer, bool reads = false) {
    std::string first = reads && chance(15) ? let("arith.andi %t, %c3 : i32") : permuted();
    if (buffer.perThread == 1)
      return first;
    std::string second = let("arith.addi " + (chance(50) ? first : permuted()) + ", %c8 : i32");
    return let("simt.concat " + first + ", " + second + " : i32, i32 -> vector<2xi32>");
  }

  std::string element(const Buffer &buffer) const {
    std::string scalar = "i" + std::to_string(buffer.bits);
    return buffer.perThread == 1 ? scalar : "vector<2x" + scalar + ">";
  }
  static std::string offsetType(const Buffer &buffer) { return buffer.perThread == 1 ? "i32" : "vector<2xi32>"; }

  std::string viewOf(const Buffer &buffer, uint32_t stage, bool anyStage) {
    if (buffer.stages == 1)
      return buffer.name;
    std::string index = constant(stage);
    if (anyStage) { // equal in all threads, unknown to the passes
      std::string number = let("simt.load %x[%c" + std::to_string(below(9)) + "] : !tile.ptr<i32>, i32 -> i32");
      index = let("arith.andi " + number + ", %c1 : i32");
    }
    return let("simt.stage " + buffer.name + "[" + index + "] : " + buffer.view + " -> " + buffer.tile);
  }

  static bool whole(const Buffer &buffer) {
    return std::all_of(buffer.written.begin(), buffer.written.end(), [](bool each) { return each; });
  }

  void store(Buffer &buffer) {
    uint32_t stage = below(buffer.stages);
    bool any = whole(buffer) && chance(30);
    std::string view = viewOf(buffer, stage, any), at = offsets(buffer);
    std::string value = let("arith.xori " + acc_ + ", " + constant(below(9)) + " : i32");
    if (buffer.perThread == 2)
      value = let("simt.concat " + value + ", " + acc_ + " : i32, i32 -> vector<2xi32>");
    if (buffer.bits != 32)
      value = let("arith.trunci " + value + " : " + offsetType(buffer) + " to " + element(buffer));
    line("simt.shared_store " + view + "[" + at + "], " + value + " : " + buffer.tile + ", " + offsetType(buffer) +
         ", " + element(buffer));
    buffer.written[stage] = true;
  }

  /// Several threads write the same value to the same elements.
  void broadcast(const Buffer &buffer) {
    std::string at = let("arith.andi %t, %c3 : i32"), value = let("simt.load %x[%c16] : !tile.ptr<i32>, i32 -> i32");
    if (buffer.bits != 32)
      value = let("arith.trunci " + value + " : i32 to i" + std::to_string(buffer.bits));
    line("simt.shared_store " + viewOf(buffer, below(buffer.stages), false) + "[" + at + "], " + value + " : " +
         buffer.tile + ", i32, i" + std::to_string(buffer.bits));
  }

  /// Loads elements and adds them to the accumulator.
  void load(Buffer &buffer) {
    uint32_t stage = below(buffer.stages);
    if (!buffer.written[stage])
      stage ^= 1;
    std::string view = viewOf(buffer, stage, whole(buffer) && chance(30));
    std::string at = offsets(buffer, /*reads=*/true);
    std::string value = let("simt.shared_load " + view + "[" + at + "] : " + buffer.tile + ", " + offsetType(buffer) +
                            " -> " + element(buffer));
    if (buffer.bits != 32)
      value = let("arith.extui " + value + " : " + element(buffer) + " to " + offsetType(buffer));
    if (buffer.perThread == 2)
      value =
          let("simt.pick " + let("simt.reduce_registers xori " + value + " keep 0 : vector<2xi32> -> vector<1xi32>") +
              " [0] : vector<1xi32> -> i32");
    acc_ = let("arith.addi " + let("arith.muli " + acc_ + ", %c31 : i32") + ", " + value + " : i32");
  }

  void barrier() {
    if (orderly_)
      line("simt.barrier");
  }

  // --- statements ---

  Buffer *pick(std::vector<Buffer> &buffers, const std::function<bool(const Buffer &)> &wanted) {
    std::vector<Buffer *> fitting;
    for (Buffer &buffer : buffers)
      if (!buffer.busy && wanted(buffer))
        fitting.push_back(&buffer);
    return fitting.empty() ? nullptr : fitting[below(uint32_t(fitting.size()))];
  }
  static bool readable(const Buffer &buffer) {
    return std::any_of(buffer.written.begin(), buffer.written.end(), [](bool each) { return each; });
  }

  void block(std::vector<Buffer> &buffers, uint32_t statements, int depth) {
    for (uint32_t i = 0; i < statements; ++i)
      statement(buffers, depth);
  }

  void statement(std::vector<Buffer> &buffers, int depth) {
    uint32_t what = below(100);
    if (buffers.empty() || (what < 12 && buffers.size() < 8)) {
      buffers.push_back(makeBuffer());
      if (chance(75)) { // otherwise possibly later, in a loop or branch
        store(buffers.back());
        barrier();
      }
    } else if (what < 35) {
      if (Buffer *buffer = pick(buffers, [](const Buffer &) { return true; })) {
        if (whole(*buffer) && chance(15))
          broadcast(*buffer);
        else
          store(*buffer);
        barrier();
      }
    } else if (what < 65) {
      if (Buffer *buffer = pick(buffers, readable)) {
        load(*buffer);
        barrier();
      }
    } else if (what < 72) {
      divergent(buffers);
    } else if (what < 77) {
      asyncLoad(buffers, depth);
    } else if (what < 79) {
      line("simt.barrier");
    } else if (what < 81) {
      twoAtOnce();
    } else if (depth < 3) {
      if (what < 91)
        loop(buffers, depth);
      else if (what < 94)
        whileLoop(buffers, depth);
      else
        branch(buffers, depth);
    }
  }

  /// Half of the threads store to a buffer, the other half may read another one.
  void divergent(std::vector<Buffer> &buffers) {
    Buffer *buffer = pick(buffers, readable);
    if (!buffer)
      return;
    std::string result = fresh(), before = acc_;
    line(result + " = scf.if %odd -> (i32) {");
    if (chance(60)) {
      std::vector<bool> written = buffer->written;
      store(*buffer);
      buffer->written = written; // half of the threads wrote
    } else {
      load(*buffer);
    }
    line("scf.yield " + acc_ + " : i32");
    line("} else {");
    acc_ = before;
    Buffer *other = pick(buffers, [&](const Buffer &each) { return &each != buffer && readable(each); });
    if (other && chance(50))
      load(*other);
    line("scf.yield " + acc_ + " : i32");
    line("} {simt.divergent}");
    acc_ = result;
    barrier();
  }

  /// Both arms of a branch have a buffer of their own, in which each thread uses one element only.
  void twoAtOnce() {
    std::string result = fresh(), before = acc_;
    line(result + " = scf.if %odd -> (i32) {");
    for (bool then : {true, false}) {
      acc_ = before;
      std::string buffer = let("simt.shared_alloc : !simt.shared<8xi32>");
      std::string place = then ? "%t" : let("arith.xori %t, %c1 : i32"); // another thread's element
      line("simt.shared_store " + buffer + "[" + place + "], " + acc_ + " : !simt.shared<8xi32>, i32, i32");
      std::string value = let("simt.shared_load " + buffer + "[" + place + "] : !simt.shared<8xi32>, i32 -> i32");
      acc_ = let("arith.addi " + let("arith.muli " + value + ", %c31 : i32") + ", %p0 : i32");
      line("scf.yield " + acc_ + (then ? " : i32\n} else {" : " : i32\n} {simt.divergent}"));
    }
    acc_ = result;
    barrier();
  }

  void asyncLoad(std::vector<Buffer> &buffers, int depth) {
    Buffer *buffer = pick(buffers, [](const Buffer &each) { return each.bits == 32 && each.stages == 1; });
    if (!buffer)
      return;
    std::string at = offsets(*buffer);
    std::string from = buffer->perThread == 1 ? "%tt" : let("simt.concat %tt, %t : i32, i32 -> vector<2xi32>");
    line("simt.async_load %x[" + from + "] to " + buffer->name + "[" + at + "] width 1 : !tile.ptr<i32>, " +
         offsetType(*buffer) + ", " + buffer->tile + ", " + offsetType(*buffer));
    line("simt.commit_loads");
    size_t number = size_t(buffer - buffers.data());
    buffers[number].busy = true;
    block(buffers, below(3), depth);
    buffers[number].busy = false;
    buffers[number].written[0] = true;
    line("simt.wait_loads 0");
    barrier();
  }

  std::string count() {
    if (chance(50))
      return constant(below(4));
    std::string number = let("simt.load %x[%c" + std::to_string(below(9)) + "] : !tile.ptr<i32>, i32 -> i32");
    return let("arith.andi " + number + ", %c3 : i32");
  }

  void loop(std::vector<Buffer> &buffers, int depth) {
    std::string number = count(), result = fresh(), inner = fresh();
    line(result + " = scf.for " + fresh() + " = %c0 to " + number + " step %c1 iter_args(" + inner + " = " + acc_ +
         ") -> (i32) : i32 {");
    acc_ = inner;
    std::vector<Buffer> within = buffers; // buffers that the body writes or allocates may be unwritten after it
    block(within, 1 + below(5), depth + 1);
    line("scf.yield " + acc_ + " : i32");
    line("} {simt.uniform}");
    acc_ = result;
  }

  void whileLoop(std::vector<Buffer> &buffers, int depth) {
    std::string number = count(), result = fresh(), left = fresh(), first = fresh(), second = fresh();
    std::string leftIn = fresh(), accIn = fresh();
    line(first + ", " + result + " = scf.while (" + left + " = " + number + ", " + second + " = " + acc_ +
         ") : (i32, i32) -> (i32, i32) {");
    acc_ = second;
    std::vector<Buffer> before = buffers;
    block(before, below(3), depth + 1);
    std::string more = let("arith.cmpi sgt, " + left + ", %c0 : i32");
    line("scf.condition(" + more + ") " + left + ", " + acc_ + " : i32, i32");
    line("} do {\n^bb0(" + leftIn + ": i32, " + accIn + ": i32):");
    acc_ = accIn;
    std::vector<Buffer> within = buffers;
    block(within, below(4), depth + 1);
    std::string fewer = let("arith.subi " + leftIn + ", %c1 : i32");
    line("scf.yield " + fewer + ", " + acc_ + " : i32, i32");
    line("} attributes {simt.uniform}");
    acc_ = result;
  }

  void branch(std::vector<Buffer> &buffers, int depth) {
    std::string number = let("simt.load %x[%c" + std::to_string(below(9)) + "] : !tile.ptr<i32>, i32 -> i32");
    std::string bit = let("arith.andi " + number + ", %c1 : i32"), test = let("arith.cmpi eq, " + bit + ", %c0 : i32");
    std::string result = fresh(), before = acc_;
    line(result + " = scf.if " + test + " -> (i32) {");
    std::vector<Buffer> then = buffers, otherwise = buffers;
    block(then, below(4), depth + 1);
    line("scf.yield " + acc_ + " : i32\n} else {");
    acc_ = before;
    block(otherwise, below(3), depth + 1);
    line("scf.yield " + acc_ + " : i32\n} {simt.uniform}");
    acc_ = result;
    for (size_t i = 0; i < buffers.size(); ++i)
      for (uint32_t stage = 0; stage < buffers[i].stages; ++stage)
        buffers[i].written[stage] = then[i].written[stage] && otherwise[i].written[stage];
  }

  std::mt19937_64 random_;
  bool orderly_;
  uint32_t next_ = 0;
  std::string text_, acc_;
};

} // namespace

std::string randomProgram(uint64_t seed, bool orderly) { return Writer(seed, orderly).run(); }

std::vector<int32_t> randomInput(uint64_t seed) {
  std::mt19937_64 random(seed + 17);
  std::vector<int32_t> numbers(kInputs);
  for (uint32_t begin : {0u, kThreads}) {
    std::iota(numbers.begin() + begin, numbers.begin() + begin + kThreads, 0);
    std::shuffle(numbers.begin() + begin, numbers.begin() + begin + kThreads, random);
  }
  for (size_t i = 2 * kThreads; i < numbers.size(); ++i)
    numbers[i] = int32_t(random() & 0xffff);
  return numbers;
}

} // namespace tegula::passes_test
