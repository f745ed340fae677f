// Loads through the host's descriptors that hardware copies: the marks, rings with barrier objects, code of a thread.
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors %s --split-input-file | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-expand-schedules --tile-lower-descriptors --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=RING
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse --tile-assign-layouts --tile-expand-schedules --cse --tile-to-simt --simt-canonicalize-threads --simt-pipeline=check=true %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=SIMT

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, shared_bytes = 232448 : i64,
                                  instructions = [#group]}} {
  // CHECK-LABEL: func.func @loop
  // CHECK: scf.for
  // CHECK:   tile.desc_load %{{.*}} {tile.copied}
  // CHECK:   tile.desc_load %{{.*}} {tile.copied}

  // Three stages: copies are started at an iteration's end, when the previous iteration's product has ended, so that
  // the ring needs no stage more for it. One object a stage, completed by two copies. The loop carries the stage that
  // it reads, the phase of the copies that it starts, and two arrivals.
  // RING-LABEL: func.func @loop
  // RING-DAG: %[[C0:.*]] = arith.constant 0 : i32
  // RING-DAG: %[[C1:.*]] = arith.constant 1 : i32
  // RING-DAG: %[[C2:.*]] = arith.constant 2 : i32
  // RING-DAG: %[[FULL:.*]] = simt.barrier_alloc : <3>
  // RING: %[[RA:.*]] = simt.shared_alloc : <3x64x32xf16, #{{.*}}>
  // RING: %[[RB:.*]] = simt.shared_alloc : <3x64x32xf16, #{{.*}}>
  // RING: simt.start_barriers %[[FULL]] count 2 : <3>
  // RING: simt.copy_tile %{{.*}}[%{{.*}}, %[[C0]]] to %{{.*}} on %[[FULL]][%[[C0]]] phase %[[C0]] if %{{.*}}
  // RING: %[[U0:.*]] = simt.copy_tile %{{.*}} on %[[FULL]][%[[C0]]] phase %[[C0]] if
  // RING: simt.copy_tile %{{.*}} on %[[FULL]][%[[C1]]] phase %[[C0]] if
  // RING: %[[U1:.*]] = simt.copy_tile %{{.*}} on %[[FULL]][%[[C1]]] phase %[[C0]] if
  // RING: %[[R:.*]]:7 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[TAKES_PLACE:.*]] = %{{.*}}, %[[AHEAD:.*]] = %{{.*}}, %[[READ:.*]] = %[[C0]], %[[PHASE:.*]] = %[[C0]], %[[A0:.*]] = %[[U0]], %[[A1:.*]] = %[[U1]])
  // RING:   simt.wait_tiles %[[A0]] on %[[FULL]]
  // RING:   arith.cmpi ult, %[[READ]], %[[C1]]
  // RING:   %[[WRITE:.*]] = arith.select
  // RING:   %[[WROTE_LAST:.*]] = arith.cmpi eq, %[[WRITE]], %[[C2]]
  // RING:   %[[OTHER:.*]] = arith.xori %[[PHASE]], %[[C1]]
  // RING:   %[[NEXT_PHASE:.*]] = arith.select %[[WROTE_LAST]], %[[OTHER]], %[[PHASE]]
  // RING:   %[[P:.*]] = simt.product
  // RING:   simt.wait_products %[[SUM]]
  // RING:   simt.copy_tile %{{.*}}[%{{.*}}, %[[AHEAD]]] to %{{.*}} on %[[FULL]][%[[WRITE]]] phase %[[PHASE]] if %[[TAKES_PLACE]]
  // RING:   %[[U2:.*]] = simt.copy_tile
  // RING:   scf.yield %[[P]], %{{.*}}, %{{.*}}, %{{.*}}, %[[NEXT_PHASE]], %[[A1]], %[[U2]]
  // RING: simt.end_barriers %[[FULL]]
  // RING-NEXT: simt.wait_products %[[R]]#0

  // Thread 0 announces and starts; all wait; one barrier an iteration, before the copy that overwrites a stage.
  // SIMT-LABEL: func.func @loop
  // SIMT: simt.barrier_init %[[FULL:.*]][%{{.*}}] count 2
  // SIMT: simt.fence barrier_init
  // SIMT: } {simt.divergent}
  // SIMT-NEXT: simt.barrier{{$}}
  // SIMT: scf.for
  // SIMT:   simt.barrier_wait %[[FULL]]
  // SIMT-NOT: simt.barrier{{$}}
  // SIMT:   simt.matmul_async
  // SIMT:   simt.matmul_wait 1
  // SIMT:   simt.barrier{{$}}
  // SIMT-NEXT: scf.if
  // SIMT-NEXT: simt.barrier_expect %[[FULL]][%{{.*}}] bytes 4096
  // SIMT-NEXT: simt.load_tile
  // SIMT-NOT: simt.barrier{{$}}
  // SIMT:   scf.yield
  // SIMT: simt.barrier{{$}}
  // SIMT: simt.barrier_invalidate %[[FULL]]
  func.func @loop(%a: !tile.desc<64x32xf16>, %b: !tile.desc<64x32xf16>, %row: i32, %k: i32,
      %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %y = tile.desc_load %b[%row, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %s = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %s : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // The load of the functions that follow, with nothing in its way.
  // CHECK-LABEL: func.func @marked
  // CHECK: tile.desc_load %{{.*}} {tile.copied}
  func.func @marked(%a: !tile.desc<64x32xf16>, %row: i32, %k: i32,
      %o: !tile.ptr<f32>, %q: !tile.ptr<f16>, %h: f16) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c32 = arith.constant 32 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %d = tile.dot %x, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %s = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %s : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // Another use of the descriptor, also one that could be a copy itself: it is passed in parts or encoded.
  // CHECK-LABEL: func.func @used_elsewhere
  // CHECK-NOT: tile.desc_load
  func.func @used_elsewhere(%a: !tile.desc<64x32xf16>, %row: i32, %k: i32,
      %o: !tile.ptr<f32>, %q: !tile.ptr<f16>, %h: f16) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c32 = arith.constant 32 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %first = tile.desc_load %a[%row, %c0] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
    %e = tile.dot %first, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %d = tile.dot %x, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %s = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %s : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // Products read the tile as it is, and another operand is computed from it: threads load it from the ring, too.
  // CHECK-LABEL: func.func @other_use_of_the_value
  // CHECK: tile.desc_load %{{.*}} {tile.copied}
  func.func @other_use_of_the_value(%a: !tile.desc<64x32xf16>, %row: i32, %k: i32,
      %o: !tile.ptr<f32>, %q: !tile.ptr<f16>, %h: f16) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c32 = arith.constant 32 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %y = arith.addf %x, %x : tensor<64x32xf16>
      %e = tile.dot %y, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      %d = tile.dot %x, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %s = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %s : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // Positions along lines are multiples of 8 bytes only.
  // CHECK-LABEL: func.func @unaligned
  // CHECK-NOT: tile.desc_load
  func.func @unaligned(%a: !tile.desc<64x32xf16>, %row: i32, %k: i32,
      %o: !tile.ptr<f32>, %q: !tile.ptr<f16>, %h: f16) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c32 = arith.constant 32 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %k step %c4 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %d = tile.dot %x, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %s = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %s : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // The loop stores f16, perhaps to the same array.
  // CHECK-LABEL: func.func @stored
  // CHECK-NOT: tile.desc_load
  func.func @stored(%a: !tile.desc<64x32xf16>, %row: i32, %k: i32,
      %o: !tile.ptr<f32>, %q: !tile.ptr<f16>, %h: f16) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c32 = arith.constant 32 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      tile.store %q, %h : !tile.ptr<f16>
      %d = tile.dot %x, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %s = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %s : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // A loop inside.
  // CHECK-LABEL: func.func @not_innermost
  // CHECK-NOT: tile.desc_load
  func.func @not_innermost(%a: !tile.desc<64x32xf16>, %row: i32, %k: i32,
      %o: !tile.ptr<f32>, %q: !tile.ptr<f16>, %h: f16) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c32 = arith.constant 32 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      scf.while : () -> () {
        %more = arith.cmpi slt, %row, %k : i32
        scf.condition(%more)
      } do {
        scf.yield
      }
      %d = tile.dot %x, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %s = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %s : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }
}

// -----

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// Two stages do not fit into shared memory: the mark goes, and the loads become loads through pointers.
module attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, shared_bytes = 16384 : i64,
                                  instructions = [#group]}} {
  // CHECK-LABEL: func.func @little_memory
  // CHECK: tile.desc_load %{{.*}} {tile.copied}
  // RING-LABEL: func.func @little_memory
  // RING-NOT: tile.desc_load
  // RING-NOT: simt.copy_tile
  // RING: tile.load
  // RING: tile.load
  func.func @little_memory(%a: !tile.desc<64x32xf16>, %b: !tile.desc<64x32xf16>, %row: i32, %k: i32,
      %o: !tile.ptr<f32>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %y = tile.desc_load %b[%row, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %s = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %s : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }
}
