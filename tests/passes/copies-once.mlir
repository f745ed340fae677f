// Blocks that a kernel loads once and hardware copies, and groups of warps that start products in turns.
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse --tile-expand-schedules --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse --tile-assign-layouts --tile-expand-schedules --cse --tile-to-simt --simt-canonicalize-threads --simt-pipeline=check=true %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=SIMT

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 8 : i32, tile.num_stages = 2 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, moves_registers = true,
                                  shared_bytes = 232448 : i64, register_bytes = 262144 : i64,
                                  delayed_bytes = 768 : i64, instructions = [#group]}} {
  // The producer copies the first block before others, and it is waited for before the loop. The second product of
  // an iteration is delayed: the next one starts it right behind its first. Each group of four warps waits for its turn
  // before the two, and then gives it to the other.
  // CHECK-LABEL: func.func @attention
  // CHECK-DAG: %[[ONCE:.*]] = simt.barrier_alloc : <1>
  // CHECK-DAG: %[[Q:.*]] = simt.shared_alloc : <128x64xf16, #{{.*}}>
  // CHECK: simt.start_barriers %[[ONCE]] count 1 : <1>
  // CHECK-NEXT: simt.start_barriers
  // CHECK: simt.start_barriers %[[TURNS:.*]] count 4 : <2>
  // CHECK: simt.producer({{.*}}%[[Q]], %[[ONCE]]
  // CHECK: simt.copy_tile %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}} on %{{.*}}[%c0{{.*}}] phase %c0
  // CHECK: scf.for
  // CHECK: simt.barrier_wait %[[ONCE]][%c0{{.*}}], %c0
  // CHECK: simt.end_barriers %[[ONCE]]
  // CHECK: %[[WARP:.*]] = simt.warp_id
  // CHECK: %[[GROUP:.*]] = arith.divui %[[WARP]], %c4_i32
  // CHECK: %[[OTHER:.*]] = arith.xori %[[GROUP]], %c1_i32
  // CHECK: scf.for {{.*}} %[[PHASE:[a-z0-9]*]] = %[[OTHER]], %{{.*}})
  // CHECK:   %[[NEXT:.*]] = arith.xori %[[PHASE]], %c1_i32
  // CHECK:   simt.barrier_wait %[[TURNS]][%[[GROUP]]], %[[PHASE]]
  // CHECK-NEXT: simt.product %[[Q]]
  // CHECK:   simt.product
  // CHECK-NEXT: simt.arrive_warps %[[TURNS]][%[[OTHER]]]
  // CHECK:   scf.yield {{.*}}%[[NEXT]],
  // CHECK: simt.end_barriers %[[TURNS]]
  // SIMT-LABEL: func.func @attention
  // SIMT-NOT: simt.fence async_device
  // SIMT: simt.barrier{{$}}
  // SIMT: simt.load_tile
  func.func @attention(%q: !tile.desc<128x64xf16>, %k: !tile.desc<64x64xf16>, %v: !tile.desc<64x64xf16>, %n: i32,
      %o: !tile.ptr<f32>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %pid = tile.program_id 0
    %row = arith.muli %pid, %c128 : i32
    %x = tile.desc_load %q[%row, %c0] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %sum = scf.for %i = %c0 to %n step %c64 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %y = tile.desc_load %k[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x64xf16>
      %s = tile.dot %x, %t, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
      %e = math.exp2 %s : tensor<128x64xf32>
      %p = tile.fp_cast %e : tensor<128x64xf32> -> tensor<128x64xf16>
      %z = tile.desc_load %v[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %d = tile.dot %p, %z, %c : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %r = tile.make_range 0 to 8192 : tensor<8192xi32>
    %at = tile.reshape %r : tensor<8192xi32> -> tensor<128x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    tile.store %po, %sum : tensor<128x64x!tile.ptr<f32>>
    return
  }
}

// -----

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 4 : i32, tile.num_stages = 2 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, shared_bytes = 232448 : i64,
                                  instructions = [#group]}} {
  // Two blocks of one product: one object, one wait. The exchange of the transposed tensor, which writes to shared
  // memory, comes behind the start, the fence and the barrier of which order the copies with what threads wrote.
  // CHECK-LABEL: func.func @two
  // CHECK: simt.start_barriers %[[ONCE:.*]] count 2 : <1>
  // CHECK: simt.copy_tile %arg0[%arg2, %{{.*}}] to %{{.*}} on %[[ONCE]]
  // CHECK: %[[LAST:.*]] = simt.copy_tile %arg1[%{{.*}}, %{{.*}}] to %{{.*}} on %[[ONCE]]
  // CHECK: tile.trans
  // CHECK: simt.wait_tiles %[[LAST]] on %[[ONCE]]
  // CHECK-NEXT: simt.end_barriers %[[ONCE]]
  // CHECK: simt.product
  // CHECK-NOT: simt.copy_tile
  // SIMT-LABEL: func.func @two
  // SIMT: simt.fence async_device
  // SIMT-NEXT: simt.barrier
  // SIMT: simt.load_tile
  // SIMT: simt.load_tile
  // SIMT: simt.shared_store
  func.func @two(%a: !tile.desc<64x64xf16>, %b: !tile.desc<64x64xf16>, %row: i32, %o: !tile.ptr<f32>)
      attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %r = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    %m = tile.load %po : tensor<64x64x!tile.ptr<f32>>
    %n = tile.trans %m order [1, 0] : tensor<64x64xf32>
    %x = tile.desc_load %a[%row, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.desc_load %b[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %mn = arith.addf %m, %n : tensor<64x64xf32>
    %d = tile.dot %x, %y, %mn : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.store %po, %d : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // Copies are not ordered with what threads store, before the load or between it and its product.
  // CHECK-LABEL: func.func @stored_before
  // CHECK-NOT: simt.copy_tile
  // CHECK: return
  func.func @stored_before(%a: !tile.desc<64x64xf16>, %b: !tile.desc<64x64xf16>, %o: !tile.ptr<f32>)
      attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %zero : tensor<64x64x!tile.ptr<f32>>
    %x = tile.desc_load %a[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.desc_load %b[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.store %po, %d : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // CHECK-LABEL: func.func @stored_between
  // CHECK-NOT: simt.copy_tile
  // CHECK: return
  func.func @stored_between(%a: !tile.desc<64x64xf16>, %b: !tile.desc<64x64xf16>, %o: !tile.ptr<f32>)
      attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    %x = tile.desc_load %a[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.desc_load %b[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    tile.store %po, %zero : tensor<64x64x!tile.ptr<f32>>
    %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.store %po, %d : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // Behind a loop nothing is gained, and a program could not begin its copies while the last one ends.
  // CHECK-LABEL: func.func @behind_a_loop
  // CHECK-NOT: simt.copy_tile
  // CHECK: return
  func.func @behind_a_loop(%a: !tile.desc<64x64xf16>, %b: !tile.desc<64x64xf16>, %k: i32, %o: !tile.ptr<f32>)
      attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %one = arith.constant dense<1.0> : tensor<64x64xf32>
    %s = scf.for %i = %c0 to %k step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %e = arith.addf %c, %one : tensor<64x64xf32>
      scf.yield %e : tensor<64x64xf32>
    }
    %x = tile.desc_load %a[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.desc_load %b[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %r = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %d : tensor<64x64x!tile.ptr<f32>>
    return
  }

  // Read by a product behind the first loop only: a buffer for it would be alive in the loop, beside the loop's rings.
  // CHECK-LABEL: func.func @read_behind_a_loop
  // CHECK-NOT: simt.copy_tile %arg0
  // CHECK: return
  func.func @read_behind_a_loop(%a: !tile.desc<64x64xf16>, %b: !tile.desc<64x64xf16>, %k: i32, %o: !tile.ptr<f32>)
      attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %x = tile.desc_load %a[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %s = scf.for %i = %c0 to %k step %c64 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %y = tile.desc_load %b[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %e = tile.dot %y, %y, %c : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %e : tensor<64x64xf32>
    }
    %d = tile.dot %x, %x, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %r = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %d : tensor<64x64x!tile.ptr<f32>>
    return
  }
}

// -----

#bytes = #simt.instruction<"wgmma.m64n64k32.s32.s8", 64x64x32,
  a <i8 either <register (0,1) (0,2) (8,0) (0,16), lane (0,4) (0,8) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>,
  b <i8 shared>,
  c <i32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 4 : i32, tile.num_stages = 2 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, loads_matrices = true,
                                  shared_bytes = 232448 : i64, instructions = [#bytes]}} {
  // Both operands of a product are one block, and threads load the left one into registers, behind the wait.
  // CHECK-LABEL: func.func @loaded
  // CHECK: %[[COPY:.*]] = simt.copy_tile %arg0
  // CHECK: simt.wait_tiles %[[COPY]]
  // CHECK: %[[LEFT:.*]] = simt.shared_load
  // CHECK: simt.product %[[LEFT]]
  // SIMT-LABEL: func.func @loaded
  // SIMT: simt.barrier_wait
  // SIMT: simt.load_matrix {{.*}} transpose
  // SIMT: simt.matmul_async
  func.func @loaded(%a: !tile.desc<64x64xi8>, %o: !tile.ptr<i32>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant dense<0> : tensor<64x64xi32>
    %x = tile.desc_load %a[%c0, %c0] : !tile.desc<64x64xi8> -> tensor<64x64xi8>
    %t = tile.trans %x order [1, 0] : tensor<64x64xi8>
    %d = tile.dot %t, %t, %zero : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
    %r = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
    %so = tile.splat %o : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
    tile.store %po, %d : tensor<64x64x!tile.ptr<i32>>
    return
  }
}
