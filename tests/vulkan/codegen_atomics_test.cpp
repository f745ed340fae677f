// Atomics of all kinds and types: on adjacent elements, where narrow ones share a word, and by all threads on one
// element.
#include "tests/vulkan/CodegenFixture.h"

#include <algorithm>

namespace tegula::vulkan::test {
namespace {

class VulkanAtomics : public CodegenTest {};

struct AtomicCase {
  const char *kind;
  std::vector<std::pair<const char *, unsigned>> types;
};
const std::vector<std::pair<const char *, unsigned>> kIntegerTypes = {{"i8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}};
const std::vector<std::pair<const char *, unsigned>> kFloatTypes = {{"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}};

std::vector<AtomicCase> cases() {
  std::vector<AtomicCase> all;
  for (const char *kind : {"add", "min", "max", "umin", "umax", "and", "or", "xor"})
    all.push_back({kind, kIntegerTypes});
  for (const char *kind : {"fadd", "fmin", "fmax"})
    all.push_back({kind, kFloatTypes});
  all.push_back({"xchg", kIntegerTypes});
  all.push_back({"xchg", kFloatTypes});
  return all;
}

Bytes someBytes(size_t count, unsigned seed) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = std::byte((i * 29 + seed) % 0x47);
  return bytes;
}

/// The kernel stores the old values behind the elements.
TEST_P(VulkanAtomics, EachOnItsElement) {
  const std::pair<const char *, const char *> orders[] = {
      {"relaxed", "device"}, {"acquire", "block"}, {"release", "system"}, {"acq_rel", "device"}};
  size_t next = 0;
  for (const AtomicCase &test : cases())
    for (auto [type, bytes] : test.types) {
      auto [order, scope] = orders[next++ % 4];
      std::string text = body(replaced("%at = arith.muli %t, %c2 : i32\n%next = arith.addi %at, %c1 : i32\n%ats = "
                                       "simt.concat %at, %next : i32, i32 -> vector<2xi32>\n"
                                       "%v = simt.load %x[%at] : PTR, i32 -> vector<2xTYPE>\n%three = arith.constant 3 "
                                       ": i32\n%k = arith.andi %t, %three : i32\n"
                                       "%m0 = arith.cmpi ne, %k, %c1 : i32\n%m1 = arith.cmpi ne, %k, %c2 : i32\n%m = "
                                       "simt.concat %m0, %m1 : i1, i1 -> vector<2xi1>\n"
                                       "%old = simt.atomic_rmw KIND ORDER %o[%ats], %v mask %m : PTR, vector<2xi32>, "
                                       "vector<2xTYPE>, vector<2xi1>\n"
                                       "%behind = arith.constant BEHIND : i32\n%to = arith.addi %at, %behind : i32\n"
                                       "simt.store %o[%to], %old : PTR, i32, vector<2xTYPE>",
                                       {{"KIND", test.kind},
                                        {"ORDER", std::string(order) + " " + scope},
                                        {"PTR", std::string("!tile.ptr<") + type + ">"},
                                        {"TYPE", type},
                                        {"BEHIND", std::to_string(4 * lanes())}}),
                              type, type);
      expectSame(text, {someBytes(4 * lanes() * bytes, 5), someBytes(8 * lanes() * bytes, 11)});
    }
}

TEST_P(VulkanAtomics, AllOnOneElement) {
  for (const AtomicCase &test : cases()) {
    if (std::string(test.kind) == "xchg")
      continue;
    for (auto [type, bytes] : test.types) {
      // Whole numbers, whose sums are exact in all types.
      bool isFloat = type[0] != 'i';
      std::string text =
          body(replaced("%three = arith.constant 3 : i32\n%small = arith.andi %t, %three : i32\nCONVERT\n"
                        "%old = simt.atomic_rmw KIND relaxed device %o[%c1], %v : PTR, i32, TYPE",
                        {{"CONVERT", isFloat                      ? "%v = arith.sitofp %small : i32 to TYPE"
                                     : std::string(type) == "i32" ? "%v = arith.addi %small, %c0 : i32"
                                     : std::string(type) == "i64" ? "%v = arith.extui %small : i32 to i64"
                                                                  : "%v = arith.trunci %small : i32 to TYPE"},
                         {"KIND", test.kind},
                         {"PTR", std::string("!tile.ptr<") + type + ">"},
                         {"TYPE", type}}),
               type, type);
      expectSame(text, {Bytes(bytes), Bytes(4 * bytes)}, {}, {3, 1, 1});
    }
  }
}

/// Each old value is returned exactly once.
TEST_P(VulkanAtomics, OldValuesDiffer) {
  for (const char *type : {"i32", "i64", "i16"}) {
    std::string text = body(
        replaced(
            "%one = arith.constant 1 : TYPE\n%old = simt.atomic_rmw add acq_rel device %x[%c0], %one : PTR, i32, TYPE\n"
            "%p = tile.program_id 0\n%n = arith.constant THREADS : i32\n%b = arith.muli %p, %n : i32\n%at = arith.addi "
            "%b, %t : i32\n"
            "simt.store %o[%at], %old : PTR, i32, TYPE",
            {{"THREADS", std::to_string(2 * lanes())},
             {"PTR", std::string("!tile.ptr<") + type + ">"},
             {"TYPE", type}}),
        type, type);
    size_t bytes = type[1] == '3' ? 4 : type[1] == '6' ? 8 : 2, count = 10 * lanes();
    Bytes found = runHere(text, {Bytes(8), Bytes(count * bytes)}, {}, {5, 1, 1})[1];
    std::vector<uint64_t> numbers(count);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(&numbers[i], &found[i * bytes], bytes);
    std::sort(numbers.begin(), numbers.end());
    for (size_t i = 0; i < count; ++i)
      EXPECT_EQ(numbers[i], i) << type;
  }
}

TEST_P(VulkanAtomics, CompareAndExchange) {
  for (const auto &types : {kIntegerTypes, kFloatTypes})
    for (auto [type, bytes] : types) {
      std::string text = body(replaced("%e = simt.load %x[%t] : PTR, i32 -> TYPE\n%n = arith.constant THREADS : "
                                       "i32\n%at = arith.addi %t, %n : i32\n"
                                       "%v = simt.load %x[%at] : PTR, i32 -> TYPE\n"
                                       "%old = simt.atomic_cas acq_rel device %o[%t], %e, %v : PTR, i32, "
                                       "TYPE\nsimt.store %o[%at], %old : PTR, i32, TYPE",
                                       {{"THREADS", std::to_string(2 * lanes())},
                                        {"PTR", std::string("!tile.ptr<") + type + ">"},
                                        {"TYPE", type}}),
                              type, type);
      Bytes in = someBytes(4 * lanes() * bytes, 5), out = in;
      for (size_t i = 0; i < out.size(); i += 3 * bytes)
        out[i] ^= std::byte(1);
      expectSame(text, {in, out});
    }
}

TEGULA_ON_EACH_DEVICE(VulkanAtomics);

} // namespace
} // namespace tegula::vulkan::test
