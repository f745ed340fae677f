// RUN: tegula-opt --simt-set-target='fields={shared_bytes=4096}' --tile-stage-operands %s --verify-diagnostics | FileCheck %s
// Operands of matrix instructions in planned shared buffers; four warps of 8 lanes.

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
#a = #layout.distributed<register (0,1) (0,2) (0,4), lane (0,8) (1,0) (2,0), warp (4,0) (8,0)>
#b = #layout.distributed<register (0,1) (0,2) (0,4), lane (0,8) (1,0) (2,0), warp (4,0) (8,0)>
#column = #layout.distributed<register (1,0) (2,0) (0,8), lane (4,0) (8,0) (0,1), warp (0,2) (0,4)>
#c = #layout.fragments<8x8xf32, warps [2, 2]>
#held = #layout.fragments<8x8xf16, warps [4, 1], operand>
#rows = #layout.fragments<8x8xf32, warps [4, 1]>
// Opaque fragments: padded lines along the axis of the widest stores; the product loads fragments from the buffers.
// CHECK-DAG: #[[ROWS:.*]] = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0), pad 8 every 16>
// CHECK-DAG: #[[COLUMNS:.*]] = #layout.shared<(1,0) (2,0) (4,0) (8,0) (0,1) (0,2) (0,4) (0,8), pad 8 every 16>
// CHECK-LABEL: func.func @opaque
// CHECK: %[[A:.*]] = simt.shared_alloc : <16x16xf16, #[[ROWS]]>
// CHECK: simt.shared_store %[[A]], %arg0 : {{.*}}, tensor<16x16xf16, #{{.*}}>
// CHECK: %[[L:.*]] = simt.shared_load %[[A]] : {{.*}} -> tensor<16x16xf16>
// CHECK: %[[B:.*]] = simt.shared_alloc : <16x16xf16, #[[COLUMNS]]>
// CHECK: simt.shared_store %[[B]], %arg1
// CHECK: %[[R:.*]] = simt.shared_load %[[B]] : {{.*}} -> tensor<16x16xf16>
// CHECK: tile.dot %[[L]], %[[R]], %arg2 {simt.instruction = #instruction}
func.func @opaque(%a: tensor<16x16xf16, #a>, %b: tensor<16x16xf16, #column>, %c: tensor<16x16xf32, #c>)
    -> tensor<16x16xf32, #c> {
  %d = tile.dot %a, %b, %c {simt.instruction = #instruction}
      : tensor<16x16xf16, #a>, tensor<16x16xf16, #column>, tensor<16x16xf32, #c>
  return %d : tensor<16x16xf32, #c>
}

// A matrix smaller than a fragment: the buffer has the fragment's extents.
// CHECK-LABEL: func.func @small
// CHECK: %[[A:.*]] = simt.shared_alloc : <8x8xf16,
// CHECK: simt.shared_store %[[A]], %arg0 : {{.*}}, tensor<4x4xf16,
// CHECK: simt.shared_load %[[A]] : {{.*}} -> tensor<4x4xf16>
func.func @small(%a: tensor<4x4xf16, #layout.distributed<register (0,1), lane (0,2) (1,0) (2,0), warp (0,0) (0,0)>>,
                 %b: tensor<4x8xf16, #layout.distributed<register (0,1), lane (0,2) (0,4) (1,0), warp (2,0) (0,0)>>,
                 %c: tensor<4x8xf32, #layout.fragments<8x8xf32, warps [1, 1]>>)
    -> tensor<4x8xf32, #layout.fragments<8x8xf32, warps [1, 1]>> {
  %d = tile.dot %a, %b, %c {simt.instruction = #instruction}
      : tensor<4x4xf16, #layout.distributed<register (0,1), lane (0,2) (1,0) (2,0), warp (0,0) (0,0)>>,
        tensor<4x8xf16, #layout.distributed<register (0,1), lane (0,2) (0,4) (1,0), warp (2,0) (0,0)>>,
        tensor<4x8xf32, #layout.fragments<8x8xf32, warps [1, 1]>>
  return %d : tensor<4x8xf32, #layout.fragments<8x8xf32, warps [1, 1]>>
}

// A's buffer takes more than 4 KiB: two parts of the depth. B is in global memory, where they begin at rows 0 and 64.
// CHECK-LABEL: func.func @parts
// CHECK: %[[A0:.*]] = simt.shared_alloc : <16x64xf16,
// CHECK: simt.shared_store %[[A0]], %arg0 part 0 : {{.*}}, tensor<16x128xf16,
// CHECK: %[[L0:.*]] = simt.shared_load %[[A0]] : {{.*}} -> tensor<16x64xf16>
// CHECK: %[[ROW0:.*]] = arith.muli %c0_i64, %arg3 : i64
// CHECK: %[[P0:.*]] = tile.addptr %arg1, %[[ROW0]]
// CHECK: %[[R0:.*]] = tile.load_strided %[[P0]] stride %arg3 : {{.*}} -> tensor<64x64xf16>
// CHECK: %[[D0:.*]] = tile.dot %[[L0]], %[[R0]], %arg2 {simt.instruction = #instruction}
// CHECK: %[[A1:.*]] = simt.shared_alloc : <16x64xf16,
// CHECK: simt.shared_store %[[A1]], %arg0 part 1
// CHECK: %[[ROW1:.*]] = arith.muli %c64_i64, %arg3 : i64
// CHECK: %[[D1:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[D0]] {simt.instruction = #instruction}
// CHECK: return %[[D1]]
func.func @parts(%a: tensor<16x128xf16, #layout.distributed<register (0,1) (0,2) (0,4) (0,64) (4,0) (8,0),
                                                            lane (0,8) (0,16) (0,32), warp (1,0) (2,0)>>,
                 %p: !tile.ptr<f16>, %c: tensor<16x64xf32, #c>, %stride: i64)
    -> tensor<16x64xf32, #c> {
  %b = tile.load_strided %p stride %stride : !tile.ptr<f16>
      -> tensor<128x64xf16, #layout.distributed<register (0,1) (0,2) (0,4) (8,0) (16,0) (32,0) (64,0) (4,0),
                                                lane (0,8) (0,16) (0,32), warp (1,0) (2,0)>>
  // expected-remark@+1 {{dot: its depth goes through shared memory in 2 parts, because 4336 bytes of operands do not fit}}
  %d = tile.dot %a, %b, %c {simt.instruction = #instruction}
      : tensor<16x128xf16, #layout.distributed<register (0,1) (0,2) (0,4) (0,64) (4,0) (8,0),
                                               lane (0,8) (0,16) (0,32), warp (1,0) (2,0)>>,
        tensor<128x64xf16, #layout.distributed<register (0,1) (0,2) (0,4) (8,0) (16,0) (32,0) (64,0) (4,0),
                                               lane (0,8) (0,16) (0,32), warp (1,0) (2,0)>>, tensor<16x64xf32, #c>
  return %d : tensor<16x64xf32, #c>
}

// Unchanged: an operand that is in fragments; a dot without an instruction.
// CHECK-LABEL: func.func @unchanged
// CHECK: %[[R:.*]] = simt.shared_load
// CHECK: tile.dot %arg0, %[[R]], %arg2
// CHECK-NOT: simt.shared
// CHECK: tile.dot %arg1, %arg1, %arg3
func.func @unchanged(%a: tensor<32x16xf16, #held>, %b: tensor<16x16xf16, #b>, %c: tensor<32x16xf32, #rows>,
                     %e: tensor<16x16xf32, #b>)
    -> (tensor<32x16xf32, #rows>, tensor<16x16xf32, #b>) {
  %d = tile.dot %a, %b, %c {simt.instruction = #instruction}
      : tensor<32x16xf16, #held>, tensor<16x16xf16, #b>, tensor<32x16xf32, #rows>
  %f = tile.dot %b, %b, %e : tensor<16x16xf16, #b>, tensor<16x16xf16, #b>, tensor<16x16xf32, #b>
  return %d, %f : tensor<32x16xf32, #rows>, tensor<16x16xf32, #b>
}
