// RUN: tegula-opt --tile-lower-descriptors --canonicalize --cse %s | FileCheck %s

// A kernel argument: its parts are read once; the loop's variable is not negative, so only the upper bound is tested.
// CHECK-LABEL: func.func @argument
func.func @argument(%d: !tile.desc<16x8xf32>, %n: i32) -> tensor<16x8xf32> {
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i64
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[BASE:.*]] = tile.desc_base %arg0
  // CHECK-DAG: %[[M:.*]] = tile.desc_extent %arg0 axis 0
  // CHECK-DAG: %[[K:.*]] = tile.desc_extent %arg0 axis 1
  // CHECK-DAG: %[[S:.*]] = tile.desc_stride %arg0 axis 0
  // CHECK-DAG: %[[NAN:.*]] = tile.desc_pads_nan %arg0
  // CHECK-NOT: desc_stride %arg0 axis 1
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  // CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[ACC:.*]] = {{.*}}) -> (tensor<16x8xf32>)
  %r = scf.for %i = %c0 to %n step %c8 iter_args(%a = %zero) -> (tensor<16x8xf32>) : i32 {
    // CHECK: %[[WIDE:.*]] = arith.extsi %[[I]] : i32 to i64
    // CHECK: %[[P:.*]] = tile.addptr %[[BASE]], %[[WIDE]] : !tile.ptr<f32>, i64
    // CHECK: %[[LEFT:.*]] = arith.subi %[[K]], %[[WIDE]] : i64
    // CHECK: %[[ABOVE:.*]] = arith.maxsi %[[LEFT]], %[[C0]] : i64
    // CHECK: %[[HIGH:.*]] = arith.minsi %[[ABOVE]], %[[C8]] : i64
    // CHECK: arith.trunci %[[HIGH]] : i64 to i32
    // CHECK: arith.cmpi slt, %{{.*}} : tensor<1x8xi32>
    // CHECK-NOT: arith.cmpi sge
    // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<16x8x!tile.ptr<f32>>
    %v = tile.desc_load %d[%c0, %i] : !tile.desc<16x8xf32> -> tensor<16x8xf32>
    %s = arith.addf %a, %v : tensor<16x8xf32>
    scf.yield %s : tensor<16x8xf32>
  }
  return %r : tensor<16x8xf32>
}

// A descriptor made in the kernel, offsets of any sign; zero padding needs no `other`.
// CHECK-LABEL: func.func @made
// CHECK-NOT: desc
func.func @made(%p: !tile.ptr<f16>, %m: i32, %s: i64, %i: i32) {
  %one = arith.constant 1 : i64
  // CHECK: arith.maxsi %arg1, %{{.*}} : i32
  %d = tile.make_desc %p, [%m, %m], [%s, %one] : !tile.ptr<f16> -> !tile.desc<1x8xf16>
  // CHECK: arith.muli %{{.*}}, %arg2 : i64
  // CHECK: arith.cmpi slt, %{{.*}} : i64
  // CHECK: arith.cmpi sge, %{{.*}} : i64
  // CHECK: arith.cmpi slt, %{{.*}} : tensor<8xi32>
  // CHECK: arith.cmpi sge, %{{.*}} : tensor<8xi32>
  // CHECK: %[[V:.*]] = tile.load %{{[0-9]+}} mask %{{[0-9]+}} : tensor<8x!tile.ptr<f16>>
  %v = tile.desc_load %d[%i, %i] : !tile.desc<1x8xf16> -> tensor<8xf16>
  // CHECK: tile.store %{{[0-9]+}}, %[[V]] mask %{{[0-9]+}} : tensor<8x!tile.ptr<f16>>
  tile.desc_store %d[%i, %i], %v : !tile.desc<1x8xf16>, tensor<8xf16>
  // CHECK: tile.atomic_rmw xchg relaxed device %{{[0-9]+}}, %[[V]] mask %{{[0-9]+}}
  tile.desc_atomic xchg %d[%i, %i], %v : !tile.desc<1x8xf16>, tensor<8xf16>
  // CHECK: return
  return
}

// Loops keep their attributes and carry the descriptor's parts.
// CHECK-LABEL: func.func @carried
func.func @carried(%x: !tile.desc<8xf32>, %y: !tile.desc<8xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for {{.*}} -> (!tile.ptr<f32>, i64, {{.*}}i1{{.*}}) : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (!tile.desc<8xf32>, !tile.desc<8xf32>) : i32 {
    %v = tile.desc_load %a[%i] : !tile.desc<8xf32> -> tensor<8xf32>
    tile.desc_store %b[%i], %v : !tile.desc<8xf32>, tensor<8xf32>
    scf.yield %b, %a : !tile.desc<8xf32>, !tile.desc<8xf32>
  // CHECK: } {tile.num_stages = 2 : i32}
  } {tile.num_stages = 2 : i32}
  return
}

// Unchanged.
// CHECK-LABEL: func.func @none
// CHECK-NEXT: %[[V:.*]] = tile.load %arg0 mask %arg1 : tensor<8x!tile.ptr<f32>>
// CHECK-NEXT: tile.store %arg0, %[[V]] : tensor<8x!tile.ptr<f32>>
// CHECK-NEXT: return
func.func @none(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>) {
  %v = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>
  tile.store %p, %v : tensor<8x!tile.ptr<f32>>
  return
}
