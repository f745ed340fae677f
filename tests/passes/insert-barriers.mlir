// RUN: tegula-opt --simt-insert-barriers %s --split-input-file | FileCheck %s
// RUN: tegula-opt --simt-insert-barriers --simt-check-barriers %s --split-input-file -o /dev/null

// A read after a write, a write after a read; nothing between reads.
// CHECK-LABEL: func.func @chain
func.func @chain(%v: f32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  %t = simt.thread_id : i32
  %l = simt.lane_id : i32
  // CHECK: shared_store
  simt.shared_store %a[%t], %v : !simt.shared<64xf32>, i32, f32
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: shared_load
  %x = simt.shared_load %a[%l] : !simt.shared<64xf32>, i32 -> f32
  // CHECK-NEXT: shared_load
  %y = simt.shared_load %a[%t] : !simt.shared<64xf32>, i32 -> f32
  // CHECK-NEXT: arith.addf
  %s = arith.addf %x, %y : f32
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: shared_store
  simt.shared_store %a[%t], %s : !simt.shared<64xf32>, i32, f32
  return
}

// -----

// Unchanged: a thread's own elements, disjoint elements, stages or buffers, a barrier that exists.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: simt.barrier
// CHECK: simt.shared_load %{{.*}}[%{{.*}}] : <64xi32>
// CHECK-NEXT: simt.barrier
// CHECK-NOT: simt.barrier
// CHECK: return
#l = #layout.shared<(1) (2) (4) (8) (16) (32)>
func.func @nothing(%v: f32, %n: i32, %o: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc at 0 : !simt.shared<128xf32>
  %b = simt.shared_alloc at 512 : !simt.shared<2x64xf32, #l>
  %c = simt.shared_alloc at 1024 : !simt.shared<64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %t = simt.thread_id : i32
  %upper = arith.addi %t, %c64 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    simt.shared_store %a[%t], %v : !simt.shared<128xf32>, i32, f32
    %x = simt.shared_load %a[%t] : !simt.shared<128xf32>, i32 -> f32
    simt.shared_store %a[%upper], %x : !simt.shared<128xf32>, i32, f32
  } {simt.uniform}
  %b0 = simt.stage %b[%c0] : !simt.shared<2x64xf32, #l> -> !simt.shared<64xf32, #l>
  %b1 = simt.stage %b[%c1] : !simt.shared<2x64xf32, #l> -> !simt.shared<64xf32, #l>
  simt.shared_store %b0[%t], %v : !simt.shared<64xf32, #l>, i32, f32
  %y = simt.shared_load %b1[%o] : !simt.shared<64xf32, #l>, i32 -> f32
  %z = simt.shared_load %c[%o] : !simt.shared<64xi32>, i32 -> i32
  simt.barrier
  simt.shared_store %c[%o], %z : !simt.shared<64xi32>, i32, i32
  return
}

// -----

// Buffers that share storage.
// CHECK-LABEL: func.func @storage
func.func @storage(%v: f32, %o: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc at 0 : !simt.shared<64xf32>
  %b = simt.shared_alloc at 240 : !simt.shared<64xf32>
  // CHECK: shared_load
  %x = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: shared_store
  simt.shared_store %b[%o], %v : !simt.shared<64xf32>, i32, f32
  return
}

// -----

// One barrier around the back edge and one within the loop; accesses before the loop need no further one.
// CHECK-LABEL: func.func @loop
func.func @loop(%v: f32, %o: i32, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: shared_store
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  // CHECK-NEXT: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK-NEXT: simt.barrier
    // CHECK-NEXT: shared_store
    simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
    // CHECK-NEXT: simt.barrier
    // CHECK-NEXT: shared_load
    %x = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
    // CHECK-NEXT: }
  } {simt.uniform}
  // The loop may run zero times: then the first store is still unordered.
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: shared_load
  %y = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  return
}

// -----

// Loops that only read: the barrier stands before the outer loop.
// CHECK-LABEL: func.func @reading_loops
func.func @reading_loops(%v: f32, %o: i32, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  // CHECK: simt.barrier
  // CHECK-NEXT: scf.for
  // CHECK-NOT: simt.barrier
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %x = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
    } {simt.uniform}
  } {simt.uniform}
  // CHECK: simt.barrier
  // CHECK-NEXT: shared_store
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  return
}

// -----

// In the arm that needs it; before the branch where both arms do; before a divergent branch.
// CHECK-LABEL: func.func @branches
func.func @branches(%v: f32, %o: i32, %p: i1) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  %b = simt.shared_alloc : !simt.shared<64xf32>
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  // CHECK: scf.if
  scf.if %p {
    // CHECK-NEXT: simt.barrier
    // CHECK-NEXT: shared_load
    %x = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  } else {
    // CHECK-NEXT: } else {
    // CHECK-NEXT: shared_store
    simt.shared_store %b[%o], %v : !simt.shared<64xf32>, i32, f32
  } {simt.uniform}
  // CHECK-NEXT: } {simt.uniform}
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: scf.if
  scf.if %p {
    // CHECK-NEXT: shared_load
    %x = simt.shared_load %b[%o] : !simt.shared<64xf32>, i32 -> f32
  } else {
    // CHECK-NEXT: } else {
    // CHECK-NEXT: shared_store
    simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  } {simt.uniform}
  // CHECK-NEXT: } {simt.uniform}
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: scf.if
  scf.if %p {
    // CHECK-NEXT: shared_store
    simt.shared_store %b[%o], %v : !simt.shared<64xf32>, i32, f32
    // CHECK-NEXT: }
  } {simt.divergent}
  return
}

// -----

// An asynchronous copy: a barrier between earlier readers of its destination and its start, and one between the wait
// and readers.
// CHECK-LABEL: func.func @async
func.func @async(%g: !tile.ptr<f32>, %t: i32, %o: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  // CHECK: shared_load
  %x = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: async_load
  simt.async_load %g[%t] to %a[%t] width 1 : !tile.ptr<f32>, i32, !simt.shared<64xf32>, i32
  // CHECK-NEXT: commit_loads
  simt.commit_loads
  // CHECK-NEXT: wait_loads
  simt.wait_loads 0
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: shared_load
  %y = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  return
}

// -----

// A barrier of some warps orders only these.
// CHECK-LABEL: func.func @some_warps
func.func @some_warps(%v: f32, %o: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  // CHECK: simt.barrier warps 1
  simt.barrier warps 1
  // CHECK-NEXT: simt.barrier{{$}}
  // CHECK-NEXT: shared_load
  %y = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  return
}

// -----

// Warp groups: each orders its own accesses; groups that use barrier objects at which threads arrive are left alone.
// CHECK-LABEL: func.func @groups
func.func @groups(%v: f32, %o: i32) attributes {simt.warps = 3 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc at 0 : !simt.shared<64xf32>
  %b = simt.shared_alloc at 256 : !simt.shared<64xf32>
  %objects = simt.barrier_alloc at 512 : !simt.barriers<1>
  // CHECK: simt.warp_groups
  simt.warp_groups(%a, %b, %objects, %v, %o) : !simt.shared<64xf32>, !simt.shared<64xf32>, !simt.barriers<1>, f32, i32
  group warps 2 (%ga: !simt.shared<64xf32>, %gb: !simt.shared<64xf32>, %go: !simt.barriers<1>, %gv: f32, %at: i32) {
    // CHECK: shared_store
    simt.shared_store %ga[%at], %gv : !simt.shared<64xf32>, i32, f32
    // CHECK-NEXT: simt.barrier
    // CHECK-NEXT: shared_load
    %x = simt.shared_load %ga[%at] : !simt.shared<64xf32>, i32 -> f32
  }
  group warps 1 (%ga: !simt.shared<64xf32>, %gb: !simt.shared<64xf32>, %go: !simt.barriers<1>, %gv: f32, %at: i32) {
    %c0 = arith.constant 0 : i32
    // CHECK: shared_store
    simt.shared_store %gb[%at], %gv : !simt.shared<64xf32>, i32, f32
    // CHECK-NEXT: barrier_arrive
    simt.barrier_arrive %go[%c0] : !simt.barriers<1>
    // CHECK-NEXT: barrier_wait
    simt.barrier_wait %go[%c0], %c0 : !simt.barriers<1>
    // CHECK-NEXT: shared_load
    %x = simt.shared_load %gb[%at] : !simt.shared<64xf32>, i32 -> f32
  }
  // CHECK: simt.barrier
  // CHECK-NEXT: shared_store
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  return
}

// -----

// A ring that hardware fills: each thread that reads a copy has waited for it, so that no barrier is needed between;
// one is needed before the next copy, which overwrites what other threads may still read; a fence comes before it.
// CHECK-LABEL: func.func @tile_copies
func.func @tile_copies(%d: !tile.desc<8x32xf32>, %o: i32, %n: i32)
    attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc at 0 : !simt.shared<8x32xf32>
  %objects = simt.barrier_alloc at 1024 : !simt.barriers<1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %thread = simt.thread_id : i32
  %first = arith.cmpi eq, %thread, %c0 : i32
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK: simt.fence async
    // CHECK-NEXT: simt.barrier{{$}}
    // CHECK-NEXT: scf.if
    scf.if %first {
      simt.barrier_expect %objects[%c0] bytes 1024 : !simt.barriers<1>
      simt.load_tile %d[%i, %c0] to %a on %objects[%c0]
        : !tile.desc<8x32xf32>, !simt.shared<8x32xf32>, !simt.barriers<1>
    } {simt.divergent}
    %phase = arith.andi %i, %c1 : i32
    // CHECK: barrier_wait
    simt.barrier_wait %objects[%c0], %phase : !simt.barriers<1>
    // CHECK-NEXT: shared_load
    %x = simt.shared_load %a[%o] : !simt.shared<8x32xf32>, i32 -> f32
  } {simt.uniform}
  return
}

// -----

// Of two barriers between a load and the next copy, the first has the fence. None is added where the kernel has one,
// nor for buffers that no copy fills.
// CHECK-LABEL: func.func @fenced_copies
func.func @fenced_copies(%d: !tile.desc<8x32xf32>, %v: f32, %o: i32, %n: i32)
    attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc at 0 : !simt.shared<8x32xf32>
  %b = simt.shared_alloc at 1024 : !simt.shared<8x32xf32>
  %c = simt.shared_alloc at 2048 : !simt.shared<64xf32>
  %objects = simt.barrier_alloc at 4096 : !simt.barriers<1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %thread = simt.thread_id : i32
  %first = arith.cmpi eq, %thread, %c0 : i32
  // CHECK: shared_store
  simt.shared_store %c[%o], %v : !simt.shared<64xf32>, i32, f32
  // CHECK-NEXT: simt.barrier
  simt.barrier
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.if %first {
      simt.barrier_expect %objects[%c0] bytes 2048 : !simt.barriers<1>
      simt.load_tile %d[%i, %c0] to %a on %objects[%c0]
        : !tile.desc<8x32xf32>, !simt.shared<8x32xf32>, !simt.barriers<1>
      simt.load_tile %d[%i, %c0] to %b on %objects[%c0]
        : !tile.desc<8x32xf32>, !simt.shared<8x32xf32>, !simt.barriers<1>
    } {simt.divergent}
    %phase = arith.andi %i, %c1 : i32
    // CHECK: barrier_wait
    simt.barrier_wait %objects[%c0], %phase : !simt.barriers<1>
    // CHECK: shared_load
    %x = simt.shared_load %a[%o] : !simt.shared<8x32xf32>, i32 -> f32
    // CHECK-NEXT: simt.fence async
    // CHECK-NEXT: simt.barrier
    simt.barrier
    // CHECK-NEXT: shared_store
    simt.shared_store %c[%o], %x : !simt.shared<64xf32>, i32, f32
    // CHECK-NEXT: simt.barrier
    simt.barrier
    // CHECK-NEXT: shared_load
    %y = simt.shared_load %b[%o] : !simt.shared<8x32xf32>, i32 -> f32
    // CHECK-NEXT: simt.fence async
    simt.fence async
    // CHECK-NEXT: simt.barrier
    simt.barrier
    // CHECK-NEXT: }
  } {simt.uniform}
  return
}

// -----

// A while loop ends behind its first region, so a load there has no fence yet.
// CHECK-LABEL: func.func @fenced_while
// CHECK: scf.while
// CHECK: }
// CHECK: simt.fence async
// CHECK-NEXT: simt.barrier{{$}}
// CHECK: simt.load_tile
func.func @fenced_while(%d: !tile.desc<8x32xf32>, %o: i32)
    attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc at 0 : !simt.shared<8x32xf32>
  %objects = simt.barrier_alloc at 1024 : !simt.barriers<1>
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %thread = simt.thread_id : i32
  %first = arith.cmpi eq, %thread, %c0 : i32
  scf.while : () -> () {
    %x = simt.shared_load %a[%o] : !simt.shared<8x32xf32>, i32 -> f32
    %goes = arith.cmpf ogt, %x, %zero : f32
    scf.condition(%goes)
  } do {
    simt.fence async
    simt.barrier
    scf.yield
  } attributes {simt.uniform}
  simt.barrier
  scf.if %first {
    simt.barrier_expect %objects[%c0] bytes 1024 : !simt.barriers<1>
    simt.load_tile %d[%c0, %c0] to %a on %objects[%c0]
      : !tile.desc<8x32xf32>, !simt.shared<8x32xf32>, !simt.barriers<1>
  } {simt.divergent}
  return
}

// -----

// Of two fences with nothing but accesses of threads between, the second one is enough.
// CHECK-LABEL: func.func @merged_fences
func.func @merged_fences(%v: f32, %o: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc at 0 : !simt.shared<64xf32>
  %b = simt.shared_alloc at 256 : !simt.shared<64xf32>
  // CHECK: shared_store
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  // CHECK-NEXT: shared_store
  simt.fence async
  simt.shared_store %b[%o], %v : !simt.shared<64xf32>, i32, f32
  // CHECK-NEXT: simt.fence async
  simt.fence async
  // CHECK-NEXT: simt.barrier
  simt.barrier
  // CHECK-NEXT: simt.fence async
  simt.fence async
  // CHECK-NEXT: return
  return
}

// -----

// Two buffers that a loop exchanges: each name may refer to either.
// CHECK-LABEL: func.func @exchanged
func.func @exchanged(%v: f32, %o: i32, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc at 0 : !simt.shared<64xf32>
  %b = simt.shared_alloc at 256 : !simt.shared<64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: shared_store
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  %p, %q = scf.for %i = %c0 to %n step %c1 iter_args(%r = %a, %w = %b) -> (!simt.shared<64xf32>, !simt.shared<64xf32>)
      : i32 {
    // CHECK: simt.barrier
    // CHECK-NEXT: shared_load
    %x = simt.shared_load %r[%o] : !simt.shared<64xf32>, i32 -> f32
    // CHECK-NEXT: simt.barrier
    // CHECK-NEXT: shared_store
    simt.shared_store %w[%o], %x : !simt.shared<64xf32>, i32, f32
    scf.yield %w, %r : !simt.shared<64xf32>, !simt.shared<64xf32>
  } {simt.uniform}
  return
}

// -----

// A loop that warps execute a different number of times: no barrier inside. Each thread accesses its own element there,
// so one barrier before the loop is enough.
// CHECK-LABEL: func.func @warps_part
func.func @warps_part(%v: f32, %o: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = simt.thread_id : i32
  %w = simt.warp_id : i32
  simt.shared_store %a[%o], %v : !simt.shared<64xf32>, i32, f32
  // CHECK: simt.barrier
  // CHECK-NEXT: scf.for
  // CHECK-NOT: simt.barrier
  scf.for %i = %c0 to %w step %c1 : i32 {
    %x = simt.shared_load %a[%t] : !simt.shared<64xf32>, i32 -> f32
    simt.shared_store %a[%t], %x : !simt.shared<64xf32>, i32, f32
  } {simt.uniform = 1 : i32}
  // CHECK: simt.barrier
  // CHECK-NEXT: shared_load
  %y = simt.shared_load %a[%o] : !simt.shared<64xf32>, i32 -> f32
  return
}

// -----

// Parts of a tile: lower and upper rows are disjoint; equal parts, and a part at an unknown position, are not.
// CHECK-LABEL: func.func @parts
#tile = #layout.shared<(0,1) (0,2) (0,4) (1,1) (2,2) (4,0)>
#half = #layout.shared<(0,1) (0,2) (0,4) (1,1) (2,2)>
func.func @parts(%v: f32, %o: i32, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<8x8xf32, #tile>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %upper = simt.part %a[%c0, %c0] : !simt.shared<8x8xf32, #tile> -> !simt.shared<4x8xf32, #half>
  %lower = simt.part %a[%c1, %c0] : !simt.shared<8x8xf32, #tile> -> !simt.shared<4x8xf32, #half>
  %some = simt.part %a[%n, %c0] : !simt.shared<8x8xf32, #tile> -> !simt.shared<4x8xf32, #half>
  // CHECK: shared_store
  simt.shared_store %upper[%o], %v : !simt.shared<4x8xf32, #half>, i32, f32
  // CHECK-NEXT: shared_load
  %x = simt.shared_load %lower[%o] : !simt.shared<4x8xf32, #half>, i32 -> f32
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: shared_load
  %y = simt.shared_load %upper[%o] : !simt.shared<4x8xf32, #half>, i32 -> f32
  // CHECK-NEXT: shared_store
  simt.shared_store %lower[%o], %v : !simt.shared<4x8xf32, #half>, i32, f32
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: shared_load
  %z = simt.shared_load %some[%o] : !simt.shared<4x8xf32, #half>, i32 -> f32
  return
}

// -----

// Two sets of four warps store rows of their own, and a thread of each set copies these: sets do not wait for each
// other. Threads store rows of both sets, in the second buffer: all wait.
// CHECK-LABEL: func.func @sets
#rows = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0) (4,0) (8,0) (16,0)>
#half = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0) (4,0) (8,0)>
func.func @sets(%v: f32, %d: !tile.desc<32x8xf32>, %e: !tile.desc<32x8xf32>)
    attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<32x8xf32, #rows>
  %b = simt.shared_alloc : !simt.shared<32x8xf32, #rows>
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %c128 = arith.constant 128 : i32
  %c255 = arith.constant 255 : i32
  %t = simt.thread_id : i32
  %w = simt.warp_id : i32
  %set = arith.divui %w, %c4 : i32
  %within = arith.remui %t, %c128 : i32
  %first = arith.cmpi eq, %within, %c0 : i32
  %row = arith.muli %set, %c16 : i32
  %back = arith.subi %c255, %t : i32
  // CHECK: simt.shared_store
  simt.shared_store %a[%t], %v : !simt.shared<32x8xf32, #rows>, i32, f32
  // CHECK-NEXT: simt.fence async
  simt.fence async
  // CHECK-NEXT: simt.barrier warps 4
  // CHECK-NEXT: scf.if
  scf.if %first {
    %part = simt.part %a[%set, %c0] : !simt.shared<32x8xf32, #rows> -> !simt.shared<16x8xf32, #half>
    simt.store_tile %part to %d[%row, %c0] : !simt.shared<16x8xf32, #half>, !tile.desc<32x8xf32>
    simt.commit_stores
    simt.wait_stores reads 0
  } {simt.divergent}
  // CHECK: } {simt.divergent}
  // CHECK-NEXT: simt.barrier warps 4
  // CHECK-NEXT: simt.shared_store
  simt.shared_store %a[%t], %v : !simt.shared<32x8xf32, #rows>, i32, f32
  // CHECK-NEXT: simt.shared_store
  simt.shared_store %b[%back], %v : !simt.shared<32x8xf32, #rows>, i32, f32
  // CHECK-NEXT: simt.fence async
  simt.fence async
  // CHECK-NEXT: simt.barrier{{$}}
  // CHECK-NEXT: scf.if
  scf.if %first {
    %part = simt.part %b[%set, %c0] : !simt.shared<32x8xf32, #rows> -> !simt.shared<16x8xf32, #half>
    simt.store_tile %part to %e[%row, %c0] : !simt.shared<16x8xf32, #half>, !tile.desc<32x8xf32>
    simt.commit_stores
    simt.wait_stores reads 0
  } {simt.divergent}
  return
}
