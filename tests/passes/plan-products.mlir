// Products whose instruction reads shared memory: buffers, the product and its wait; with rings of copies, products
// that run on while the next iteration begins, and those that are left to it; and the code of a thread.
// RUN: tegula-opt --tile-select-products --tile-plan-products --canonicalize %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-plan-products --tile-pipeline-copies --tile-expand-schedules --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=RING
// RUN: tegula-opt --tile-select-products --tile-plan-products --tile-pipeline-copies --canonicalize --cse --tile-assign-layouts --tile-expand-schedules --cse --tile-to-simt --simt-canonicalize-threads --simt-pipeline=check=true %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=SIMT

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// B is transposed: a view. Lines of 64 bytes have a swizzle of that width.
// CHECK-DAG: #[[S:.*]] = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,8) (4,16) (8,0) (16,0) (32,0)>
// CHECK-DAG: #[[ST:.*]] = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (0,1) (8,2) (16,4) (0,8) (0,16) (0,32)>
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK:   %[[A:.*]] = tile.load
// CHECK:   %[[B:.*]] = tile.load
// CHECK:   %[[TA:.*]] = simt.shared_alloc : <64x32xf16, #[[S]]>
// CHECK:   simt.shared_store %[[TA]], %[[A]]
// CHECK:   simt.fence async
// CHECK:   %[[TB:.*]] = simt.shared_alloc : <64x32xf16, #[[S]]>
// CHECK:   simt.shared_store %[[TB]], %[[B]]
// CHECK:   simt.fence async
// CHECK:   %[[VB:.*]] = simt.transpose %[[TB]] : <64x32xf16, #[[S]]> -> <32x64xf16, #[[ST]]>
// CHECK:   %[[P:.*]] = simt.product %[[TA]], %[[VB]], %{{.*}} instruction
// CHECK:   %[[D:.*]] = simt.wait_products %[[P]] : tensor<64x64xf32>
// CHECK:   scf.yield %[[D]]

// Four stages for num_stages of 3, because a product in flight still reads its own; copies are two iterations ahead.
// RING-LABEL: func.func @loop
// RING-DAG: %[[C2:.*]] = arith.constant 2 : i32
// RING: %[[RA:.*]] = simt.shared_alloc : <4x64x32xf16, #{{.*}}>
// RING: %[[RB:.*]] = simt.shared_alloc : <4x64x32xf16, #{{.*}}>
// RING-COUNT-4: simt.copy
// RING: %[[R:.*]]:9 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[READ:.*]] = %{{.*}}, %[[UA:[^ ]*]] = %{{[^,]*}}, %{{[^,]*}}, %[[UB:[^ ]*]] = %{{[^,]*}}, %{{[^,]*}})
// RING:   simt.wait_copies %[[UA]], %[[UB]]
// RING:   simt.fence async
// RING:   arith.cmpi ult, %[[READ]], %[[C2]]
// RING:   arith.subi %[[READ]], %[[C2]]
// RING-COUNT-2: simt.copy
// RING:   %[[A:.*]] = simt.stage %[[RA]][%[[READ]]]
// RING:   %[[B:.*]] = simt.stage %[[RB]][%[[READ]]]
// RING:   %[[VB:.*]] = simt.transpose %[[B]]
// RING:   %[[P:.*]] = simt.product %[[A]], %[[VB]], %[[SUM]]
// RING:   simt.wait_products %[[SUM]]
// RING:   scf.yield %[[P]]
// RING: simt.wait_products %[[R]]#0

// One barrier an iteration, after the wait for the copies and before the next ones; the wait for the previous product
// stands after this one's start.
// SIMT-LABEL: func.func @loop
// SIMT: scf.for
// SIMT:   simt.wait_loads 2
// SIMT:   simt.fence async
// SIMT:   simt.barrier
// SIMT-COUNT-2: simt.async_load
// SIMT-NOT: simt.barrier
// SIMT:   simt.matmul_async
// SIMT-NEXT: simt.matmul_wait 1
// SIMT-NOT: simt.barrier
// SIMT: }
// SIMT: simt.matmul_wait 0 %
module attributes {
  simt.target = {copies_async = true, loads_matrices = true, shared_bytes = 49152, instructions = [#group]},
  tile.num_warps = 4 : i32, tile.num_stages = 3 : i32
} {
  func.func @loop(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c2048 = arith.constant dense<2048> : tensor<64x32xi32>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = tile.make_range 0 to 2048 : tensor<2048xi32>
    %at = tile.reshape %r : tensor<2048xi32> -> tensor<64x32xi32>
    %ro = tile.make_range 0 to 4096 : tensor<4096xi32>
    %ato = tile.reshape %ro : tensor<4096xi32> -> tensor<64x64xi32>
    %sp = tile.splat %p : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %pa = tile.addptr %sp, %at : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %sum, %last = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero, %a_ptrs = %pa)
        -> (tensor<64x64xf32>, tensor<64x32x!tile.ptr<f16>>) : i32 {
      %a = tile.load %a_ptrs : tensor<64x32x!tile.ptr<f16>>
      %tile = arith.muli %i, %c64 : i32
      %qi = tile.addptr %q, %tile : !tile.ptr<f16>, i32
      %sq = tile.splat %qi : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
      %pb = tile.addptr %sq, %at : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %b = tile.load %pb : tensor<64x32x!tile.ptr<f16>>
      %bt = tile.trans %b order [1, 0] : tensor<64x32xf16>
      %d = tile.dot %a, %bt, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      %next = tile.addptr %a_ptrs, %c2048 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      scf.yield %d, %next : tensor<64x64xf32>, tensor<64x32x!tile.ptr<f16>>
    }
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %ato : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }
}

// -----

// A left operand that comes from a product stays in registers; one from before the loop is stored once; a result that
// is used in its iteration is waited for there.
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// CHECK-LABEL: func.func @chain
// CHECK: %[[Q:.*]] = tile.load
// CHECK: %[[TQ:.*]] = simt.shared_alloc
// CHECK: simt.shared_store %[[TQ]], %[[Q]]
// CHECK: scf.for
// CHECK:   %[[K:.*]] = tile.load
// CHECK:   %[[TK:.*]] = simt.shared_alloc
// CHECK:   simt.shared_store %[[TK]], %[[K]]
// CHECK:   %[[S0:.*]] = simt.product %[[TQ]], %[[TK]], %{{.*}} instruction
// CHECK:   %[[S:.*]] = simt.wait_products %[[S0]]
// CHECK:   %[[P:.*]] = arith.truncf %[[S]]
// The tile is read in two ways; it is stored once.
// CHECK-NOT: simt.shared_store
// CHECK:   %[[VK:.*]] = simt.transpose %[[TK]]
// CHECK:   %[[D0:.*]] = simt.product %[[P]], %[[VK]], %{{.*}}
// CHECK:   %[[D:.*]] = simt.wait_products %[[D0]]
// CHECK:   scf.yield %[[D]]

// The second product of an iteration is left to the next one, which starts it after its own first product. What it adds
// to is scaled as the iteration begins. The first iteration adds zeros times zeros: the stage before the first is
// filled with zeros. The last product follows the loop.
// RING-LABEL: func.func @chain
// RING-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf16>
// RING-DAG: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<64xf32>
// RING-DAG: %[[C2:.*]] = arith.constant 2 : i32
// RING: %[[RK:.*]] = simt.shared_alloc : <3x64x64xf16
// RING: %[[BEFORE:.*]] = simt.stage %[[RK]][%[[C2]]]
// RING: simt.shared_store %[[BEFORE]], %[[ZEROS]]
// RING-NEXT: simt.fence async
// RING: %[[R:.*]]:{{.*}} = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[READ:.*]] = %{{.*}}, %[[LEFT:.*]] = %[[ZEROS]], %[[SCALE:.*]] = %[[ONES]], %{{.*}} = %{{.*}})
// RING:   %[[E:.*]] = tile.expand_dims %[[SCALE]] axis 1
// RING:   %[[F:.*]] = tile.broadcast %[[E]]
// RING:   %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[F]]
// RING:   simt.wait_copies
// RING:   simt.fence async
// RING:   %[[S0:.*]] = simt.product
// RING:   %[[FIRST:.*]] = arith.cmpi eq, %[[READ]]
// RING:   %[[LESS:.*]] = arith.subi %[[READ]]
// RING:   %[[PREVIOUS:.*]] = arith.select %[[FIRST]], %[[C2]], %[[LESS]]
// RING:   %[[STAGE:.*]] = simt.stage %[[RK]][%[[PREVIOUS]]]
// RING:   %[[V:.*]] = simt.transpose %[[STAGE]]
// RING:   %[[D0:.*]] = simt.product %[[LEFT]], %[[V]], %[[SCALED]]
// RING:   %[[S:.*]] = simt.wait_products %[[S0]]
// RING:   %[[H:.*]] = arith.truncf %[[S]]
// RING:   %[[M:.*]] = tile.reduce(%[[S]])
// RING:   %[[D:.*]] = simt.wait_products %[[D0]]
// RING:   scf.yield %[[D]], %{{.*}}, %{{.*}}, %{{.*}}, %[[H]], %[[M]], %{{.*}}
// RING: simt.wait_copies
// RING: simt.fence async
// RING: %[[LAST:.*]] = arith.mulf %[[R]]#0
// RING: %[[L0:.*]] = simt.product %[[R]]#4, %{{.*}}, %[[LAST]]
// RING: %[[L:.*]] = simt.wait_products %[[L0]]
// RING: tile.store %{{.*}}, %[[L]]

// SIMT-LABEL: func.func @chain
// SIMT: scf.for
// SIMT: %[[S0:.*]] = simt.matmul_async %{{.*}} accumulate %{{.*}} : !simt.shared<64x64xf16, #{{.*}}>, <64x64xf16, #{{.*}}>, vector<32xf32>
// SIMT: %[[D0:.*]] = simt.matmul_async %{{.*}} : vector<32xf16>, <64x64xf16, #{{.*}}>, vector<32xf32>
// SIMT: simt.matmul_wait 1 %[[S0]]
// SIMT: simt.matmul_wait 0 %[[D0]]
// SIMT: }
// SIMT: simt.barrier
// SIMT: simt.matmul_async
// SIMT: simt.matmul_wait 0
module attributes {
  simt.target = {copies_async = true, loads_matrices = true, shared_bytes = 65536, delayed_bytes = 768,
                 instructions = [#group]},
  tile.num_warps = 4 : i32, tile.num_stages = 2 : i32
} {
  func.func @chain(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32>, %n: i32)
      attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = tile.make_range 0 to 4096 : tensor<4096xi32>
    %at = tile.reshape %r : tensor<4096xi32> -> tensor<64x64xi32>
    %sp = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %pq = tile.addptr %sp, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %q = tile.load %pq : tensor<64x64x!tile.ptr<f16>>
    %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %tile = arith.muli %i, %c64 : i32
      %pi = tile.addptr %p, %tile : !tile.ptr<f16>, i32
      %sk = tile.splat %pi : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
      %pk = tile.addptr %sk, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %k = tile.load %pk : tensor<64x64x!tile.ptr<f16>>
      %s = tile.dot %q, %k, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
      %m = tile.reduce(%s) axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
      ^bb0(%x: f32, %y: f32):
        %z = arith.maxnumf %x, %y : f32
        tile.yield %z : f32
      }
      %e = tile.expand_dims %m axis 1 : tensor<64xf32>
      %b = tile.broadcast %e : tensor<64x1xf32> -> tensor<64x64xf32>
      %scaled = arith.mulf %acc, %b : tensor<64x64xf32>
      %v = tile.trans %k order [1, 0] : tensor<64x64xf16>
      %d = tile.dot %h, %v, %scaled : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }
}
