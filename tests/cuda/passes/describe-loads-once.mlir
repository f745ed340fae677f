// Blocks that a kernel loads once, beside a loop whose loads hardware copies.
// RUN: tegula-opt --tile-select-products --tile-describe-loads --canonicalize --cse %s 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-describe-loads %s 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// WHY: remark: copies: by hardware, of a tensor that the launch describes
// WHY: remark: copies: by hardware, once, of a tensor that the launch describes
// RUN: sed 's/%begin = arith.muli %p, %c64/%less = arith.subi %p, %c64 : i32 %begin = arith.muli %less, %c64/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: remark: copies: not by hardware: a position may be negative
// RUN: sed 's/%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}/%a: !tile.ptr<f16>/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=ALIGNED
// ALIGNED: remark: copies: not by hardware: its address, or the distance between its lines, is not known
// RUN: sed 's/scf.yield %d/%e = tile.dot %x, %y, %d : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32> scf.yield %e/' %s | tegula-opt --tile-select-products --tile-describe-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=TWICE
// TWICE: remark: copies: by hardware, of a tensor that the launch describes
// TWICE: remark: copies: not by hardware: its block is used several times

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 4 : i32, tile.num_stages = 2 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, shared_bytes = 65536 : i64,
                                  instructions = [#group]}} {
  // CHECK-LABEL: func.func @once
  // CHECK-SAME: %[[B:arg[0-9]+]]: !tile.desc<64x64xf16> {tile.name = {{[^}]*}}tile.tensor
  // CHECK-SAME: %[[A:arg[0-9]+]]: !tile.desc<64x64xf16> {tile.name = {{[^}]*}}tile.tensor
  // CHECK: %[[X:.*]] = tile.desc_load %[[A]][%{{.*}}, %c0{{.*}}]
  // CHECK: scf.for
  // CHECK: %[[Y:.*]] = tile.desc_load %[[B]]
  // CHECK: tile.dot %[[X]], %[[Y]]
  func.func @once(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64},
      %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %line = arith.constant dense<64> : tensor<64x1xi32>
    %none = arith.constant dense<0.0> : tensor<64x64xf16>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %p = tile.program_id 0
    %begin = arith.muli %p, %c64 : i32
    %range = tile.make_range 0 to 64
    %first = tile.splat %begin : i32 -> tensor<64xi32>
    %at = arith.addi %first, %range : tensor<64xi32>
    %row = tile.expand_dims %at axis 1 : tensor<64xi32>
    %column = tile.expand_dims %range axis 0 : tensor<64xi32>
    %columns = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
    %lines = arith.muli %row, %line : tensor<64x1xi32>
    %wide = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
    %offsets = arith.addi %wide, %columns : tensor<64x64xi32>
    %sa = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %pa = tile.addptr %sa, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %ns = tile.splat %n : i32 -> tensor<64x1xi32>
    %inside = arith.cmpi slt, %row, %ns : tensor<64x1xi32>
    %mask = tile.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
    %x = tile.load %pa mask %mask other %none : tensor<64x64x!tile.ptr<f16>>
    %plain = tile.expand_dims %range axis 1 : tensor<64xi32>
    %blines = arith.muli %plain, %line : tensor<64x1xi32>
    %bwide = tile.broadcast %blines : tensor<64x1xi32> -> tensor<64x64xi32>
    %boffsets = arith.addi %bwide, %columns : tensor<64x64xi32>
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
      %skip = arith.muli %i, %c64 : i32
      %pb = tile.addptr %b, %skip : !tile.ptr<f16>, i32
      %sb = tile.splat %pb : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
      %ptrs = tile.addptr %sb, %boffsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %left = arith.subi %n, %i : i32
      %lefts = tile.splat %left : i32 -> tensor<64x1xi32>
      %are = arith.cmpi slt, %plain, %lefts : tensor<64x1xi32>
      %both = tile.broadcast %are : tensor<64x1xi1> -> tensor<64x64xi1>
      %y = tile.load %ptrs mask %both other %none : tensor<64x64x!tile.ptr<f16>>
      %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.print "" is_signed [true](%r) : tensor<64x64xf32>
    return
  }
}
