// Loads through pointers become loads through descriptors that the launch derives.
// RUN: tegula-opt --tile-select-products --tile-describe-loads --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-describe-loads %s --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY

// What stands in the way, in the same kernel with one thing changed:
// RUN: sed 's/muli %p, %c64/muli %p, %n/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=WRAPPED
// RUN: sed 's/mask %mask other/mask %both other/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=TWICE
// RUN: sed 's/dense<0.0> : tensor<64x32xf16>/dense<1.0> : tensor<64x32xf16>/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/muli %q, %batch/subi %m, %batch/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=OFFSET
// RUN: sed 's/muli %q, %batch/addi %q, %q/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=DISTANCE
// RUN: sed 's/232448/12288/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=ROOM
// RUN: sed 's/subi %n, %done/addi %n, %done/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=NEGATIVE
// RUN: sed 's/^    %r:3/    tile.print "before"\n    %r:3/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=BEFORE
// RUN: sed 's/slt, %depth/sgt, %depth/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=LIMIT
// RUN: sed 's/addptr %pa, %c32/addptr %pa, %k/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=STEP
// Of rows that are stored under a mask, those beyond the tensor are dead: they need not be wrapped (DEAD). What keeps
// them alive: another limit, a mask along the other axis, no mask, another use.
// RUN: sed 's/tile.print.*f32>/tile.store %cptrs, %r#0 mask %crows : tensor<64x64x!tile.ptr<f32>>/' %s | tegula-opt --tile-select-products --tile-describe-loads --canonicalize --cse 2>/dev/null | FileCheck %s --check-prefix=DEAD
// RUN: sed 's/tile.print.*f32>/tile.store %cptrs, %r#0 mask %crows : tensor<64x64x!tile.ptr<f32>>/; s/muli %p, %c64/muli %p, %n/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=DEAD
// RUN: sed 's/tile.print.*f32>/tile.store %cptrs, %r#0 mask %crows : tensor<64x64x!tile.ptr<f32>>/; s/splat %m : i32 -> tensor<64x1/splat %n : i32 -> tensor<64x1/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=ALIVE
// RUN: sed 's/tile.print.*f32>/tile.store %cptrs, %r#0 mask %ccolumns : tensor<64x64x!tile.ptr<f32>>/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=ALIVE
// RUN: sed 's/tile.print.*f32>/tile.store %cptrs, %r#0 : tensor<64x64x!tile.ptr<f32>>/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=ALIVE
// RUN: sed 's/\(tile.print.*f32>\)/tile.store %cptrs, %r#0 mask %crows : tensor<64x64x!tile.ptr<f32>> \1/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=ALIVE
// RUN: sed 's/tile.print.*f32>/%turned = tile.trans %r#0 order [1, 0] : tensor<64x64xf32> tile.store %cptrs, %turned mask %crows : tensor<64x64x!tile.ptr<f32>>/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=ALIVE
// RUN: sed 's/tile.print.*f32>/%turned = tile.trans %r#0 order [1, 0] : tensor<64x64xf32> tile.store %cptrs, %turned mask %ccolumns : tensor<64x64x!tile.ptr<f32>>/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=DEAD
// RUN: sed 's/expand_dims %wrapped/expand_dims %at/; s/tile.print.*f32>/tile.store %cptrs, %r#0 mask %crows : tensor<64x64x!tile.ptr<f32>>/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=DEAD
// RUN: sed 's/expand_dims %wrapped/expand_dims %at/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=OPEN
// OPEN: axes = [{extent = array<i64: 2147483647>, open, stride = array<i64: 1, 4>}
// DEAD: axes = [{extent = array<i64: 1, 2>, stride = array<i64: 1, 4>}, {extent = array<i64: 1, 3>, stride = array<i64: 1>}]
// DEAD: tile.desc_load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.desc<64x32xf16>
// ALIVE: axes = [{extent = array<i64: 1, 2>, multiple = 64 : i64, stride = array<i64: 1, 4>}
// A quotient is not negative where its divisor is positive, which the launch checks: n - p; but not in a loop.
// RUN: sed 's/\(program_id 1\)/\1 %by = arith.subi %n, %p : i32 %quotient = arith.divsi %p, %by : i32/; s/muli %p, %c64/muli %quotient, %c64/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=DIVIDED
// DIVIDED: tile.conditions = [array<i64: 1, 3, 0, 0, 2, 0, 0, 0, 4, 0, 0, 1>]
// RUN: sed 's/%done = arith.muli %k/%by = arith.subi %n, %k : i32 %quotient = arith.divsi %k, %by : i32 %done = arith.muli %quotient/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=DIVIDEDINLOOP
// DIVIDEDINLOOP: copies: not by hardware
// WRAPPED: copies: not by hardware: rows are wrapped within a block
// TWICE: copies: not by hardware: its rows are wrapped in another way
// OTHER: copies: not by hardware: elements that are masked off are not 0
// OFFSET: copies: not by hardware: it begins at an offset of its own
// DISTANCE: copies: not by hardware: a distance between its lines, or between its blocks, is no multiple of 16 bytes
// ROOM: copies: not by hardware: two stages of 8192 bytes do not fit shared memory
// NEGATIVE: copies: not by hardware: a position may be negative
// BEFORE: copies: not by hardware: the kernel writes memory, or waits, before the loop
// LIMIT: copies: not by hardware: its mask is not made of upper limits along its axes
// STEP: copies: not by hardware: its addresses are not a base and steps along its axes

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, shared_bytes = 232448 : i64,
                                  instructions = [#group]}} {
  // A: rows wrapped by their number, its depth limited by a mask, a pointer that the loop carries and moves along the
  // lines. B: columns side by side, rows limited, an outer axis for the batch.
  // CHECK-LABEL: func.func @found
  // CHECK-SAME: %arg8: !tile.desc<64x32xf16> {tile.name = "a (derived)", tile.tensor = {axes = [{extent = array<i64: 1, 2>, multiple = 64 : i64, stride = array<i64: 1, 4>}, {extent = array<i64: 1, 3>, stride = array<i64: 1>}], narrow, pointer = 0 : i64}}
  // CHECK-SAME: %arg9: !tile.desc<1x64x32xf16> {tile.name = "b (derived)", tile.tensor = {axes = [{extent = array<i64: 2147483647>, open, stride = array<i64: 1, 6>}, {extent = array<i64: 64>, stride = array<i64: 1, 5>}, {extent = array<i64: 1, 3>, stride = array<i64: 1>}], narrow, pointer = 1 : i64}}
  // CHECK: %[[BATCH:.*]] = tile.program_id 1
  // CHECK: %[[START:.*]] = arith.muli %{{.*}}, %c64_i32
  // CHECK: %[[ROW:.*]] = arith.remsi %[[START]], %arg2
  // CHECK: %[[HINT:.*]] = tile.hint %[[ROW]] divisibility [64]
  // CHECK: scf.for %[[K:.*]] = %c0_i32 to %{{.*}} step %c1_i32 iter_args(%{{[^,]*}}) -> (tensor<64x64xf32>)
  // CHECK:   %[[DEPTH:.*]] = arith.muli %[[K]], %c32_i32
  // CHECK:   tile.desc_load %arg8[%[[HINT]], %[[DEPTH]]] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
  // CHECK:   %[[B:.*]] = tile.desc_load %arg9[%[[BATCH]], %c0_i32, %[[DEPTH]]] : !tile.desc<1x64x32xf16> -> tensor<64x32xf16>
  // CHECK:   tile.trans %[[B]]
  // CHECK-NOT: tile.load
  // WHY: remark: copies: by hardware, of a tensor that the launch describes
  // WHY: remark: copies: by hardware, of a tensor that the launch describes
  func.func @found(%a: !tile.ptr<f16> {tile.name = "a"}, %b: !tile.ptr<f16> {tile.name = "b"}, %m: i32, %n: i32,
                   %stride: i32, %line: i32, %batch: i32, %c: !tile.ptr<f32>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c31 = arith.constant 31 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %none = arith.constant dense<0.0> : tensor<64x32xf16>
    %p = tile.program_id 0
    %q = tile.program_id 1
    %start = arith.muli %p, %c64 : i32
    %rows = tile.make_range 0 to 64
    %first = tile.splat %start : i32 -> tensor<64xi32>
    %at = arith.addi %first, %rows : tensor<64xi32>
    %ms = tile.splat %m : i32 -> tensor<64xi32>
    %atrow = tile.expand_dims %at axis 1 : tensor<64xi32>
    %atcolumn = tile.expand_dims %at axis 0 : tensor<64xi32>
    %crow = tile.splat %m : i32 -> tensor<64x1xi32>
    %ccolumn = tile.splat %m : i32 -> tensor<1x64xi32>
    %isrow = arith.cmpi slt, %atrow, %crow : tensor<64x1xi32>
    %iscolumn = arith.cmpi slt, %atcolumn, %ccolumn : tensor<1x64xi32>
    %crows = tile.broadcast %isrow : tensor<64x1xi1> -> tensor<64x64xi1>
    %ccolumns = tile.broadcast %iscolumn : tensor<1x64xi1> -> tensor<64x64xi1>
    %cptrs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %wrapped = arith.remsi %at, %ms : tensor<64xi32>
    %row = tile.expand_dims %wrapped axis 1 : tensor<64xi32>
    %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
    %offset = arith.muli %row, %strides : tensor<64x1xi32>
    %depths = tile.make_range 0 to 32
    %depth = tile.expand_dims %depths axis 0 : tensor<32xi32>
    %wide0 = tile.broadcast %offset : tensor<64x1xi32> -> tensor<64x32xi32>
    %wide1 = tile.broadcast %depth : tensor<1x32xi32> -> tensor<64x32xi32>
    %offsets = arith.addi %wide0, %wide1 : tensor<64x32xi32>
    %plain = tile.expand_dims %rows axis 1 : tensor<64xi32>
    %lines = tile.splat %line : i32 -> tensor<64x1xi32>
    %lineoffset = arith.muli %plain, %lines : tensor<64x1xi32>
    %wide2 = tile.broadcast %lineoffset : tensor<64x1xi32> -> tensor<64x32xi32>
    %boffsets = arith.addi %wide2, %wide1 : tensor<64x32xi32>
    %limit = tile.splat %c64 : i32 -> tensor<64x1xi32>
    %inrows = arith.cmpi slt, %plain, %limit : tensor<64x1xi32>
    %wrows = tile.broadcast %inrows : tensor<64x1xi1> -> tensor<64x32xi1>
    %skip = arith.muli %q, %batch : i32
    %base = tile.addptr %b, %skip : !tile.ptr<f16>, i32
    %more = arith.addi %n, %c31 : i32
    %count = arith.divsi %more, %c32 : i32
    %r:3 = scf.for %k = %c0 to %count step %c1 iter_args(%sum = %zeros, %pa = %a, %pb = %base)
        -> (tensor<64x64xf32>, !tile.ptr<f16>, !tile.ptr<f16>) : i32 {
      %sa = tile.splat %pa : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
      %ptrs = tile.addptr %sa, %offsets : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %sb = tile.splat %pb : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
      %bptrs = tile.addptr %sb, %boffsets : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %done = arith.muli %k, %c32 : i32
      %left = arith.subi %n, %done : i32
      %lefts = tile.splat %left : i32 -> tensor<1x32xi32>
      %inside = arith.cmpi slt, %depth, %lefts : tensor<1x32xi32>
      %mask = tile.broadcast %inside : tensor<1x32xi1> -> tensor<64x32xi1>
      %both = arith.andi %mask, %wrows : tensor<64x32xi1>
      %x = tile.load %ptrs mask %mask other %none : tensor<64x32x!tile.ptr<f16>>
      %y = tile.load %bptrs mask %both other %none : tensor<64x32x!tile.ptr<f16>>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %sum precision(tf32) : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      %na = tile.addptr %pa, %c32 : !tile.ptr<f16>, i32
      %nb = tile.addptr %pb, %c32 : !tile.ptr<f16>, i32
      scf.yield %d, %na, %nb : tensor<64x64xf32>, !tile.ptr<f16>, !tile.ptr<f16>
    }
    tile.print "" is_signed [true](%r#0) : tensor<64x64xf32>
    return
  }
}
