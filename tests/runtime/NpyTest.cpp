#include "core/support/Npy.h"
#include "core/support/Diagnostic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula {
namespace {

using ::testing::HasSubstr;

std::vector<uint8_t> file(const std::string &header, size_t dataBytes, uint8_t version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  size_t lengthBytes = version == 1 ? 2 : 4;
  for (size_t i = 0; i < lengthBytes; ++i)
    bytes += static_cast<char>(header.size() >> (8 * i));
  bytes += header + std::string(dataBytes, '\7');
  return {bytes.begin(), bytes.end()};
}

std::string refusal(const std::vector<uint8_t> &bytes) {
  try {
    parseNpy("a.npy", bytes);
  } catch (const Error &e) {
    return e.diagnostic().message;
  }
  return "(accepted)";
}

TEST(Npy, RoundTripsEveryType) {
  for (unsigned i = 0; i < kScalarTypeCount; ++i) {
    auto type = static_cast<ScalarType>(i);
    for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {5}, {3, 4}, {2, 0, 3}, {1, 2, 3, 4}}) {
      for (bool fortran : {false, true}) {
        NpyArray array;
        setItemType(array, type);
        array.fortranOrder = fortran;
        array.shape = shape;
        size_t bytes = array.itemSize;
        for (int64_t extent : shape)
          bytes *= static_cast<size_t>(extent);
        for (size_t b = 0; b < bytes; ++b)
          array.data.push_back(static_cast<uint8_t>(array.kind == 'b' ? b % 2 : b * 37));
        std::vector<uint8_t> written = formatNpy(array);
        EXPECT_EQ((written.size() - bytes) % 64, 0u);
        NpyArray read = parseNpy("a.npy", written);
        EXPECT_EQ(read.kind, array.kind);
        EXPECT_EQ(read.itemSize, array.itemSize);
        EXPECT_EQ(read.fortranOrder, fortran);
        EXPECT_EQ(read.shape, shape);
        EXPECT_EQ(read.data, array.data);
      }
    }
  }
}

TEST(Npy, TypesAreTheNearestOfOurs) {
  auto typeOf = [](const char *descr, size_t bytes) {
    return scalarType(parseNpy(
        "a.npy", file(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (1,), }", bytes)));
  };
  EXPECT_EQ(typeOf("<f4", 4), ScalarType::F32);
  EXPECT_EQ(typeOf("<f2", 2), ScalarType::F16);
  EXPECT_EQ(typeOf("<f8", 8), ScalarType::F64);
  EXPECT_EQ(typeOf("|b1", 1), ScalarType::I1);
  EXPECT_EQ(typeOf("|i1", 1), ScalarType::I8);
  EXPECT_EQ(typeOf("|u1", 1), ScalarType::U8);
  EXPECT_EQ(typeOf("<u2", 2), ScalarType::U16);
  EXPECT_EQ(typeOf("<i8", 8), ScalarType::I64);
  EXPECT_EQ(typeOf("|V2", 2), std::nullopt); // the type under which ml_dtypes' bfloat16 is saved
}

TEST(Npy, AllVersionsAndKeyOrders) {
  for (uint8_t version : {1, 2, 3})
    EXPECT_EQ(
        parseNpy("a.npy", file("{\"shape\": (2, 3), 'descr': '<i4', 'fortran_order': True}\n", 24, version)).shape,
        (std::vector<int64_t>{2, 3}));
}

TEST(Npy, BooleansAreZeroOrOne) {
  NpyArray array = parseNpy("a.npy", file("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", 2));
  EXPECT_EQ(array.data, (std::vector<uint8_t>{1, 1}));
}

TEST(Npy, EveryTruncationIsAMessage) {
  NpyArray array;
  array.shape = {3, 4};
  array.data.assign(48, 1);
  std::vector<uint8_t> whole = formatNpy(array);
  for (size_t size = 0; size < whole.size(); ++size) {
    std::vector<uint8_t> part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_THAT(refusal(part), ::testing::AnyOf(HasSubstr("truncated"), HasSubstr("empty"))) << size;
  }
}

TEST(Npy, NoFlippedByteDoesWorseThanAMessage) {
  NpyArray array;
  array.shape = {3, 4};
  array.data.assign(48, 1);
  std::vector<uint8_t> whole = formatNpy(array);
  for (size_t at = 0; at < whole.size() - array.data.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      std::vector<uint8_t> changed = whole;
      changed[at] = static_cast<uint8_t>(value);
      try {
        NpyArray read = parseNpy("a.npy", changed);
        EXPECT_EQ(read.data.size(), 48u);
      } catch (const Error &e) {
        EXPECT_THAT(e.diagnostic().message, HasSubstr("'a.npy': "));
      }
    }
}

TEST(Npy, MessagesSayWhatIsWrong) {
  std::string ok = "'fortran_order': False, 'shape': (2,), }";
  EXPECT_THAT(refusal({}), HasSubstr("'a.npy': empty"));
  EXPECT_THAT(refusal({'P', 'K', 3, 4}), HasSubstr("not a .npy file; save it with numpy.save"));
  EXPECT_THAT(refusal(file("{}", 0, 9)), HasSubstr(".npy version 9, versions 1 to 3 are known"));
  EXPECT_THAT(refusal(file("{'descr': '>f4', " + ok, 8)), HasSubstr("big-endian items (NumPy type '>f4')"));
  EXPECT_THAT(refusal(file("{'descr': '|O', " + ok, 8)), HasSubstr("Python objects are not supported"));
  EXPECT_THAT(refusal(file("{'descr': '<U5', " + ok, 40)), HasSubstr("items of this type are not supported"));
  EXPECT_THAT(refusal(file("{'descr': '<c8', " + ok, 16)), HasSubstr("NumPy type '<c8'"));
  EXPECT_THAT(refusal(file("{'descr': '<f3', " + ok, 6)), HasSubstr("not supported"));
  EXPECT_THAT(refusal(file("{'descr': [('a', '<f4')], " + ok, 8)), HasSubstr("structured items"));
  EXPECT_THAT(refusal(file("{'descr': '<f4', " + ok, 7)),
              HasSubstr("takes 8 bytes, the file holds 7; it is truncated"));
  EXPECT_THAT(refusal(file("{'descr': '<f4', " + ok, 9)), HasSubstr("something after the array"));
  EXPECT_THAT(refusal(file("{'descr': '<f4', 'fortran_order': False}", 8)), HasSubstr("is missing"));
  EXPECT_THAT(refusal(file("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", 8)),
              HasSubstr("True or False expected"));
  EXPECT_THAT(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", 8)),
              HasSubstr("not a natural number"));
  EXPECT_THAT(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", 8)),
              HasSubstr("unexpected key 'x'"));
}

TEST(Npy, AbsurdShapesAllocateNothing) {
  auto of = [](const std::string &shape) {
    return refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}", 8));
  };
  EXPECT_THAT(of("(9223372036854775807,)"), HasSubstr("more than 2^63 bytes"));
  EXPECT_THAT(of("(4294967296, 4294967296, 4294967296)"), HasSubstr("more than 2^63 bytes"));
  EXPECT_THAT(of("(99999999999999999999,)"), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(of("(1000000000000,)"), HasSubstr("takes 4000000000000 bytes, the file holds 8"));
  std::string many = "(";
  for (int i = 0; i < 40; ++i)
    many += "1, ";
  EXPECT_THAT(of(many + ")"), HasSubstr("more than 32 axes"));
}

TEST(Npy, FilesThatCannotBeReadAreNamed) {
  try {
    readNpy("/nonexistent/a.npy");
    FAIL();
  } catch (const Error &e) {
    EXPECT_THAT(e.diagnostic().message, HasSubstr("cannot read '/nonexistent/a.npy': No such file or directory"));
  }
  try {
    readNpy("/tmp");
    FAIL();
  } catch (const Error &e) {
    EXPECT_THAT(e.diagnostic().message, HasSubstr("it is a directory"));
  }
}

} // namespace
} // namespace tegula
