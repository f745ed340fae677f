// A store through pointers becomes one through a descriptor that the launch derives.
// RUN: tegula-opt --tile-select-products --tile-describe-stores --tile-mark-tile-copies --canonicalize --cse %s 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-describe-stores %s 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY

// What stands in the way, in the same kernel with one thing changed:
// RUN: sed 's/tile.divisibility = 8/tile.divisibility = 4/' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=STRIDE
// RUN: sed 's/, tile.divisibility = 16//' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=STRIDE
// RUN: sed 's/%x mask/%y mask/' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=LOADED
// Where shuffles bring the block to the layout of the product's result, it may be joined with that, element by element.
// RUN: sed 's/%x mask/%y mask/; s/%e: !tile.ptr<f16>/%e: !tile.ptr<f16> {tile.divisibility = 16 : i64}/; s/%n: i32/%n: i32 {tile.divisibility = 16 : i64}/; s/shared_bytes/swapped_lane_bits = 2 : i64, shared_bytes/' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// RUN: sed 's/%x mask/%y mask/; s/%e: !tile.ptr<f16>/%e: !tile.ptr<f16> {tile.divisibility = 16 : i64}/; s/%n: i32/%n: i32 {tile.divisibility = 16 : i64}/; s/shared_bytes/swapped_lane_bits = 2 : i64, shared_bytes/; s/addf %x, %residual : /addf %x, %turned : /; s/^    %y = /    %turned = tile.trans %residual order [1, 0] : tensor<64x64xf16>\n    %y = /' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=LOADED
// RUN: sed 's/%x mask/%y mask/; s/%e: !tile.ptr<f16>/%e: !tile.ptr<f16> {tile.divisibility = 16 : i64}/; s/%n: i32/%n: i32 {tile.divisibility = 16 : i64}/; s/shared_bytes/swapped_lane_bits = 1 : i64, shared_bytes/' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=LOADED
// RUN: sed 's/%by = arith.muli %p, %c64/%less = arith.constant -64 : i32 %by = arith.muli %p, %less/' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=NEGATIVE
// RUN: sed 's/mask %inside/mask %inside cache(wt)/' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=CACHE
// RUN: sed 's/^    return/    tile.print "behind"\n    return/' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=BESIDE
// RUN: sed 's/sgt, %rows/slt, %rows/' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=LIMIT
// RUN: sed 's/^    tile.store/    %top = tile.load %begins : tensor<64x1x!tile.ptr<f16>>\n    tile.print "top" is_signed [true](%top) : tensor<64x1xf16>\n    tile.store/' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=SAME
// SAME: copies: not by hardware: threads may load from the same array
// Two stores, or none in a loop's kernel: nothing is asked.
// RUN: sed 's/^    return/    tile.store %pointers, %x mask %inside : tensor<64x64x!tile.ptr<f16>>\n    return/' %s | tegula-opt --tile-select-products --tile-describe-stores 2>&1 | FileCheck %s --check-prefix=TWO
// STRIDE: copies: not by hardware: its address, or the distance between its lines, is not known to be a multiple of 16 bytes
// LOADED: copies: not by hardware: what it stores is computed from a block that threads load
// NEGATIVE: copies: not by hardware: a position may be negative
// CACHE: copies: not by hardware: it names a cache or an eviction policy
// BESIDE: copies: not by hardware: blocks, or what the kernel does beside, are not what hardware copies out
// LIMIT: copies: not by hardware: its mask is not made of upper limits along its axes
// TWO-NOT: copies:
// TWO: tile.store
// TWO: tile.store

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, shared_bytes = 232448 : i64,
                                  instructions = [#group]}} {
  // Rows limited by m, columns by n.
  // CHECK-LABEL: func.func @found
  // CHECK-SAME: %arg7: !tile.desc<64x64xf16> {tile.name = "c (derived)", tile.tensor = {axes = [{extent = array<i64: 1, 3>, stride = array<i64: 1, 5>}, {extent = array<i64: 1, 4>, stride = array<i64: 1>}], narrow, pointer = 2 : i64}}
  // CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c64_i32
  // CHECK: tile.desc_store %arg7[%[[ROW]], %[[ROW]]], %{{.*}} {tile.copied} : !tile.desc<64x64xf16>, tensor<64x64xf16>
  // CHECK-NOT: tile.store
  // WHY: remark: copies: by hardware, of a tensor that the launch describes
  func.func @found(%a: !tile.desc<64x32xf16>, %b: !tile.desc<64x32xf16>,
                   %c: !tile.ptr<f16> {tile.name = "c", tile.divisibility = 16 : i64}, %m: i32, %n: i32,
                   %stride: i32 {tile.divisibility = 8 : i64}, %e: !tile.ptr<f16>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %p = tile.program_id 0
    %by = arith.muli %p, %c64 : i32
    %sum = scf.for %k = %c0 to %n step %c32 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
      %u = tile.desc_load %a[%by, %k] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %v = tile.desc_load %b[%by, %k] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %v order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %u, %t, %s : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %x = tile.fp_cast %sum : tensor<64x64xf32> -> tensor<64x64xf16>
    %range = tile.make_range 0 to 64 : tensor<64xi32>
    %start = tile.splat %by : i32 -> tensor<64xi32>
    %at = arith.addi %start, %range : tensor<64xi32>
    %down = tile.expand_dims %at axis 1 : tensor<64xi32>
    %across = tile.expand_dims %at axis 0 : tensor<64xi32>
    %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
    %lines = arith.muli %down, %strides : tensor<64x1xi32>
    %base = tile.splat %c : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %begins = tile.addptr %base, %lines : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %wide = tile.broadcast %begins : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %offsets = tile.broadcast %across : tensor<1x64xi32> -> tensor<64x64xi32>
    %pointers = tile.addptr %wide, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %rows = tile.splat %m : i32 -> tensor<64x1xi32>
    %columns = tile.splat %n : i32 -> tensor<1x64xi32>
    %above = arith.cmpi sgt, %rows, %down : tensor<64x1xi32>
    %left = arith.cmpi slt, %across, %columns : tensor<1x64xi32>
    %above1 = tile.broadcast %above : tensor<64x1xi1> -> tensor<64x64xi1>
    %left1 = tile.broadcast %left : tensor<1x64xi1> -> tensor<64x64xi1>
    %inside = arith.andi %above1, %left1 : tensor<64x64xi1>
    %others = tile.splat %e : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %theirs = tile.addptr %others, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %residual = tile.load %theirs mask %inside : tensor<64x64x!tile.ptr<f16>>
    %y = arith.addf %x, %residual : tensor<64x64xf16>
    tile.store %pointers, %x mask %inside : tensor<64x64x!tile.ptr<f16>>
    return
  }
}
