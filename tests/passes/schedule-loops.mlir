// RUN: tegula-opt --simt-set-target='fields={ahead_bytes=192,early_bytes=128}' --tile-schedule-loops %s 2>/dev/null | FileCheck %s
// RUN: tegula-opt --simt-set-target='fields={ahead_bytes=40}' --tile-schedule-loops %s 2>/dev/null | FileCheck --check-prefix=FEW %s
// RUN: tegula-opt --simt-set-target='fields={ahead_bytes=192,early_bytes=128}' --tile-schedule-loops --verify-diagnostics -o /dev/null %s

// What the schedules make of these loops: expand-schedules.mlir.
#lines = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0)>

module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {

// Operands of a product, one of them behind changes of shape and arithmetic.
// CHECK-LABEL: func.func @matmul
// CHECK: scf.for
// CHECK: tile.load %{{.*}} mask %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
// Each tile takes 32 bytes in a thread.
// FEW-LABEL: func.func @matmul
// FEW: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
// FEW: tile.load
// FEW-NOT: simt.schedule
func.func @matmul(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %at = arith.constant dense<3> : tensor<64x32xi32>
  %back = arith.constant dense<4> : tensor<32x64xi32>

  // Each tile takes 32 bytes in a thread.
  // expected-remark @below {{pipeline: 2 of the loop's 2 loads for products are issued one iteration ahead}}
  %r:3 = scf.for %i = %c0 to %n step %c32 iter_args(%xp = %x, %yp = %y, %acc = %zero)
      -> (!tile.ptr<f16>, !tile.ptr<f16>, tensor<64x64xf32>) : i32 {
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %p = tile.addptr %xs, %at : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %left = arith.subi %n, %i : i32
    %lefts = tile.splat %left : i32 -> tensor<64x32xi32>
    %m = arith.cmpi slt, %at, %lefts : tensor<64x32xi32>
    // expected-note @below {{issued one iteration ahead, 32 bytes a thread}}
    %a = tile.load %p mask %m : tensor<64x32x!tile.ptr<f16>>
    %ys = tile.splat %yp : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
    %q = tile.addptr %ys, %back : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
    // expected-note @below {{issued one iteration ahead, 32 bytes a thread}}
    %b = tile.load %q : tensor<32x64x!tile.ptr<f16>>
    %t = tile.trans %b order [1, 0] : tensor<32x64xf16>
    %u = tile.trans %t order [1, 0] : tensor<64x32xf16>
    %w = arith.mulf %u, %u : tensor<32x64xf16>
    %d = tile.dot %a, %w, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %xn = tile.addptr %xp, %c32 : !tile.ptr<f16>, i32
    %yn = tile.addptr %yp, %n : !tile.ptr<f16>, i32
    scf.yield %xn, %yn, %d : !tile.ptr<f16>, !tile.ptr<f16>, tensor<64x64xf32>
  } {tile.num_stages = 2 : i32}
  return %r#2 : tensor<64x64xf32>
}

// Loads that exceed the limit are issued at the beginning of their iteration, before the product that precedes them in
// the text.
// FEW-LABEL: func.func @too_much
// FEW-NOT: simt.schedule
// FEW: return
// CHECK-LABEL: func.func @too_much
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 0, place -4>}
func.func @too_much(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %q: tensor<64x128xf16>, %n: i32) -> tensor<64x128xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  // expected-remark @below {{pipeline: 1 of the loop's 2 loads for products are issued one iteration ahead}}
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
    // expected-note @below {{issued one iteration ahead, 128 bytes a thread}}
    %k = tile.load %xs : tensor<128x64x!tile.ptr<f16>>
    %s = tile.dot %q, %k, %none : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %yp = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %ys = tile.splat %yp : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
    // expected-note @below {{not issued ahead: it takes 128 bytes a thread of the 64 that are left; issued as its own iteration begins}}
    %v = tile.load %ys : tensor<64x128x!tile.ptr<f16>>
    %d = tile.dot %p, %v, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  return %r : tensor<64x128xf32>
}

// Constant bounds: the loop runs, so its first loads need no branch.
func.func @surely_runs(%x: !tile.ptr<f16>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-remark @below {{pipeline: 1 of the loop's 1 loads for products}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
    %j = arith.index_cast %i : index to i32
    %xp = tile.addptr %x, %j : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    // expected-note @below {{issued one iteration ahead, 4 bytes a thread}}
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// Loads that stay, each for a different reason.
// CHECK-LABEL: func.func @loads_that_stay
// CHECK-NOT: simt.schedule
func.func @loads_that_stay(%x: !tile.ptr<f16>, %pages: !tile.ptr<i32>, %n: i32, %c: i1) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %none = arith.constant dense<0.0> : tensor<16x16xf16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{pipeline: 0 of the loop's 5 loads for products are issued one iteration ahead}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    // expected-note @below {{not issued ahead: it names a cache}}
    %a = tile.load %xs cache(ca) : tensor<16x16x!tile.ptr<f16>>
    // expected-note @below {{not issued ahead: it names a cache}}
    %b = tile.load %xs cache(cg) : tensor<16x16x!tile.ptr<f16>>
    %d0 = tile.dot %a, %b, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    // The page number is read from memory, and its load reaches no product.
    %pp = tile.addptr %pages, %i : !tile.ptr<i32>, i32
    %page = tile.load %pp : !tile.ptr<i32>
    %yp = tile.addptr %x, %page : !tile.ptr<f16>, i32
    %ys = tile.splat %yp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    // expected-note @below {{not issued ahead: it depends on 'tile.load' in the loop}}
    %e = tile.load %ys : tensor<16x16x!tile.ptr<f16>>
    %is = arith.fptosi %d0 : tensor<16x16xf32> to tensor<16x16xi32>
    %zs = tile.addptr %xs, %is : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    // expected-note @below {{not issued ahead: it depends on 'tile.dot' in the loop}}
    %f = tile.load %zs : tensor<16x16x!tile.ptr<f16>>
    %d1 = tile.dot %e, %f, %d0 : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %d2 = scf.if %c -> (tensor<16x16xf32>) {
      // expected-note @below {{not issued ahead: it stands in a branch}}
      %g = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
      %d = tile.dot %g, %none, %d1 : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    } else {
      scf.yield %d1 : tensor<16x16xf32>
    }
    scf.yield %d2 : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// A volatile load may wait for another program: what is loaded after it stays after it.
// CHECK-LABEL: func.func @volatile
// CHECK-NOT: simt.schedule
func.func @volatile(%x: !tile.ptr<f16>, %flag: !tile.ptr<i32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{pipeline: the loop's loads are not issued ahead: a volatile load keeps the order of what is around it}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %f = tile.load %flag volatile : !tile.ptr<i32>
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// A divisor that counts down is zero when the loop ends; the expansion guards it.
// CHECK-LABEL: func.func @divided
// CHECK-COUNT-2: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
// CHECK-NOT: simt.schedule
func.func @divided(%x: !tile.ptr<f16>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %at = arith.constant dense<7> : tensor<16x16xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{pipeline: 2 of the loop's 2 loads for products are issued one iteration ahead}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %down = %n) -> (tensor<16x16xf32>, i32) : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %ns = tile.splat %n : i32 -> tensor<16x16xi32>
    %still = arith.divsi %at, %ns : tensor<16x16xi32>
    %p = tile.addptr %xs, %still : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    // expected-note @below {{issued one iteration ahead, 4 bytes a thread}}
    %a = tile.load %p : tensor<16x16x!tile.ptr<f16>>
    %downs = tile.splat %down : i32 -> tensor<16x16xi32>
    %moving = arith.remsi %at, %downs : tensor<16x16xi32>
    %q = tile.addptr %xs, %moving : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    // expected-note @below {{issued one iteration ahead, 4 bytes a thread}}
    %b = tile.load %q : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %less = arith.subi %down, %c1 : i32
    scf.yield %d, %less : tensor<16x16xf32>, i32
  }
  return %r#0 : tensor<16x16xf32>
}

// A guard cannot be brought into the region of an op that takes nothing from above.
// CHECK-LABEL: func.func @divided_elsewhere
// CHECK-NOT: simt.schedule
func.func @divided_elsewhere(%x: !tile.ptr<f16>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %at = arith.constant dense<7> : tensor<16x16xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  // expected-remark @below {{pipeline: 0 of the loop's 1 loads}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %down = %n) -> (tensor<16x16xf32>, i32) : i32 {
    %downs = tile.splat %down : i32 -> tensor<16x16xi32>
    %q = tile.map_elementwise(%at, %downs) : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32> {
    ^bb0(%a0: i32, %b0: i32):
      %d0 = arith.divsi %a0, %b0 : i32
      tile.yield %d0 : i32
    }
    %p = tile.addptr %xs, %q : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    // expected-note @below {{not issued ahead: it depends on 'tile.map_elementwise' in the loop}}
    %a = tile.load %p : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %less = arith.subi %down, %c1 : i32
    scf.yield %d, %less : tensor<16x16xf32>, i32
  }
  return %r#0 : tensor<16x16xf32>
}

// Stores through the same argument, or of another argument's element type: two arguments may be one array.
// CHECK-LABEL: func.func @written
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<16x16x!tile.ptr<bf16>>
// CHECK-NOT: simt.schedule
func.func @written(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %z: !tile.ptr<bf16>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %still = tile.splat %y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  // expected-remark @below {{pipeline: 1 of the loop's 3 loads for products are issued one iteration ahead}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    // expected-note @below {{not issued ahead: the loop may write what it reads}}
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    // expected-note @below {{not issued ahead: the loop writes elements of its type, and two arguments may be one array}}
    %b = tile.load %still : tensor<16x16x!tile.ptr<f16>>
    %d0 = tile.dot %a, %b, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %zp = tile.addptr %z, %i : !tile.ptr<bf16>, i32
    %zs = tile.splat %zp : !tile.ptr<bf16> -> tensor<16x16x!tile.ptr<bf16>>
    // expected-note @below {{issued one iteration ahead, 4 bytes a thread}}
    %c = tile.load %zs : tensor<16x16x!tile.ptr<bf16>>
    %d1 = tile.dot %c, %c, %d0 : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
    %v = arith.truncf %d1 : tensor<16x16xf32> to tensor<16x16xf16>
    tile.store %xs, %v : tensor<16x16x!tile.ptr<f16>>
    scf.yield %d1 : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// A pointer loaded from memory may point anywhere.
// CHECK-LABEL: func.func @written_anywhere
// CHECK-NOT: simt.schedule
func.func @written_anywhere(%x: !tile.ptr<f16>, %table: !tile.ptr<i64>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<16x16xf16>
  %address = tile.load %table : !tile.ptr<i64>
  %y = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  // expected-remark @below {{pipeline: 0 of the loop's 1 loads}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    // expected-note @below {{not issued ahead: the loop may write what it reads}}
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    tile.store %ys, %one : tensor<16x16x!tile.ptr<f16>>
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// An atomic orders no later load if no result of one is read: the kernel cannot know what it has acquired.
// CHECK-LABEL: func.func @counted
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
// CHECK-NOT: simt.schedule
func.func @counted(%x: !tile.ptr<f16>, %count: !tile.ptr<i32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{pipeline: 1 of the loop's 1 loads}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %old = tile.atomic_rmw add acq_rel device %count, %c1 : !tile.ptr<i32>
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    // expected-note @below {{issued one iteration ahead, 4 bytes a thread}}
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// An assertion holds back no load.
// CHECK-LABEL: func.func @past_assertions
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
func.func @past_assertions(%x: !tile.ptr<f16>, %n: i32, %c: i1) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{pipeline: 1 of the loop's 1 loads for products are issued one iteration ahead}}
  %u = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    tile.assert %c, "stop" : i1
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    // expected-note @below {{issued one iteration ahead}}
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  return %u : tensor<16x16xf32>
}

// Loops that stay.
func.func @loops_that_stay(%x: !tile.ptr<f16>, %lock: !tile.ptr<i32>, %n: i32, %c: i1) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{pipeline: the loop's loads are not issued ahead: num_stages is 1}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {tile.num_stages = 1 : i32}
  // expected-remark @below {{pipeline: the loop's loads are not issued ahead: 'tile.barrier' keeps the order of what is around it}}
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %r) -> (tensor<16x16xf32>) : i32 {
    tile.barrier
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  // expected-remark @below {{pipeline: the loop's loads are not issued ahead: 'tile.atomic_rmw' keeps the order of what is around it}}
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %s) -> (tensor<16x16xf32>) : i32 {
    %old = tile.atomic_rmw add acq_rel device %lock, %c1 : !tile.ptr<i32>
    tile.print "" is_signed [true](%old) : i32
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  // expected-remark @below {{pipeline: the loop's loads are not issued ahead: none of its loads reaches a product}}
  %v = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %w = arith.extf %a : tensor<16x16xf16> to tensor<16x16xf32>
    %d = arith.addf %w, %sum : tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  // The prints use the products' results, so that the loops are not empty.
  tile.print "" is_signed [true, true](%t, %v) : tensor<16x16xf32>, tensor<16x16xf32>
  // The pass does not handle while loops, whose condition may depend on any value.
  %last = scf.while (%acc = %zero) : (tensor<16x16xf32>) -> tensor<16x16xf32> {
    scf.condition(%c) %acc : tensor<16x16xf32>
  } do {
  ^bb0(%acc: tensor<16x16xf32>):
    %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %xs : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.print "" is_signed [true](%last) : tensor<16x16xf32>
  return
}

// Elements of 16 bits that are not side by side are loaded one by one, each to a register of 32 bits. Each tile has 16
// elements for a thread.
// CHECK-LABEL: func.func @by_elements
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
// CHECK: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
// FEW-LABEL: func.func @by_elements
// FEW-NOT: simt.schedule
// FEW: tile.load
// FEW: tile.load %{{.*}} {simt.schedule = #simt.schedule<ahead 1, place -4>}
func.func @by_elements(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %anywhere: tensor<64x32xi32>, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %depth = tile.make_range 0 to 32
  %row = tile.reshape %depth : tensor<32xi32> -> tensor<1x32xi32>
  %columns = tile.broadcast %row : tensor<1x32xi32> -> tensor<64x32xi32>
  // expected-remark @below {{pipeline: 2 of the loop's 2 loads for products are issued one iteration ahead}}
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %xps = tile.addptr %xs, %anywhere : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    // expected-note @below {{issued one iteration ahead, 64 bytes a thread}}
    %a = tile.load %xps : tensor<64x32x!tile.ptr<f16>>
    %yp = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %ys = tile.splat %yp : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %yps = tile.addptr %ys, %columns : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    // expected-note @below {{issued one iteration ahead, 32 bytes a thread}}
    %b = tile.load %yps : tensor<64x32x!tile.ptr<f16>>
    %t = tile.trans %b order [1, 0] : tensor<64x32xf16>
    %d = tile.dot %a, %t, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// A producer starts the copies of this loop. Another remark says so.
func.func @with_a_producer(%full: !simt.barriers<2>, %ring: !simt.shared<16x16xf16, #lines>,
    %d: !tile.desc<16x16xf16>, %a: tensor<16x16xf16>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %always = arith.constant true
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %t = simt.copy_tile %d[%c0, %i] to %ring on %full[%c0] phase %c0 if %always
        {simt.schedule = #simt.schedule<ahead 1, place 1, producer>}
        : !tile.desc<16x16xf16>, !simt.shared<16x16xf16, #lines>, !simt.barriers<2>
    simt.wait_tiles %t on %full : !simt.barriers<2>
    %p = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %p : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

}
