// Remainders of ranges become unsigned where the launch can tell that the ranges are not negative and do not wrap:
// columns of a group of tiles, behind a quotient by the group's rows. Not if the divisor may be odd, if the sign is
// known, if no access becomes wider, if the start is computed of more than arguments and programs, or in too few bits;
// nor where code must not be conditional.
// RUN: tegula-opt --simt-set-target='fields={conditional=true}' --tile-unsigned-remainders %s 2>/dev/null | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={conditional=true}' --tile-unsigned-remainders %s 2>&1 >/dev/null | FileCheck %s --check-prefix=SAYS
// RUN: tegula-opt --tile-unsigned-remainders %s | FileCheck %s --check-prefix=OFF
// OFF-NOT: arith.remui
// OFF: func.func @strided
// OFF-NOT: arith.remui

// SAYS: remark: wraps: accesses are of several elements: the launch tells that no dividend is negative
// SAYS: remark: wraps: accesses are of fewer elements than they could be: no launch can tell that no dividend is negative

// The start plus 1, and the greatest index plus 1: program % columns / min(rows - program / columns * 8, 8) * 64 + 1,
// and + 64. Before that: the divisor is at least 1.
// CHECK-LABEL: func.func @grouped(
// CHECK-SAME:      attributes {tile.conditions = [array<i64: 1, 3, 0, 0>, array<i64: 2, 0, 0, 0, 1, 2, 0, 0, 7, 0, 0, 1, 1, 1, 0, 0, 6, 0, 0, 1, 0, 8, 0, 0, 5, 0, 4, 5, 4, 0, 3, 6, 8, 0, 7, 5, 6, 0, 2, 8, 0, 64, 0, 0, 5, 0, 9, 10, 0, 1, 0, 0, 3, 0, 11, 12, 0, 64, 0, 0, 3, 0, 11, 14, 8, 0, 13, 15>]
// CHECK:         arith.remui
// CHECK-NOT:     arith.remsi {{.*}} tensor
func.func @grouped(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %rows: i32, %columns: i32, %n: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %program = tile.program_id 0
  %group = arith.divsi %program, %columns : i32
  %first = arith.muli %group, %c8 : i32
  %left = arith.subi %rows, %first : i32
  %height = arith.minsi %left, %c8 : i32
  %inGroup = arith.remsi %program, %columns : i32
  %column = arith.divsi %inGroup, %height : i32
  %start = arith.muli %column, %c64 : i32
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x!tile.ptr<f16>>
  return
}

// The quotient's divisor is one of the nodes, which isPositive wants to be at least 1.
// CHECK-LABEL: func.func @quotient(
// CHECK-SAME:      attributes {tile.conditions = [array<i64: 1, 2, 0, 0>, array<i64: 2, 0, 0, 0, 1, 1, 0, 0, 6, 0, 0, 1, 0, 64, 0, 0, 5, 0, 2, 3, 0, 1, 0, 0, 3, 0, 4, 5, 0, 64, 0, 0, 3, 0, 4, 7, 8, 0, 6, 8>]
// CHECK:         arith.remui
func.func @quotient(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %columns: i32, %n: i32 {tile.divisibility = 8 : i64})
    attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %program = tile.program_id 0
  %row = arith.divsi %program, %columns : i32
  %start = arith.muli %row, %c64 : i32
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x!tile.ptr<f16>>
  return
}

// The start is known not to be negative; the divisor may be odd.
// CHECK-LABEL: func.func @as_they_are(
// CHECK-NOT:     conditions
// CHECK-COUNT-2: arith.remsi {{.*}} : tensor<64xi32>
func.func @as_they_are(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %columns: i32, %odd: i32, %n: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %program = tile.program_id 0
  %start = arith.muli %program, %c64 : i32
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi32>
  %row = arith.divsi %program, %columns : i32
  %from = arith.muli %row, %c64 : i32
  %froms = tile.splat %from : i32 -> tensor<64xi32>
  %others = arith.addi %froms, %range : tensor<64xi32>
  %odds = tile.splat %odd : i32 -> tensor<64xi32>
  %oddly = arith.remsi %others, %odds : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  %q = tile.addptr %base, %oddly : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  tile.store %q, %v : tensor<64x!tile.ptr<f16>>
  return
}

// A difference may be negative, whatever the launch: `program - program / columns * columns` is not, but intervals do
// not show that.
// CHECK-LABEL: func.func @difference(
// CHECK-NOT:     conditions
// CHECK:         arith.remsi {{.*}} : tensor<64xi32>
func.func @difference(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %all: i32, %n: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %program = tile.program_id 0
  %left = arith.subi %all, %program : i32
  %start = arith.muli %left, %c64 : i32
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x!tile.ptr<f16>>
  return
}

// A constant divisor needs no condition; a range that begins at 64, and promises about it.
// CHECK-LABEL: func.func @constant(
// CHECK-SAME:      attributes {tile.conditions = [array<i64: 2, 0, 0, 0, 1, 1, 0, 0, 6, 0, 0, 1, 0, 64, 0, 0, 5, 0, 2, 3, 0, 65, 0, 0, 3, 0, 4, 5, 0, 128, 0, 0, 3, 0, 4, 7, 8, 0, 6, 8>]
// CHECK:         arith.remui
func.func @constant(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %columns: i32)
    attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %program = tile.program_id 0
  %row = arith.divsi %program, %columns : i32
  %start = arith.muli %row, %c64 : i32
  %range = tile.make_range 64 to 128 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ns = arith.constant dense<192> : tensor<64xi32>
  %hinted = tile.hint %offsets divisibility [64] contiguity [64] : tensor<64xi32>
  %wrapped = arith.remsi %hinted, %ns : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x!tile.ptr<f16>>
  return
}

// A start that a loop carries.
// CHECK-LABEL: func.func @carried(
// CHECK-NOT:     conditions
// CHECK:         arith.remsi {{.*}} : tensor<64xi32>
func.func @carried(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %columns: i32, %n: i32 {tile.divisibility = 8 : i64})
    attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %program = tile.program_id 0
  %row = arith.divsi %program, %columns : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %columns step %c1 iter_args(%start = %c0) -> (i32) : i32 {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x!tile.ptr<f16>>
  %next = arith.muli %row, %c64 : i32
  scf.yield %next : i32
  }
  return
}

// In 64 bits.
// CHECK-LABEL: func.func @wide(
// CHECK-SAME:      tile.conditions
// CHECK:         arith.remui {{.*}} : tensor<64xi64>
func.func @wide(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %all: i32, %n: i64 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c64 = arith.constant 64 : i64
  %program = tile.program_id 0
  %left = arith.divsi %program, %all : i32
  %wider = arith.extsi %left : i32 to i64
  %start = arith.muli %wider, %c64 : i64
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %ranges = arith.extsi %range : tensor<64xi32> to tensor<64xi64>
  %starts = tile.splat %start : i64 -> tensor<64xi64>
  %offsets = arith.addi %starts, %ranges : tensor<64xi64>
  %ns = tile.splat %n : i64 -> tensor<64xi64>
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi64>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f16>>, tensor<64xi64>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x!tile.ptr<f16>>
  return
}

// A product of 8 bits may wrap.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     conditions
// CHECK:         arith.remsi {{.*}} : tensor<64xi32>
func.func @narrow(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %columns: i8, %n: i32 {tile.divisibility = 8 : i64})
    attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %c3 = arith.constant 3 : i8
  %few = arith.muli %columns, %c3 : i8
  %row = arith.extsi %few : i8 to i32
  %start = arith.muli %row, %c64 : i32
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x!tile.ptr<f16>>
  return
}

// No launch knows what memory holds.
// CHECK-LABEL: func.func @loaded(
// CHECK-NOT:     conditions
// CHECK:         arith.remsi {{.*}} : tensor<64xi32>
func.func @loaded(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %starts: !tile.ptr<i32>, %n: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %program = tile.program_id 0
  %place = tile.addptr %starts, %program : !tile.ptr<i32>, i32
  %block = tile.load %place : !tile.ptr<i32>
  %start = arith.muli %block, %c64 : i32
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %first = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %first, %range : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %base, %wrapped : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x!tile.ptr<f16>>
  return
}

// Every other element: no access becomes wider.
// CHECK-LABEL: func.func @strided(
// CHECK-NOT:     conditions
// CHECK:         arith.remsi {{.*}} : tensor<64xi32>
func.func @strided(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %columns: i32, %n: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %program = tile.program_id 0
  %row = arith.divsi %program, %columns : i32
  %start = arith.muli %row, %c64 : i32
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %offsets, %ns : tensor<64xi32>
  %twos = tile.splat %c2 : i32 -> tensor<64xi32>
  %apart = arith.muli %wrapped, %twos : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %p = tile.addptr %base, %apart : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x!tile.ptr<f16>>
  return
}
