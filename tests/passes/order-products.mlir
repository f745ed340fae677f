// Products that start beside others which they do not depend on.
// RUN: tegula-opt --simt-set-target='fields={delayed_bytes=384}' --tile-order-products %s --split-input-file | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={delayed_bytes=255}' --tile-order-products %s --split-input-file | FileCheck %s --check-prefix=FULL

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#swt = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (8,1) (16,2) (32,4) (0,8) (0,16) (0,32)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// Gradients of scores: the second product depends on nothing of the first. Its view moves along. Two results of 128
// bytes a thread, 4 warps.
// CHECK-LABEL: func.func @gradients
// CHECK:   %[[X:.*]] = simt.product
// CHECK-NEXT: %[[V:.*]] = simt.transpose
// CHECK-NEXT: %[[Z:.*]] = simt.product %{{.*}}, %[[V]],
// CHECK-NEXT: simt.wait_products %[[X]]
// CHECK:   math.exp2
// CHECK:   simt.wait_products %[[Z]]
// FULL-LABEL: func.func @gradients
// FULL:   %[[X:.*]] = simt.product
// FULL-NEXT: simt.wait_products %[[X]]
func.func @gradients(%n: i32, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %q = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %k = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %w = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = simt.product %q, %k, %zero instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %s = simt.wait_products %x : tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %wt = simt.transpose %w : !simt.shared<64x64xf16, #sw> -> !simt.shared<64x64xf16, #swt>
    %z = simt.product %q, %wt, %zero instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #swt>, tensor<64x64xf32>
    %d = simt.wait_products %z : tensor<64x64xf32>
    %m = arith.mulf %p, %d : tensor<64x64xf32>
    %next = arith.addf %sum, %m : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  return
}

// Three that depend on nothing start in their order; a load in between does not matter.
// CHECK-LABEL: func.func @three
// CHECK:   %[[X:.*]] = simt.product %[[Q:[^,]*]], %[[Q]],
// CHECK-NEXT: %[[Y:.*]] = simt.product %[[Q]], %[[K:[^,]*]],
// CHECK-NEXT: %[[Z:.*]] = simt.product %[[K]], %[[K]],
// CHECK-NEXT: simt.wait_products %[[X]]
// CHECK:   simt.wait_products %[[Y]]
// CHECK:   simt.wait_products %[[Z]]
func.func @three(%n: i32, %in: tensor<64x64x!tile.ptr<f32>>, %out: tensor<64x64x!tile.ptr<f32>>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %q = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %k = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = simt.product %q, %q, %zero instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %s = simt.wait_products %x : tensor<64x64xf32>
    %b = tile.load %in : tensor<64x64x!tile.ptr<f32>>
    %y = simt.product %q, %k, %zero instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %t = simt.wait_products %y : tensor<64x64xf32>
    %z = simt.product %k, %k, %zero instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %u = simt.wait_products %z : tensor<64x64xf32>
    %st = arith.addf %s, %t : tensor<64x64xf32>
    %bu = arith.addf %b, %u : tensor<64x64xf32>
    %sum = arith.addf %st, %bu : tensor<64x64xf32>
    tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  }
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// The buffer of the second product is written behind the first one.
// CHECK-LABEL: func.func @written_between
// CHECK:   simt.product
// CHECK-NEXT: simt.wait_products
// CHECK:   simt.shared_store
// CHECK:   simt.product
func.func @written_between(%n: i32, %b: tensor<64x64xf16>, %out: tensor<64x64x!tile.ptr<f32>>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %q = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %w = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = simt.product %q, %q, %zero instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %s = simt.wait_products %x : tensor<64x64xf32>
    simt.shared_store %w, %b : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
    simt.fence async
    %z = simt.product %q, %w, %zero instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %d = simt.wait_products %z : tensor<64x64xf32>
    %m = arith.mulf %s, %d : tensor<64x64xf32>
    %next = arith.addf %sum, %m : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// A copy for the next iteration starts behind the products, although the loop waits for it behind them in the source:
// its place is 0. What computes its position moves along.
// CHECK-LABEL: func.func @copies
// CHECK:   scf.for
// CHECK:     simt.product
// CHECK-NEXT: simt.product
// CHECK-NEXT: %[[FIRST:.*]] = simt.copy_tile {{.*}} {simt.schedule = #simt.schedule<ahead 1>}
// CHECK-NEXT: simt.wait_tiles %[[FIRST]] {{.*}} {simt.schedule = #simt.schedule<ahead 0, place -3>}
// CHECK-NEXT: %[[ROW:.*]] = arith.muli
// CHECK-NEXT: %[[SECOND:.*]] = simt.copy_tile %{{[^ ]*}}[%[[ROW]], {{.*}} {simt.schedule = #simt.schedule<ahead 1>}
// CHECK-NEXT: simt.wait_tiles %[[SECOND]]
// CHECK-NEXT: simt.wait_products
// FULL-LABEL: func.func @copies
// FULL:   simt.copy_tile {{.*}} {simt.schedule = #simt.schedule<ahead 1, place -1>}
// FULL:   simt.product
// FULL:   simt.copy_tile {{.*}} {simt.schedule = #simt.schedule<ahead 1, place -1>}
func.func @copies(%n: i32, %desc: !tile.desc<64x64xf16>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %barriers = simt.barrier_alloc : !simt.barriers<2>
  %rq = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %rk = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %q = simt.stage %rq[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %k = simt.stage %rk[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = simt.copy_tile %desc[%i, %c0] to %q on %barriers[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<2>
    simt.wait_tiles %first on %barriers {simt.schedule = #simt.schedule<ahead 0, place -3>} : !simt.barriers<2>
    %x = simt.product %q, %q, %zero instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %s = simt.wait_products %x : tensor<64x64xf32>
    %row = arith.muli %i, %n : i32
    %second = simt.copy_tile %desc[%row, %c0] to %k on %barriers[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<2>
    simt.wait_tiles %second on %barriers {simt.schedule = #simt.schedule<ahead 0, place -3>} : !simt.barriers<2>
    %y = simt.product %k, %k, %zero instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %t = simt.wait_products %y : tensor<64x64xf32>
    %both = arith.addf %s, %t : tensor<64x64xf32>
    %total = arith.addf %sum, %both : tensor<64x64xf32>
    scf.yield %total : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  return
}
