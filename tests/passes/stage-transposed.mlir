// Operands of products on a target that loads no matrices from shared memory: threads load fragments themselves.
// RUN: tegula-opt --tile-select-products --tile-assign-layouts --tile-stage-operands --tile-expand-schedules --canonicalize %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-assign-layouts --tile-stage-operands --tile-expand-schedules --tile-to-simt --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=SIMT

// B is stored by rows, across its depth: a thread that loads 8 of a row takes them of four neighbouring rows, and the
// buffer has four neighbours of a column side by side. The store stands before the load of the next iteration.
// CHECK-DAG: #[[A:.*]] = #layout.distributed<register (0,1) (0,2) (0,4) (16,0) (32,0), lane (0,8) (0,16) (1,0) (2,0) (4,0) (8,0)>
// CHECK-DAG: #[[B:.*]] = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0) (16,0)>
// CHECK-DAG: #[[SA:.*]] = #layout.shared<(0,1) (0,2) (0,16) (1,0) (2,0) (4,0) (4,8) (8,0) (0,4) (16,0) (32,0)>
// CHECK-DAG: #[[SB:.*]] = #layout.shared<(1,0) (2,0) (0,1) (0,8) (0,16) (0,32) (0,18) (0,36) (4,0) (8,0) (16,0)>
// CHECK-LABEL: func.func @rows
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[OLD:.*]] = %{{.*}})
// CHECK-NEXT: %[[TB:.*]] = simt.shared_alloc : <32x64xf16, #[[SB]]>
// CHECK-NEXT: simt.shared_store %[[TB]], %[[OLD]] : !simt.shared<32x64xf16, #[[SB]]>, tensor<32x64xf16, #[[B]]>
// CHECK-NEXT: tile.load
// CHECK-NEXT: %[[ROWS:.*]] = tile.load
// CHECK-NEXT: %[[TA:.*]] = simt.shared_alloc : <64x32xf16, #[[SA]]>
// CHECK-NEXT: simt.shared_store %[[TA]], %[[ROWS]]
// CHECK-NEXT: simt.shared_load %[[TA]]
// CHECK-NEXT: simt.shared_load %[[TB]]
// CHECK-NEXT: tile.dot

// B: four stores of 16 bytes, two columns of four each; no load is of single elements.
// SIMT-LABEL: func.func @rows
// SIMT: scf.for
// SIMT: simt.shared_store %[[TB:.*]][%{{.*}}], %{{.*}} : {{.*}}, vector<4xi32>, vector<32xf16>
// SIMT: simt.shared_load %{{.*}}[%{{.*}}] : {{.*}}, vector<4xi32> -> vector<32xf16>
// SIMT: simt.shared_load %[[TB]][%{{.*}}] : {{.*}}, vector<8xi32> -> vector<32xf16>

#mma = #simt.instruction<"product", 16x16x16,
  a <f16 registers <register (0,1) (0,2), lane (1,0) (2,0) (4,0) (8,0) (0,4) (0,8)>>,
  b <f16 registers <register (1,0) (2,0), lane (0,1) (0,2) (0,4) (0,8) (4,0) (8,0)>>,
  c <f32 registers <register (0,1) (0,2), lane (1,0) (2,0) (4,0) (8,0) (0,4) (0,8)>>>
module attributes {simt.target = {warp_size = 64 : i64, threads_per_warp = 64 : i64, stores_carried_first = true,
                                  instructions = [#mma]}, tile.num_warps = 1 : i32} {
  func.func @rows(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %q: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tile.make_range 0 to 2048 : tensor<2048xi32>
    %ia = tile.reshape %r : tensor<2048xi32> -> tensor<64x32xi32>
    %ib = tile.reshape %r : tensor<2048xi32> -> tensor<32x64xi32>
    %sp = tile.splat %p : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %sq = tile.splat %q : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
    %pa = tile.addptr %sp, %ia : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %pb = tile.addptr %sq, %ib : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
    %first = tile.load %pb : tensor<32x64x!tile.ptr<f16>>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %d, %last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %b = %first)
        -> (tensor<64x64xf32>, tensor<32x64xf16>) : i32 {
      %next = tile.load %pb : tensor<32x64x!tile.ptr<f16>>
      %a = tile.load %pa : tensor<64x32x!tile.ptr<f16>>
      %s = tile.dot %a, %b, %sum : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %s, %next : tensor<64x64xf32>, tensor<32x64xf16>
    }
    %rc = tile.make_range 0 to 4096 : tensor<4096xi32>
    %ic = tile.reshape %rc : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %ic : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %d : tensor<64x64x!tile.ptr<f32>>
    return
  }
}
