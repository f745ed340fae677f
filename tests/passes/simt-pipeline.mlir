// RUN: tegula-opt --simt-pipeline="check" %s | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={shares_widths=false}' --simt-pipeline="check" %s | FileCheck %s --check-prefix=WIDTHS
// RUN: (tegula-opt --simt-set-target='fields={shared_bytes=255}' --simt-pipeline %s 2>&1 || true) | FileCheck %s --check-prefix=LIMIT

// Two sums over all threads, as a layout conversion emits them: equal ops merge, the buffers share storage, and
// barriers are inserted between the four accesses.
// LIMIT: error: kernel 'sums' needs 256 bytes of shared memory, the target has 255
// CHECK-LABEL: func.func @sums
// CHECK-NEXT: simt.shared_alloc at 0 : <64xf32>
// CHECK-NEXT: simt.shared_alloc at 0 : <64xf16>
// WIDTHS-LABEL: func.func @sums
// WIDTHS-NEXT: simt.shared_alloc at 128 : <64xf32>
// WIDTHS-NEXT: simt.shared_alloc at 0 : <64xf16>
func.func @sums(%o: !tile.ptr<f32>, %v: f32, %w: f16) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %t = simt.thread_id : i32
  %again = simt.thread_id : i32
  %c1 = arith.constant 1 : i32
  %other = arith.xori %again, %c1 : i32
  // CHECK: simt.thread_id
  // CHECK-NOT: simt.thread_id
  %a = simt.shared_alloc : !simt.shared<64xf32>
  // CHECK: shared_store
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: shared_load
  simt.shared_store %a[%t], %v : !simt.shared<64xf32>, i32, f32
  %x = simt.shared_load %a[%other] : !simt.shared<64xf32>, i32 -> f32
  %b = simt.shared_alloc : !simt.shared<64xf16>
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: shared_store
  // CHECK-NEXT: simt.barrier
  // CHECK-NEXT: shared_load
  // WIDTHS: shared_load
  // WIDTHS-NEXT: shared_store
  // WIDTHS-NEXT: simt.barrier
  simt.shared_store %b[%t], %w : !simt.shared<64xf16>, i32, f16
  %y = simt.shared_load %b[%other] : !simt.shared<64xf16>, i32 -> f16
  %z = arith.extf %y : f16 to f32
  %s = arith.addf %x, %z : f32
  simt.store %o[%t], %s : !tile.ptr<f32>, i32, f32
  return
}
