// RUN: tegula-opt --simt-set-target='fields={thread_register_bytes=1024}' --tile-stage-operands %s | FileCheck %s --check-prefixes=CHECK,ROOM
// RUN: tegula-opt --simt-set-target='fields={thread_register_bytes=128}' --tile-stage-operands %s | FileCheck %s --check-prefixes=CHECK,SHORT
// Operands whose elements threads load by themselves; four warps of 32 lanes, of which the upper 16 hold copies.

#a = #layout.distributed<register (0,1) (0,2) (0,4) (0,8), lane (1,0) (2,0) (4,0) (8,0) (0,0)>
#b = #layout.distributed<register (1,0) (2,0) (4,0) (8,0), lane (0,2) (0,1) (0,4) (0,8) (0,0)>
#c = #layout.distributed<register (0,1) (0,4) (0,8), lane (1,0) (2,0) (4,0) (8,0) (0,2)>
#mma = #simt.instruction<"16x16x16.f16.f32", 16x16x16, a <f16 registers #a>, b <f16 registers #b>, c <f32 registers #c>>
#left = #layout.distributed<register (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64),
                             lane (1,0) (2,0) (4,0) (8,0) (0,0), warp (16,0) (32,0)>
#right = #layout.distributed<register (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (0,16) (0,32),
                             lane (0,2) (0,1) (0,4) (0,8) (0,0), warp (0,0) (0,0)>
#sums = #layout.distributed<register (0,1) (0,4) (0,8) (0,16) (0,32),
                             lane (1,0) (2,0) (4,0) (8,0) (0,2), warp (16,0) (32,0)>
#rows = #layout.distributed<register (0,1) (0,2) (0,4) (8,0) (16,0) (32,0),
                             lane (0,8) (0,16) (0,32) (0,64) (1,0), warp (2,0) (4,0)>
#columns = #layout.distributed<register (1,0) (2,0) (4,0) (0,8) (0,16) (0,32),
                             lane (8,0) (16,0) (32,0) (64,0) (0,1), warp (0,2) (0,4)>
// The sums take 128 bytes of a thread's registers. If there are 1024 bytes, buffers are swizzled. If there are only
// 128, they are padded, so that all offsets of a thread are one register and immediates.
// ROOM-DAG: #[[L:.*]] = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (0,64) (8,0) (16,0) (32,0)>
// ROOM-DAG: #[[R:.*]] = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (8,2) (16,1) (32,4) (64,0) (0,8) (0,16) (0,32)>
// SHORT-DAG: #[[L:.*]] = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (0,64) (8,0) (16,0) (32,0), pad 8 every 64>
// SHORT-DAG: #[[R:.*]] = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,2) (0,1) (0,4) (64,0) (0,8) (0,16) (0,32), pad 8 every 64>
// The left operand stays in memory for the loop. It is loaded last, so that no barrier comes between it and the dot.
// CHECK-LABEL: func.func @both
// CHECK: %[[Q:.*]] = simt.shared_alloc : <64x128xf16, #[[L]]>
// CHECK: simt.shared_store %[[Q]], %arg0
// CHECK: scf.for
// CHECK: %[[K:.*]] = simt.shared_alloc : <128x64xf16, #[[R]]>
// CHECK: simt.shared_store %[[K]], %arg1
// CHECK: %[[Y:.*]] = simt.shared_load %[[K]]
// CHECK: %[[X:.*]] = simt.shared_load %[[Q]]
// CHECK: tile.dot %[[X]], %[[Y]]
func.func @both(%q: tensor<64x128xf16, #rows>, %k: tensor<128x64xf16, #columns>, %c: tensor<64x64xf32, #sums>,
                %n: i32) -> tensor<64x64xf32, #sums> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = simt.convert_layout %q : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #left>
  %r = scf.for %i = %zero to %n step %one iter_args(%sum = %c) -> (tensor<64x64xf32, #sums>) : i32 {
    %y = simt.convert_layout %k : tensor<128x64xf16, #columns> -> tensor<128x64xf16, #right>
    %d = tile.dot %x, %y, %sum {simt.instruction = #mma}
        : tensor<64x128xf16, #left>, tensor<128x64xf16, #right>, tensor<64x64xf32, #sums>
    scf.yield %d : tensor<64x64xf32, #sums>
  }
  return %r : tensor<64x64xf32, #sums>
}
