// Loads through the host's descriptors that a producer copies: the producer, the loop, groups of warps.
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse --tile-expand-schedules --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse --tile-assign-layouts --tile-expand-schedules --tile-to-simt --simt-canonicalize-threads --simt-pipeline=check=true %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=SIMT

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 8 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, moves_registers = true,
                                  shared_bytes = 232448 : i64, instructions = [#group]}} {
  // Two copies fill a stage, eight warps empty it. The product of an iteration runs on, so an iteration hands back the
  // stage of the one before; the first iteration hands back the last stage, for which the producer waits one phase
  // more. The producer computes the row again.
  // CHECK-LABEL: func.func @loop
  // CHECK-DAG: %[[RA:.*]] = simt.shared_alloc : <3x128x32xf16, #{{.*}}>
  // CHECK-DAG: %[[RB:.*]] = simt.shared_alloc : <3x64x32xf16, #{{.*}}>
  // CHECK: %[[FULL:.*]] = simt.barrier_alloc : <3>
  // CHECK: %[[EMPTY:.*]] = simt.barrier_alloc : <3>
  // CHECK: simt.start_barriers %[[FULL]] count 2 : <3>
  // CHECK: simt.start_barriers %[[EMPTY]] count 8 : <3>
  // CHECK: simt.producer(
  // CHECK: group warps 4 registers 40 (
  // CHECK:   %[[ROW:.*]] = arith.muli
  // CHECK:   scf.for %[[K:.*]] = {{.*}} iter_args(%[[STAGE:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32)
  // CHECK:     %[[OTHER:.*]] = arith.xori %[[PHASE]]
  // CHECK:     %[[IS_LAST:.*]] = arith.cmpi eq, %[[STAGE]], %{{.*}}
  // CHECK:     %[[PARITY:.*]] = arith.select %[[IS_LAST]], %[[PHASE]], %[[OTHER]]
  // CHECK:     simt.barrier_wait %[[E:.*]][%[[STAGE]]], %[[PARITY]]
  // CHECK:     simt.copy_tile %{{.*}}[%[[ROW]], %[[K]]] to %{{.*}} on %[[F:.*]][%[[STAGE]]] phase %[[PHASE]]
  // CHECK:     simt.copy_tile %{{.*}} on %[[F]][%[[STAGE]]] phase %[[PHASE]]
  // CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[READ:.*]] = %{{.*}}, %[[NOW:.*]] = %{{.*}})
  // CHECK:   simt.barrier_wait %[[FULL]][%[[READ]]], %[[NOW]]
  // CHECK:   simt.product
  // CHECK:   simt.wait_products %[[SUM]]
  // CHECK:   %[[BEFORE:.*]] = arith.select
  // CHECK:   simt.arrive_warps %[[EMPTY]][%[[BEFORE]]]
  // CHECK: simt.end_barriers %[[FULL]]
  // CHECK: simt.end_barriers %[[EMPTY]]
  // CHECK: simt.wait_products %[[R]]#0

  // The exchange for the store has the rings' storage. In the loop no barrier of all warps is needed.
  // SIMT-LABEL: func.func @loop
  // SIMT-SAME: simt.max_registers = 168 : i32, {{.*}}simt.warps = 12 : i32
  // SIMT: simt.barrier_init
  // SIMT: simt.warp_groups(
  // SIMT: group warps 8 registers 232 (
  // SIMT:   scf.for
  // SIMT-NOT: simt.barrier{{$}}
  // SIMT:     simt.matmul_async
  // SIMT:     simt.matmul_wait 1
  // SIMT:     %[[ONE:.*]] = simt.elect
  // SIMT:     scf.if %[[ONE]] {
  // SIMT-NEXT:  simt.barrier_arrive
  // SIMT:     scf.yield
  // SIMT:   simt.barrier{{$}}
  // SIMT:   simt.barrier_invalidate
  // SIMT:   simt.matmul_wait 0
  // SIMT:   simt.store
  // SIMT: group warps 4 registers 40 (
  // SIMT:   %[[T:.*]] = simt.thread_id
  // SIMT:   %[[FIRST:.*]] = arith.cmpi eq, %[[T]]
  // SIMT:   scf.if %[[FIRST]] {
  // SIMT:     scf.for
  // SIMT:       simt.barrier_wait
  // SIMT:       simt.barrier_expect %{{.*}} bytes 8192
  // SIMT:       simt.load_tile
  // SIMT:     } {simt.divergent}
  // SIMT:   } {simt.divergent}
  func.func @loop(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %k: i32,
      %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %program = tile.program_id 0
    %row = arith.muli %program, %c128 : i32
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%row, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %s = tile.make_range 0 to 8192 : tensor<8192xi32>
    %at = tile.reshape %s : tensor<8192xi32> -> tensor<128x64xi32>
    %base = tile.splat %o : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %p = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    tile.store %p, %sum : tensor<128x64x!tile.ptr<f32>>
    return
  }

  // In a nested loop the ring begins anew in each execution: no producer. Nor where the loop's bound comes from memory.
  // CHECK-LABEL: func.func @nested
  // CHECK-NOT: simt.producer
  // CHECK: simt.copy_tile
  // CHECK-NOT: simt.producer
  // CHECK: return
  func.func @nested(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %k: i32,
      %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %s = tile.make_range 0 to 8192 : tensor<8192xi32>
    %at = tile.reshape %s : tensor<8192xi32> -> tensor<128x64xi32>
    %base = tile.splat %o : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %p = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    scf.for %j = %c0 to %k step %c1 : i32 {
      %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
        %x = tile.desc_load %a[%j, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
        %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
        %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
        %d = tile.dot %x, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
        scf.yield %d : tensor<128x64xf32>
      }
      tile.store %p, %sum : tensor<128x64x!tile.ptr<f32>>
    }
    return
  }

  // CHECK-LABEL: func.func @bound_from_memory
  // CHECK-NOT: simt.producer
  // CHECK: return
  func.func @bound_from_memory(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %n: !tile.ptr<i32>,
      %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %k = tile.load %n : !tile.ptr<i32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%c0, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %s = tile.make_range 0 to 8192 : tensor<8192xi32>
    %at = tile.reshape %s : tensor<8192xi32> -> tensor<128x64xi32>
    %base = tile.splat %o : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %p = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    tile.store %p, %sum : tensor<128x64x!tile.ptr<f32>>
    return
  }

  // An operand that is computed from its tile: the producer copies the raw tile, to a ring with objects of its own.
  // Warps load it, hand its stage back, and store what they compute to a second buffer.
  // CHECK-LABEL: func.func @computed
  // CHECK: simt.producer(
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK:   simt.barrier_wait %[[FULL:.*]][%[[STAGE:.*]]], %
  // CHECK-NEXT: %[[RAW:.*]] = simt.shared_load
  // CHECK-NEXT: simt.arrive_warps %{{.*}}[%[[STAGE]]] loaded
  // CHECK:   %[[NEW:.*]] = arith.negf %[[RAW]]
  // CHECK:   simt.shared_store %[[BUFFER:.*]], %[[NEW]]
  // CHECK:   simt.barrier_wait
  // CHECK:   simt.product %[[BUFFER]]
  func.func @computed(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %k: i32,
      %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%c0, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %n = arith.negf %x : tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %n, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %s = tile.make_range 0 to 8192 : tensor<8192xi32>
    %at = tile.reshape %s : tensor<8192xi32> -> tensor<128x64xi32>
    %base = tile.splat %o : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %p = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    tile.store %p, %sum : tensor<128x64x!tile.ptr<f32>>
    return
  }

  // A tile that a product reads as it is and other ops add up: one ring, which both read.
  // CHECK-LABEL: func.func @summed
  // CHECK: simt.producer(
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK:   %[[TILE:.*]] = simt.stage %[[RING:.*]][%[[STAGE:.*]]] : <3x128x32xf16
  // CHECK:   simt.shared_load %[[TILE]]
  // CHECK:   simt.product %[[TILE]]
  // CHECK-NOT: simt.shared_store
  // CHECK: return
  func.func @summed(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %k: i32,
      %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %q: !tile.ptr<f16>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %none = arith.constant dense<0.0> : tensor<128x32xf16>
    %sum:2 = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero, %e = %none)
        -> (tensor<128x64xf32>, tensor<128x32xf16>) : i32 {
      %x = tile.desc_load %a[%c0, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %f = arith.addf %e, %x : tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d, %f : tensor<128x64xf32>, tensor<128x32xf16>
    }
    %s = tile.make_range 0 to 8192 : tensor<8192xi32>
    %at = tile.reshape %s : tensor<8192xi32> -> tensor<128x64xi32>
    %base = tile.splat %o : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %p = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    tile.store %p, %sum#0 : tensor<128x64x!tile.ptr<f32>>
    %to = tile.splat %q : !tile.ptr<f16> -> tensor<128x32x!tile.ptr<f16>>
    tile.store %to, %sum#1 : tensor<128x32x!tile.ptr<f16>>
    return
  }

  // An operand that is computed from a tile that threads load: they copy it ahead, which they do not beside a producer.
  // CHECK-LABEL: func.func @computed_of_a_load
  // CHECK-NOT: simt.producer
  // CHECK: return
  func.func @computed_of_a_load(%a: !tile.desc<128x32xf16>, %b: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %k: i32,
      %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %line = tile.make_range 0 to 2048 : tensor<2048xi32>
    %places = tile.reshape %line : tensor<2048xi32> -> tensor<32x64xi32>
    %bs = tile.splat %b : !tile.ptr<i8> -> tensor<32x64x!tile.ptr<i8>>
    %from = tile.addptr %bs, %places : tensor<32x64x!tile.ptr<i8>>, tensor<32x64xi32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%c0, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %y = tile.load %from : tensor<32x64x!tile.ptr<i8>>
      %w = arith.sitofp %y : tensor<32x64xi8> to tensor<32x64xf16>
      %d = tile.dot %x, %w, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %s = tile.make_range 0 to 8192 : tensor<8192xi32>
    %at = tile.reshape %s : tensor<8192xi32> -> tensor<128x64xi32>
    %base = tile.splat %o : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %p = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    tile.store %p, %sum : tensor<128x64x!tile.ptr<f32>>
    return
  }

  // A block that is stored at the kernel's end: through a buffer in the rings' storage, behind a barrier.
  // CHECK-LABEL: func.func @stored
  // CHECK: simt.end_barriers
  // CHECK: %[[SUM:.*]] = simt.wait_products
  // CHECK: %[[OUT:.*]] = simt.shared_alloc : <128x64xf32, #{{.*}}>
  // CHECK: simt.shared_store %[[OUT]], %[[SUM]]
  // CHECK-NEXT: simt.fence async
  // CHECK-NEXT: simt.copy_out %[[OUT]] to %arg2[%{{.*}}, %{{.*}}]
  // SIMT-LABEL: func.func @stored
  // SIMT: simt.shared_alloc at 0 : <3x128x32xf16
  // SIMT: simt.shared_alloc at 0 : <128x64xf32
  // SIMT: simt.barrier_invalidate
  // SIMT: simt.matmul_wait 0
  // SIMT: simt.barrier{{$}}
  // SIMT: simt.shared_store
  // Each four warps, which have rows of their own, copy these.
  // SIMT-NEXT: simt.fence async
  // SIMT: simt.barrier warps 4
  // SIMT-NEXT: scf.if
  // SIMT: simt.part %{{.*}} : <128x64xf32, #{{.*}}> -> <64x64xf32
  // SIMT-NEXT: simt.store_tile
  // SIMT-NEXT: simt.commit_stores
  // SIMT-NEXT: simt.wait_stores reads 0
  func.func @stored(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %o: !tile.desc<128x64xf32>, %k: i32)
      attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%c0, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    tile.desc_store %o[%c0, %c0], %sum : !tile.desc<128x64xf32>, tensor<128x64xf32>
    return
  }

  // Threads store where something is read behind the store, or a pointer is written through.
  // CHECK-LABEL: func.func @read_behind
  // CHECK-NOT: simt.copy_out
  // CHECK: return
  func.func @read_behind(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %o: !tile.desc<128x64xf32>, %k: i32,
      %p: !tile.ptr<f32>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%c0, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    tile.desc_store %o[%c0, %c0], %sum : !tile.desc<128x64xf32>, tensor<128x64xf32>
    %again = tile.load %p volatile : !tile.ptr<f32>
    return
  }

  // Copies may not pass a store before the loop. An epilogue's product does not keep the rings alive.
  // CHECK-LABEL: func.func @stored_before
  // CHECK-NOT: simt.producer
  // CHECK: return
  func.func @stored_before(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %p: !tile.ptr<f32>, %k: i32,
      %o: !tile.desc<128x64xf32>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1.0 : f32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    tile.store %p, %one : !tile.ptr<f32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%c0, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    tile.desc_store %o[%c0, %c0], %sum : !tile.desc<128x64xf32>, tensor<128x64xf32>
    return
  }

  // CHECK-LABEL: func.func @epilogue_product
  // CHECK: simt.producer
  // CHECK: simt.end_barriers
  // CHECK: simt.end_barriers
  // CHECK: simt.wait_products
  // CHECK: simt.shared_alloc
  // CHECK: simt.product
  func.func @epilogue_product(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %p: !tile.ptr<f16>,
      %k: i32, %o: !tile.desc<128x64xf32>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%c0, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %x, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %h = arith.truncf %sum : tensor<128x64xf32> to tensor<128x64xf16>
    %s = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %s : tensor<4096xi32> -> tensor<64x64xi32>
    %base = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %q = tile.addptr %base, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %w = tile.load %q : tensor<64x64x!tile.ptr<f16>>
    %e = tile.dot %h, %w, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    tile.desc_store %o[%c0, %c0], %e : !tile.desc<128x64xf32>, tensor<128x64xf32>
    return
  }
}
