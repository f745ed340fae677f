// RUN: tegula-opt --simt-allocate-shared %s --split-input-file | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={shares_widths=false}' --simt-allocate-shared %s --split-input-file | FileCheck %s --check-prefix=WIDTHS
// RUN: tegula-opt --simt-set-target='fields={shared_bytes=4096}' --simt-allocate-shared %s --split-input-file --verify-diagnostics=only-expected -o /dev/null
// RUN: tegula-opt --simt-set-target='fields={spare_bytes=1024}' --simt-allocate-shared %s --split-input-file | FileCheck %s --check-prefix=SPARE

// Buffers with consecutive live ranges share storage; a buffer whose range spans both does not.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: simt.shared_alloc at 256 : <32xf32>
// CHECK-NEXT: simt.shared_alloc at 0 : <64xf32>
// CHECK-NEXT: simt.shared_alloc at 0 : <64xi16>
// CHECK-NOT: shared_alloc
// WIDTHS-LABEL: func.func @chain
// WIDTHS-NEXT: simt.shared_alloc at 384 : <32xf32>
// WIDTHS-NEXT: simt.shared_alloc at 128 : <64xf32>
// WIDTHS-NEXT: simt.shared_alloc at 0 : <64xi16>
// SPARE-LABEL: func.func @chain
// SPARE-NEXT: simt.shared_alloc at 256 : <32xf32>
// SPARE-NEXT: simt.shared_alloc at 0 : <64xf32>
// SPARE-NEXT: simt.shared_alloc at 384 : <64xi16>
func.func @chain(%v: f32, %w: i16) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %t = simt.thread_id : i32
  %l = simt.lane_id : i32
  %long = simt.shared_alloc : !simt.shared<32xf32>
  simt.shared_store %long[%l], %v : !simt.shared<32xf32>, i32, f32
  %a = simt.shared_alloc : !simt.shared<64xf32>
  simt.shared_store %a[%t], %v : !simt.shared<64xf32>, i32, f32
  %x = simt.shared_load %a[%l] : !simt.shared<64xf32>, i32 -> f32
  %b = simt.shared_alloc : !simt.shared<64xi16>
  simt.shared_store %b[%t], %w : !simt.shared<64xi16>, i32, i16
  %y = simt.shared_load %b[%l] : !simt.shared<64xi16>, i32 -> i16
  %z = simt.shared_load %long[%l] : !simt.shared<32xf32>, i32 -> f32
  return
}

// -----

// A buffer written before a loop and read in it is live in the whole loop; one allocated in the loop is new in each
// iteration.
// CHECK-LABEL: func.func @loops
// CHECK-NEXT: simt.shared_alloc at 0 : <128xf32>
// CHECK-NEXT: simt.shared_alloc at 512 : <64xf32>
// CHECK-NEXT: simt.shared_alloc at 512 : <64xi32>
func.func @loops(%v: f32, %w: i32, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = simt.thread_id : i32
  %around = simt.shared_alloc : !simt.shared<128xf32>
  simt.shared_store %around[%t], %v : !simt.shared<128xf32>, i32, f32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = simt.shared_load %around[%t] : !simt.shared<128xf32>, i32 -> f32
    %a = simt.shared_alloc : !simt.shared<64xf32>
    simt.shared_store %a[%t], %x : !simt.shared<64xf32>, i32, f32
    %y = simt.shared_load %a[%t] : !simt.shared<64xf32>, i32 -> f32
    %b = simt.shared_alloc : !simt.shared<64xi32>
    simt.shared_store %b[%t], %w : !simt.shared<64xi32>, i32, i32
    %z = simt.shared_load %b[%t] : !simt.shared<64xi32>, i32 -> i32
  } {simt.uniform}
  return
}

// -----

// Allocated outside of a loop and used in it only: if each iteration provably writes all that it reads, the live range
// is within an iteration. A store to half of the buffer proves nothing.
// CHECK-LABEL: func.func @written_first
// CHECK-NEXT: simt.shared_alloc at 512 : <64xf32>
// CHECK-NEXT: simt.shared_alloc at 512 : <64xi32>
// CHECK-NEXT: simt.shared_alloc at 0 : <128xf32>
func.func @written_first(%v: f32, %w: i32, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %t = simt.thread_id : i32
  %upper = arith.addi %t, %c64 : i32
  %a = simt.shared_alloc : !simt.shared<64xf32>
  %b = simt.shared_alloc : !simt.shared<64xi32>
  %half = simt.shared_alloc : !simt.shared<128xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    simt.shared_store %half[%upper], %v : !simt.shared<128xf32>, i32, f32
    %h = simt.shared_load %half[%t] : !simt.shared<128xf32>, i32 -> f32
    simt.shared_store %a[%t], %v : !simt.shared<64xf32>, i32, f32
    %y = simt.shared_load %a[%i] : !simt.shared<64xf32>, i32 -> f32
    simt.shared_store %b[%t], %w : !simt.shared<64xi32>, i32, i32
    %z = simt.shared_load %b[%i] : !simt.shared<64xi32>, i32 -> i32
  } {simt.uniform}
  return
}

// -----

// The arms of a uniform branch share storage; in a divergent branch both arms are live at once.
// CHECK-LABEL: func.func @arms
// CHECK-NEXT: simt.shared_alloc at 0 : <64xf32>
// CHECK-NEXT: simt.shared_alloc at 0 : <64xf32>
// CHECK-NEXT: simt.shared_alloc at 0 : <64xf32>
// CHECK-NEXT: simt.shared_alloc at 256 : <64xf32>
func.func @arms(%v: f32, %p: i1, %q: i1) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %t = simt.thread_id : i32
  scf.if %p {
    %a = simt.shared_alloc : !simt.shared<64xf32>
    simt.shared_store %a[%t], %v : !simt.shared<64xf32>, i32, f32
  } else {
    %b = simt.shared_alloc : !simt.shared<64xf32>
    simt.shared_store %b[%t], %v : !simt.shared<64xf32>, i32, f32
  } {simt.uniform}
  scf.if %q {
    %c = simt.shared_alloc : !simt.shared<64xf32>
    simt.shared_store %c[%t], %v : !simt.shared<64xf32>, i32, f32
  } else {
    %d = simt.shared_alloc : !simt.shared<64xf32>
    simt.shared_store %d[%t], %v : !simt.shared<64xf32>, i32, f32
  } {simt.divergent}
  return
}

// -----

// An asynchronous copy needs its storage until the wait; a unit that swizzles by address bits needs the alignment of
// the pattern; barrier objects follow all buffers.
#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0)>
// CHECK-LABEL: func.func @async
// CHECK-NEXT: simt.shared_alloc at 16 : <128xf32>
// CHECK-NEXT: simt.shared_alloc at 528 : <64xf32>
// CHECK-NEXT: simt.shared_alloc at 1024 : <16x64xf16, #{{.*}}>
// CHECK: simt.shared_alloc at 0 : <4xf32>
// CHECK: simt.barrier_alloc at 3072 : <2>
func.func @async(%x: !tile.ptr<f32>, %v: f32, %d: !tile.desc<16x64xf16>)
    attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %t = simt.thread_id : i32
  %small = simt.shared_alloc at 0 : !simt.shared<4xf32>
  simt.shared_store %small[%c0], %v : !simt.shared<4xf32>, i32, f32
  %a = simt.shared_alloc : !simt.shared<128xf32>
  simt.async_load %x[%t] to %a[%t] width 1 : !tile.ptr<f32>, i32, !simt.shared<128xf32>, i32
  simt.commit_loads
  %b = simt.shared_alloc : !simt.shared<64xf32>
  simt.shared_store %b[%t], %v : !simt.shared<64xf32>, i32, f32
  simt.wait_loads 0
  %s = simt.shared_alloc : !simt.shared<16x64xf16, #sw>
  %objects = simt.barrier_alloc : !simt.barriers<2>
  simt.load_tile %d[%c0, %c0] to %s on %objects[%c0]
      : !tile.desc<16x64xf16>, !simt.shared<16x64xf16, #sw>, !simt.barriers<2>
  %y = simt.shared_load %small[%c0] : !simt.shared<4xf32>, i32 -> f32
  return
}

// -----

// Offsets that are given stay, and other buffers avoid them.
// CHECK-LABEL: func.func @given
// CHECK-NEXT: simt.shared_alloc at 512 : <64xf32>
// CHECK-NOT: shared_alloc
// CHECK: simt.shared_alloc at 0 : <128xf32>
func.func @given(%v: f32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %t = simt.thread_id : i32
  %a = simt.shared_alloc at 0 : !simt.shared<128xf32>
  %b = simt.shared_alloc : !simt.shared<64xf32>
  %part = simt.shared_alloc : !simt.shared<64xf32>
  simt.shared_store %a[%t], %v : !simt.shared<128xf32>, i32, f32
  simt.shared_store %b[%t], %v : !simt.shared<64xf32>, i32, f32
  %x = simt.shared_load %a[%t] : !simt.shared<128xf32>, i32 -> f32
  return
}

// -----

// No simt kernel: unchanged.
// CHECK-LABEL: func.func @other
// CHECK: simt.shared_alloc : <64xf32>
func.func @other(%v: f32, %t: i32) {
  %a = simt.shared_alloc : !simt.shared<64xf32>
  simt.shared_store %a[%t], %v : !simt.shared<64xf32>, i32, f32
  return
}

// -----

// CHECK-LABEL: func.func @too_much
func.func @too_much(%v: f32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %t = simt.thread_id : i32
  // expected-note@+1 {{2048 bytes for '!simt.shared<512xf32>'}}
  %a = simt.shared_alloc : !simt.shared<512xf32>
  // expected-error@+2 {{kernel 'too_much' needs 6144 bytes of shared memory, the target has 4096; use smaller blocks or fewer stages for the values named here}}
  // expected-note@+1 {{4096 bytes for '!simt.shared<1024xf32>'}}
  %b = simt.shared_alloc : !simt.shared<1024xf32>
  simt.shared_store %a[%t], %v : !simt.shared<512xf32>, i32, f32
  simt.shared_store %b[%t], %v : !simt.shared<1024xf32>, i32, f32
  %x = simt.shared_load %a[%t] : !simt.shared<512xf32>, i32 -> f32
  return
}
