// RUN: tegula-opt --simt-set-target='fields={shares_widths=false,shared_bytes=12288,spare_bytes=4096}' --simt-allocate-shared %s | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={shares_widths=false,shared_bytes=8192,spare_bytes=4096}' --simt-allocate-shared %s | FileCheck --check-prefix=TIGHT %s

// Buffers of one loop get storage apart, which saves a barrier each, but not where all widths together would not fit.
// CHECK: simt.shared_alloc at 4096 : <1536xf32>
// CHECK: simt.shared_alloc at 0 : <1024xf16>
// CHECK: simt.shared_alloc at 2048 : <1024xf16>
// TIGHT: simt.shared_alloc at 2048 : <1536xf32>
// TIGHT: simt.shared_alloc at 0 : <1024xf16>
// TIGHT: simt.shared_alloc at 0 : <1024xf16>
func.func @loop(%n: i32) attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c127 = arith.constant 127 : i32
  %half = arith.constant 1.0 : f16
  %one = arith.constant 1.0 : f32
  %wide = simt.shared_alloc : !simt.shared<1536xf32>
  %t = simt.thread_id : i32
  %other = arith.subi %c127, %t : i32
  simt.shared_store %wide[%t], %one : !simt.shared<1536xf32>, i32, f32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = simt.shared_alloc : !simt.shared<1024xf16>
    simt.shared_store %a[%t], %half : !simt.shared<1024xf16>, i32, f16
    %v = simt.shared_load %a[%other] : !simt.shared<1024xf16>, i32 -> f16
    %b = simt.shared_alloc : !simt.shared<1024xf16>
    simt.shared_store %b[%t], %v : !simt.shared<1024xf16>, i32, f16
    %w = simt.shared_load %b[%other] : !simt.shared<1024xf16>, i32 -> f16
    simt.shared_store %wide[%other], %one : !simt.shared<1536xf32>, i32, f32
  } {simt.uniform}
  return
}
