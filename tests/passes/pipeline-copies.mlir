// RUN: tegula-opt --tile-pipeline-copies --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=PLAN
// RUN: tegula-opt --tile-pipeline-copies --tile-expand-schedules --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-pipeline-copies --canonicalize --cse --tile-assign-layouts --tile-stage-operands --tile-expand-schedules --cse --tile-to-simt --simt-canonicalize-threads --simt-pipeline=check=true %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=SIMT
// RUN: tegula-opt --tile-pipeline-copies --verify-diagnostics -o /dev/null %s --split-input-file

#mma = #simt.instruction<"mma.m16n8k16.f32.f16", 16x8x16,
  a <f16 registers <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>,
  b <f16 registers <register (1,0) (8,0), lane (2,0) (4,0) (0,1) (0,2) (0,4)>>,
  c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>>

// A's pointers are carried, B's address follows from the induction variable and B is transposed. Both rings have three
// stages; the loop carries the iteration two ahead, the pointers of that iteration in place of its own, the stage it
// reads, and the copies under way.
// PLAN-LABEL: func.func @ring
// PLAN: %[[R:.*]] = simt.shared_alloc : <3x32x32xf16, #{{.*}}>
// PLAN: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[P:.*]] = %{{[^,]*}}) ->
// PLAN:   %[[S:.*]] = simt.stage %[[R]][%c0_i32]
// PLAN:   %[[T:.*]] = simt.copy %[[P]] to %[[S]] {simt.schedule = #simt.schedule<ahead 2, place -1>}
// PLAN:   simt.wait_copies %[[T]] {simt.schedule = #simt.schedule<ahead 0, place -3>}
// PLAN:   %[[A:.*]] = simt.shared_load %[[S]]
// PLAN:   tile.dot %[[A]],
// CHECK-LABEL: func.func @ring
// CHECK-SAME: (%{{.*}}, %{{.*}}, %{{.*}}, %[[N:.*]]: i32)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[PA:.*]] = tile.addptr {{.*}}tensor<32x32xi32>
// CHECK: %[[RA:.*]] = simt.shared_alloc : <3x32x32xf16, #{{.*}}>
// CHECK: %[[RB:.*]] = simt.shared_alloc : <3x32x32xf16, #{{.*}}>
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[N]], %[[C0]] : i32
// CHECK: %[[MASK0:.*]] = tile.splat %[[RUNS]] : i1 -> tensor<32x32xi1>
// CHECK: %[[A0:.*]] = simt.stage %[[RA]][%[[C0]]]
// CHECK: %[[TA0:.*]] = simt.copy %[[PA]] to %[[A0]] mask %[[MASK0]]
// CHECK: %[[TB0:.*]] = simt.copy %{{.*}} to %{{.*}} mask %{{.*}}
// CHECK: %[[A1:.*]] = simt.stage %[[RA]][%[[C1]]]
// CHECK: %[[TA1:.*]] = simt.copy %{{.*}} to %[[A1]] mask
// CHECK: %[[TB1:.*]] = simt.copy
// CHECK: %[[R:.*]]:9 = scf.for %{{.*}} = %[[C0]] to %[[N]] step %[[C32]]
// CHECK-SAME: iter_args(%[[SUM:.*]] = %{{.*}}, %[[TAKES_PLACE:.*]] = %{{.*}}, %[[AHEAD:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[READ:.*]] = %[[C0]], %[[UA0:.*]] = %[[TA0]], %[[UA1:.*]] = %[[TA1]], %[[UB0:.*]] = %[[TB0]], %[[UB1:.*]] = %[[TB1]])
// CHECK:   simt.wait_copies %[[UA0]], %[[UB0]]
// CHECK:   %[[MASK:.*]] = tile.splat %[[TAKES_PLACE]]
// CHECK:   %[[WRAPS:.*]] = arith.cmpi ult, %[[READ]], %[[C1]]
// CHECK:   %[[LATER:.*]] = arith.addi %[[READ]], %[[C2]]
// CHECK:   %[[EARLIER:.*]] = arith.subi %[[READ]], %[[C1]]
// CHECK:   %[[WRITE:.*]] = arith.select %[[WRAPS]], %[[LATER]], %[[EARLIER]]
// CHECK:   %[[TO:.*]] = simt.stage %[[RA]][%[[WRITE]]]
// CHECK:   %[[UA2:.*]] = simt.copy %[[P]] to %[[TO]] mask %[[MASK]]
// CHECK:   arith.muli %[[AHEAD]], %[[C32]]
// CHECK:   %[[UB2:.*]] = simt.copy
// CHECK:   %[[LEFT:.*]] = arith.subi %[[N]], %[[AHEAD]]
// CHECK:   %[[LEAVES:.*]] = arith.cmpi ugt, %[[LEFT]], %[[C32]]
// CHECK:   %[[MORE:.*]] = arith.andi %[[LEAVES]], %[[TAKES_PLACE]]
// CHECK:   %[[NEXT:.*]] = arith.addi %[[AHEAD]], %[[C32]]
// CHECK:   %[[CLAMPED:.*]] = arith.select %[[MORE]], %[[NEXT]], %[[AHEAD]]
// CHECK:   %[[FROM:.*]] = simt.stage %[[RA]][%[[READ]]]
// CHECK:   %[[A:.*]] = simt.shared_load %[[FROM]] : {{.*}} -> tensor<32x32xf16>
// CHECK:   %[[B:.*]] = simt.shared_load
// CHECK:   %[[BT:.*]] = tile.trans %[[B]]
// CHECK:   %[[D:.*]] = tile.dot %[[A]], %[[BT]], %[[SUM]]
// CHECK:   scf.yield %[[D]], %[[MORE]], %[[CLAMPED]], %{{.*}}, %{{.*}}, %[[UA1]], %[[UA2]], %[[UB1]], %[[UB2]]
// CHECK: simt.wait_copies %[[R]]#5, %[[R]]#6, %[[R]]#7, %[[R]]#8
// CHECK: tile.store %{{.*}}, %[[R]]#0

// Two copies are younger than those of this iteration; one barrier an iteration; pieces of 16 bytes.
// SIMT-LABEL: func.func @ring
// SIMT: simt.async_load %{{.*}} width 8 mask
// SIMT: scf.for
// SIMT:   simt.wait_loads 2
// SIMT:   simt.barrier
// SIMT:   simt.async_load %{{.*}} width 8 mask %{{.*}} : <f16>, vector<4xi64>
// SIMT-NEXT: simt.commit_loads
// SIMT:   simt.async_load %{{.*}} width 8 mask
// SIMT-NEXT: simt.commit_loads
// SIMT-NOT: simt.barrier
// SIMT:   simt.load_matrix
// SIMT-NOT: simt.barrier
// SIMT:   simt.mma
// SIMT-NOT: simt.barrier
// SIMT: }
// SIMT: simt.wait_loads 0
module attributes {
  simt.target = {copies_async = true, loads_matrices = true, shared_bytes = 262144, instructions = [#mma]},
  tile.num_warps = 1 : i32, tile.num_stages = 3 : i32
} {
  func.func @ring(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c1024 = arith.constant dense<1024> : tensor<32x32xi32>
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %r = tile.make_range 0 to 1024 : tensor<1024xi32>
    %at = tile.reshape %r : tensor<1024xi32> -> tensor<32x32xi32>
    %sp = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %sp, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %sum, %last = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero, %a_ptrs = %pa)
        -> (tensor<32x32xf32>, tensor<32x32x!tile.ptr<f16>>) : i32 {
      // expected-remark@-2 {{pipeline: 2 of the loop's loads are copied to shared memory ahead of their products, in 3 stages of 4096 bytes together}}
      %a = tile.load %a_ptrs : tensor<32x32x!tile.ptr<f16>>
      %tile = arith.muli %i, %c32 : i32
      %qi = tile.addptr %q, %tile : !tile.ptr<f16>, i32
      %sq = tile.splat %qi : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %pb = tile.addptr %sq, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      %b = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
      %bt = tile.trans %b order [1, 0] : tensor<32x32xf16>
      %d = tile.dot %a, %bt, %c {simt.instruction = #mma}
        : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
      %next = tile.addptr %a_ptrs, %c1024 : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      scf.yield %d, %next : tensor<32x32xf32>, tensor<32x32x!tile.ptr<f16>>
    }
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    tile.store %po, %sum : tensor<32x32x!tile.ptr<f32>>
    return
  }
}

// -----

// Rings with fewer stages, and loads that stay loads, with the reasons.
#mma = #simt.instruction<"mma.m16n8k16.f32.f16", 16x8x16,
  a <f16 registers <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>,
  b <f16 registers <register (1,0) (8,0), lane (2,0) (4,0) (0,1) (0,2) (0,4)>>,
  c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>>
module attributes {
  simt.target = {copies_async = true, loads_matrices = true, shared_bytes = 15000, instructions = [#mma]},
  tile.num_warps = 1 : i32, tile.num_stages = 3 : i32
} {
  // Three do not fit beside B.
  // CHECK-LABEL: func.func @two_stages
  // CHECK: simt.shared_alloc : <2x32x32xf16
  func.func @two_stages(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32>,
      %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %b = arith.constant dense<1.0> : tensor<32x32xf16>
    %s = tile.make_range 0 to 1024 : tensor<1024xi32>
    %at = tile.reshape %s : tensor<1024xi32> -> tensor<32x32xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    // expected-remark@+1 {{in 2 stages of 2048 bytes together; 3 do not fit}}
    %sum = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
      %tile = arith.muli %i, %c32 : i32
      %pi = tile.addptr %p, %tile : !tile.ptr<f16>, i32
      %sp = tile.splat %pi : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %pa = tile.addptr %sp, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
      %d = tile.dot %a, %b, %c {simt.instruction = #mma}
        : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    tile.store %po, %sum : tensor<32x32x!tile.ptr<f32>>
    return
  }

  // Elements that are masked off are one.
  // CHECK-LABEL: func.func @other
  // CHECK-NOT: simt.copy
  func.func @other(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32>,
      %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %b = arith.constant dense<1.0> : tensor<32x32xf16>
    %s = tile.make_range 0 to 1024 : tensor<1024xi32>
    %at = tile.reshape %s : tensor<1024xi32> -> tensor<32x32xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    // expected-remark@+1 {{pipeline: no load of the loop is copied to shared memory ahead of its product}}
    %sum = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
      %tile = arith.muli %i, %c32 : i32
      %pi = tile.addptr %p, %tile : !tile.ptr<f16>, i32
      %sp = tile.splat %pi : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %pa = tile.addptr %sp, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      %m = arith.cmpi slt, %at, %at : tensor<32x32xi32>
      // expected-note@+1 {{not copied asynchronously: elements that are masked off are not zero}}
      %a = tile.load %pa mask %m other %b : tensor<32x32x!tile.ptr<f16>>
      %d = tile.dot %a, %b, %c {simt.instruction = #mma}
        : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    tile.store %po, %sum : tensor<32x32x!tile.ptr<f32>>
    return
  }

  // Nothing is known of the address.
  // CHECK-LABEL: func.func @unaligned
  // CHECK-NOT: simt.copy
  func.func @unaligned(%p: !tile.ptr<f16>, %o: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %b = arith.constant dense<1.0> : tensor<32x32xf16>
    %s = tile.make_range 0 to 1024 : tensor<1024xi32>
    %at = tile.reshape %s : tensor<1024xi32> -> tensor<32x32xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    // expected-remark@+1 {{pipeline: no load of the loop is copied to shared memory ahead of its product}}
    %sum = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
      %tile = arith.muli %i, %c32 : i32
      %pi = tile.addptr %p, %tile : !tile.ptr<f16>, i32
      %sp = tile.splat %pi : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %pa = tile.addptr %sp, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      // expected-note@+1 {{not copied asynchronously: no 4 bytes of it are known to be side by side and aligned}}
      %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
      %d = tile.dot %a, %b, %c {simt.instruction = #mma}
        : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    tile.store %po, %sum : tensor<32x32x!tile.ptr<f32>>
    return
  }

  // Every load is wanted.
  // CHECK-LABEL: func.func @volatile
  // CHECK-NOT: simt.copy
  func.func @volatile(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32>,
      %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %b = arith.constant dense<1.0> : tensor<32x32xf16>
    %s = tile.make_range 0 to 1024 : tensor<1024xi32>
    %at = tile.reshape %s : tensor<1024xi32> -> tensor<32x32xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    %sum = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
      %tile = arith.muli %i, %c32 : i32
      %pi = tile.addptr %p, %tile : !tile.ptr<f16>, i32
      %sp = tile.splat %pi : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %pa = tile.addptr %sp, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      %a = tile.load %pa volatile : tensor<32x32x!tile.ptr<f16>>
      %d = tile.dot %a, %b, %c {simt.instruction = #mma}
        : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    tile.store %po, %sum : tensor<32x32x!tile.ptr<f32>>
    return
  }

  // The loaded values are used by more than products: each use reads what was loaded from the ring.
  // CHECK-LABEL: func.func @also_added
  // CHECK: scf.for
  // CHECK: simt.copy
  // CHECK: %[[A:.*]] = simt.shared_load
  // CHECK: tile.fp_cast %[[A]] : tensor<32x32xf16> -> tensor<32x32xf32>
  // CHECK: tile.dot %[[A]],
  func.func @also_added(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32>,
      %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %b = arith.constant dense<1.0> : tensor<32x32xf16>
    %s = tile.make_range 0 to 1024 : tensor<1024xi32>
    %at = tile.reshape %s : tensor<1024xi32> -> tensor<32x32xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    // expected-remark@+1 {{pipeline: 1 of the loop's loads are copied to shared memory ahead of their products, in 2 stages of 2048 bytes together; 3 do not fit}}
    %sum = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
      %tile = arith.muli %i, %c32 : i32
      %pi = tile.addptr %p, %tile : !tile.ptr<f16>, i32
      %sp = tile.splat %pi : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %pa = tile.addptr %sp, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
      %w = tile.fp_cast %a : tensor<32x32xf16> -> tensor<32x32xf32>
      %e = arith.addf %c, %w : tensor<32x32xf32>
      %d = tile.dot %a, %b, %e {simt.instruction = #mma}
        : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    tile.store %po, %sum : tensor<32x32x!tile.ptr<f32>>
    return
  }

  // The address is loaded: each iteration loads the index of the iteration after the one whose copy it starts.
  // CHECK-LABEL: func.func @read_where_read
  // CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[N:.*]], %
  // CHECK: %[[X0:.*]] = tile.load %[[P:.*]] mask %[[RUNS]] other %{{.*}} : !tile.ptr<f16>
  // CHECK: %[[SECOND:.*]] = arith.andi %{{.*}}, %[[RUNS]] : i1
  // CHECK: %[[X1:.*]] = tile.load %[[P]] mask %[[SECOND]] other %{{.*}} : !tile.ptr<f16>
  // CHECK: arith.fptosi %[[X0]]
  // CHECK: simt.copy
  // CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[TAKES_PLACE:.*]] = %[[SECOND]], %{{[^,]*}}, %{{[^,]*}}, %[[X:.*]] = %[[X1]],
  // CHECK: %[[NEXT:.*]] = arith.andi %{{.*}}, %[[TAKES_PLACE]] : i1
  // CHECK: %[[XNEXT:.*]] = tile.load %[[P]] mask %[[NEXT]] other %{{.*}} : !tile.ptr<f16>
  // CHECK: arith.fptosi %[[X]]
  // CHECK: simt.copy
  // CHECK: scf.yield %{{.*}}, %[[NEXT]], %{{[^,]*}}, %{{[^,]*}}, %[[XNEXT]],
  func.func @read_where_read(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32>,
      %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %b = arith.constant dense<1.0> : tensor<32x32xf16>
    %s = tile.make_range 0 to 1024 : tensor<1024xi32>
    %at = tile.reshape %s : tensor<1024xi32> -> tensor<32x32xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    // expected-remark@+1 {{pipeline: 1 of the loop's loads are copied to shared memory ahead of their products, in 2 stages of 2048 bytes together; 3 do not fit}}
    %sum = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
      %x = tile.load %p : !tile.ptr<f16>
      %y = arith.fptosi %x : f16 to i32
      %z = arith.muli %y, %c32 : i32
      %pi = tile.addptr %p, %z : !tile.ptr<f16>, i32
      %sp = tile.splat %pi : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %pa = tile.addptr %sp, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
      %d = tile.dot %a, %b, %c {simt.instruction = #mma}
        : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    tile.store %po, %sum : tensor<32x32x!tile.ptr<f32>>
    return
  }

  // As many indices as elements: to carry them would cost more registers than the tile itself.
  // CHECK-LABEL: func.func @indices_of_elements
  // CHECK-NOT: simt.copy
  func.func @indices_of_elements(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32>,
      %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %b = arith.constant dense<1.0> : tensor<32x32xf16>
    %s = tile.make_range 0 to 1024 : tensor<1024xi32>
    %at = tile.reshape %s : tensor<1024xi32> -> tensor<32x32xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    // expected-remark@+1 {{pipeline: no load of the loop is copied to shared memory ahead of its product}}
    %sum = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
      %sp = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %px = tile.addptr %sp, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      %x = tile.load %px : tensor<32x32x!tile.ptr<f16>>
      %y = arith.fptosi %x : tensor<32x32xf16> to tensor<32x32xi32>
      %z = tile.hint %y divisibility [8, 8] contiguity [1, 8] : tensor<32x32xi32>
      %pa = tile.addptr %sp, %z : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      // expected-note@+1 {{not copied asynchronously: it depends on 'tile.load' in the loop: it has more than 512 bytes}}
      %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
      %d = tile.dot %a, %b, %c {simt.instruction = #mma}
        : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    tile.store %po, %sum : tensor<32x32x!tile.ptr<f32>>
    return
  }

  // The loop stores what it may read.
  // CHECK-LABEL: func.func @stored
  // CHECK-NOT: simt.copy
  func.func @stored(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %q: !tile.ptr<f16>, %h: f16,
      %o: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %b = arith.constant dense<1.0> : tensor<32x32xf16>
    %s = tile.make_range 0 to 1024 : tensor<1024xi32>
    %at = tile.reshape %s : tensor<1024xi32> -> tensor<32x32xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    // expected-remark@+1 {{pipeline: no load of the loop is copied to shared memory ahead of its product}}
    %sum = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
      %tile = arith.muli %i, %c32 : i32
      %pi = tile.addptr %p, %tile : !tile.ptr<f16>, i32
      %sp = tile.splat %pi : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %pa = tile.addptr %sp, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      // expected-note@+1 {{not copied asynchronously: the loop writes elements of its type, and two arguments may be one array}}
      %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
      tile.store %q, %h : !tile.ptr<f16>
      %d = tile.dot %a, %b, %c {simt.instruction = #mma}
        : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    tile.store %po, %sum : tensor<32x32x!tile.ptr<f32>>
    return
  }

  // Nothing is to be ahead.
  // CHECK-LABEL: func.func @one_stage
  // CHECK-NOT: simt.copy
  func.func @one_stage(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32>,
      %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %b = arith.constant dense<1.0> : tensor<32x32xf16>
    %s = tile.make_range 0 to 1024 : tensor<1024xi32>
    %at = tile.reshape %s : tensor<1024xi32> -> tensor<32x32xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    %sum = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
      %tile = arith.muli %i, %c32 : i32
      %pi = tile.addptr %p, %tile : !tile.ptr<f16>, i32
      %sp = tile.splat %pi : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %pa = tile.addptr %sp, %at : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
      %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
      %d = tile.dot %a, %b, %c {simt.instruction = #mma}
        : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    } {tile.num_stages = 1 : i32}
    tile.store %po, %sum : tensor<32x32x!tile.ptr<f32>>
    return
  }
}
