// RUN: tegula-opt --tile-expand-schedules --cse %s | FileCheck %s

// Base, mask and offsets are the next iteration's; no read before a loop that does not run, nor beyond the last
// iteration: by the mask, not by a branch, so that the loads are interleaved with the products.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: (%[[X:.*]]: !tile.ptr<f16>, %[[Y:.*]]: !tile.ptr<f16>, %[[N:.*]]: i32)
func.func @matmul(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %at = arith.constant dense<3> : tensor<64x32xi32>
  %back = arith.constant dense<4> : tensor<32x64xi32>
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[C32:.*]] = arith.constant 32 : i32
  // CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[N]], %[[C0]] : i32
  // CHECK: %[[XS:.*]] = tile.splat %[[X]]
  // CHECK: %[[P:.*]] = tile.addptr %[[XS]]
  // CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[C0]] : i32
  // CHECK: tile.splat %[[LEFT]]
  // CHECK: tile.splat %[[RUNS]]
  // CHECK: %[[A:.*]] = tile.load %[[P]] mask
  // CHECK: tile.splat %[[Y]]
  // CHECK: %[[B:.*]] = tile.load %{{.*}} mask
  // CHECK: %[[R:.*]]:5 = scf.for %[[I:.*]] = %[[C0]] to %[[N]] step %[[C32]]
  // CHECK-SAME: iter_args(%[[XP:.*]] = %[[X]], %[[YP:.*]] = %[[Y]], %[[ACC:.*]] = %{{.*}}, %[[A0:.*]] = %[[A]], %[[B0:.*]] = %[[B]])
  // CHECK:   %[[REST:.*]] = arith.subi %[[N]], %[[I]] : i32
  // CHECK:   %[[MORE:.*]] = arith.cmpi ugt, %[[REST]], %[[C32]] : i32
  // CHECK:   %[[J:.*]] = arith.addi %[[I]], %[[C32]] overflow<nsw> : i32
  // CHECK:   %[[K:.*]] = arith.select %[[MORE]], %[[J]], %[[I]] : i32
  // CHECK:   %[[XN:.*]] = tile.addptr %[[XP]], %[[C32]]
  // CHECK:   tile.splat %[[XN]]
  // CHECK:   arith.subi %[[N]], %[[K]] : i32
  // CHECK:   %[[OWN:.*]] = arith.cmpi slt
  // CHECK:   %[[ALL:.*]] = tile.splat %[[MORE]] : i1 -> tensor<64x32xi1>
  // CHECK:   %[[MASK:.*]] = arith.andi %[[OWN]], %[[ALL]]
  // CHECK:   %[[NEXTA:.*]] = tile.load %{{.*}} mask %[[MASK]] : tensor<64x32x!tile.ptr<f16>>
  // CHECK:   %[[YN:.*]] = tile.addptr %[[YP]], %[[N]]
  // CHECK:   tile.splat %[[YN]]
  // CHECK:   %[[SOME:.*]] = tile.splat %[[MORE]] : i1 -> tensor<32x64xi1>
  // CHECK:   %[[NEXTB:.*]] = tile.load %{{.*}} mask %[[SOME]] : tensor<32x64x!tile.ptr<f16>>
  // CHECK-NOT: tile.load
  // CHECK:   %[[D:.*]] = tile.dot %[[A0]], %[[B0]], %[[ACC]]
  // CHECK:   scf.yield %[[XN]], %[[YN]], %[[D]], %[[NEXTA]], %[[NEXTB]]
  // CHECK: } {tile.num_stages = 2 : i32}
  // CHECK: return %[[R]]#2
  %r:3 = scf.for %i = %c0 to %n step %c32 iter_args(%xp = %x, %yp = %y, %acc = %zero)
      -> (!tile.ptr<f16>, !tile.ptr<f16>, tensor<64x64xf32>) : i32 {
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %p = tile.addptr %xs, %at : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %left = arith.subi %n, %i : i32
    %lefts = tile.splat %left : i32 -> tensor<64x32xi32>
    %m = arith.cmpi slt, %at, %lefts : tensor<64x32xi32>
    %a = tile.load %p mask %m {simt.schedule = #simt.schedule<ahead 1, place -1>} : tensor<64x32x!tile.ptr<f16>>
    %ys = tile.splat %yp : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
    %q = tile.addptr %ys, %back : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
    %b = tile.load %q {simt.schedule = #simt.schedule<ahead 1, place -1>} : tensor<32x64x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %xn = tile.addptr %xp, %c32 : !tile.ptr<f16>, i32
    %yn = tile.addptr %yp, %n : !tile.ptr<f16>, i32
    scf.yield %xn, %yn, %d : !tile.ptr<f16>, !tile.ptr<f16>, tensor<64x64xf32>
  } {tile.num_stages = 2 : i32}
  return %r#2 : tensor<64x64xf32>
}

// Its own iteration's load, before the product that precedes it in the source: no mask, nothing before the loop.
// CHECK-LABEL: func.func @own_iteration
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK:   %[[V:.*]] = tile.load %{{[^ ]*}} :
// CHECK:   tile.dot
// CHECK-NOT: tile.load
// CHECK:   tile.dot %{{.*}}, %[[V]]
func.func @own_iteration(%y: !tile.ptr<f16>, %q: tensor<64x128xf16>, %k: tensor<128x64xf16>, %n: i32)
    -> tensor<64x128xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %s = tile.dot %q, %k, %none : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %yp = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %ys = tile.splat %yp : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
    %v = tile.load %ys {simt.schedule = #simt.schedule<ahead 0, place -1>} : tensor<64x128x!tile.ptr<f16>>
    %d = tile.dot %p, %v, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  return %r : tensor<64x128xf32>
}

// Constant bounds: the loop runs, so its first loads need no mask. Its second load may not take place.
// CHECK-LABEL: func.func @surely_runs
// CHECK: %[[FIRST:.*]] = tile.load %{{[^ ]*}} :
// CHECK: %[[SECOND:.*]] = tile.load %{{.*}} mask
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[NOW:.*]] = %[[FIRST]], %[[NEXT:.*]] = %[[SECOND]])
// CHECK:   %[[LATER:.*]] = tile.load %{{.*}} mask
// CHECK:   %[[D:.*]] = tile.dot %[[NOW]], %[[NOW]]
// CHECK:   scf.yield %[[D]], %[[NEXT]], %[[LATER]]
func.func @surely_runs(%x: !tile.ptr<f16>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
    %j = arith.index_cast %i : index to i32
    %xp = tile.addptr %x, %j : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %xs {simt.schedule = #simt.schedule<ahead 2>} : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// The page's number is loaded one iteration before the page. An iteration that does not take place has page 0.
// CHECK-LABEL: func.func @pages
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}} mask %{{.*}} other %{{.*}} : !tile.ptr<i32>
// CHECK: %[[SECOND:.*]] = tile.load %{{.*}} mask %{{.*}} other %{{.*}} : !tile.ptr<i32>
// CHECK: tile.addptr %{{.*}}, %[[FIRST]]
// CHECK: tile.load %{{.*}} : tensor<16x16x!tile.ptr<f16>>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[PAGE:[^ ]*]] = %[[SECOND]], %[[A:.*]] = %{{.*}}) ->
// CHECK:   %[[AHEAD:.*]] = tile.load %{{.*}} mask %{{.*}} other %{{.*}} : !tile.ptr<i32>
// CHECK:   tile.addptr %{{.*}}, %[[PAGE]]
// CHECK:   %[[NEXT:.*]] = tile.load %{{.*}} mask %{{.*}} : tensor<16x16x!tile.ptr<f16>>
// CHECK:   tile.dot %[[A]], %[[A]]
// CHECK:   scf.yield %{{.*}}, %[[AHEAD]], %[[NEXT]]
func.func @pages(%x: !tile.ptr<f16>, %pages: !tile.ptr<i32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %pp = tile.addptr %pages, %i : !tile.ptr<i32>, i32
    %page = tile.load %pp {simt.schedule = #simt.schedule<ahead 2, place -1>} : !tile.ptr<i32>
    %xp = tile.addptr %x, %page : !tile.ptr<f16>, i32
    %xs = tile.splat %xp : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
    %a = tile.load %xs {simt.schedule = #simt.schedule<ahead 1, place -1>} : tensor<16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// A divisor that counts down is zero past the last iteration, where it is 1 instead. One from before the loop needs no
// guard in the loop, which does not run if that divisor is zero, but before it.
// CHECK-LABEL: func.func @divided
// CHECK-SAME: (%{{.*}}: !tile.ptr<f32>, %[[N:.*]]: i32)
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[N]], %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = arith.select %[[ANY]], %[[N]], %[[ONE:.*]] : i32
// CHECK: arith.divsi %[[N]], %[[FIRST]] : i32
// CHECK: arith.remsi %{{.*}}, %[[FIRST]] : i32
// CHECK: scf.for {{.*}} iter_args(%[[DOWN:.*]] = %[[N]],
// CHECK:   %[[RUNS:.*]] = arith.cmpi ugt
// CHECK:   %[[LESS:.*]] = arith.subi %[[DOWN]], %[[ONE]]
// CHECK:   %[[GUARDED:.*]] = arith.select %[[RUNS]], %[[LESS]], %[[ONE]] : i32
// CHECK:   arith.divsi %[[N]], %[[GUARDED]] : i32
// CHECK:   arith.remsi %{{.*}}, %[[N]] : i32
func.func @divided(%x: !tile.ptr<f32>, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%down = %n, %total = %zero) -> (i32, f32) : i32 {
    %q = arith.divsi %n, %down : i32
    %m = arith.remsi %i, %n : i32
    %sum = arith.addi %q, %m : i32
    %xp = tile.addptr %x, %sum : !tile.ptr<f32>, i32
    %a = tile.load %xp {simt.schedule = #simt.schedule<ahead 1>} : !tile.ptr<f32>
    %added = arith.addf %total, %a : f32
    %less = arith.subi %down, %c1 : i32
    scf.yield %less, %added : i32, f32
  }
  return %r#1 : f32
}

// A branch may be taken past the last iteration only: what it divides by is guarded, even if it is from before the
// loop.
// CHECK-LABEL: func.func @divided_in_a_branch
// CHECK-SAME: %[[D:[^:]*]]: i32)
// CHECK: scf.for
// CHECK:   %[[RUNS:.*]] = arith.cmpi ugt
// CHECK:   scf.if
// CHECK:     %[[GUARDED:.*]] = arith.select %[[RUNS]], %[[D]], %{{.*}} : i32
// CHECK:     arith.divsi %{{.*}}, %[[GUARDED]] : i32
func.func @divided_in_a_branch(%x: !tile.ptr<f32>, %n: i32, %d: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (f32) : i32 {
    %isLate = arith.cmpi sgt, %i, %c9 : i32
    %q = scf.if %isLate -> (i32) {
      %divided = arith.divsi %i, %d : i32
      scf.yield %divided : i32
    } else {
      scf.yield %i : i32
    }
    %xp = tile.addptr %x, %q : !tile.ptr<f32>, i32
    %a = tile.load %xp {simt.schedule = #simt.schedule<ahead 1>} : !tile.ptr<f32>
    %added = arith.addf %total, %a : f32
    scf.yield %added : f32
  }
  return %r : f32
}

// A store of what the step has from its beginning on precedes the loads of the next iteration.
// CHECK-LABEL: func.func @stored_first
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[A:.*]] = %{{.*}}) ->
// CHECK:   %[[BUFFER:.*]] = simt.shared_alloc
// CHECK:   simt.shared_store %[[BUFFER]], %[[A]]
// CHECK:   tile.load
// CHECK:   simt.shared_load %[[BUFFER]]
// CHECK-NOT: simt.shared_store
#rows = #layout.distributed<register (1,0) (2,0) (4,0), lane (0,1) (0,2) (0,4) (0,8) (8,0), warp (16,0) (32,0)>
#columns = #layout.distributed<register (0,1) (0,2) (0,4), lane (1,0) (2,0) (4,0) (8,0) (0,8), warp (16,0) (32,0)>
#buffer = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,1) (0,2) (0,4) (0,8)>
func.func @stored_first(%x: !tile.ptr<f32>, %n: i32) -> tensor<64x16xf32, #columns> {
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #columns>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x16xf32, #columns>) : i32 {
    %xp = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %xs = tile.splat %xp : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #rows>
    %a = tile.load %xs {simt.schedule = #simt.schedule<ahead 1, place -1>} : tensor<64x16x!tile.ptr<f32>, #rows>
    %t = simt.shared_alloc : !simt.shared<64x16xf32, #buffer>
    simt.shared_store %t, %a {simt.schedule = #simt.schedule<ahead 0, place -2>}
      : !simt.shared<64x16xf32, #buffer>, tensor<64x16xf32, #rows>
    %b = simt.shared_load %t : !simt.shared<64x16xf32, #buffer> -> tensor<64x16xf32, #columns>
    %s = arith.addf %acc, %b : tensor<64x16xf32, #columns>
    scf.yield %s : tensor<64x16xf32, #columns>
  } {simt.uniform}
  return %r : tensor<64x16xf32, #columns>
}

// Where an op stands already, nothing is rewritten: the atomic that gives the address runs once, and the loop may write
// what it reads.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK: tile.atomic_rmw
// CHECK-NOT: tile.atomic_rmw
// CHECK: tile.load %{{[^ ]*}} : !tile.ptr<i32>
// CHECK: tile.store
// CHECK: return
func.func @stays(%x: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %old = tile.atomic_rmw add relaxed device %x, %c1 : !tile.ptr<i32>
    %p = tile.addptr %x, %old : !tile.ptr<i32>, i32
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 0>} : !tile.ptr<i32>
    tile.store %p, %a : !tile.ptr<i32>
  }
  return
}

// Copies by hardware precede what threads exchange for their own copies: the objects' start has a fence before both.
// CHECK-LABEL: func.func @two_kinds_of_copies
// CHECK: %[[ROWS:.*]] = tile.load {{.*}} : tensor<64x!tile.ptr<i32>>
// CHECK: simt.start_barriers
// CHECK: simt.copy_tile %{{.*}}[%c0_i32, %c0_i32]
// CHECK: simt.copy_tile %{{.*}}[%c0_i32, %c0_i32]
// CHECK: tile.addptr %{{.*}}, %[[ROWS]]
// CHECK: simt.copy %
// CHECK: scf.for
// CHECK:   simt.wait_tiles
// CHECK:   simt.wait_copies
// CHECK-NOT: simt.wait
// CHECK:   simt.fence async
// CHECK:   simt.copy_tile
// CHECK-NOT: simt.fence
// CHECK:   simt.copy_tile
// CHECK:   simt.product
#sw64 = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
func.func @two_kinds_of_copies(%x: !tile.ptr<f16>, %rows: tensor<64x!tile.ptr<i32>>, %d: !tile.desc<64x64xf16>, %n: i32)
    -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %full = simt.barrier_alloc : !simt.barriers<3>
  %ra = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw64>
  %rb = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw64>
  %rc = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw64>
  %a = simt.stage %ra[%c0] : !simt.shared<3x64x64xf16, #sw64> -> !simt.shared<64x64xf16, #sw64>
  %b = simt.stage %rb[%c0] : !simt.shared<3x64x64xf16, #sw64> -> !simt.shared<64x64xf16, #sw64>
  %c = simt.stage %rc[%c0] : !simt.shared<3x64x64xf16, #sw64> -> !simt.shared<64x64xf16, #sw64>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %ta = simt.copy_tile %d[%i, %c0] to %a on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw64>, !simt.barriers<3>
    simt.wait_tiles %ta on %full {simt.schedule = #simt.schedule<ahead 0, place -3>} : !simt.barriers<3>
    %row = tile.load %rows {simt.schedule = #simt.schedule<ahead 2, place -1>} : tensor<64x!tile.ptr<i32>>
    %s = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
    %starts = tile.addptr %s, %row : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    %column = tile.expand_dims %starts axis 1 : tensor<64x!tile.ptr<f16>>
    %p = tile.broadcast %column : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %tb = simt.copy %p to %b {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<64x64x!tile.ptr<f16>>, !simt.shared<64x64xf16, #sw64>
    simt.wait_copies %tb {simt.schedule = #simt.schedule<ahead 0, place -3>}
    simt.fence async {simt.schedule = #simt.schedule<ahead 0, place -2>}
    %tc = simt.copy_tile %d[%i, %c0] to %c on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw64>, !simt.barriers<3>
    simt.wait_tiles %tc on %full {simt.schedule = #simt.schedule<ahead 0, place -3>} : !simt.barriers<3>
    %u = simt.product %a, %b, %sum instruction #group
      : !simt.shared<64x64xf16, #sw64>, !simt.shared<64x64xf16, #sw64>, tensor<64x64xf32>
    %v = simt.wait_products %u : tensor<64x64xf32>
    %w = simt.product %c, %b, %v instruction #group
      : !simt.shared<64x64xf16, #sw64>, !simt.shared<64x64xf16, #sw64>, tensor<64x64xf32>
    %y = simt.wait_products %w : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

#one_by_lane = #layout.distributed<lane (1) (2) (4) (8) (16), warp (0) (0)>
#eight_by_lane = #layout.distributed<register (1) (2) (4), lane (8) (16) (0) (0) (0), warp (0) (0)>

// A conversion of what the step before has loaded runs before the ops that precede it in the source.
// CHECK-LABEL: func.func @converted_early
// CHECK: scf.for {{.*}} iter_args(%[[TOTAL:[a-z0-9_]*]] = %{{[a-z0-9_]*}}, %[[LOADED:[a-z0-9_]*]] = %{{.*}})
// CHECK: %[[NEXT:.*]] = tile.load
// CHECK: %[[CONVERTED:.*]] = simt.convert_layout %[[LOADED]] : tensor<32xf32, #
// CHECK: %[[TWICE:.*]] = arith.addf %[[TOTAL]], %[[TOTAL]]
// CHECK: %[[SUM:.*]] = arith.addf %[[TWICE]], %[[CONVERTED]]
// CHECK: scf.yield %[[SUM]], %[[NEXT]]
func.func @converted_early(%p: tensor<32x!tile.ptr<f32>, #one_by_lane>, %first: tensor<32xf32, #eight_by_lane>, %n: i32)
    -> tensor<32xf32, #eight_by_lane> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (tensor<32xf32, #eight_by_lane>) : i32 {
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<32x!tile.ptr<f32>, #one_by_lane>
    %twice = arith.addf %before, %before : tensor<32xf32, #eight_by_lane>
    %b = simt.convert_layout %a {simt.schedule = #simt.schedule<ahead 0, place -4>}
      : tensor<32xf32, #one_by_lane> -> tensor<32xf32, #eight_by_lane>
    %sum = arith.addf %twice, %b : tensor<32xf32, #eight_by_lane>
    scf.yield %sum : tensor<32xf32, #eight_by_lane>
  } {simt.uniform}
  return %last : tensor<32xf32, #eight_by_lane>
}

// The index of a load is converted: what runs ahead converts its own iteration's index again.
// CHECK-LABEL: func.func @converted_index
// CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9_]*}} = %{{[a-z0-9_]*}}, %[[INDEX:[a-z0-9_]*]] = %{{[a-z0-9_]*}}, %[[LOADED:[a-z0-9_]*]] = %{{.*}})
// CHECK: tile.load
// CHECK: simt.convert_layout %[[INDEX]] : tensor<32xi32, #
// CHECK: tile.load
// CHECK: arith.addf %{{.*}}, %[[LOADED]]
// CHECK-NOT: simt.convert_layout
// CHECK: return
func.func @converted_index(%p: tensor<32x!tile.ptr<i32>, #one_by_lane>, %q: tensor<32x!tile.ptr<f32>, #eight_by_lane>,
                           %first: tensor<32xf32, #eight_by_lane>, %n: i32) -> tensor<32xf32, #eight_by_lane> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (tensor<32xf32, #eight_by_lane>) : i32 {
    %i0 = tile.load %p {simt.schedule = #simt.schedule<ahead 2, place -1>} : tensor<32x!tile.ptr<i32>, #one_by_lane>
    %i1 = simt.convert_layout %i0 {simt.schedule = #simt.schedule<ahead 0, place -4>}
      : tensor<32xi32, #one_by_lane> -> tensor<32xi32, #eight_by_lane>
    %at = tile.addptr %q, %i1 : tensor<32x!tile.ptr<f32>, #eight_by_lane>, tensor<32xi32, #eight_by_lane>
    %a = tile.load %at {simt.schedule = #simt.schedule<ahead 1, place -1>} : tensor<32x!tile.ptr<f32>, #eight_by_lane>
    %sum = arith.addf %before, %a : tensor<32xf32, #eight_by_lane>
    scf.yield %sum : tensor<32xf32, #eight_by_lane>
  } {simt.uniform}
  return %last : tensor<32xf32, #eight_by_lane>
}
