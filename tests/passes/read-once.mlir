// A product with fewer rows than its instruction computes: the transpose is computed, whose rows are B's columns. Where
// one block has all rows of A, no two programs read the same block of B: copies of B say so, of A where B has one
// block.
// RUN: tegula-opt --tile-select-products %s 2>/dev/null | FileCheck %s --check-prefix=SWAP
// RUN: tegula-opt --tile-select-products %s 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --canonicalize --cse --tile-expand-schedules --canonicalize --cse %s 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --canonicalize --cse --tile-assign-layouts --tile-expand-schedules --tile-to-simt %s 2>/dev/null | FileCheck %s --check-prefix=SIMT
// Not for a tensor that the caller describes, since code does not know its extents, nor for one without a bound.
// RUN: sed '/^      %a: /,/}\]}}/{s/, tile.tensor = {pointer = 0 : i64,/},/;t;d}' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --canonicalize --cse --tile-expand-schedules --canonicalize --cse 2>/dev/null | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed 's/{extent = array<i64: 1, 2>,/{extent = array<i64: 2147483647>, open,/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --canonicalize --cse --tile-expand-schedules --canonicalize --cse 2>/dev/null | FileCheck %s --check-prefix=UNKNOWN
// What the kernel asks for is so without a test.
// RUN: sed 's/desc_load %b\[%i, %column\]/desc_load %b[%i, %column] {tile.evict_first}/; s/{extent = array<i64: 1, 2>,/{extent = array<i64: 17>,/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --canonicalize --cse --tile-expand-schedules --canonicalize --cse 2>/dev/null | FileCheck %s --check-prefix=ALWAYS
// A constant number of rows is compared here.
// RUN: sed 's/{extent = array<i64: 1, 2>,/{extent = array<i64: 16>,/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --canonicalize --cse --tile-expand-schedules --canonicalize --cse 2>/dev/null | FileCheck %s --check-prefix=ALWAYS
// ALWAYS: %[[TRUE:.*]] = arith.constant true
// ALWAYS: simt.copy_tile %{{.*}} to %{{.*}} once %[[TRUE]] : !tile.desc<32x64xf16>
// RUN: sed 's/{extent = array<i64: 1, 2>,/{extent = array<i64: 17>,/' %s | tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --canonicalize --cse --tile-expand-schedules --canonicalize --cse 2>/dev/null | FileCheck %s --check-prefix=UNKNOWN

// WHY: remark: dot: its transpose is computed, because A has fewer rows than instructions that read shared memory compute
// WHY: remark: dot: 64x16x32 of f16 into f32: wgmma.m64n16k16.f32.f16
// SWAP: tile.dot %{{.*}} : tensor<64x32xf16>, tensor<32x16xf16>, tensor<64x16xf32>

// UNKNOWN: simt.copy_tile %{{.*}} to %{{.*}} once %{{[^ ]*}} : !tile.desc<16x32xf16>
// UNKNOWN-NOT: once
#thin = #simt.instruction<"wgmma.m64n16k16.f32.f16", 64x16x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, moves_registers = true,
                                  shared_bytes = 232448 : i64, instructions = [#thin]}} {
  // CHECK-LABEL: func.func @thin
  // CHECK: simt.producer
  // CHECK-DAG: %[[COLUMNS:.*]] = arith.cmpi sle, %{{.*}}, %c64_i64 : i64
  // CHECK-DAG: %[[ROWS:.*]] = arith.cmpi sle, %{{.*}}, %c16_i64 : i64
  // CHECK: simt.copy_tile %{{.*}} to %{{.*}} once %[[COLUMNS]] : !tile.desc<16x32xf16>
  // CHECK: simt.copy_tile %{{.*}} to %{{.*}} once %[[ROWS]] : !tile.desc<32x64xf16>
  // SIMT-LABEL: func.func @thin
  // SIMT: scf.if
  // SIMT:   simt.load_tile %{{.*}} once : <16x32xf16>
  // SIMT: } else {
  // SIMT-NOT: once
  // SIMT:   simt.load_tile %{{.*}} : <16x32xf16>
  // SIMT: simt.load_tile %{{.*}} once : <32x64xf16>
  // SIMT: simt.load_tile %{{.*}} : <32x64xf16>
  func.func @thin(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %m: i32, %n: i32, %k: i32, %c: !tile.ptr<f32>,
      %a: !tile.desc<16x32xf16> {tile.name = "a", tile.tensor = {pointer = 0 : i64,
        axes = [{extent = array<i64: 1, 2>, stride = array<i64: 1, 4>},
                {extent = array<i64: 1, 4>, stride = array<i64: 1>}]}},
      %b: !tile.desc<32x64xf16> {tile.name = "b", tile.tensor = {pointer = 1 : i64,
        axes = [{extent = array<i64: 1, 4>, stride = array<i64: 1, 3>},
                {extent = array<i64: 1, 3>, stride = array<i64: 1>}]}})
      attributes {tile.kernel, tile.conditions = []} {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<16x64xf32>
    %p = tile.program_id 0
    %q = tile.program_id 1
    %row = arith.muli %p, %c16 : i32
    %column = arith.muli %q, %c64 : i32
    %r = scf.for %i = %c0 to %k step %c32 iter_args(%sum = %zeros) -> (tensor<16x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<16x32xf16> -> tensor<16x32xf16>
      %y = tile.desc_load %b[%i, %column] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
      %d = tile.dot %x, %y, %sum precision(tf32) : tensor<16x32xf16>, tensor<32x64xf16>, tensor<16x64xf32>
      scf.yield %d : tensor<16x64xf32>
    }
    %rows = tile.make_range 0 to 16
    %columns = tile.make_range 0 to 64
    %atrow = tile.expand_dims %rows axis 1 : tensor<16xi32>
    %atcolumn = tile.expand_dims %columns axis 0 : tensor<64xi32>
    %lines = tile.splat %n : i32 -> tensor<16x1xi32>
    %line = arith.muli %atrow, %lines : tensor<16x1xi32>
    %wide0 = tile.broadcast %line : tensor<16x1xi32> -> tensor<16x64xi32>
    %wide1 = tile.broadcast %atcolumn : tensor<1x64xi32> -> tensor<16x64xi32>
    %offsets = arith.addi %wide0, %wide1 : tensor<16x64xi32>
    %bases = tile.splat %c : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
    %places = tile.addptr %bases, %offsets : tensor<16x64x!tile.ptr<f32>>, tensor<16x64xi32>
    tile.store %places, %r : tensor<16x64x!tile.ptr<f32>>
    return
  }
}
