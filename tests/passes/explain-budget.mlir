// The account of a kernel's shared memory: the sum, and the largest buffers first. Buffers that are not alive at the
// same time share bytes.
// RUN: tegula-opt --simt-set-target=fields={shared_bytes=65536} --simt-allocate-shared %s 2>&1 >/dev/null | FileCheck %s
// CHECK: remark: budget: 512 bytes of shared memory of 65536
// CHECK: note: 512 bytes at 0 for 128xf32
// CHECK: note: 128 bytes at 0 for 64xi16
// CHECK-NOT: note: {{[0-9]+}} bytes
func.func @account(%v: f32, %w: i16) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %t = simt.thread_id : i32
  %l = simt.lane_id : i32
  %b = simt.shared_alloc : !simt.shared<64xi16>
  simt.shared_store %b[%t], %w : !simt.shared<64xi16>, i32, i16
  %y = simt.shared_load %b[%l] : !simt.shared<64xi16>, i32 -> i16
  %a = simt.shared_alloc : !simt.shared<128xf32>
  simt.shared_store %a[%t], %v : !simt.shared<128xf32>, i32, f32
  %x = simt.shared_load %a[%l] : !simt.shared<128xf32>, i32 -> f32
  return
}
