// RUN: tegula-opt --simt-simplify-masks %s --split-input-file | FileCheck %s

// A row in two copies: in the first, the elements of the first half are inside without a question.
// CHECK-LABEL: func.func @row
func.func @row(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %n: i32)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %constants = arith.constant dense<[0, 32, 64, 96, 128, 160, 192, 224]> : vector<8xi32>
  %lane = simt.lane_id : i32
  %first = simt.splat %lane : i32 -> vector<8xi32>
  %columns = arith.addi %first, %constants overflow<nsw> : vector<8xi32>
  %bound = simt.splat %n : i32 -> vector<8xi32>
  // CHECK: %[[LIMIT:.*]] = arith.maxsi %arg2, %c0
  // CHECK: %[[REST:.*]] = arith.subi %[[LIMIT]], %[[LANE:.*]] overflow<nsw> : i32
  // CHECK: %[[DISTANCE:.*]] = simt.splat %[[REST]]
  // CHECK: %[[MASK:.*]] = arith.cmpi sgt, %[[DISTANCE]], %{{.*}} : vector<8xi32>
  %mask = arith.cmpi slt, %columns, %bound : vector<8xi32>
  // CHECK: %[[MOST:.*]] = arith.constant 127 : i32
  // CHECK: %[[LONG:.*]] = arith.cmpi sgt, %arg2, %[[MOST]] : i32
  // CHECK: scf.if %[[LONG]] {
  // CHECK:   %[[KNOWN:.*]] = arith.constant dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>
  // CHECK:   %[[HALF:.*]] = arith.ori %[[MASK]], %[[KNOWN]]
  // CHECK:   simt.load %arg0[%{{.*}}] mask %[[HALF]] {simt.masked_dead}
  // CHECK:   simt.store %arg1[%{{.*}}], %{{.*}} mask %[[HALF]]
  // CHECK: } else {
  // CHECK:   simt.load %arg0[%{{.*}}] mask %[[MASK]] {simt.masked_dead}
  // CHECK:   simt.store %arg1[%{{.*}}], %{{.*}} mask %[[MASK]]
  // CHECK: } {simt.uniform}
  %x = simt.load %a[%columns] mask %mask : !tile.ptr<f16>, vector<8xi32>, vector<8xi1> -> vector<8xf16>
  %y = arith.negf %x : vector<8xf16>
  simt.store %b[%columns], %y mask %mask : !tile.ptr<f16>, vector<8xi32>, vector<8xf16>, vector<8xi1>
  return
}

// The number of the first element may be negative: nothing is changed.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %from: i32, %n: i32)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %constants = arith.constant dense<[0, 32, 64, 96, 128, 160, 192, 224]> : vector<8xi32>
  %first = simt.splat %from : i32 -> vector<8xi32>
  %columns = arith.addi %first, %constants : vector<8xi32>
  %bound = simt.splat %n : i32 -> vector<8xi32>
  // CHECK: arith.cmpi slt
  // CHECK-NOT: scf.if
  %mask = arith.cmpi slt, %columns, %bound : vector<8xi32>
  %x = simt.load %a[%columns] mask %mask : !tile.ptr<f32>, vector<8xi32>, vector<8xi1> -> vector<8xf32>
  simt.store %b[%columns], %x mask %mask : !tile.ptr<f32>, vector<8xi32>, vector<8xf32>, vector<8xi1>
  return
}

// Elements that are added to others, or stored under another mask, are not dead.
// CHECK-LABEL: func.func @alive
func.func @alive(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %n: i32, %m: i32)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %lane = simt.lane_id : i32
  %other = arith.constant 1.0 : f32
  %mask = arith.cmpi slt, %lane, %n : i32
  %another = arith.cmpi slt, %lane, %m : i32
  // CHECK: simt.load %arg0[%{{.*}}] mask %{{[^ ]*}} : <f32>, i32, i1 -> f32
  %x = simt.load %a[%lane] mask %mask : !tile.ptr<f32>, i32, i1 -> f32
  // CHECK: simt.load %arg0[%{{.*}}] mask %{{[^ ]*}} other %{{.*}} : <f32>
  %y = simt.load %a[%lane] mask %mask other %other : !tile.ptr<f32>, i32, i1, other f32 -> f32
  // CHECK: simt.load %arg0[%{{.*}}] mask %{{[^ ]*}} {simt.masked_dead} : <f32>
  %z = simt.load %a[%lane] mask %mask other %other : !tile.ptr<f32>, i32, i1, other f32 -> f32
  %sum = simt.shuffle xor %x, %lane : f32
  simt.store %b[%lane], %sum mask %mask : !tile.ptr<f32>, i32, f32, i1
  simt.store %b[%lane], %y mask %another : !tile.ptr<f32>, i32, f32, i1
  simt.store %b[%lane], %z mask %mask : !tile.ptr<f32>, i32, f32, i1
  return
}

// A group of a rotated range, one by one: for short rows from one address, with numbers before the wrap below zero.
// CHECK-LABEL: func.func @rotated
func.func @rotated(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %r: i32, %n: i32)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %constants = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
  %last = arith.constant dense<511> : vector<4xi32>
  %c1 = arith.constant 1 : i32
  %c127 = arith.constant 127 : i32
  %behind = arith.andi %r, %c127 : i32
  %shift = arith.shrui %behind, %c1 : i32
  %lane = simt.lane_id : i32
  %first = simt.splat %lane : i32 -> vector<4xi32>
  %rotation = simt.splat %shift : i32 -> vector<4xi32>
  %sum = arith.addi %first, %constants overflow<nsw> : vector<4xi32>
  %moved = arith.subi %sum, %rotation : vector<4xi32>
  // CHECK: arith.subi %{{.*}}, %{{.*}} : i32
  // CHECK: %[[GROUP:.*]] = arith.andi %{{.*}}, %{{.*}} : i32
  %columns = arith.andi %moved, %last : vector<4xi32>
  %bound = simt.splat %n : i32 -> vector<4xi32>
  %mask = arith.cmpi slt, %columns, %bound : vector<4xi32>
  // CHECK: %[[MOST:.*]] = arith.constant 508 : i32
  // CHECK: %[[SHORT:.*]] = arith.cmpi sle, %arg3, %[[MOST]] : i32
  // CHECK: scf.if %[[SHORT]] -> (vector<4xf16>) {
  // CHECK:   %[[WRAPS:.*]] = arith.cmpi sgt, %[[GROUP]], %c508
  // CHECK:   %[[BEFORE:.*]] = arith.subi %[[GROUP]], %c512
  // CHECK:   %[[FIRST:.*]] = arith.select %[[WRAPS]], %[[BEFORE]], %[[GROUP]] : i32
  // CHECK:   %[[MASK:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : vector<4xi32>
  // CHECK:   %[[BASE:.*]] = tile.addptr %arg0, %[[FIRST]]
  // CHECK:   simt.load %[[BASE]][%{{.*}}] mask %[[MASK]]
  // CHECK: } else {
  // CHECK:   simt.load %arg0[
  // CHECK: } {simt.uniform}
  %x = simt.load %a[%columns] mask %mask : !tile.ptr<f16>, vector<4xi32>, vector<4xi1> -> vector<4xf16>
  %y = arith.negf %x : vector<4xf16>
  // CHECK: simt.store %arg1[
  simt.store %b[%lane], %y : !tile.ptr<f16>, i32, vector<4xf16>
  return
}

// Whole groups of a rotated range, and groups that an edge divides: comparisons of the first numbers alone.
// CHECK-LABEL: func.func @groups
func.func @groups(%r: i32, %n: i32, %x: i32) -> (vector<2xi1>, vector<2xi1>) {
  %c1 = arith.constant 1 : i32
  %c31 = arith.constant 31 : i32
  %c127 = arith.constant 127 : i32
  %behind = arith.andi %r, %c127 : i32
  %shift = arith.shrui %behind, %c1 : i32
  %lane = arith.andi %x, %c31 : i32
  %begins = arith.constant dense<[0, 256]> : vector<2xi32>
  %ends = arith.constant dense<[7, 263]> : vector<2xi32>
  %last = arith.constant dense<511> : vector<2xi32>
  %run = arith.constant dense<7> : vector<2xi32>
  %thread = simt.splat %lane : i32 -> vector<2xi32>
  %rotation = simt.splat %shift : i32 -> vector<2xi32>
  %bound = simt.splat %n : i32 -> vector<2xi32>
  %0 = arith.addi %thread, %begins overflow<nsw> : vector<2xi32>
  %1 = arith.subi %0, %rotation : vector<2xi32>
  // The second group never wraps.
  // CHECK: %[[WRAPPED:.*]] = arith.andi %{{.*}}, %{{.*}} : vector
  // CHECK: %[[NEVER:.*]] = arith.constant dense<[false, true]>
  // CHECK: %[[FIRSTS:.*]] = arith.select %[[NEVER]], %{{.*}}, %[[WRAPPED]]
  %firsts = arith.andi %1, %last : vector<2xi32>
  %2 = arith.addi %thread, %ends overflow<nsw> : vector<2xi32>
  %3 = arith.subi %2, %rotation : vector<2xi32>
  %lasts = arith.andi %3, %last : vector<2xi32>
  %steps = arith.subi %lasts, %firsts : vector<2xi32>
  %runs = arith.cmpi eq, %steps, %run : vector<2xi32>
  %wraps = arith.cmpi ne, %steps, %run : vector<2xi32>
  // CHECK: %[[WRAPPED_FIRST:.*]] = arith.cmpi slt, %[[FIRSTS]], %{{.*}} : vector<2xi32>
  // CHECK: %[[FIRST:.*]] = arith.select %{{.*}}, %{{.*}}, %[[WRAPPED_FIRST]]
  %first = arith.cmpi slt, %firsts, %bound : vector<2xi32>
  %second = arith.cmpi slt, %lasts, %bound : vector<2xi32>
  %both = arith.andi %first, %second : vector<2xi1>
  // CHECK: %[[END:.*]] = arith.subi %{{.*}}, %c7
  // CHECK: %[[ENDS:.*]] = simt.splat %[[END]]
  // CHECK: %[[WHOLE:.*]] = arith.cmpi slt, %[[FIRSTS]], %[[ENDS]]
  %whole = arith.andi %runs, %both : vector<2xi1>
  %either = arith.ori %first, %second : vector<2xi1>
  // CHECK: %[[WRAPS:.*]] = arith.cmpi sgt, %[[FIRSTS]], %{{.*}} : vector<2xi32>
  // CHECK: %[[SOME:.*]] = arith.ori %[[FIRST]], %[[WRAPS]]
  %some = arith.ori %either, %wraps : vector<2xi1>
  // CHECK: return %[[WHOLE]], %[[SOME]]
  return %whole, %some : vector<2xi1>, vector<2xi1>
}

// -----

// A row of a rotated range, element by element. The first 63 numbers of the block may wrap: of a thread's elements the
// first two. Where the row has more than 31 + 352 elements (of 32 lanes, up to the constant 352), and at most 512 - 63,
// no number needs a remainder; the elements with the constants 64 to 352 are inside. A second copy is for half of them.
// CHECK-LABEL: func.func @rotated_row
// CHECK: %[[WRAPPED:.*]] = arith.andi %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[WRAPPED]]
// CHECK: %[[LONG:.*]] = arith.cmpi sgt, %arg3, %c383
// CHECK: %[[ENDS:.*]] = arith.cmpi sle, %arg3, %c449
// CHECK: %[[BOTH:.*]] = arith.andi %[[LONG]], %[[ENDS]]
// CHECK: scf.if %[[BOTH]] {
// CHECK:   %[[NUMBERS:.*]] = arith.addi %{{.*}}, %{{.*}} overflow<nsw> : vector<16xi32>
// CHECK:   arith.cmpi sge, %[[NUMBERS]], %{{.*}}
// CHECK:   %[[KNOWN:.*]] = arith.constant dense<[false, false, true, true, true, true, true, true, true, true, true, true, false, false, false, false]>
// CHECK:   %[[INSIDE:.*]] = arith.ori %{{.*}}, %[[KNOWN]]
// CHECK:   simt.load %arg0[%[[NUMBERS]]] mask %[[INSIDE]]
// CHECK: } else {
// CHECK:   arith.cmpi sgt, %arg3, %c255
// CHECK:   scf.if
// CHECK:     arith.constant dense<[false, false, true, true, true, true, true, true, false,
// CHECK:   } else {
// CHECK:     simt.load %arg0[%{{.*}}] mask
func.func @rotated_row(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %r: i32, %n: i32)
    attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {
  %constants = arith.constant dense<
      [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480]> : vector<16xi32>
  %last = arith.constant dense<511> : vector<16xi32>
  %c1 = arith.constant 1 : i32
  %c127 = arith.constant 127 : i32
  %behind = arith.andi %r, %c127 : i32
  %shift = arith.shrui %behind, %c1 : i32
  %lane = simt.lane_id : i32
  %first = simt.splat %lane : i32 -> vector<16xi32>
  %rotation = simt.splat %shift : i32 -> vector<16xi32>
  %sum = arith.addi %first, %constants overflow<nsw> : vector<16xi32>
  %moved = arith.subi %sum, %rotation : vector<16xi32>
  %columns = arith.andi %moved, %last : vector<16xi32>
  %bound = simt.splat %n : i32 -> vector<16xi32>
  %mask = arith.cmpi slt, %columns, %bound : vector<16xi32>
  %x = simt.load %a[%columns] mask %mask : !tile.ptr<f16>, vector<16xi32>, vector<16xi1> -> vector<16xf16>
  %y = arith.negf %x : vector<16xf16>
  simt.store %b[%columns], %y mask %mask : !tile.ptr<f16>, vector<16xi32>, vector<16xf16>, vector<16xi1>
  return
}
