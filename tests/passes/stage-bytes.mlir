// 8-bit operands in fragments that a library's loads make: they cannot transpose bytes, so threads do.
// RUN: tegula-opt --tile-select-products --tile-assign-layouts --tile-place-fragments --tile-stage-operands --canonicalize %s 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-assign-layouts --tile-place-fragments --tile-stage-operands --tile-to-simt --canonicalize %s 2>/dev/null | FileCheck %s --check-prefix=SIMT
// RUN: (! tegula-opt --tile-select-products --tile-assign-layouts --tile-stage-operands --tile-to-simt %s 2>&1) | FileCheck %s --check-prefix=EARLY

// A thread loads 16 neighbours of a row of B, twice as many columns as a fragment has. The lines of the buffer lie
// along the depth, each eighth column after another, so that one distance leads from line to line of a fragment.
// CHECK-DAG: #[[B:.*]] = #layout.distributed<register (0,1) (0,2) (0,4) (0,8) (1,0) (2,0), lane
// CHECK-DAG: #[[SB:.*]] = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (0,8) (0,16) (0,32) (0,1) (0,2) (0,4), pad 16 every 32, pad 16 every 256>
// CHECK-LABEL: func.func @rows
// CHECK: simt.shared_store %[[TB:.*]], %{{.*}} : !simt.shared<32x64xi8, #[[SB]]>, tensor<32x64xi8, #[[B]]>
// CHECK: tile.dot
// SIMT-LABEL: func.func @rows
// SIMT: simt.fragment_mma

// EARLY: error: 'tile.dot' op expected its result in fragments (tile-place-fragments)

#mma = #simt.instruction<"product", 8x8x8, a <i8 fragment>, b <i8 fragment>, c <i32 fragment>>
module attributes {simt.target = {warp_size = 8 : i64, threads_per_warp = 32 : i64, shared_bytes = 32768,
                                  instructions = [#mma]}, tile.num_warps = 1 : i32} {
  func.func @rows(%p: !tile.ptr<i8> {tile.divisibility = 16 : i64},
                  %q: !tile.ptr<i8> {tile.divisibility = 16 : i64},
                  %o: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %r = tile.make_range 0 to 2048 : tensor<2048xi32>
    %ia = tile.reshape %r : tensor<2048xi32> -> tensor<64x32xi32>
    %ib = tile.reshape %r : tensor<2048xi32> -> tensor<32x64xi32>
    %sp = tile.splat %p : !tile.ptr<i8> -> tensor<64x32x!tile.ptr<i8>>
    %sq = tile.splat %q : !tile.ptr<i8> -> tensor<32x64x!tile.ptr<i8>>
    %pa = tile.addptr %sp, %ia : tensor<64x32x!tile.ptr<i8>>, tensor<64x32xi32>
    %pb = tile.addptr %sq, %ib : tensor<32x64x!tile.ptr<i8>>, tensor<32x64xi32>
    %a = tile.load %pa : tensor<64x32x!tile.ptr<i8>>
    %b = tile.load %pb : tensor<32x64x!tile.ptr<i8>>
    %zero = arith.constant dense<0> : tensor<64x64xi32>
    %s = tile.dot %a, %b, %zero : tensor<64x32xi8>, tensor<32x64xi8>, tensor<64x64xi32>
    %rc = tile.make_range 0 to 4096 : tensor<4096xi32>
    %ic = tile.reshape %rc : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
    %po = tile.addptr %so, %ic : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
    tile.store %po, %s : tensor<64x64x!tile.ptr<i32>>
    return
  }
}
