// The buffer of an operand that the loop computes has two stages, so that its product runs on into the next iteration.
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse --tile-expand-schedules --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=STEPS
// RUN: tegula-opt --tile-select-products --tile-mark-tile-copies --tile-lower-descriptors --tile-plan-products --tile-pipeline-copies --tile-lower-descriptors --canonicalize --cse --tile-assign-layouts --tile-expand-schedules --tile-to-simt --simt-canonicalize-threads --simt-pipeline=check=true %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=SIMT

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

module attributes {tile.num_warps = 8 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, moves_registers = true,
                                  shared_bytes = 232448 : i64, instructions = [#group]}} {
  // Rings of three stages for the raw tile and for the other operand, of two for what is computed.
  // CHECK-LABEL: func.func @loop
  // CHECK-DAG: simt.shared_alloc : <3x128x32xf16, #{{.*}}>
  // CHECK-DAG: simt.shared_alloc : <3x64x32xf16, #{{.*}}>
  // CHECK-DAG: %[[RING:.*]] = simt.shared_alloc : <2x128x32xf16, #{{.*}}>
  // CHECK: scf.for
  // CHECK:   %[[STAGE:.*]] = simt.stage %[[RING]][%c0
  // CHECK:   simt.shared_store %[[STAGE]]
  // CHECK:   simt.fence async
  // CHECK:   %[[D:.*]] = simt.product %[[STAGE]]
  // CHECK:   simt.wait_products %[[D]] {simt.schedule = #simt.schedule<ahead -1>}

  // The loop carries the number of the stage of two: 0, 1, 0, ...
  // STEPS-LABEL: func.func @loop
  // STEPS: %[[RING:.*]] = simt.shared_alloc : <2x128x32xf16, #{{.*}}>
  // STEPS: scf.for {{.*}} iter_args(%[[SUM:[^ ]*]] = %{{[^,]*}}, %[[TWO:[^ ]*]] = %c0{{[^,]*}}, %{{[^,]*}} = %c0
  // STEPS:   %[[STAGE:.*]] = simt.stage %[[RING]][%[[TWO]]]
  // STEPS:   simt.shared_store %[[STAGE]]
  // STEPS:   %[[D:.*]] = simt.product %[[STAGE]]
  // STEPS:   simt.wait_products %[[SUM]]
  // STEPS:   scf.yield %[[D]]
  // STEPS: simt.wait_products

  // A barrier before the store, because the product of the iteration before last has read the stage, and one behind it.
  // SIMT-LABEL: func.func @loop
  // SIMT: group warps 8
  // SIMT:   scf.for
  // SIMT:     simt.shared_load
  // SIMT:     simt.barrier{{$}}
  // SIMT-NEXT: simt.shared_store
  // SIMT:     simt.fence async
  // SIMT:     simt.barrier{{$}}
  // SIMT:     simt.matmul_async
  // SIMT:     simt.matmul_wait 1
  // SIMT:     scf.yield
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
      %twice = arith.addf %x, %x : tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %twice, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %s = tile.make_range 0 to 8192 : tensor<8192xi32>
    %at = tile.reshape %s : tensor<8192xi32> -> tensor<128x64xi32>
    %base = tile.splat %o : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %p = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    tile.store %p, %sum : tensor<128x64x!tile.ptr<f32>>
    return
  }

  // What is rearranged on its way passes through shared memory, for which room is left: one buffer.
  // CHECK-LABEL: func.func @rearranged
  // CHECK-NOT: <2x128x32xf16
  // CHECK: scf.for
  // CHECK:   simt.shared_alloc : <128x32xf16, #{{.*}}>
  // CHECK:   %[[D:.*]] = simt.product
  // CHECK:   simt.wait_products %[[D]] : tensor
  func.func @rearranged(%a: !tile.desc<128x16xf16>, %b: !tile.desc<64x32xf16>, %k: i32,
      %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%c0, %i] : !tile.desc<128x16xf16> -> tensor<128x16xf16>
      %n = arith.negf %x : tensor<128x16xf16>
      %pairs = tile.join %x, %n : tensor<128x16xf16>
      %wide = tile.reshape %pairs : tensor<128x16x2xf16> -> tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %wide, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %s = tile.make_range 0 to 8192 : tensor<8192xi32>
    %at = tile.reshape %s : tensor<8192xi32> -> tensor<128x64xi32>
    %base = tile.splat %o : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %p = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    tile.store %p, %sum : tensor<128x64x!tile.ptr<f32>>
    return
  }
}

// -----

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// The second stage would take the third stage of the copies: 36 KiB of copies, 8 of one buffer, 2 of exchanges fit.
module attributes {tile.num_warps = 8 : i32, tile.num_stages = 3 : i32,
                   simt.target = {copies_async = true, copies_tiles = true, moves_registers = true,
                                  shared_bytes = 49152 : i64, instructions = [#group]}} {
  // CHECK-LABEL: func.func @does_not_fit
  // CHECK-DAG: simt.shared_alloc : <3x128x32xf16, #{{.*}}>
  // CHECK-DAG: simt.shared_alloc : <3x64x32xf16, #{{.*}}>
  // CHECK-NOT: <2x128x32xf16
  // CHECK: scf.for
  // CHECK:   simt.wait_products %{{.*}} : tensor
  func.func @does_not_fit(%a: !tile.desc<128x32xf16>, %b: !tile.desc<64x32xf16>, %k: i32,
      %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%c = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.desc_load %a[%c0, %i] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
      %twice = arith.addf %x, %x : tensor<128x32xf16>
      %y = tile.desc_load %b[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %t = tile.trans %y order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %twice, %t, %c : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %s = tile.make_range 0 to 8192 : tensor<8192xi32>
    %at = tile.reshape %s : tensor<8192xi32> -> tensor<128x64xi32>
    %base = tile.splat %o : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %p = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    tile.store %p, %sum : tensor<128x64x!tile.ptr<f32>>
    return
  }
}
