// A loop in steps of the block's depth that moves pointers along lines without a mask: the lines are cut into blocks of
// a step's elements, and the number of the iteration is the block's position among them.
// RUN: tegula-opt --tile-select-products --tile-describe-loads --canonicalize --cse %s 2>/dev/null | FileCheck %s
// Of steps that are no multiple of 16 bytes there is no such tensor.
// RUN: sed 's/c32 = arith.constant 32/c32 = arith.constant 36/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=DISTANCE
// Nor if the loop begins elsewhere.
// RUN: sed 's/%c0 to %n/%c32 to %n/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=BEGIN
// CHECK: tile.name = "a (derived)", tile.tensor = {axes = [{extent = array<i64: 2147483647>, open, stride = array<i64: 32>}, {extent = array<i64: 2147483647>, open, stride = array<i64: 1, 4>}, {extent = array<i64: 32>, stride = array<i64: 1>}]
// CHECK-SAME: tile.conditions = []
// Rows have no end that the launch knows. Where the pointers of a loop, which have 64 bits, move down the rows, it
// checks that 32 bits hold the row, program 0 * 64 + argument 3, as the maximum with 1; of a loop to a loaded number it
// cannot tell.
// RUN: sed 's/addptr %pa, %c32/addptr %pa, %bstep/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=DOWN
// DOWN: tile.conditions = [array<i64: 1, 3, 0, 0, 2, 0, 0, 0, 0, 64, 0, 0, 5, 0, 1, 2, 3, 0, 0, 3, 0, 1, 0, 0, 9, 0, 4, 5>]
// RUN: sed 's/addptr %pa, %c32/addptr %pa, %bstep/; s/\(program_id 0\)/\1 %loaded = tile.load %c : !tile.ptr<f32> %at = arith.fptosi %loaded : f32 to i32/; s/%c0 to %n/%c0 to %at/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: copies: not by hardware: its position may have more than 32 bits
// CHECK: scf.for %[[K:.*]] = %c0_i32 to %{{.*}} step %c32_i32
// CHECK:   %[[NUMBER:.*]] = arith.divsi %[[K]], %c32_i32
// CHECK:   tile.desc_load %{{.*}}[%[[NUMBER]], %{{.*}}, %c0_i32] : !tile.desc<1x64x32xf16> -> tensor<64x32xf16>
// DISTANCE: copies: not by hardware: a distance between its lines, or between its blocks, is no multiple of 16 bytes
// BEGIN: copies: not by hardware: a distance between its lines, or between its blocks, is no multiple of 16 bytes

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, shared_bytes = 232448 : i64,
                                  instructions = [#group]}} {
  func.func @sums(%a: !tile.ptr<f16> {tile.name = "a"}, %b: !tile.ptr<f16> {tile.name = "b"}, %c: !tile.ptr<f32>,
                  %n: i32, %stride: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %range = tile.make_range 0 to 64
    %down = tile.expand_dims %range axis 1 : tensor<64xi32>
    %across = tile.expand_dims %range axis 0 : tensor<64xi32>
    %depths = tile.make_range 0 to 32
    %depth = tile.expand_dims %depths axis 0 : tensor<32xi32>
    %depthdown = tile.expand_dims %depths axis 1 : tensor<32xi32>
    %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
    %bstrides = tile.splat %stride : i32 -> tensor<32x1xi32>
    %p = tile.program_id 0
    %start = arith.muli %p, %c64 : i32
    %starts = tile.splat %start : i32 -> tensor<64x1xi32>
    %rows = arith.addi %starts, %down : tensor<64x1xi32>
    %arows = arith.muli %rows, %strides : tensor<64x1xi32>
    %awide = tile.broadcast %arows : tensor<64x1xi32> -> tensor<64x32xi32>
    %aline = tile.broadcast %depth : tensor<1x32xi32> -> tensor<64x32xi32>
    %aoffsets = arith.addi %awide, %aline : tensor<64x32xi32>
    %brows = arith.muli %depthdown, %bstrides : tensor<32x1xi32>
    %bwide = tile.broadcast %brows : tensor<32x1xi32> -> tensor<32x64xi32>
    %bline = tile.broadcast %across : tensor<1x64xi32> -> tensor<32x64xi32>
    %boffsets = arith.addi %bwide, %bline : tensor<32x64xi32>
    %bstep = arith.muli %stride, %c32 : i32
    %r:3 = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %zeros, %pa = %a, %pb = %b)
        -> (tensor<64x64xf32>, !tile.ptr<f16>, !tile.ptr<f16>) : i32 {
      %abase = tile.splat %pa : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
      %aptrs = tile.addptr %abase, %aoffsets : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %x = tile.load %aptrs : tensor<64x32x!tile.ptr<f16>>
      %bbase = tile.splat %pb : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
      %bptrs = tile.addptr %bbase, %boffsets : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
      %y = tile.load %bptrs : tensor<32x64x!tile.ptr<f16>>
      %d = tile.dot %x, %y, %sum : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      %pa2 = tile.addptr %pa, %c32 : !tile.ptr<f16>, i32
      %pb2 = tile.addptr %pb, %bstep : !tile.ptr<f16>, i32
      scf.yield %d, %pa2, %pb2 : tensor<64x64xf32>, !tile.ptr<f16>, !tile.ptr<f16>
    }
    tile.print "" is_signed [true](%r#0) : tensor<64x64xf32>
    return
  }
}
