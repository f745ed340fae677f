// Global and shared memory: widths and types of accesses, masks, layouts, stages, parts.
#include "backends/vulkan/codegen/SharedPlan.h"
#include "tests/vulkan/CodegenFixture.h"

#include <numeric>
#include <random>

namespace tegula::vulkan::test {
namespace {

class VulkanMemory : public CodegenTest {
protected:
  static Bytes randomBytes(size_t count, uint32_t seed) {
    std::mt19937 generator(seed);
    Bytes bytes(count);
    for (std::byte &byte : bytes)
      byte = std::byte(generator() & 0x3f); // a number in all formats
    return bytes;
  }
};

constexpr std::pair<const char *, unsigned> kTypes[] = {{"i8", 1},   {"i16", 2}, {"i32", 4}, {"i64", 8},     {"f16", 2},
                                                        {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"f8E4M3FN", 1}};

TEST_P(VulkanMemory, AccessesOfEveryWidth) {
  for (auto [type, bytes] : kTypes)
    for (unsigned width : {1u, 2u, 4u, 8u, 16u, 32u}) {
      std::string tile = "vector<" + std::to_string(2 * width) + "x" + type + ">",
                  pointer = std::string("!tile.ptr<") + type + ">";
      unsigned threads = 2 * lanes(), elements = threads * width * 2;
      std::string text = body(replaced("%width = arith.constant WIDTH : i32\n%at = arith.muli %t, %width : i32\n"
                                       "%half = arith.constant HALF : i32\n%at1 = arith.addi %at, %half : i32\n"
                                       "%offsets = simt.concat %at, %at1 : i32, i32 -> vector<2xi32>\n"
                                       "%v = simt.load %x[%offsets] : PTR, vector<2xi32> -> TILE\n"
                                       "%swapped = simt.concat %at1, %at : i32, i32 -> vector<2xi32>\n"
                                       "simt.store %o[%swapped], %v : PTR, vector<2xi32>, TILE",
                                       {{"WIDTH", std::to_string(width)},
                                        {"HALF", std::to_string(elements / 2)},
                                        {"PTR", pointer},
                                        {"TILE", tile}}),
                              type, type);
      Bytes in = randomBytes(elements * bytes, width);
      std::vector<Bytes> found = runHere(text, {in, Bytes(in.size())});
      Bytes expected(in.begin() + long(in.size() / 2), in.end());
      expected.insert(expected.end(), in.begin(), in.begin() + long(in.size() / 2));
      EXPECT_EQ(found[1], expected) << type << width;
    }
}

/// Masked-off elements have addresses far outside of any buffer.
TEST_P(VulkanMemory, MaskedOffMemoryIsNotTouched) {
  for (auto [type, bytes] : kTypes)
    for (bool hasOther : {false, true}) {
      std::string pointer = std::string("!tile.ptr<") + type + ">";
      bool isFloat = type[0] != 'i';
      std::string text = body(
          replaced("%one = arith.constant dense<VALUE> : vector<8xTYPE>\n%far = arith.constant 281474976710656 : i64\n"
                   "%wide = arith.extui %t : i32 to i64\n%c8l = arith.constant 8 : i64\n%c2l = arith.constant 2 : i64\n"
                   "%at = arith.muli %wide, %c8l : i64\n%bit = arith.andi %t, %c1 : i32\n"
                   "%odd = arith.cmpi eq, %bit, %c1 : i32\n%even = arith.cmpi eq, %bit, %c0 : i32\n"
                   "%low = arith.select %odd, %at, %far : i64\n%c4l = arith.constant 4 : i64\n"
                   "%at4 = arith.addi %at, %c4l : i64\n%high = arith.select %even, %at4, %far : i64\n"
                   "%offsets = simt.concat %low, %high : i64, i64 -> vector<2xi64>\n"
                   "%masks = simt.concat %odd, %even : i1, i1 -> vector<2xi1>\n"
                   "%v = simt.load %x[%offsets] mask %masks OTHER\n"
                   "%lowpart = simt.slice %v from 0 : vector<8xTYPE> -> vector<4xTYPE>\n"
                   "simt.store %o[%offsets], %v mask %masks : PTR, vector<2xi64>, vector<8xTYPE>, vector<2xi1>\n"
                   "%c1000 = arith.constant 256 : i64\n%all = arith.addi %at, %c1000 : i64\n"
                   "simt.store %o[%all], %v : PTR, i64, vector<8xTYPE>",
                   {{"OTHER",
                     hasOther ? "other %one : PTR, vector<2xi64>, vector<2xi1>, other vector<8xTYPE> -> vector<8xTYPE>"
                              : ": PTR, vector<2xi64>, vector<2xi1> -> vector<8xTYPE>"},
                    {"VALUE", isFloat ? "1.0" : "7"},
                    {"PTR", pointer},
                    {"TYPE", type}}),
          type, type, 1);
      expectSame(text, {randomBytes(256 * bytes, 3), Bytes(1024 * bytes)});
    }
}

TEST_P(VulkanMemory, BooleansAreBytes) {
  std::string text =
      body("%at = arith.muli %t, %c4 : i32\n%m = simt.load %x[%at] : !tile.ptr<i1>, i32 -> vector<4xi1>\n"
           "%y = arith.constant dense<true> : vector<4xi1>\n%n = arith.xori %m, %y : vector<4xi1>\n"
           "simt.store %o[%at], %n : !tile.ptr<i1>, i32, vector<4xi1>",
           "i1", "i1");
  Bytes in(8 * lanes());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = std::byte(i / 3 % 2);
  expectSame(text, {in, Bytes(in.size())});
}

TEST_P(VulkanMemory, OffsetsAreSignedAnd64Bits) {
  std::string text =
      body("%p = tile.addptr %x, %c8 : !tile.ptr<i16>, i32\n%m8 = arith.constant -8 : i64\n"
           "%wide = arith.extui %t : i32 to i64\n%at = arith.addi %wide, %m8 : i64\n"
           "%v = simt.load %p[%at] : !tile.ptr<i16>, i64 -> i16\n%i = tile.ptr_to_int %o : !tile.ptr<i16> -> i64\n"
           "%four = arith.constant 4 : i64\n%j = arith.addi %i, %four : i64\n"
           "%q = tile.int_to_ptr %j : i64 -> !tile.ptr<i8>\n%r = tile.ptr_cast %q : !tile.ptr<i8> -> !tile.ptr<i16>\n"
           "simt.store %r[%t], %v : !tile.ptr<i16>, i32, i16",
           "i16", "i16");
  Bytes in = randomBytes(4 * lanes(), 8);
  Bytes expected(in.size() + 4);
  std::copy(in.begin(), in.end(), expected.begin() + 4);
  EXPECT_EQ(runHere(text, {in, Bytes(in.size() + 4)})[1], expected);
}

TEST_P(VulkanMemory, ThreadsMeetInSharedMemory) {
  for (auto [type, bytes] : kTypes)
    for (unsigned width : {1u, 2u, 4u, 8u, 16u}) {
      unsigned threads = 4 * lanes(), elements = threads * width;
      std::string text = body(
          replaced("%s = simt.shared_alloc at 128 : !simt.shared<COUNTxTYPE>\n%width = arith.constant WIDTH : i32\n"
                   "%at = arith.muli %t, %width : i32\n%v = simt.load %x[%at] : PTR, i32 -> TILE\n"
                   "simt.shared_store %s[%at], %v : !simt.shared<COUNTxTYPE>, i32, TILE\nsimt.barrier\n"
                   "%last = arith.constant LAST : i32\n%from = arith.subi %last, %at : i32\n"
                   "%r = simt.shared_load %s[%from] : !simt.shared<COUNTxTYPE>, i32 -> TILE\n"
                   "simt.store %o[%at], %r : PTR, i32, TILE",
                   {{"COUNT", std::to_string(elements)},
                    {"WIDTH", std::to_string(width)},
                    {"LAST", std::to_string(elements - width)},
                    {"PTR", std::string("!tile.ptr<") + type + ">"},
                    {"TILE", "vector<" + std::to_string(width) + "x" + type + ">"},
                    {"TYPE", type}}),
          type, type, 4);
      expectSame(text, {randomBytes(elements * bytes, width), Bytes(elements * bytes)});
    }
}

/// Two buffers of different element widths at overlapping offsets: one padded, staged and accessed in parts, one
/// swizzled and accessed in parts.
TEST_P(VulkanMemory, LayoutsStagesAndParts) {
  if (lanes() != 8)
    GTEST_SKIP() << "written for 16 threads in warps of 8";
  std::string aliases =
      "#pad = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0), pad 4 every 16>\n"
      "#half = #layout.shared<(0,1) (0,2) (0,4) (1,0), pad 4 every 16>\n"
      "#sw = #layout.shared<(0,1) (0,2) (1,2) (2,0) (4,0)>\n#swp = #layout.shared<(0,1) (0,2) (1,2) (2,0)>\n";
  std::string text = aliases + body(R"(
    %a = simt.shared_alloc at 0 : !simt.shared<2x4x8xf32, #pad>
    %b = simt.shared_alloc at 16 : !simt.shared<8x4xf16, #sw>
    %c7 = arith.constant 7 : i32
    %v = simt.load %x[%t] : !tile.ptr<f32>, i32 -> f32
    %y = arith.addf %v, %v : f32
    %one = arith.subi %c2, %c1 : i32
    %a1 = simt.stage %a[%one] : !simt.shared<2x4x8xf32, #pad> -> !simt.shared<4x8xf32, #pad>
    simt.shared_store %a1[%t], %v : !simt.shared<4x8xf32, #pad>, i32, f32
    %lower = simt.part %a1[%one, %c0] : !simt.shared<4x8xf32, #pad> -> !simt.shared<2x8xf32, #half>
    simt.shared_store %lower[%t], %y : !simt.shared<2x8xf32, #half>, i32, f32
    simt.barrier
    %c20 = arith.constant 20 : i32
    %c15 = arith.constant 15 : i32
    %other = arith.subi %c15, %t : i32
    %other20 = arith.addi %other, %c20 : i32
    %u = simt.shared_load %a1[%other] : !simt.shared<4x8xf32, #pad>, i32 -> f32
    %z = simt.shared_load %a1[%other20] : !simt.shared<4x8xf32, #pad>, i32 -> f32
    simt.barrier
    %h = arith.truncf %u : f32 to f16
    %g = arith.truncf %z : f32 to f16
    %hg = simt.concat %h, %g : f16, f16 -> vector<2xf16>
    %p = simt.part %b[%w, %c0] : !simt.shared<8x4xf16, #sw> -> !simt.shared<4x4xf16, #swp>
    %l8 = arith.addi %l, %c8 : i32
    %places = simt.concat %l, %l8 : i32, i32 -> vector<2xi32>
    simt.shared_store %p[%places], %hg : !simt.shared<4x4xf16, #swp>, vector<2xi32>, vector<2xf16>
    simt.barrier
    %at = arith.muli %other, %c2 : i32
    %r = simt.shared_load %b[%at] : !simt.shared<8x4xf16, #sw>, i32 -> vector<2xf16>
    %f = arith.extf %r : vector<2xf16> to vector<2xf32>
    %t2 = arith.muli %t, %c2 : i32
    simt.store %o[%t2], %f : !tile.ptr<f32>, i32, vector<2xf32>)",
                                    "f32", "f32");
  std::vector<float> in(16);
  std::iota(in.begin(), in.end(), 1.0f);
  expectSame(text, {bytesOf(in), Bytes(128)});
}

/// Different lanes and programs write elements of one word at the same time.
TEST_P(VulkanMemory, NarrowStoresKeepTheirNeighbours) {
  constexpr unsigned kPrograms = 64;
  for (auto [type, bytes] : {std::pair("i8", 1u), std::pair("i16", 2u), std::pair("f16", 2u), std::pair("f8E5M2", 1u)})
    for (unsigned width : {1u, 2 / bytes}) {
      unsigned threads = 2 * lanes(), elements = threads * kPrograms * width;
      // A program's accesses are as far apart as there are programs.
      std::string text = body(
          replaced("%p = tile.program_id 0\n%step = arith.constant STEP : i32\n"
                   "%width = arith.constant WIDTH : i32\n%row = arith.muli %t, %step : i32\n"
                   "%in = arith.muli %p, %width : i32\n%at = arith.addi %row, %in : i32\n"
                   "%v = simt.load %x[%at] : !tile.ptr<TYPE>, i32 -> vector<WIDTHxTYPE>\n"
                   "simt.store %o[%at], %v : !tile.ptr<TYPE>, i32, vector<WIDTHxTYPE>",
                   {{"STEP", std::to_string(kPrograms * width)}, {"WIDTH", std::to_string(width)}, {"TYPE", type}}),
          type, type);
      Bytes in = randomBytes(elements * bytes, width);
      EXPECT_EQ(runHere(text, {in, Bytes(in.size())}, {}, {kPrograms, 1, 1})[1], in) << type << width;
    }
}

/// With explicit layouts all buffers share one block; without, each element width has its arrays.
TEST(VulkanSharedPlan, BlocksOrArraysOfOneWidth) {
  using Buffers = std::vector<SharedPlan::Buffer>;
  Buffers buffers = {
      {0, 64, ScalarType::F32}, {32, 64, ScalarType::I32}, {0, 30, ScalarType::F16}, {96, 32, ScalarType::F32}};
  SharedPlan block(buffers, *findProfile("spirv:nvidia-sm90")), arrays(buffers, *findProfile("spirv:sg32")),
      words(buffers, *findProfile("spirv:sg32-words"));
  EXPECT_EQ(block.bytes(), 128u);
  EXPECT_EQ(&block.storageOf(buffers[0]), &block.storageOf(buffers[2]));
  EXPECT_EQ(arrays.bytes(), 96u + 30 + 32);
  EXPECT_EQ(words.bytes(), 96u + 2 * 30 + 32); // a word for each narrow element
  EXPECT_EQ(&arrays.storageOf(buffers[0]), &arrays.storageOf(buffers[1]));
  EXPECT_TRUE(arrays.storageOf(buffers[0]).mixed);
  EXPECT_NE(&arrays.storageOf(buffers[0]), &arrays.storageOf(buffers[2]));
  EXPECT_NE(&arrays.storageOf(buffers[1]), &arrays.storageOf(buffers[3]));
}

TEGULA_ON_EACH_DEVICE(VulkanMemory);

} // namespace
} // namespace tegula::vulkan::test
