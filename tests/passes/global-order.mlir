// RUN: tegula-opt --simt-insert-barriers %s --split-input-file | FileCheck %s
// RUN: tegula-opt --simt-insert-barriers --simt-check-barriers %s --split-input-file -o /dev/null

// Threads exchange elements through memory: a write after other threads' reads, a read after the write.
// CHECK-LABEL: func.func @reversed
func.func @reversed(%x: !tile.ptr<f32>) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c63 = arith.constant 63 : i32
  %t = simt.thread_id : i32
  %back = arith.subi %c63, %t : i32
  // CHECK: simt.load
  %v = simt.load %x[%t] {simt.sole} : !tile.ptr<f32>, i32 -> f32
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: simt.store
  simt.store %x[%back], %v : !tile.ptr<f32>, i32, f32
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: simt.load
  %w = simt.load %x[%t] {simt.sole} : !tile.ptr<f32>, i32 -> f32
  // The same elements in the same threads.
  // CHECK-NEXT: arith.addf
  %s = arith.addf %v, %w : f32
  // CHECK-NEXT: simt.store
  simt.store %x[%t], %s : !tile.ptr<f32>, i32, f32
  return
}

// -----

// No barriers: different arguments, also in loops; a thread's own elements, iteration after iteration; two reads.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: simt.barrier
// CHECK: return
func.func @nothing(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32)
    attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = simt.thread_id : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %from = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %v = simt.load %from[%t] {simt.sole} : !tile.ptr<f32>, i32 -> f32
    %u = simt.load %from[%c0] : !tile.ptr<f32>, i32 -> f32
    %w = simt.load %y[%t] {simt.sole} : !tile.ptr<f32>, i32 -> f32
    %s = arith.addf %v, %w : f32
    %r = arith.addf %s, %u : f32
    simt.store %y[%t], %r : !tile.ptr<f32>, i32, f32
  } {simt.uniform}
  return
}

// -----

// Several warps read a fragment's elements: a store through another pointer may alias them unless its element type
// differs.
// CHECK-LABEL: func.func @fragments
// CHECK: simt.fragment_load
// CHECK-NEXT: simt.store %{{.*}}f32>
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: simt.store %{{.*}}f16>
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: simt.fragment_load
func.func @fragments(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %z: !tile.ptr<f32>, %v: f16, %w: f32)
    attributes {simt.warps = 2 : i32, simt.warp_size = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %t = simt.thread_id : i32
  %a = simt.fragment_load row %x[%c0] stride %c8 : !tile.ptr<f16> -> !simt.fragment<8x8xf16, a>
  simt.store %z[%t], %w : !tile.ptr<f32>, i32, f32
  simt.store %y[%t], %v : !tile.ptr<f16>, i32, f16
  %b = simt.fragment_load row %x[%c0] stride %c8 : !tile.ptr<f16> -> !simt.fragment<8x8xf16, b>
  %c = simt.fragment_fill %w : f32 -> !simt.fragment<8x8xf32, acc>
  %d = simt.fragment_mma %a, %b, %c
      : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
  simt.fragment_store row %d, %z[%c0] stride %c8 : !simt.fragment<8x8xf32, acc>, !tile.ptr<f32>
  return
}

// -----

// Copies of an element are read by threads that do not write it: the load gets no mark.
// CHECK-LABEL: func.func @copies
// CHECK: simt.load
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: simt.store
func.func @copies(%x: !tile.ptr<f32>) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %t = simt.thread_id : i32
  %l = simt.lane_id : i32
  %w = simt.warp_id : i32
  %first = arith.cmpi eq, %w, %c0 : i32
  %v = simt.load %x[%l] : !tile.ptr<f32>, i32 -> f32
  simt.store %x[%l], %v mask %first : !tile.ptr<f32>, i32, f32, i1
  return
}

// -----

// One thread's accesses are in order; elements that all threads read and one writes in the next iteration are not.
// CHECK-LABEL: func.func @scalar
// CHECK: scf.for
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: simt.load
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: simt.store
// CHECK-NEXT: simt.store
// CHECK-NEXT: }
func.func @scalar(%x: !tile.ptr<i32>, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = simt.thread_id : i32
  %zero = arith.cmpi eq, %t, %c0 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = simt.load %x[%c0] : !tile.ptr<i32>, i32 -> i32
    simt.store %x[%c0], %v mask %zero : !tile.ptr<i32>, i32, i32, i1
    simt.store %x[%c1], %v mask %zero : !tile.ptr<i32>, i32, i32, i1
  } {simt.uniform}
  return
}

// -----

// A pointer loaded from memory may alias any array; atomics are ordered among themselves; a divergent branch cannot
// contain a barrier and gets none.
// CHECK-LABEL: func.func @anywhere
// CHECK: simt.load %arg0
// CHECK-NOT: simt.barrier
// CHECK: simt.store %arg1
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: simt.load
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: simt.atomic_rmw
// CHECK-NEXT: simt.atomic_rmw
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: simt.load
// CHECK-NEXT: simt.store
func.func @anywhere(%table: !tile.ptr<i64>, %y: !tile.ptr<i32>, %p: i1)
    attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %t = simt.thread_id : i32
  %l = simt.lane_id : i32
  %address = simt.load %table[%c0] : !tile.ptr<i64>, i32 -> i64
  %q = tile.int_to_ptr %address : i64 -> !tile.ptr<i32>
  simt.store %y[%t], %t : !tile.ptr<i32>, i32, i32
  %v = simt.load %q[%t] {simt.sole} : !tile.ptr<i32>, i32 -> i32
  %a = simt.atomic_rmw add relaxed device %y[%l], %v : !tile.ptr<i32>, i32, i32
  %b = simt.atomic_rmw add relaxed device %y[%t], %v : !tile.ptr<i32>, i32, i32
  scf.if %p {
    %w = simt.load %y[%l] : !tile.ptr<i32>, i32 -> i32
    simt.store %y[%t], %w : !tile.ptr<i32>, i32, i32
  } {simt.divergent}
  return
}

// -----

// A loop moves the pointer. Within an iteration each thread writes the elements that it has read; the elements of the
// next iteration may be those of other threads.
// CHECK-LABEL: func.func @iterations
// CHECK: scf.for
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: simt.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: simt.store
// CHECK-NEXT: tile.addptr
// CHECK-NEXT: scf.yield
func.func @iterations(%x: !tile.ptr<f32>, %n: i32, %y: !tile.ptr<f64>)
    attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %t = simt.thread_id : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %before = %zero) -> (!tile.ptr<f32>, f32) : i32 {
    %now = simt.load %p[%t] {simt.sole} : !tile.ptr<f32>, i32 -> f32
    %sum = arith.addf %before, %now : f32
    simt.store %p[%t], %before : !tile.ptr<f32>, i32, f32
    %next = tile.addptr %p, %c1 : !tile.ptr<f32>, i32
    scf.yield %next, %sum : !tile.ptr<f32>, f32
  } {simt.uniform}
  %wide = arith.extf %r#1 : f32 to f64
  simt.store %y[%t], %wide : !tile.ptr<f64>, i32, f64
  return
}

// -----

// The inner loop's iterations have one pointer, those of the outer loop do not. A store behind the inner loop is in the
// outer iteration of its loads.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK-NEXT: tile.addptr
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: simt.load
// CHECK-NEXT: simt.store
// CHECK-NEXT: scf.for
// CHECK-NEXT: simt.load
// CHECK-NEXT: scf.yield
// CHECK: simt.store
func.func @nested(%x: !tile.ptr<f32>, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = simt.thread_id : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %first = simt.load %p[%t] {simt.sole} : !tile.ptr<f32>, i32 -> f32
    simt.store %p[%t], %first : !tile.ptr<f32>, i32, f32
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%last = %first) -> (f32) : i32 {
      %now = simt.load %p[%t] {simt.sole} : !tile.ptr<f32>, i32 -> f32
      scf.yield %now : f32
    } {simt.uniform}
    simt.store %p[%t], %r : !tile.ptr<f32>, i32, f32
  } {simt.uniform}
  return
}
