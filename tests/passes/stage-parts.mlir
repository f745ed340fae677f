// RUN: tegula-opt --simt-set-target='fields={shared_bytes=32768,thread_register_bytes=256}' --tile-stage-operands %s | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: tegula-opt --simt-set-target='fields={shared_bytes=65536,thread_register_bytes=256}' --tile-stage-operands %s | FileCheck %s --check-prefixes=CHECK,LARGE
// Operands of 16 KiB each, whose elements threads load by themselves, where half of shared memory holds one or both.

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
#rows = #layout.distributed<register (0,1) (0,2) (0,4) (0,64) (16,0) (32,0),
                             lane (0,8) (0,16) (0,32) (8,0) (1,0), warp (2,0) (4,0)>
#columns = #layout.distributed<register (1,0) (2,0) (4,0) (64,0) (0,16) (0,32),
                             lane (8,0) (16,0) (32,0) (0,8) (0,1), warp (0,2) (0,4)>
#lanes = #layout.distributed<register (0,1) (0,2) (0,4) (8,0) (16,0) (32,0),
                             lane (0,8) (0,16) (0,32) (0,64) (1,0), warp (2,0) (4,0)>

// SMALL-DAG: #[[LEFT:.*]] = #layout.distributed<register (0,1) (0,2) (0,4) (0,8) (0,16) (0,32), lane (1,0) (2,0) (4,0) (8,0) (0,0), warp (16,0) (32,0)>
// SMALL-DAG: #[[RIGHT:.*]] = #layout.distributed<register (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,16) (0,32), lane (0,2) (0,1) (0,4) (0,8) (0,0), warp (0,0) (0,0)>

// Outside of a loop: one dot for each half of the depth. Their parts share storage, because neither is alive with the
// other.
// LARGE-NOT: pad 8
// CHECK-LABEL: func.func @outside
// SMALL: %[[A:.*]] = simt.shared_alloc : <64x64xf16,
// SMALL-NEXT: simt.shared_store %[[A]], %arg0 part 0
// SMALL-NEXT: %[[B:.*]] = simt.shared_alloc : <64x64xf16,
// SMALL-NEXT: simt.shared_store %[[B]], %arg1 part 0
// SMALL-NEXT: %[[X:.*]] = simt.shared_load %[[A]] : {{.*}} -> tensor<64x64xf16, #[[LEFT]]>
// SMALL-NEXT: %[[Y:.*]] = simt.shared_load %[[B]] : {{.*}} -> tensor<64x64xf16, #[[RIGHT]]>
// SMALL-NEXT: %[[D:.*]] = tile.dot %[[X]], %[[Y]], %arg2
// SMALL: simt.shared_store %{{.*}}, %arg0 part 1
// SMALL: simt.shared_store %{{.*}}, %arg1 part 1
// SMALL: %[[E:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[D]] {simt.instruction
// SMALL-NOT: simt.convert_layout
// SMALL: return %[[E]]
// LARGE: simt.shared_store %{{.*}}, %arg0 :
// LARGE: simt.shared_store %{{.*}}, %arg1 :
// LARGE: tile.dot
// LARGE-NOT: tile.dot
func.func @outside(%q: tensor<64x128xf16, #rows>, %k: tensor<128x64xf16, #columns>, %c: tensor<64x64xf32, #sums>)
    -> tensor<64x64xf32, #sums> {
  %x = simt.convert_layout %q : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #left>
  %y = simt.convert_layout %k : tensor<128x64xf16, #columns> -> tensor<128x64xf16, #right>
  %d = tile.dot %x, %y, %c {simt.instruction = #mma}
      : tensor<64x128xf16, #left>, tensor<128x64xf16, #right>, tensor<64x64xf32, #sums>
  return %d : tensor<64x64xf32, #sums>
}

// In a loop every barrier is passed again and again: both operands at once, in all of the memory.
// CHECK-LABEL: func.func @inside
// CHECK: scf.for
// CHECK: simt.shared_store %{{.*}}, %arg0 :
// CHECK: simt.shared_store %{{.*}}, %arg1 :
// CHECK: tile.dot
// CHECK-NOT: tile.dot
func.func @inside(%q: tensor<64x128xf16, #rows>, %k: tensor<128x64xf16, #columns>, %c: tensor<64x64xf32, #sums>,
                  %n: i32) -> tensor<64x64xf32, #sums> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%sum = %c) -> (tensor<64x64xf32, #sums>) : i32 {
    %x = simt.convert_layout %q : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #left>
    %y = simt.convert_layout %k : tensor<128x64xf16, #columns> -> tensor<128x64xf16, #right>
    %d = tile.dot %x, %y, %sum {simt.instruction = #mma}
        : tensor<64x128xf16, #left>, tensor<128x64xf16, #right>, tensor<64x64xf32, #sums>
    scf.yield %d : tensor<64x64xf32, #sums>
  }
  return %r : tensor<64x64xf32, #sums>
}

// Lanes hold different halves of the depth: threads would skip stores. One operand after the other, as conversions.
// CHECK-LABEL: func.func @in_lanes
// SMALL: simt.convert_layout
// SMALL: simt.convert_layout
// SMALL-NOT: simt.shared_alloc
// LARGE-NOT: simt.convert_layout
// CHECK: return
func.func @in_lanes(%q: tensor<64x128xf16, #lanes>, %k: tensor<128x64xf16, #columns>, %c: tensor<64x64xf32, #sums>)
    -> tensor<64x64xf32, #sums> {
  %x = simt.convert_layout %q : tensor<64x128xf16, #lanes> -> tensor<64x128xf16, #left>
  %y = simt.convert_layout %k : tensor<128x64xf16, #columns> -> tensor<128x64xf16, #right>
  %d = tile.dot %x, %y, %c {simt.instruction = #mma}
      : tensor<64x128xf16, #left>, tensor<128x64xf16, #right>, tensor<64x64xf32, #sums>
  return %d : tensor<64x64xf32, #sums>
}

// The sums take half of a thread's registers, one at a time: buffers are not padded, however many dots there are.
// CHECK-LABEL: func.func @one_after_another
// LARGE-COUNT-2: tile.dot
func.func @one_after_another(%q: tensor<64x128xf16, #rows>, %k: tensor<128x64xf16, #columns>,
                             %c: tensor<64x64xf32, #sums>, %p: tensor<64x64x!tile.ptr<f32>, #sums>) {
  %x = simt.convert_layout %q : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #left>
  %y = simt.convert_layout %k : tensor<128x64xf16, #columns> -> tensor<128x64xf16, #right>
  %d = tile.dot %x, %y, %c {simt.instruction = #mma}
      : tensor<64x128xf16, #left>, tensor<128x64xf16, #right>, tensor<64x64xf32, #sums>
  tile.store %p, %d : tensor<64x64x!tile.ptr<f32>, #sums>
  %x2 = simt.convert_layout %q : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #left>
  %y2 = simt.convert_layout %k : tensor<128x64xf16, #columns> -> tensor<128x64xf16, #right>
  %d2 = tile.dot %x2, %y2, %c {simt.instruction = #mma}
      : tensor<64x128xf16, #left>, tensor<128x64xf16, #right>, tensor<64x64xf32, #sums>
  tile.store %p, %d2 : tensor<64x64x!tile.ptr<f32>, #sums>
  return
}
