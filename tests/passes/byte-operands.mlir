// 8-bit operands: instructions read them in shared memory along the depth only. One that lies across it is
// loaded into registers, as left operand, or threads transpose it.
// RUN: tegula-opt --tile-select-products --tile-plan-products --canonicalize %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-plan-products --tile-pipeline-copies --tile-schedule-loops --canonicalize --cse --tile-assign-layouts %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=LAYOUT

#group = #simt.instruction<"wgmma.m64n64k32.s32.s8", 64x64x32,
  a <i8 either <register (0,1) (0,2) (8,0) (0,16), lane (0,4) (0,8) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>,
  b <i8 shared>,
  c <i32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// B is stored by rows, and a sum that only this dot adds to is carried: the transpose is computed, so that B is the
// left operand, which threads load into registers, from a ring whose lines are those of global memory.
// CHECK-DAG: #[[ROWS:.*]] = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,16)
// CHECK-LABEL: func.func @rows
// CHECK: %[[SUM:.*]] = scf.for
// CHECK:   %[[TB:.*]] = simt.shared_alloc : <128x64xi8, #[[ROWS]]>
// CHECK:   %[[ACROSS:.*]] = simt.transpose %[[TB]]
// CHECK:   %[[TA:.*]] = simt.shared_alloc : <64x128xi8
// CHECK:   %[[ALONG:.*]] = simt.transpose %[[TA]]
// CHECK:   %[[LEFT:.*]] = simt.shared_load %[[ACROSS]] : {{.*}} -> tensor<64x128xi8>
// CHECK:   simt.product %[[LEFT]], %[[ALONG]], %{{.*}} instruction
// CHECK: tile.trans %[[SUM]] order [1, 0]
//
// A thread has rows 2g and 2g + 1 of the left operand and of the result, which it stores in its own registers' order.
// LAYOUT-DAG: #[[LEFT:.*]] = #layout.distributed<register (0,1) (0,2) (1,0) (0,16) (0,32) (0,64), lane (0,4) (0,8) (2,0) (4,0) (8,0), warp (16,0) (32,0)>
// LAYOUT-DAG: #[[RESULT:.*]] = #layout.distributed<register (0,1) (1,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (2,0) (4,0) (8,0), warp (16,0) (32,0)>
// LAYOUT-DAG: #[[STORED:.*]] = #layout.distributed<register (0,1) (1,0) (8,0) (16,0) (32,0), lane (2,0) (4,0) (0,2) (0,4) (0,8), warp (0,16) (0,32)>
// LAYOUT-LABEL: func.func @rows
// LAYOUT: scf.for
// LAYOUT: simt.copy
// LAYOUT: simt.copy
// LAYOUT: %[[A:.*]] = simt.shared_load {{.*}} -> tensor<64x128xi8, #[[LEFT]]>
// LAYOUT: simt.product %[[A]], {{.*}}tensor<64x64xi32, #[[RESULT]]>
// LAYOUT: tile.store {{.*}} : tensor<64x64x!tile.ptr<i32>, #[[STORED]]>
module attributes {
  simt.target = {copies_async = true, loads_matrices = true, shared_bytes = 65536, ahead_bytes = 192,
                 instructions = [#group]},
  tile.num_warps = 4 : i32, tile.num_stages = 3 : i32
} {
  func.func @rows(%p: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %q: !tile.ptr<i8> {tile.divisibility = 16 : i64},
                  %o: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0> : tensor<64x64xi32>
    %r = tile.make_range 0 to 8192 : tensor<8192xi32>
    %ata = tile.reshape %r : tensor<8192xi32> -> tensor<64x128xi32>
    %atb = tile.reshape %r : tensor<8192xi32> -> tensor<128x64xi32>
    %ro = tile.make_range 0 to 4096 : tensor<4096xi32>
    %ato = tile.reshape %ro : tensor<4096xi32> -> tensor<64x64xi32>
    %sum = scf.for %i = %c0 to %n step %c128 iter_args(%c = %zero) -> (tensor<64x64xi32>) : i32 {
      %tile = arith.muli %i, %c64 : i32
      %pi = tile.addptr %p, %tile : !tile.ptr<i8>, i32
      %sp = tile.splat %pi : !tile.ptr<i8> -> tensor<64x128x!tile.ptr<i8>>
      %pa = tile.addptr %sp, %ata : tensor<64x128x!tile.ptr<i8>>, tensor<64x128xi32>
      %a = tile.load %pa : tensor<64x128x!tile.ptr<i8>>
      %qi = tile.addptr %q, %tile : !tile.ptr<i8>, i32
      %sq = tile.splat %qi : !tile.ptr<i8> -> tensor<128x64x!tile.ptr<i8>>
      %pb = tile.addptr %sq, %atb : tensor<128x64x!tile.ptr<i8>>, tensor<128x64xi32>
      %b = tile.load %pb : tensor<128x64x!tile.ptr<i8>>
      %d = tile.dot %a, %b, %c : tensor<64x128xi8>, tensor<128x64xi8>, tensor<64x64xi32>
      scf.yield %d : tensor<64x64xi32>
    }
    %so = tile.splat %o : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
    %po = tile.addptr %so, %ato : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<i32>>
    return
  }
}

// -----

#group = #simt.instruction<"wgmma.m64n64k32.s32.s8", 64x64x32,
  a <i8 either <register (0,1) (0,2) (8,0) (0,16), lane (0,4) (0,8) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>,
  b <i8 shared>,
  c <i32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// The sum is changed in the loop, so the dot stays. B's lines in the buffer lie along the depth, axis 0, and it is
// loaded ahead in registers, of which each thread has four neighbours along the depth. A goes to a ring.
// CHECK-DAG: #[[SA:.*]] = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16)
// CHECK-DAG: #[[SB:.*]] = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0)
// CHECK-LABEL: func.func @doubled
// CHECK: scf.for
// CHECK:   %[[TA:.*]] = simt.shared_alloc : <64x128xi8, #[[SA]]>
// CHECK:   %[[TB:.*]] = simt.shared_alloc : <128x64xi8, #[[SB]]>
// CHECK:   simt.product %[[TA]], %[[TB]], %{{.*}} instruction
// LAYOUT-DAG: #[[RUN:.*]] = #layout.distributed<register (0,1) (0,2) (0,4) (0,8) (1,0) (2,0), lane
// LAYOUT-LABEL: func.func @doubled
// LAYOUT: scf.for
// LAYOUT: simt.copy
// LAYOUT: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<128x64x!tile.ptr<i8>, #[[RUN]]>
// LAYOUT: simt.shared_store %{{.*}}, %{{.*}} : {{.*}}tensor<128x64xi8, #[[RUN]]>
module attributes {
  simt.target = {copies_async = true, loads_matrices = true, shared_bytes = 65536, ahead_bytes = 192,
                 instructions = [#group]},
  tile.num_warps = 4 : i32, tile.num_stages = 3 : i32
} {
  func.func @doubled(%p: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %q: !tile.ptr<i8> {tile.divisibility = 16 : i64},
                  %o: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0> : tensor<64x64xi32>
    %r = tile.make_range 0 to 8192 : tensor<8192xi32>
    %ata = tile.reshape %r : tensor<8192xi32> -> tensor<64x128xi32>
    %atb = tile.reshape %r : tensor<8192xi32> -> tensor<128x64xi32>
    %ro = tile.make_range 0 to 4096 : tensor<4096xi32>
    %ato = tile.reshape %ro : tensor<4096xi32> -> tensor<64x64xi32>
    %sum = scf.for %i = %c0 to %n step %c128 iter_args(%c = %zero) -> (tensor<64x64xi32>) : i32 {
      %tile = arith.muli %i, %c64 : i32
      %pi = tile.addptr %p, %tile : !tile.ptr<i8>, i32
      %sp = tile.splat %pi : !tile.ptr<i8> -> tensor<64x128x!tile.ptr<i8>>
      %pa = tile.addptr %sp, %ata : tensor<64x128x!tile.ptr<i8>>, tensor<64x128xi32>
      %a = tile.load %pa : tensor<64x128x!tile.ptr<i8>>
      %qi = tile.addptr %q, %tile : !tile.ptr<i8>, i32
      %sq = tile.splat %qi : !tile.ptr<i8> -> tensor<128x64x!tile.ptr<i8>>
      %pb = tile.addptr %sq, %atb : tensor<128x64x!tile.ptr<i8>>, tensor<128x64xi32>
      %b = tile.load %pb : tensor<128x64x!tile.ptr<i8>>
      %cc = arith.addi %c, %c : tensor<64x64xi32>
      %d = tile.dot %a, %b, %cc : tensor<64x128xi8>, tensor<128x64xi8>, tensor<64x64xi32>
      scf.yield %d : tensor<64x64xi32>
    }
    %so = tile.splat %o : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
    %po = tile.addptr %so, %ato : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<i32>>
    return
  }
}

// -----

// Sums of 8-bit floats are less precise than f32 there: a dot that bounds how many it may sum so, by no more than its
// depth, does without the instruction; another takes it.
#group = #simt.instruction<"wgmma.m64n64k32.f32.e4m3", 64x64x32,
  a <f8E4M3FN either <register (0,1) (0,2) (8,0) (0,16), lane (0,4) (0,8) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>,
  b <f8E4M3FN shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// CHECK-LABEL: func.func @imprecise
// CHECK: simt.product
// CHECK-NOT: simt.product
// CHECK: tile.dot {{.*}} max_imprecise(32)
module attributes {
  simt.target = {copies_async = true, loads_matrices = true, shared_bytes = 65536, instructions = [#group]},
  tile.num_warps = 4 : i32
} {
  func.func @imprecise(%a: tensor<64x32xf8E4M3FN>, %q: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64})
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = tile.make_range 0 to 2048 : tensor<2048xi32>
    %at = tile.reshape %r : tensor<2048xi32> -> tensor<64x32xi32>
    %sq = tile.splat %q : !tile.ptr<f8E4M3FN> -> tensor<64x32x!tile.ptr<f8E4M3FN>>
    %pb = tile.addptr %sq, %at : tensor<64x32x!tile.ptr<f8E4M3FN>>, tensor<64x32xi32>
    %b = tile.load %pb : tensor<64x32x!tile.ptr<f8E4M3FN>>
    %bt = tile.trans %b order [1, 0] : tensor<64x32xf8E4M3FN>
    %d = tile.dot %a, %bt, %zero max_imprecise(64) : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>, tensor<64x64xf32>
    %e = tile.dot %a, %bt, %zero max_imprecise(32) : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>, tensor<64x64xf32>
    return %d, %e : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
