// Element types, pointers, tuples, aggregates.
#include "Conformance.h"

#include <gmock/gmock.h>

namespace tegula::conformance {

namespace {

const std::string kTypesFile = "types.py";
constexpr DType kAllTypes[] = {DType::I8,     DType::I16,    DType::I32,        DType::I64,
                               DType::U8,     DType::U16,    DType::U32,        DType::U64,
                               DType::F16,    DType::BF16,   DType::F32,        DType::F64,
                               DType::F8E4M3, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ};

/// What `value.to(type)` gives: to integers towards zero.
Number converted(DType type, Number value) { return rounded(type, type < DType::F16 ? std::trunc(value) : value); }

TEST(Types, round_trip) {
  for (DType type : kAllTypes) {
    Array x = random(type, {64}, type >= DType::U8 && type <= DType::U64 ? 0 : -100, 100), y = blank(type, {64});
    run(kTypesFile, "round_trip", {&x, &y}, {.constants = {{"N", 64}}});
    expectEqual(y, [&](int64_t i) { return x[i]; });
  }
}

TEST(Types, convert_from_f32_to_every_type) {
  for (DType type : kAllTypes) {
    Array x = random(DType::F32, {128}, type >= DType::U8 && type <= DType::U64 ? 0 : -100, 100),
          y = blank(type, {128});
    run(kTypesFile, "convert", {&x, &y}, {.constants = {{"N", 128}, {"TYPE", type}}});
    expectEqual(y, [&](int64_t i) { return converted(type, x[i]); });
  }
}

TEST(Types, convert_from_every_type_to_f64) {
  for (DType type : kAllTypes) {
    Array x = random(type, {128}, type >= DType::U8 && type <= DType::U64 ? 0 : -100, 100),
          y = blank(DType::F64, {128});
    run(kTypesFile, "convert", {&x, &y}, {.constants = {{"N", 128}, {"TYPE", DType::F64}}});
    expectEqual(y, [&](int64_t i) { return x[i]; });
  }
}

TEST(Types, integers_wrap_and_extend) {
  for (DType from : {DType::I8, DType::U8, DType::I16, DType::U32, DType::I64})
    for (DType to : {DType::I8, DType::U8, DType::U16, DType::I32, DType::U64}) {
      Array x = random(from, {64}, -70000, 70000), y = blank(to, {64});
      run(kTypesFile, "convert", {&x, &y}, {.constants = {{"N", 64}, {"TYPE", to}}});
      expectEqual(y, [&](int64_t i) { return x[i]; });
    }
}

TEST(Types, narrow_floats_round_to_nearest_even) {
  for (DType type : {DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ}) {
    Array x = random(DType::F32, {1024}, -200, 200), y = blank(DType::F32, {1024});
    for (size_t i = 0; i < 64; ++i) // subnormals and ties
      x.values[i] = std::ldexp(Number(static_cast<int>(i) - 32), i % 2 ? -11 : -18);
    run(kTypesFile, "through", {&x, &y}, {.constants = {{"N", 1024}, {"NARROW", type}}});
    expectEqual(y, [&](int64_t i) { return rounded(type, x[i]); });
  }
}

TEST(Types, every_type) {
  Array y = blank(DType::I32, {8});
  run(kTypesFile, "every_type", {&y}, {.constants = {{"N", 8}}});
  expectEqual(y,
              [](int64_t i) { return i + (1 + 8 + 16 + 32 + 64) + (8 + 16 + 32 + 64) + (16 + 32 + 64 + 16) + 4 * 8; });
}

TEST(Types, type_queries) {
  Array x = of(DType::F16, {1}), y = blank(DType::I32, {1});
  run(kTypesFile, "type_queries", {&x, &y});
  expectEqual(y, [](int64_t) { return 1111; });
}

TEST(Types, pointer_cast) {
  Array x = random(DType::F32, {64}), y = blank(DType::I32, {64});
  run(kTypesFile, "pointer_cast", {&x, &y}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return static_cast<Number>(static_cast<int32_t>(encode(DType::F32, x[i]))); });
}

TEST(Types, pointer_table) {
  Array a = iota(DType::F32, {16}), b = iota(DType::F32, {16}, 100), c = iota(DType::F32, {16}, 200),
        out = blank(DType::F32, {48});
  run(kTypesFile, "pointer_table", {Pointers{{&a, &b, &c}}, &out},
      {.constants = {{"COUNT", 3}, {"N", 16}}, .grid = {3}});
  expectEqual(out, [](int64_t i) { return i / 16 * 100 + i % 16; });
}

TEST(Types, pointer_tile) {
  Array a = of(DType::I32, {5}), b = of(DType::I32, {6}), c = of(DType::I32, {7}), d = of(DType::I32, {8}),
        out = blank(DType::I32, {4});
  run(kTypesFile, "pointer_tile", {Pointers{{&a, &b, &c, &d}}, &out}, {.constants = {{"COUNT", 4}}});
  expectEqual(out, [](int64_t i) { return 5 + i; });
}

TEST(Types, tuples) {
  Array x = random(DType::F32, {16}), y = blank(DType::F32, {16});
  run(kTypesFile, "tuples", {&x, &y}, {.constants = {{"N", 16}}});
  expectNear(y, [&](int64_t i) { return x[i] * 3 + 2 + 3; }, 1e-6);
}

TEST(Types, tuple_slices) {
  Array y = blank(DType::I32, {1});
  run(kTypesFile, "tuple_slices", {&y});
  expectEqual(y, [](int64_t) { return 90 + 40 + 20; });
}

TEST(Types, slice_objects) {
  Array y = blank(DType::I32, {1});
  run(kTypesFile, "slice_objects", {&y});
  expectEqual(y, [](int64_t) { return 320; });
}

TEST(Types, aggregates) {
  Array x = random(DType::F32, {16}), y = blank(DType::F32, {16});
  run(kTypesFile, "aggregates", {&x, &y}, {.constants = {{"N", 16}}});
  expectNear(y, [&](int64_t i) { return x[i] * x[i] + 4 + x[i]; }, 1e-6, 1e-6);
}

TEST(Types, annotated_locals) {
  Array x = random(DType::F32, {16}), y = blank(DType::F32, {16});
  run(kTypesFile, "annotated_locals", {&x, &y}, {.constants = {{"N", 8}}});
  expectEqual(y, [&](int64_t i) { return x[i] / 2; });
}

TEST(Types, type_of_parameter) {
  Array y = blank(DType::I8, {1}), z = blank(DType::F16, {1});
  run(kTypesFile, "type_of_parameter", {&y}, {.constants = {{"TYPE", DType::I8}}});
  run(kTypesFile, "type_of_parameter", {&z}, {.constants = {{"TYPE", DType::F16}}});
  expectEqual(y, [](int64_t) { return 1; });
  expectEqual(z, [](int64_t) { return 2; });
}

TEST(Types, limits) {
  Array y = blank(DType::I32, {1});
  run(kTypesFile, "limits", {&y});
  expectEqual(y, [](int64_t) { return 1048576; });
}

TEST(Types, instances) {
  Array x = random(DType::F32, {8}), y = blank(DType::I32, {1});
  run(kTypesFile, "instances", {&x, &y}, {.constants = {{"N", 8}}});
  expectEqual(y, [](int64_t) { return 1111; });
}

TEST(Types, names_of_types) {
  Array x = random(DType::F32, {8}), y = blank(DType::I32, {1});
  run(kTypesFile, "names_of_types", {&x, &y}, {.constants = {{"N", 8}}});
  expectEqual(y, [](int64_t) { return 15; });
}

TEST(Types, target_info) { // a target is of one kind at most
  Array y = blank(DType::I32, {1});
  run(kTypesFile, "target", {&y});
  EXPECT_TRUE(y[0] == 0 || y[0] == 1) << y[0];
}

/// The message for a kernel with this one line; p points to f32.
std::string typeMessageFor(const std::string &line) {
  Array p = random(DType::F32, {8});
  return failure("import triton\nimport triton.language as tl\n\n@triton.jit\ndef kernel(p):\n    " + line + "\n",
                 "kernel", {&p});
}

TEST(Types, const_pointers_are_not_stored_through) {
  EXPECT_THAT(typeMessageFor("tl.store(p.to(tl.pointer_type(tl.float32, 1, True)) + 1, 2.0)"),
              testing::HasSubstr("cannot store through a pointer to constant elements"));
}

TEST(Types, aggregate_replace_is_refused) {
  EXPECT_THAT(typeMessageFor("tl.aggregate_replace(p, x=1)"), testing::HasSubstr("construct a new instance"));
}

TEST(Types, extern_elementwise_is_refused) {
  EXPECT_THAT(typeMessageFor("tl.core.extern_elementwise('', '', [p], {}, True)"),
              testing::HasSubstr("external libraries are not available"));
}

TEST(Types, random_is_refused) {
  for (const char *name : {"philox", "philox_impl", "rand", "rand4x", "randn", "randn4x", "randint", "randint4x",
                           "uint_to_uniform_float", "pair_uniform_to_normal"})
    EXPECT_THAT(typeMessageFor(std::string("tl.") + name + "(1, 2)"),
                testing::HasSubstr("pass the random values in an array"))
        << name;
}

} // namespace

} // namespace tegula::conformance
