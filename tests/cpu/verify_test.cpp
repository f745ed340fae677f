// The verifier's refusals, and the listing.
#include "tests/cpu/Harness.h"
#include "tests/cpu/Kernels.h"

using namespace tegula;
using namespace tegula::cpu;
using namespace tegula::cpu::test;
using testing::HasSubstr;

namespace {

template <class Emit> std::string refusal(Emit emit) {
  Module m = emptyModule();
  m.strings = {"text"};
  FunctionBuilder f(m, "k");
  emit(f, m);
  f.finish();
  if (m.functions.size() == 1)
    addRegion(m, Opcode::Add, ElementKind::I32);
  return errorOf([&] { verify(m); });
}

TEST(Verify, AcceptsTheLessons) {
  for (const Module &m : {matmulModule(64, 64, 32), softmaxModule(1024), addModule(256)})
    EXPECT_EQ(errorOf([&] { verify(m); }), "");
}

TEST(Verify, TypesAndShapes) {
  const TileType i32 = tile(ElementKind::I32);
  EXPECT_THAT(refusal([&](FunctionBuilder &f, Module &) {
                f.op(Opcode::Add, i32, {f.constInt(ElementKind::I32, 1), f.constInt(ElementKind::I64, 1)});
              }),
              HasSubstr("function 'k', instruction 2 (Add): element types differ: i64 and i32"));
  EXPECT_THAT(refusal([&](FunctionBuilder &f, Module &) { f.op(Opcode::Add, i32, {f.range(4), f.range(4)}); }),
              HasSubstr("shapes differ"));
  EXPECT_THAT(refusal([&](FunctionBuilder &f, Module &) { f.like(Opcode::AddF, {f.range(4), f.range(4)}); }),
              HasSubstr("i32 where a float is expected"));
  EXPECT_THAT(refusal([&](FunctionBuilder &f, Module &) {
                f.op(Opcode::Broadcast, tile(ElementKind::I32, {8}), {f.range(4)});
              }),
              HasSubstr("an axis of extent 4 does not broadcast to 8"));
  EXPECT_THAT(
      refusal([&](FunctionBuilder &f, Module &) { f.op(Opcode::Reshape, tile(ElementKind::I32, {8}), {f.range(4)}); }),
      HasSubstr("element counts differ"));
  EXPECT_THAT(refusal([&](FunctionBuilder &f, Module &) {
                f.op(Opcode::Transpose, tile(ElementKind::I32, {4}), {f.range(4)}, {1});
              }),
              HasSubstr("attribute 0 is 1, expected 0 to 0"));
  EXPECT_THAT(
      refusal([&](FunctionBuilder &f, Module &) { f.op(Opcode::MakeRange, tile(ElementKind::I8, {200}), {}, {0}); }),
      HasSubstr("a range beyond its type"));
  EXPECT_THAT(refusal([&](FunctionBuilder &f, Module &) { f.constInt(ElementKind::I32, 1, {1 << 20, 1 << 20}); }),
              HasSubstr("elements"));
  EXPECT_THAT(refusal([&](FunctionBuilder &f, Module &) {
                f.op(Opcode::Load, tile(ElementKind::I32),
                     {f.op(Opcode::ConstInt, pointerTo(ElementKind::F32), {}, {0})});
              }),
              HasSubstr("a pointer to f32 with a value of i32"));
  EXPECT_THAT(refusal([&](FunctionBuilder &f, Module &) {
                f.op(Opcode::Dot, tile(ElementKind::I32, {4, 4}),
                     {f.constInt(ElementKind::I8, 1, {4, 8}), f.constInt(ElementKind::I8, 1, {4, 8}),
                      f.constInt(ElementKind::I32, 0, {4, 4})},
                     {0});
              }),
              HasSubstr("the shapes of a dot do not fit"));
  EXPECT_THAT(
      refusal([&](FunctionBuilder &f, Module &) { f.op(Opcode::ConstDense, tile(ElementKind::I32, {2}), {}, {8, 0}); }),
      HasSubstr("data outside the module's 0 bytes"));
  EXPECT_THAT(refusal([&](FunctionBuilder &f, Module &) {
                f.op(Opcode::AtomicRmw, i32,
                     {f.op(Opcode::ConstInt, pointerTo(ElementKind::I32), {}, {0}), f.constInt(ElementKind::I32, 0)},
                     {static_cast<int64_t>(AtomicKind::FAdd), 0, 0});
              }),
              HasSubstr("the atomic's kind does not fit i32"));
}

TEST(Verify, StructureAndFlow) {
  EXPECT_THAT(refusal([](FunctionBuilder &f, Module &) { f.emit(Opcode::Jump, {}, {}, {99}); }),
              HasSubstr("attribute 0 is 99, expected 0 to 1"));
  EXPECT_THAT(refusal([](FunctionBuilder &f, Module &) {
                f.emit(Opcode::Add, {f.makeRegister(tile(ElementKind::I32))}, {f.constInt(ElementKind::I32, 1)});
              }),
              HasSubstr("1 operands, expected 2 to 2"));
  EXPECT_THAT(
      refusal([](FunctionBuilder &f, Module &) { f.like(Opcode::AbsI, {f.makeRegister(tile(ElementKind::I32))}); }),
      HasSubstr("reads r0, which is not defined on every path"));
  EXPECT_THAT(refusal([](FunctionBuilder &f, Module &) {
                const Register x = f.constInt(ElementKind::I32, 1);
                f.like(Opcode::AbsI, {x | kLastUse});
                f.like(Opcode::AbsI, {x});
              }),
              HasSubstr("reads r0, which is not defined on every path"));
  EXPECT_THAT(refusal([](FunctionBuilder &f, Module &) { // defined on one of two paths only
                const Register x = f.makeRegister(tile(ElementKind::I32));
                const size_t branch = f.emit(Opcode::BranchIfFalse, {}, {f.constInt(ElementKind::I1, 1)}, {0});
                f.emit(Opcode::ConstInt, {x}, {}, {1});
                f.setTarget(branch, f.here());
                f.like(Opcode::AbsI, {x});
              }),
              HasSubstr("which is not defined on every path"));
  EXPECT_THAT(refusal([](FunctionBuilder &f, Module &) { // its last use is in the loop's first iteration
                const Register x = f.constInt(ElementKind::I32, 1);
                const size_t head = f.here();
                f.like(Opcode::AbsI, {x | kLastUse});
                f.emit(Opcode::BranchIfFalse, {}, {f.constInt(ElementKind::I1, 1)}, {static_cast<int64_t>(head)});
              }),
              HasSubstr("which is not defined on every path"));
}

TEST(Verify, Regions) {
  EXPECT_THAT(
      refusal([](FunctionBuilder &f, Module &) { f.op(Opcode::Reduce, tile(ElementKind::I32), {f.range(4)}, {0, 0}); }),
      HasSubstr("the kernel is not a region function"));
  EXPECT_THAT(refusal([](FunctionBuilder &f, Module &) {
                f.op(Opcode::Reduce, tile(ElementKind::I64), {f.range(4, 0, ElementKind::I64)}, {0, 1});
              }),
              HasSubstr("takes elements of other types"));
  EXPECT_THAT(refusal([](FunctionBuilder &f, Module &) {
                f.op(Opcode::MapElements, tile(ElementKind::I32, {4}), {f.range(4)}, {1});
              }),
              HasSubstr("takes 2 elements, expected 1"));
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  f.op(Opcode::Reduce, tile(ElementKind::I32), {f.range(4)}, {0, 1});
  f.finish();
  FunctionBuilder g(m, "region");
  const Register a = g.param(tile(ElementKind::I32));
  g.param(tile(ElementKind::I32));
  g.op(Opcode::MakeRange, tile(ElementKind::I32, {4}), {}, {0});
  g.finish({a});
  EXPECT_THAT(errorOf([&] { verify(m); }),
              HasSubstr("function 'region', instruction 0 (MakeRange): not possible in a region function"));
}

TEST(Verify, EveryOpcodeHasAName) {
  for (size_t i = 0; i <= static_cast<size_t>(Opcode::Return); ++i)
    EXPECT_NE(name(static_cast<Opcode>(i)), "unknown");
  EXPECT_EQ(name(static_cast<Opcode>(1000)), "unknown");
  EXPECT_EQ(name(Opcode::MapElements), "MapElements");
  EXPECT_EQ(name(Opcode::Log1p), "Log1p");
  EXPECT_EQ(name(ElementKind::F8E5M2FNUZ), "f8e5m2fnuz");
}

TEST(Listing, ReadsLikeTheTileProgram) {
  EXPECT_EQ(print(addModule(64)), R"(bytecode version 4

kernel add_kernel(r0 x_ptr: ptr<f32>, r1 y_ptr: ptr<f32>, r2 z_ptr: ptr<f32>, r3 n: i32)
       0  r4: i32 = ProgramId 0                                             ; 4:11
       1  r5: i32 = ConstInt 64                                             ; 4:11
       2  r6: i32 = Mul r4, r5                                              ; 4:11
       3  r7: tile<64xi32> = Splat r6                                       ; 5:15
       4  r8: tile<64xi32> = MakeRange 0                                    ; 5:15
       5  r9: tile<64xi32> = Add r7, r8                                     ; 5:15
       6  r10: tile<64xi32> = Splat r3                                      ; 5:15
       7  r11: tile<64xi1> = CmpI lts r9, r10                               ; 5:15
       8  r12: tile<64xptr<f32>> = Splat r0                                 ; 8:9
       9  r13: tile<64xptr<f32>> = AddPtr r12, r9                           ; 8:9
      10  r14: tile<64xf32> = Load r13, r11                                 ; 8:9
      11  r15: tile<64xptr<f32>> = Splat r1                                 ; 9:9
      12  r16: tile<64xptr<f32>> = AddPtr r15, r9                           ; 9:9
      13  r17: tile<64xf32> = Load r16, r11                                 ; 9:9
      14  r18: tile<64xf32> = AddF r14!, r17!                               ; 9:9
      15  r19: tile<64xptr<f32>> = Splat r2                                 ; 11:5
      16  r20: tile<64xptr<f32>> = AddPtr r19, r9                           ; 11:5
      17  Store r20, r18, r11                                               ; 11:5
      18  Return                                                            ; 11:5
)");
}

} // namespace
