// RUN: tegula-opt --tile-load-fragments --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-load-fragments %s --split-input-file --verify-diagnostics -o /dev/null

#instruction = #simt.instruction<"16x16x16.f16.f32", 16x16x16, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// Whether the tile lies within n columns is tested once; rows are one stride apart.
// CHECK-LABEL: func.func @limited
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16> {{.*}}, %[[B:.*]]: tensor<16x16xf16>, %[[S:.*]]: i32 {{.*}}, %[[N:.*]]: i32
// CHECK-DAG:   %[[WIDE:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK-DAG:   %[[COLUMNS:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK-DAG:   arith.subi %{{.*}}, %[[COLUMNS]] : i64
// CHECK:       %[[R:.*]] = scf.if %{{.*}} -> (tensor<32x16xf32>) {
// CHECK-NEXT:    %[[A:.*]] = tile.load_strided %[[P]] stride %[[WIDE]] : <f16> -> tensor<32x16xf16>
// CHECK-NEXT:    %[[D:.*]] = tile.dot %[[A]], %[[B]], %{{.*}} {simt.instruction = #instruction}
// CHECK-NEXT:    scf.yield %[[D]]
// CHECK-NEXT:  } else {
// CHECK:         %[[L:.*]] = tile.load %{{.*}} mask
// CHECK-NEXT:    %[[E:.*]] = tile.dot %[[L]], %[[B]]
// CHECK-NEXT:    scf.yield %[[E]]
// CHECK:       return %[[R]]
func.func @limited(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: tensor<16x16xf16>,
    %s: i32 {tile.divisibility = 16 : i64},
                   %n: i32, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %i = tile.make_range 0 to 32
  %j = tile.make_range 0 to 16
  %row = tile.expand_dims %i axis 1 : tensor<32xi32>
  %column = tile.expand_dims %j axis 0 : tensor<16xi32>
  %ss = tile.splat %s : i32 -> tensor<32x1xi32>
  %lines = arith.muli %row, %ss : tensor<32x1xi32>
  %l = tile.broadcast %lines : tensor<32x1xi32> -> tensor<32x16xi32>
  %k = tile.broadcast %column : tensor<1x16xi32> -> tensor<32x16xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x16x!tile.ptr<f16>>
  %pl = tile.addptr %ps, %l : tensor<32x16x!tile.ptr<f16>>, tensor<32x16xi32>
  %pt = tile.addptr %pl, %k : tensor<32x16x!tile.ptr<f16>>, tensor<32x16xi32>
  %ns = tile.splat %n : i32 -> tensor<1x16xi32>
  %in = arith.cmpi slt, %column, %ns : tensor<1x16xi32>
  %m = tile.broadcast %in : tensor<1x16xi1> -> tensor<32x16xi1>
  %a = tile.load %pt mask %m : tensor<32x16x!tile.ptr<f16>>
  // expected-remark @below {{dot: A straight from global memory where all of the tile lies there; B through shared memory: it is not loaded as it is}}
  %d = tile.dot %a, %b, %c {simt.instruction = #instruction}
      : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
  return %d : tensor<32x16xf32>
}

// -----

#instruction = #simt.instruction<"16x16x16.f16.f32", 16x16x16, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// No mask, constant steps, elements contiguous along columns: no run-time test.
// CHECK-LABEL: func.func @always
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16>
// CHECK:      %[[S:.*]] = arith.constant 64 : i64
// CHECK-NOT:  scf.if
// CHECK:      %[[B:.*]] = tile.load_strided %[[P]] stride %[[S]] columns : <f16> -> tensor<16x16xf16>
// CHECK:      tile.dot %{{.*}}, %[[B]]
func.func @always(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %a: tensor<16x16xf16>, %c: tensor<16x16xf32>)
    -> tensor<16x16xf32> {
  %j = tile.make_range 0 to 16
  %row = tile.expand_dims %j axis 1 : tensor<16xi32>
  %column = tile.expand_dims %j axis 0 : tensor<16xi32>
  %ss = arith.constant dense<64> : tensor<1x16xi32>
  %lines = arith.muli %column, %ss : tensor<1x16xi32>
  %l = tile.broadcast %lines : tensor<1x16xi32> -> tensor<16x16xi32>
  %k = tile.broadcast %row : tensor<16x1xi32> -> tensor<16x16xi32>
  %o = arith.addi %l, %k : tensor<16x16xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %pt = tile.addptr %ps, %o : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %b = tile.load %pt : tensor<16x16x!tile.ptr<f16>>
  // expected-remark @below {{dot: A through shared memory: it is not loaded as it is; B straight from global memory}}
  %d = tile.dot %a, %b, %c {simt.instruction = #instruction}
      : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

#instruction = #simt.instruction<"16x16x16.f16.f32", 16x16x16, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// Lines at unaligned addresses; a store between the load and the product; a mask that is no limit along an axis; a dot
// without an instruction.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: tile.load_strided
// CHECK: return
func.func @left_alone(%p: !tile.ptr<f16>, %q: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %m: tensor<16x16xi1>,
    %c: tensor<16x16xf32>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %j = tile.make_range 0 to 16
  %row = tile.expand_dims %j axis 1 : tensor<16xi32>
  %column = tile.expand_dims %j axis 0 : tensor<16xi32>
  %ss = arith.constant dense<64> : tensor<16x1xi32>
  %lines = arith.muli %row, %ss : tensor<16x1xi32>
  %l = tile.broadcast %lines : tensor<16x1xi32> -> tensor<16x16xi32>
  %k = tile.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %l, %k : tensor<16x16xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %pt = tile.addptr %ps, %o : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %qs = tile.splat %q : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %qt = tile.addptr %qs, %o : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %a = tile.load %pt : tensor<16x16x!tile.ptr<f16>>
  %b = tile.load %qt mask %m : tensor<16x16x!tile.ptr<f16>>
  // expected-remark @below {{dot: A through shared memory: its lines may begin anywhere; B through shared memory: its mask is not made of limits along its axes}}
  %d = tile.dot %a, %b, %c {simt.instruction = #instruction}
      : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %e = tile.load %qt : tensor<16x16x!tile.ptr<f16>>
  tile.store %pt, %e : tensor<16x16x!tile.ptr<f16>>
  %f = tile.load %qt : tensor<16x16x!tile.ptr<f16>>
  tile.store %qt, %e : tensor<16x16x!tile.ptr<f16>>
  // expected-remark @below {{dot: A through shared memory: it is used elsewhere, too; B through shared memory: memory may change between its load and the product}}
  %g = tile.dot %e, %f, %c {simt.instruction = #instruction}
      : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %h = tile.load %qt : tensor<16x16x!tile.ptr<f16>>
  %x = tile.dot %h, %h, %c : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return %d, %g, %x : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
