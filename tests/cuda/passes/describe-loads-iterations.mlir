// Each iteration stores rows of its own, of a sum that the next one has, too: rows of A beyond the mask of their own
// iteration are not dead.
// RUN: tegula-opt --tile-select-products --tile-describe-loads %s 2>/dev/null | FileCheck %s
// Of the same mask in all iterations they are.
// RUN: sed "s/here,/fixed,/" %s | tegula-opt --tile-select-products --tile-describe-loads 2>/dev/null | FileCheck %s --check-prefix=SAME
// CHECK: axes = [{extent = array<i64: 2147483647>, open, stride = array<i64: 1, 4>}
// SAME: axes = [{extent = array<i64: 1, 3>, stride = array<i64: 1, 4>}

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, shared_bytes = 232448 : i64,
                                  instructions = [#group]}} {
  func.func @sums(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %m: i32, %stride: i32)
      attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %range = tile.make_range 0 to 64
    %down = tile.expand_dims %range axis 1 : tensor<64xi32>
    %depths = tile.make_range 0 to 32
    %depth = tile.expand_dims %depths axis 0 : tensor<32xi32>
    %depthdown = tile.expand_dims %depths axis 1 : tensor<32xi32>
    %across = tile.expand_dims %range axis 0 : tensor<64xi32>
    %s64 = arith.constant dense<64> : tensor<32x1xi32>
    %bdown = arith.muli %depthdown, %s64 : tensor<32x1xi32>
    %bwide = tile.broadcast %bdown : tensor<32x1xi32> -> tensor<32x64xi32>
    %bacross = tile.broadcast %across : tensor<1x64xi32> -> tensor<32x64xi32>
    %boffsets = arith.addi %bwide, %bacross : tensor<32x64xi32>
    %bbase = tile.splat %b : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
    %bptrs = tile.addptr %bbase, %boffsets : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
    %abase = tile.splat %a : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %cptrs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
    %ms = tile.splat %m : i32 -> tensor<64x1xi32>
    %p = tile.program_id 0
    %start = arith.muli %p, %c64 : i32
    %starts = tile.splat %start : i32 -> tensor<64x1xi32>
    %fixed = arith.addi %starts, %down : tensor<64x1xi32>
    %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
      %first = arith.muli %k, %c64 : i32
      %firsts = tile.splat %first : i32 -> tensor<64x1xi32>
      %here = arith.addi %firsts, %down : tensor<64x1xi32>
      %isrow = arith.cmpi slt, %here, %ms : tensor<64x1xi32>
      %mask = tile.broadcast %isrow : tensor<64x1xi1> -> tensor<64x64xi1>
      %offset = arith.muli %here, %strides : tensor<64x1xi32>
      %wide = tile.broadcast %offset : tensor<64x1xi32> -> tensor<64x32xi32>
      %line = tile.broadcast %depth : tensor<1x32xi32> -> tensor<64x32xi32>
      %offsets = arith.addi %wide, %line : tensor<64x32xi32>
      %ptrs = tile.addptr %abase, %offsets : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %x = tile.load %ptrs : tensor<64x32x!tile.ptr<f16>>
      %y = tile.load %bptrs : tensor<32x64x!tile.ptr<f16>>
      %d = tile.dot %x, %y, %sum : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      tile.store %cptrs, %d mask %mask : tensor<64x64x!tile.ptr<f32>>
      scf.yield %d : tensor<64x64xf32>
    }
    return
  }
}
