// Along which axis the lines of a product's operand lie in shared memory: that of its loads' neighbours, whatever is
// computed on the way.
// RUN: tegula-opt --tile-select-products --tile-plan-products --canonicalize %s --split-input-file 2>/dev/null | FileCheck %s

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// The right operand is unpacked from bytes, two rows from one, whose neighbours lie along the depth.
// CHECK: #[[S:.*]] = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0)
// CHECK-LABEL: func.func @unpacked
// CHECK: tile.reshape
// CHECK: simt.shared_alloc : <32x64xf16, #[[S]]>
module attributes {simt.target = {instructions = [#group]}, tile.num_warps = 4 : i32} {
func.func @unpacked(%a: tensor<64x32xf16>, %p: !tile.ptr<i8> {tile.divisibility = 16 : i64},
                    %stride: i32 {tile.divisibility = 16 : i64}, %c: tensor<64x64xf32>)
    attributes {tile.kernel} {
  %q = tile.make_range 0 to 16
  %j = tile.make_range 0 to 64
  %rows = tile.expand_dims %q axis 1 : tensor<16xi32>
  %columns = tile.expand_dims %j axis 0 : tensor<64xi32>
  %s = tile.splat %stride : i32 -> tensor<1x64xi32>
  %far = arith.muli %columns, %s : tensor<1x64xi32>
  %ii = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x64xi32>
  %jj = tile.broadcast %far : tensor<1x64xi32> -> tensor<16x64xi32>
  %k = arith.addi %ii, %jj : tensor<16x64xi32>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<16x64x!tile.ptr<i8>>
  %ptrs = tile.addptr %base, %k : tensor<16x64x!tile.ptr<i8>>, tensor<16x64xi32>
  %bytes = tile.load %ptrs : tensor<16x64x!tile.ptr<i8>>
  %four = arith.constant dense<4> : tensor<16x64xi8>
  %high = arith.shrsi %bytes, %four : tensor<16x64xi8>
  %left = arith.shli %bytes, %four : tensor<16x64xi8>
  %low = arith.shrsi %left, %four : tensor<16x64xi8>
  %l = arith.sitofp %low : tensor<16x64xi8> to tensor<16x64xf16>
  %h = arith.sitofp %high : tensor<16x64xi8> to tensor<16x64xf16>
  %both = tile.join %l, %h : tensor<16x64xf16>
  %t = tile.trans %both order [0, 2, 1] : tensor<16x64x2xf16>
  %b = tile.reshape %t : tensor<16x2x64xf16> -> tensor<32x64xf16>
  %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  tile.print "" is_signed [true](%d) : tensor<64x64xf32>
  return
}
}

// -----

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// The right operand is loaded in both branches, with neighbours along the depth.
// CHECK: #[[S:.*]] = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0)
// CHECK-LABEL: func.func @in_branches
// CHECK: simt.shared_alloc : <32x64xf16, #[[S]]>
module attributes {simt.target = {instructions = [#group]}, tile.num_warps = 4 : i32} {
func.func @in_branches(%a: tensor<64x32xf16>, %p: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                       %stride: i32 {tile.divisibility = 16 : i64}, %c: tensor<64x64xf32>, %first: i1,
                       %m: tensor<32x64xi1>) attributes {tile.kernel} {
  %q = tile.make_range 0 to 32
  %j = tile.make_range 0 to 64
  %rows = tile.expand_dims %q axis 1 : tensor<32xi32>
  %columns = tile.expand_dims %j axis 0 : tensor<64xi32>
  %s = tile.splat %stride : i32 -> tensor<1x64xi32>
  %far = arith.muli %columns, %s : tensor<1x64xi32>
  %ii = tile.broadcast %rows : tensor<32x1xi32> -> tensor<32x64xi32>
  %jj = tile.broadcast %far : tensor<1x64xi32> -> tensor<32x64xi32>
  %k = arith.addi %ii, %jj : tensor<32x64xi32>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %ptrs = tile.addptr %base, %k : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %b = scf.if %first -> (tensor<32x64xf16>) {
    %some = tile.load %ptrs mask %m : tensor<32x64x!tile.ptr<f16>>
    scf.yield %some : tensor<32x64xf16>
  } else {
    %all = tile.load %ptrs : tensor<32x64x!tile.ptr<f16>>
    scf.yield %all : tensor<32x64xf16>
  }
  %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  tile.print "" is_signed [true](%d) : tensor<64x64xf32>
  return
}
}
