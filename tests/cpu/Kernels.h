// The samples' kernels as bytecode, as the frontend would write them.
#pragma once

#include "tests/cpu/ModuleBuilder.h"

#include <cmath>

namespace tegula::cpu::test {

/// Parameters: a, b, c, M, N, K, strides am, ak, bk, bn, cm, cn. Grid: (ceil(M / m), ceil(N / n)).
inline Module matmulModule(int64_t m, int64_t n, int64_t k, ElementKind element = ElementKind::F32,
                           ElementKind outElement = ElementKind::F32) {
  Module module = emptyModule();
  FunctionBuilder f(module, "matmul_kernel");
  const TileType i32 = tile(ElementKind::I32);
  const Register a = f.param(pointerTo(element), "a_ptr"), b = f.param(pointerTo(element), "b_ptr"),
                 c = f.param(pointerTo(outElement), "c_ptr");
  Register size[3], stride[6];
  const char *names[] = {"M", "N", "K", "stride_am", "stride_ak", "stride_bk", "stride_bn", "stride_cm", "stride_cn"};
  for (int i = 0; i < 3; ++i)
    size[i] = f.param(i32, names[i]);
  for (int i = 0; i < 6; ++i)
    stride[i] = f.param(i32, names[3 + i]);
  const bool integers = element == ElementKind::I8;
  const ElementKind accumulator = integers ? ElementKind::I32 : ElementKind::F32;

  auto offsets = [&](int axis, int64_t block) {
    const Register pid = f.op(Opcode::ProgramId, i32, {}, {axis});
    const Register start = f.like(Opcode::Mul, {pid, f.constInt(ElementKind::I32, block)});
    return f.like(Opcode::Add, {f.splat(start, {block}), f.range(block)});
  };
  auto scaled = [&](Register row, Register by) { return f.like(Opcode::Mul, {row, f.splat(by, f.typeOf(row).shape)}); };
  auto grid = [&](Register base, Register rows, Register rowStride, Register columns, Register columnStride,
                  const Shape &shape) {
    Register p = f.addPtr(f.splat(base, shape), f.along(scaled(rows, rowStride), 0, shape));
    return f.addPtr(p, f.along(scaled(columns, columnStride), 1, shape));
  };
  auto below = [&](Register row, Register limit, size_t axis, const Shape &shape) {
    return f.along(f.compare(IntPredicate::LtS, row, f.splat(limit, f.typeOf(row).shape)), axis, shape);
  };
  const Register offsM = offsets(0, m), offsN = offsets(1, n), offsK = f.range(k);
  const Register aPtrs = grid(a, offsM, stride[0], offsK, stride[1], {m, k});
  const Register bPtrs = grid(b, offsK, stride[2], offsN, stride[3], {k, n});
  const Register zeros = integers ? f.constInt(accumulator, 0, {m, n}) : f.constFloat(accumulator, 0, {m, n});
  const Register blockK = f.constInt(ElementKind::I32, k);
  const Register up = f.like(Opcode::Add, {size[2], f.constInt(ElementKind::I32, k - 1)});
  const Register steps = f.like(Opcode::DivS, {up, blockK});
  const Register one = f.constInt(ElementKind::I32, 1);
  const Register other = integers ? f.constInt(element, 0, {m, k}) : f.constFloat(element, 0, {m, k});
  const Register otherB = integers ? f.constInt(element, 0, {k, n}) : f.constFloat(element, 0, {k, n});
  const Register aStep = f.splat(f.like(Opcode::Mul, {blockK, stride[1]}), {m, k});
  const Register bStep = f.splat(f.like(Opcode::Mul, {blockK, stride[2]}), {k, n});

  const Register iv = f.makeRegister(i32), acc = f.makeRegister(tile(accumulator, {m, n}));
  const Register pa = f.makeRegister(f.typeOf(aPtrs)), pb = f.makeRegister(f.typeOf(bPtrs));
  f.emit(Opcode::Move, {iv}, {f.constInt(ElementKind::I32, 0)});
  f.emit(Opcode::Move, {acc}, {zeros | kLastUse});
  f.emit(Opcode::Move, {pa}, {aPtrs});
  f.emit(Opcode::Move, {pb}, {bPtrs});
  const size_t head = f.here();
  const size_t test = f.emit(Opcode::ForTest, {}, {iv, steps, one}, {0, 0});
  const Register remaining = f.like(Opcode::Sub, {size[2], f.like(Opcode::Mul, {iv, blockK})});
  const Register aMask = f.like(Opcode::And, {below(offsM, size[0], 0, {m, k}), below(offsK, remaining, 1, {m, k})});
  const Register bMask = f.like(Opcode::And, {below(offsK, remaining, 0, {k, n}), below(offsN, size[1], 1, {k, n})});
  const Register aTile = f.load(pa, {aMask, other});
  const Register bTile = f.load(pb, {bMask, otherB});
  f.emit(Opcode::Dot, {acc}, {aTile | kLastUse, bTile | kLastUse, acc | kLastUse}, {0});
  f.emit(Opcode::AddPtr, {pa}, {pa, aStep});
  f.emit(Opcode::AddPtr, {pb}, {pb, bStep});
  f.emit(Opcode::Add, {iv}, {iv, one});
  f.emit(Opcode::Jump, {}, {}, {static_cast<int64_t>(head)});
  f.setTarget(test, f.here());
  const Register cPtrs = grid(c, offsM, stride[4], offsN, stride[5], {m, n});
  const Register cMask = f.like(Opcode::And, {below(offsM, size[0], 0, {m, n}), below(offsN, size[1], 1, {m, n})});
  Register out = acc;
  if (outElement != accumulator)
    out = f.op(Opcode::ConvertF, tile(outElement, {m, n}), {acc | kLastUse}, {0});
  f.store(cPtrs, out | kLastUse, {cMask});
  f.finish();
  return module;
}

/// A region `return op(a, b)`; returns its index.
inline uint32_t addRegion(Module &module, Opcode opcode, ElementKind element) {
  FunctionBuilder f(module, "combine_" + std::string(name(opcode)));
  const Register a = f.param(tile(element)), b = f.param(tile(element));
  const Register r = f.like(opcode, {a, b});
  f.finish({r});
  return static_cast<uint32_t>(module.functions.size() - 1);
}

/// Softmax, one program for each row. Parameters: output, input, row stride, columns.
inline Module softmaxModule(int64_t block) {
  Module module = emptyModule();
  FunctionBuilder f(module, "softmax_kernel");
  const TileType row = tile(ElementKind::F32, {block}), scalar = tile(ElementKind::F32);
  const Register out = f.param(pointerTo(ElementKind::F32), "output_ptr"),
                 in = f.param(pointerTo(ElementKind::F32), "input_ptr");
  const Register stride = f.param(tile(ElementKind::I32), "stride"),
                 columns = f.param(tile(ElementKind::I32), "n_cols");
  const Register pid = f.op(Opcode::ProgramId, tile(ElementKind::I32), {}, {0});
  const Register start = f.like(Opcode::Mul, {pid, stride});
  const Register offsets = f.range(block);
  const Register mask = f.compare(IntPredicate::LtS, offsets, f.splat(columns, {block}));
  const Register pointers = f.addPtr(f.splat(f.addPtr(in, start), {block}), offsets);
  const Register x = f.load(pointers, {mask, f.constFloat(ElementKind::F32, -INFINITY, {block})});
  const Register top = f.op(Opcode::Reduce, scalar, {x}, {0, 1});
  const Register shifted = f.like(Opcode::SubF, {x | kLastUse, f.splat(top, {block})});
  const Register numerator = f.like(Opcode::Exp, {shifted | kLastUse});
  const Register denominator = f.op(Opcode::Reduce, scalar, {numerator}, {0, 2});
  const Register result = f.like(Opcode::DivF, {numerator | kLastUse, f.splat(denominator, {block})});
  f.store(f.addPtr(f.splat(f.addPtr(out, start), {block}), offsets), result | kLastUse, {mask});
  f.finish();
  addRegion(module, Opcode::MaxNumF, ElementKind::F32);
  addRegion(module, Opcode::AddF, ElementKind::F32);
  return module;
}

/// z = x + y. Parameters: x, y, z, n. Lines: 4 program id, 5 offsets, 8 and 9 loads, 11 store. `masked`: loads and
/// store have a mask.
inline Module addModule(int64_t block, bool masked = true, ElementKind element = ElementKind::F32) {
  Module module = emptyModule();
  FunctionBuilder f(module, "add_kernel");
  const Register x = f.param(pointerTo(element), "x_ptr"), y = f.param(pointerTo(element), "y_ptr"),
                 z = f.param(pointerTo(element), "z_ptr");
  const Register n = f.param(tile(ElementKind::I32), "n");
  f.at(4, 11);
  const Register pid = f.op(Opcode::ProgramId, tile(ElementKind::I32), {}, {0});
  const Register start = f.like(Opcode::Mul, {pid, f.constInt(ElementKind::I32, block)});
  f.at(5, 15);
  const Register offsets = f.like(Opcode::Add, {f.splat(start, {block}), f.range(block)});
  std::vector<uint32_t> mask;
  if (masked)
    mask = {f.compare(IntPredicate::LtS, offsets, f.splat(n, {block}))};
  f.at(8, 9);
  const Register a = f.load(f.addPtr(f.splat(x, {block}), offsets), mask);
  f.at(9, 9);
  const Register b = f.load(f.addPtr(f.splat(y, {block}), offsets), mask);
  const Register sum = f.like(element >= ElementKind::F16 ? Opcode::AddF : Opcode::Add, {a | kLastUse, b | kLastUse});
  f.at(11, 5);
  f.store(f.addPtr(f.splat(z, {block}), offsets), sum, mask);
  f.finish();
  return module;
}

} // namespace tegula::cpu::test
