// RUN: tegula-opt --simt-check-barriers %s --split-input-file --verify-diagnostics -o /dev/null
// RUN: (tegula-opt --simt-insert-barriers %s --split-input-file 2>&1 || true) | FileCheck %s

// No barrier can help in a divergent branch: insertion reports it, too.
// CHECK: error: 'simt.shared_load' op expected no other thread's access to the same shared memory within a branch or loop in which threads part, where no barrier can stand, found one
// CHECK: note: the other access is here
func.func @hopeless(%v: f32, %o: i32, %p: i1) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  scf.if %p {
    // expected-note@+1 {{the other access is here}}
    simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  } else {
    // expected-error@+1 {{expected a barrier between this access to shared memory and another, by other threads to the same bytes, found a path without one}}
    %x = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  } {simt.divergent}
  return
}

// -----

// A loop that threads leave one by one: a thread's next iteration may begin while another thread is in this one.
func.func @hopeless_loop(%v: f32, %o: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = simt.thread_id : i32
  scf.for %i = %c0 to %t step %c1 : i32 {
    // expected-error@+2 {{expected a barrier between}}
    // expected-note@+1 {{the other access is here}}
    simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  } {simt.divergent}
  return
}

// -----

func.func @back_edge(%v: f32, %o: i32, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error@+1 {{expected a barrier between}}
    simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
    simt.barrier
    // expected-note@+1 {{the other access is here}}
    %x = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  } {simt.uniform}
  return
}

// -----

// One path without a barrier is an error.
func.func @one_path(%v: f32, %o: i32, %p: i1) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  // expected-note@+1 {{the other access is here}}
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  scf.if %p {
    simt.barrier
  } {simt.uniform}
  // expected-error@+1 {{expected a barrier between}}
  %x = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  return
}

// -----

// A barrier before the wait does not order the copy.
func.func @before_the_wait(%g: !tile.ptr<f32>, %t: i32, %o: i32)
    attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  // expected-note@+1 {{the other access is here}}
  simt.async_load %g[%t] to %a[%t] width 1 : !tile.ptr<f32>, i32, !simt.shared<64xf32>, i32
  simt.commit_loads
  simt.barrier
  simt.wait_loads 0
  // expected-error@+1 {{expected a barrier between}}
  %y = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  return
}

// -----

// Buffers whose storage overlaps.
func.func @storage(%v: f32, %o: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc at 0 : !simt.shared<64xf32>
  %b = simt.shared_alloc at 128 : !simt.shared<64xf16>
  // expected-note@+1 {{the other access is here}}
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  // expected-error@+1 {{expected a barrier between}}
  %x = simt.shared_load %b[%o] : !simt.shared<64xf16>, i32 -> f16
  return
}

// -----

// Two warp groups access the same bytes without barrier objects.
func.func @groups(%v: f32, %o: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  simt.warp_groups(%a, %v, %o) : !simt.shared<64xf32>, f32, i32
  group warps 1 (%b: !simt.shared<64xf32>, %w: f32, %at: i32) {
    // expected-note@+1 {{the other access is here}}
    simt.shared_store %b[%at], %w : !simt.shared<64xf32>, i32, f32
  }
  group warps 1 (%b: !simt.shared<64xf32>, %w: f32, %at: i32) {
    // expected-error@+1 {{expected a barrier between}}
    %x = simt.shared_load %b[%at] : !simt.shared<64xf32>, i32 -> f32
  }
  return
}

// -----

// A barrier of sets of four warps, where threads of one set store what a thread of the other copies.
#rows = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0) (4,0) (8,0) (16,0)>
#half = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0) (4,0) (8,0)>
func.func @sets(%v: f32, %d: !tile.desc<32x8xf32>) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<32x8xf32, #rows>
  %b = simt.shared_alloc : !simt.shared<32x8xf32, #rows>
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %c128 = arith.constant 128 : i32
  %c255 = arith.constant 255 : i32
  %t = simt.thread_id : i32
  %w = simt.warp_id : i32
  %set = arith.divui %w, %c4 : i32
  %within = arith.remui %t, %c128 : i32
  %first = arith.cmpi eq, %within, %c0 : i32
  %back = arith.subi %c255, %t : i32
  simt.shared_store %a[%t], %v : !simt.shared<32x8xf32, #rows>, i32, f32
  // expected-note@+1 {{the other access is here}}
  simt.shared_store %b[%back], %v : !simt.shared<32x8xf32, #rows>, i32, f32
  simt.fence async
  simt.barrier warps 4
  scf.if %first {
    %own = simt.part %a[%set, %c0] : !simt.shared<32x8xf32, #rows> -> !simt.shared<16x8xf32, #half>
    simt.store_tile %own to %d[%w, %c0] : !simt.shared<16x8xf32, #half>, !tile.desc<32x8xf32>
    %others = simt.part %b[%set, %c0] : !simt.shared<32x8xf32, #rows> -> !simt.shared<16x8xf32, #half>
    // expected-error@+1 {{expected a barrier between}}
    simt.store_tile %others to %d[%w, %c0] : !simt.shared<16x8xf32, #half>, !tile.desc<32x8xf32>
    simt.commit_stores
    simt.wait_stores reads 0
  } {simt.divergent}
  return
}

// -----

// No errors: ordered accesses, one thread's accesses, a kernel of one thread, no simt kernel.
func.func @ordered(%v: f32, %o: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  %t = simt.thread_id : i32
  simt.shared_store %a[%t], %v : !simt.shared<64xf32>, i32, f32
  %x = simt.shared_load %a[%t] : !simt.shared<64xf32>, i32 -> f32
  simt.barrier
  %y = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  return
}
func.func @one_thread(%v: f32, %o: i32) attributes {simt.warps = 1 : i32, simt.warp_size = 1 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  %x = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  return
}
func.func @other(%v: f32, %o: i32) {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  %x = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  return
}

// -----

// The next iteration's load may be of an element that another thread stored in this one.
func.func @iterations(%x: !tile.ptr<f32>, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = simt.thread_id : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
    // expected-note @below {{the other access is here}}
    %now = simt.load %p[%t] {simt.sole} : !tile.ptr<f32>, i32 -> f32
    // expected-error @below {{expected a barrier between this access to global memory and another}}
    simt.store %p[%t], %now : !tile.ptr<f32>, i32, f32
  } {simt.uniform}
  return
}
