#include "tests/vulkan/ElementwiseTest.h"

#include <random>
#include <sstream>

namespace tegula::vulkan::test {
namespace {

constexpr size_t kProgramElements = 512;

uint64_t low(uint64_t bits, ScalarType type) {
  unsigned width = bitWidth(type);
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

std::vector<Bytes> memoryOf(const std::array<Bits, 3> &inputs, ScalarType in, ScalarType out) {
  std::vector<Bytes> memory;
  for (Bits input : inputs) {
    input.resize(inputs[0].size());
    memory.push_back(packBits(input, in));
  }
  memory.push_back(Bytes(inputs[0].size() * byteSize(out)));
  return memory;
}

std::array<uint32_t, 3> gridOf(const Bits &x) { return {uint32_t(x.size() / kProgramElements), 1, 1}; }

} // namespace

Bytes packBits(const Bits &bits, ScalarType type) {
  size_t each = byteSize(type);
  Bytes bytes(bits.size() * each);
  for (size_t i = 0; i < bits.size(); ++i)
    std::memcpy(&bytes[i * each], &bits[i], each);
  return bytes;
}

Bits unpackBits(const Bytes &bytes, ScalarType type) {
  size_t each = byteSize(type);
  Bits bits(bytes.size() / each);
  for (size_t i = 0; i < bits.size(); ++i)
    std::memcpy(&bits[i], &bytes[i * each], each);
  return bits;
}

Bits someFloats(ScalarType type, size_t count, uint32_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal(0, 4);
  const FloatFormat &format = floatFormat(type);
  const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 0.5, 1.5, 2.5};
  Bits bits(count);
  for (size_t i = 0; i < count; ++i)
    if (i % 4 == 0)
      bits[i] = low(generator(), type); // any exponent
    else
      bits[i] = encodeFloat(format, i % 16 == 3 ? specials[generator() % 10] : normal(generator));
  return bits;
}

Bits someIntegers(ScalarType type, size_t count, uint32_t seed) {
  std::mt19937_64 generator(seed);
  unsigned width = bitWidth(type);
  Bits bits(count);
  for (size_t i = 0; i < count; ++i) {
    bits[i] = low(generator() >> (generator() % width), type);
    if (i % 3 == 0)
      bits[i] = low(~bits[i], type);
  }
  bits[0] = 0;
  bits[1] = low(~uint64_t(0), type);
  bits[2] = uint64_t(1) << (width - 1);
  bits[3] = (uint64_t(1) << (width - 1)) - 1;
  return bits;
}

std::string hex(uint64_t bits) {
  std::ostringstream text;
  text << "0x" << std::hex << bits;
  return text.str();
}

bool isSame(ScalarType type, uint64_t found, uint64_t expected) {
  return found == expected || (isFloat(type) && std::isnan(decodeFloat(floatFormat(type), found)) &&
                               std::isnan(decodeFloat(floatFormat(type), expected)));
}

std::string ElementwiseTest::kernel(std::string op, const Number &in, const Number &out,
                                    const std::string &before) const {
  op = replaced(before + "\n%r = " + op,
                {{"OUT", std::string("vector<4x") + out.mlir + ">"}, {"IN", std::string("vector<4x") + in.mlir + ">"}});
  std::string pointer = std::string("!tile.ptr<") + in.mlir + ">", text = "func.func @k(";
  for (const char *name : {"a", "b", "c"})
    text += std::string("%") + name + ": " + pointer + " {tile.name = \"" + name + "\"}, ";
  text += std::string("%o: !tile.ptr<") + out.mlir + "> {tile.name = \"o\"}) attributes {tile.kernel, simt.warps = " +
          std::to_string(kProgramElements / 4 / lanes()) + " : i32, simt.warp_size = " + std::to_string(lanes()) +
          " : i32} {\n%t = simt.thread_id : i32\n%c4 = arith.constant 4 : i32\n%c128 = arith.constant 128 : i32\n"
          "%p = tile.program_id 0\n%p1 = arith.muli %p, %c128 : i32\n%t1 = arith.addi %p1, %t : i32\n"
          "%i = arith.muli %t1, %c4 : i32\n";
  for (auto [name, from] : {std::pair("x", "a"), {"y", "b"}, {"z", "c"}})
    text += std::string("%") + name + " = simt.load %" + from + "[%i] : " + pointer + ", i32 -> vector<4x" + in.mlir +
            ">\n";
  return text + op + "\nsimt.store %o[%i], %r : !tile.ptr<" + out.mlir + ">, i32, vector<4x" + out.mlir +
         ">\nreturn\n}\n";
}

Bits ElementwiseTest::evaluate(const std::string &op, const Number &in, const Number &out,
                               const std::array<Bits, 3> &inputs, const std::string &before) {
  return unpackBits(runHere(kernel(op, in, out, before), memoryOf(inputs, in.type, out.type), {}, gridOf(inputs[0]))[3],
                    out.type);
}

Bits ElementwiseTest::execute(const std::string &op, const Number &in, const Number &out,
                              const std::array<Bits, 3> &inputs, const std::string &before) {
  return unpackBits(
      runInExecutor(kernel(op, in, out, before), memoryOf(inputs, in.type, out.type), {}, gridOf(inputs[0]))[3],
      out.type);
}

void ElementwiseTest::expectAsExecuted(const std::string &op, const Number &in, const Number &out,
                                       const std::array<Bits, 3> &inputs, const std::string &before) {
  Bits found = evaluate(op, in, out, inputs, before), expected = execute(op, in, out, inputs, before);
  size_t wrong = 0;
  for (size_t i = 0; i < found.size(); ++i)
    if (!isSame(out.type, found[i], expected[i]) && ++wrong <= 3)
      ADD_FAILURE() << op << " on " << in.mlir << ": of " << hex(inputs[0][i]) << ", "
                    << (inputs[1].empty() ? "" : hex(inputs[1][i])) << " found " << hex(found[i]) << ", expected "
                    << hex(expected[i]);
  EXPECT_EQ(wrong, 0u) << op << " on " << in.mlir;
}

} // namespace tegula::vulkan::test
