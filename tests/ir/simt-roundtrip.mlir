// Every op, type and attribute of the simt level parses, prints, and parses back to the same text, in the short and in
// the generic form.
// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// RUN: tegula-opt --mlir-print-op-generic %s | tegula-opt | FileCheck %s

#sw = #layout.shared<(0,1) (0,2) (0,4) (1,1) (2,2) (4,4)>
#half = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0), pad 2 every 8, pad 4 every 32>
#padded = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0) (4,0), pad 2 every 8, pad 4 every 32>
#blocked = #layout.distributed<register (0,1), lane (0,2) (0,4) (1,0) (2,0) (4,0)>
#all = #layout.distributed<register (0,1), lane (0,2) (0,4) (1,0) (2,0), warp (4,0), block (8,0)>

// The text of layouts, spelt out.
// CHECK-DAG: #[[SWIZZLED:.*]] = #layout.shared<(0,1) (0,2) (0,4) (1,1) (2,2) (4,4)>
// CHECK-DAG: #[[PADDED:.*]] = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0) (4,0), pad 2 every 8, pad 4 every 32>
// CHECK-DAG: #[[ALL:.*]] = #layout.distributed<register (0,1), lane (0,2) (0,4) (1,0) (2,0), warp (4,0), block (8,0)>
// CHECK-LABEL: func.func private @layouts
// CHECK-SAME: !simt.shared<8x8xf16, #[[SWIZZLED]]>
// CHECK-SAME: !simt.shared<3x8x8xf16, #[[PADDED]]>
// CHECK-SAME: tensor<16x8xf16, #[[ALL]]>
func.func private @layouts(!simt.shared<8x8xf16, #sw>, !simt.shared<3x8x8xf16, #padded>, tensor<16x8xf16, #all>)

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: {simt.cluster = 2 : i32, simt.max_registers = 168 : i32, simt.warp_size = 32 : i32, simt.warps = 8 : i32, tile.kernel}
func.func @kernel(%x: !tile.ptr<f32> {tile.name = "x"}) attributes {simt.cluster = 2 : i32,
    simt.max_registers = 168 : i32, simt.warp_size = 32 : i32, simt.warps = 8 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %yes = arith.constant true
  // CHECK: simt.barrier
  simt.barrier
  // CHECK: simt.barrier warps 4
  simt.barrier warps 4
  // CHECK: scf.if
  scf.if %yes {
    simt.barrier
  // CHECK: {simt.uniform}
  } {simt.uniform}
  // CHECK: scf.for
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    simt.barrier warps 2
  // CHECK: {simt.uniform = 4 : i32}
  } {simt.uniform = 4 : i32}
  // CHECK: scf.while
  scf.while : () -> () {
    scf.condition(%yes)
  } do {
    scf.yield
  // CHECK: attributes {simt.divergent}
  } attributes {simt.divergent}
  // CHECK: simt.warp_groups(%{{.*}}, %{{.*}}) : !tile.ptr<f32>, i32
  // CHECK-NEXT: group warps 4 registers 40 (%{{.*}}: !tile.ptr<f32>, %{{.*}}: i32) {
  // CHECK: simt.barrier
  // CHECK: }
  // CHECK-NEXT: group warps 4 (%{{.*}}: !tile.ptr<f32>, %{{.*}}: i32) {
  simt.warp_groups(%x, %c1) : !tile.ptr<f32>, i32
  group warps 4 registers 40 (%p: !tile.ptr<f32>, %n: i32) {
    simt.barrier
  }
  group warps 4 (%p: !tile.ptr<f32>, %n: i32) {
    // CHECK: simt.thread_id
    %t = simt.thread_id : i32
  }
  return
}

// CHECK-LABEL: func.func @groups_without_captures
// CHECK-SAME: {simt.warp_size = 8 : i32, simt.warps = 1 : i32}
func.func @groups_without_captures() attributes {simt.warp_size = 8 : i32, simt.warps = 1 : i32} {
  // CHECK: simt.warp_groups()
  // CHECK-NEXT: group warps 1 () {
  simt.warp_groups()
  group warps 1 () {
  }
  return
}

// CHECK-LABEL: func.func @threads
func.func @threads(%f: f32, %v: vector<8xf32>, %n: i32, %p: i1, %m: vector<8xi1>, %t: tensor<8x8xf32, #blocked>) {
  // CHECK: simt.thread_id : i32
  %thread = simt.thread_id : i32
  // CHECK: simt.warp_id : i32
  %warp = simt.warp_id : i32
  // CHECK: simt.lane_id : i32
  %lane = simt.lane_id : i32
  // CHECK: simt.warp_size : i32
  %size = simt.warp_size : i32
  // CHECK: simt.elect : i1
  %e = simt.elect : i1
  // CHECK: simt.splat %{{.*}} : f32 -> vector<8xf32>
  %s = simt.splat %f : f32 -> vector<8xf32>
  // CHECK: simt.pick %{{.*}} [5] : vector<8xf32> -> f32
  %one = simt.pick %v [5] : vector<8xf32> -> f32
  // CHECK: simt.pick %{{.*}} [0, 1, 4, 5] : vector<8xf32> -> vector<4xf32>
  %four = simt.pick %v [0, 1, 4, 5] : vector<8xf32> -> vector<4xf32>
  // CHECK: simt.slice %{{.*}} from 4 : vector<8xf32> -> vector<4xf32>
  %upper = simt.slice %v from 4 : vector<8xf32> -> vector<4xf32>
  // CHECK: simt.concat %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>, f32, f32 -> vector<6xf32>
  %joined = simt.concat %four, %one, %f : vector<4xf32>, f32, f32 -> vector<6xf32>
  // CHECK: simt.reduce_registers addf %{{.*}} keep 1 : vector<8xf32> -> vector<2xf32>
  %r0 = simt.reduce_registers addf %v keep 1 : vector<8xf32> -> vector<2xf32>
  // CHECK: simt.reduce_registers maximumf %{{.*}} keep 0 : vector<8xf32> -> vector<1xf32>
  %r1 = simt.reduce_registers maximumf %v keep 0 : vector<8xf32> -> vector<1xf32>
  // CHECK: simt.spread_registers %{{.*}} keep 1 : vector<2xf32> -> vector<8xf32>
  %spread = simt.spread_registers %r0 keep 1 : vector<2xf32> -> vector<8xf32>
  %converted = simt.convert_layout %t : tensor<8x8xf32, #layout.distributed<register (0,1),
      lane (0,2) (0,4) (1,0) (2,0) (4,0)>> -> tensor<8x8xf32, #layout.distributed<register (1,0),
      lane (0,1) (0,2) (0,4) (2,0) (4,0)>>
  // CHECK: simt.shuffle index %{{.*}}, %{{.*}} : vector<8xf32>
  %h0 = simt.shuffle index %v, %n : vector<8xf32>
  // CHECK: simt.shuffle xor %{{.*}}, %{{.*}} : f32
  %h1 = simt.shuffle xor %f, %n : f32
  // CHECK: simt.shuffle up %{{.*}}, %{{.*}} : f32
  %h2 = simt.shuffle up %f, %n : f32
  // CHECK: simt.shuffle down %{{.*}}, %{{.*}} : f32
  %h3 = simt.shuffle down %f, %n : f32
  // CHECK: simt.vote any %{{.*}} : i1
  %some = simt.vote any %p : i1
  // CHECK: simt.vote all %{{.*}} : i1
  %every = simt.vote all %p : i1
  %numbers = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
  // CHECK: simt.print "x" hex shape [2, 4] where %{{.*}} elements %{{.*}} : vector<8xi32>(%{{.*}}) : vector<8xf32>
  simt.print "x" hex shape [2, 4] where %p elements %numbers : vector<8xi32> (%v) : vector<8xf32>
  // CHECK: simt.print "n" signed(%{{.*}}) : i32
  simt.print "n" signed (%n) : i32
  // CHECK: simt.print "here" where %{{.*}}{{$}}
  simt.print "here" where %p
  // CHECK: simt.print "here"{{$}}
  simt.print "here"
  // CHECK: simt.hidden_argument print_buffer : {{.*}}<i32>
  %hidden = simt.hidden_argument print_buffer : !tile.ptr<i32>
  // CHECK: simt.assert %{{.*}}, "in range" shape [8] where %{{.*}} elements %{{.*}} : vector<8xi32> : vector<8xi1>
  simt.assert %m, "in range" shape [8] where %p elements %numbers : vector<8xi32> : vector<8xi1>
  // CHECK: simt.assert %{{.*}}, "index in range" : vector<8xi1>
  simt.assert %m, "index in range" : vector<8xi1>
  // CHECK: simt.assert %{{.*}}, "all is well" : i1
  simt.assert %p, "all is well" : i1
  // CHECK: simt.assert %{{.*}}, "the device can no more" limit : i1
  simt.assert %p, "the device can no more" limit : i1
  return
}

// CHECK-LABEL: func.func @global_memory
func.func @global_memory(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %i: !tile.ptr<i32>, %o: vector<4xi32>, %n: i32,
    %w: i64, %m: vector<4xi1>, %p: i1, %v: vector<32xf16>, %f: f32, %s: vector<4xf32>) {
  // CHECK: simt.load %{{.*}}[%{{.*}}] : {{.*}}<f16>, vector<4xi32> -> vector<32xf16>
  %v0 = simt.load %x[%o] : !tile.ptr<f16>, vector<4xi32> -> vector<32xf16>
  // CHECK: simt.load %{{.*}}[%{{.*}}] mask %{{.*}} other %{{.*}} cache(cg) eviction(first) : {{.*}}<f32>, i32, i1, other f32 -> f32
  %v1 = simt.load %y[%n] mask %p other %f cache(cg) eviction(first) : !tile.ptr<f32>, i32, i1, other f32 -> f32
  // CHECK: simt.load %{{.*}}[%{{.*}}] volatile : {{.*}}<f32>, i64 -> f32
  %v2 = simt.load %y[%w] volatile : !tile.ptr<f32>, i64 -> f32
  // CHECK: simt.load %{{.*}}[%{{.*}}] mask %{{.*}} : {{.*}}<f32>, i32, i1 -> vector<4xf32>
  %v3 = simt.load %y[%n] mask %p : !tile.ptr<f32>, i32, i1 -> vector<4xf32>
  // CHECK: simt.store %{{.*}}[%{{.*}}], %{{.*}} mask %{{.*}} cache(wb) eviction(last) : {{.*}}<f16>, vector<4xi32>, vector<32xf16>, vector<4xi1>
  simt.store %x[%o], %v mask %m cache(wb) eviction(last) : !tile.ptr<f16>, vector<4xi32>, vector<32xf16>, vector<4xi1>
  // CHECK: simt.store %{{.*}}[%{{.*}}], %{{.*}} : {{.*}}<f32>, i32, f32
  simt.store %y[%n], %f : !tile.ptr<f32>, i32, f32
  // CHECK: simt.atomic_rmw fadd relaxed device %{{.*}}[%{{.*}}], %{{.*}} mask %{{.*}} : {{.*}}<f32>, vector<4xi32>, vector<4xf32>, vector<4xi1>
  %a0 = simt.atomic_rmw fadd relaxed device %y[%o], %s mask %m : !tile.ptr<f32>, vector<4xi32>, vector<4xf32>,
      vector<4xi1>
  // CHECK: simt.atomic_rmw fadd relaxed device %{{.*}}[%{{.*}}], %{{.*}} : {{.*}}<f32>, i32, vector<4xf32>
  %all = simt.atomic_rmw fadd relaxed device %y[%n], %s : !tile.ptr<f32>, i32, vector<4xf32>
  // CHECK: simt.atomic_rmw xchg acq_rel system %{{.*}}[%{{.*}}], %{{.*}} : {{.*}}<i32>, i32, i32
  %a1 = simt.atomic_rmw xchg acq_rel system %i[%n], %n : !tile.ptr<i32>, i32, i32
  // CHECK: simt.atomic_cas release block %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : {{.*}}<i32>, i32, i32
  %a2 = simt.atomic_cas release block %i[%n], %n, %n : !tile.ptr<i32>, i32, i32
  return
}

// CHECK-LABEL: func.func @shared_memory
func.func @shared_memory(%n: i32, %o: vector<4xi32>, %t: tensor<8x8xf16, #blocked>) {
  // CHECK: simt.shared_alloc at 1024 : {{.*}}<3x8x8xf16, #{{.*}}>
  %a = simt.shared_alloc at 1024 : !simt.shared<3x8x8xf16, #sw>
  // CHECK: simt.shared_alloc : {{.*}}<64xf32>
  %b = simt.shared_alloc : !simt.shared<64xf32>
  // CHECK: simt.stage %{{.*}}[%{{.*}}] : {{.*}}<3x8x8xf16, #{{.*}}> -> {{.*}}<8x8xf16, #{{.*}}>
  %s = simt.stage %a[%n] : !simt.shared<3x8x8xf16, #sw> -> !simt.shared<8x8xf16, #sw>
  // CHECK: simt.shared_alloc : {{.*}}<8x8xf16, #{{.*}}>
  %u = simt.shared_alloc : !simt.shared<8x8xf16, #padded>
  // CHECK: simt.part %{{.*}}[%{{.*}}, %{{.*}}] : {{.*}}<8x8xf16, #{{.*}}> -> {{.*}}<4x8xf16, #{{.*}}>
  %h = simt.part %u[%n, %n] : !simt.shared<8x8xf16, #padded> -> !simt.shared<4x8xf16, #half>
  // CHECK: simt.transpose %{{.*}} : {{.*}}<8x8xf16, #{{.*}}> -> {{.*}}<8x8xf16, #{{.*}}>
  %r = simt.transpose %s : !simt.shared<8x8xf16, #sw> -> !simt.shared<8x8xf16,
      #layout.shared<(1,0) (2,0) (4,0) (1,1) (2,2) (4,4)>>
  // CHECK: simt.shared_load %{{.*}}[%{{.*}}] : {{.*}}<8x8xf16, #{{.*}}>, vector<4xi32> -> vector<8xf16>
  %v = simt.shared_load %s[%o] : !simt.shared<8x8xf16, #sw>, vector<4xi32> -> vector<8xf16>
  // CHECK: simt.shared_load %{{.*}}[%{{.*}}] : {{.*}}<64xf32>, i32 -> f32
  %f = simt.shared_load %b[%n] : !simt.shared<64xf32>, i32 -> f32
  // CHECK: simt.shared_load %{{.*}} : {{.*}}<8x8xf16, #{{.*}}> -> tensor<8x8xf16, #l{{[0-9]*}}>
  %p = simt.shared_load %s : !simt.shared<8x8xf16, #sw> -> tensor<8x8xf16, #layout.distributed<register (0,1),
      lane (0,2) (0,4) (1,0) (2,0) (4,0)>>
  // CHECK: simt.shared_store %{{.*}}[%{{.*}}], %{{.*}} : {{.*}}<64xf32>, i32, f32
  simt.shared_store %b[%n], %f : !simt.shared<64xf32>, i32, f32
  // CHECK: simt.shared_store %{{.*}}, %{{.*}} : {{.*}}<8x8xf16, #{{.*}}>, tensor<8x8xf16, #l{{[0-9]*}}>
  simt.shared_store %s, %t : !simt.shared<8x8xf16, #sw>, tensor<8x8xf16, #layout.distributed<register (0,1),
      lane (0,2) (0,4) (1,0) (2,0) (4,0)>>
  // CHECK: simt.load_matrix %{{.*}}[%{{.*}}] : {{.*}}<8x8xf16, #{{.*}}> -> vector<8xf16>
  %m0 = simt.load_matrix %s[%n] : !simt.shared<8x8xf16, #sw> -> vector<8xf16>
  // CHECK: simt.load_matrix %{{.*}}[%{{.*}}] transpose : {{.*}}<8x8xf16, #{{.*}}> -> vector<2xf16>
  %m1 = simt.load_matrix %s[%n] transpose : !simt.shared<8x8xf16, #sw> -> vector<2xf16>
  // CHECK: simt.store_matrix %{{.*}}[%{{.*}}], %{{.*}} : {{.*}}<8x8xf16, #{{.*}}>, vector<8xf16>
  simt.store_matrix %s[%n], %m0 : !simt.shared<8x8xf16, #sw>, vector<8xf16>
  // CHECK: simt.store_matrix %{{.*}}[%{{.*}}], %{{.*}} transpose : {{.*}}<8x8xf16, #{{.*}}>, vector<8xf16>
  simt.store_matrix %s[%n], %m0 transpose : !simt.shared<8x8xf16, #sw>, vector<8xf16>
  return
}

// Of whole tiles, before and after they have layouts.
// CHECK-LABEL: func.func @copies
func.func @copies(%p: tensor<8x8x!tile.ptr<f16>>, %m: tensor<8x8xi1>, %w: tensor<8x16xf16>) {
  %s = simt.shared_alloc : !simt.shared<8x8xf16, #sw>
  // CHECK: %[[T:.*]] = simt.copy %{{.*}} to %{{.*}} mask %{{.*}} : tensor<8x8x!tile.ptr<f16>>, !simt.shared<8x8xf16, #{{.*}}>, tensor<8x8xi1>
  %t = simt.copy %p to %s mask %m : tensor<8x8x!tile.ptr<f16>>, !simt.shared<8x8xf16, #sw>, tensor<8x8xi1>
  // CHECK: %[[U:.*]] = simt.copy %{{.*}} to %{{.*}} : tensor<8x8x!tile.ptr<f16>>, !simt.shared<8x8xf16, #{{.*}}>
  %u = simt.copy %p to %s : tensor<8x8x!tile.ptr<f16>>, !simt.shared<8x8xf16, #sw>
  // CHECK: simt.wait_copies %[[T]], %[[U]]
  simt.wait_copies %t, %u
  // CHECK: simt.shared_store %{{.*}}, %{{.*}} part 1 : {{.*}}<8x8xf16, #{{.*}}>, tensor<8x16xf16>
  simt.shared_store %s, %w part 1 : !simt.shared<8x8xf16, #sw>, tensor<8x16xf16>
  // CHECK: simt.shared_load %{{.*}} : {{.*}}<8x8xf16, #{{.*}}> -> tensor<8x8xf16>
  %l = simt.shared_load %s : !simt.shared<8x8xf16, #sw> -> tensor<8x8xf16>
  // CHECK: simt.join_parts %[[L:.*]], %[[L]] : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x16xf16>
  %g = simt.join_parts %l, %l : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x16xf16>
  return
}

#group = #simt.instruction<"wgmma.m64n8k16.f32.f16", 64x8x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// CHECK-LABEL: func.func @products
func.func @products(%c: tensor<64x8xf32>, %h: tensor<64x16xf16>) {
  %a = simt.shared_alloc : !simt.shared<64x16xf16>
  %b = simt.shared_alloc : !simt.shared<16x8xf16>
  %f = simt.shared_alloc : !simt.shared<64x8xf32>
  // CHECK: simt.shared_store %{{.*}}, %{{.*}} : !simt.shared<64x16xf16>, tensor<64x16xf16>
  simt.shared_store %a, %h : !simt.shared<64x16xf16>, tensor<64x16xf16>
  // CHECK: simt.shared_store %{{.*}}, %{{.*}} tf32 : !simt.shared<64x8xf32>, tensor<64x8xf32>
  simt.shared_store %f, %c tf32 : !simt.shared<64x8xf32>, tensor<64x8xf32>
  // CHECK: %[[R:.*]] = simt.product %{{.*}}, %{{.*}}, %{{.*}} instruction #{{.*}} : !simt.shared<64x16xf16>, <16x8xf16>, tensor<64x8xf32>
  %r = simt.product %a, %b, %c instruction #group : !simt.shared<64x16xf16>, <16x8xf16>, tensor<64x8xf32>
  // CHECK: %[[S:.*]] = simt.product %{{.*}}, %{{.*}}, %[[R]] instruction #{{.*}} : tensor<64x16xf16>, <16x8xf16>, tensor<64x8xf32>
  %s = simt.product %h, %b, %r instruction #group : tensor<64x16xf16>, <16x8xf16>, tensor<64x8xf32>
  // CHECK: simt.wait_products %[[S]] : tensor<64x8xf32>
  %d = simt.wait_products %s : tensor<64x8xf32>
  return
}

// CHECK-LABEL: func.func @asynchronous
func.func @asynchronous(%x: !tile.ptr<f16>, %d: !tile.desc<8x8xf16>, %f: !tile.desc<8x8xf32>, %n: i32,
    %o: vector<4xi32>, %m: vector<4xi1>) {
  // CHECK: simt.shared_alloc : {{.*}}<8x8xf16, #{{.*}}>
  %s = simt.shared_alloc : !simt.shared<8x8xf16, #sw>
  // CHECK: simt.shared_alloc : {{.*}}<8x8xf32>
  %s32 = simt.shared_alloc : !simt.shared<8x8xf32>
  // CHECK: simt.barrier_alloc at 64 : {{.*}}<4>
  %b = simt.barrier_alloc at 64 : !simt.barriers<4>
  // CHECK: simt.barrier_alloc : {{.*}}<1>
  %b1 = simt.barrier_alloc : !simt.barriers<1>
  // CHECK: simt.barrier_init %{{.*}}[%{{.*}}] count 8 : {{.*}}<4>
  simt.barrier_init %b[%n] count 8 : !simt.barriers<4>
  // CHECK: simt.fence barrier_init
  simt.fence barrier_init
  // CHECK: simt.fence async
  simt.fence async
  // CHECK: simt.fence workgroup
  simt.fence workgroup
  // CHECK: simt.fence device
  simt.fence device
  // CHECK: simt.start_barriers %{{.*}} count 2 : {{.*}}<1>
  simt.start_barriers %b1 count 2 : !simt.barriers<1>
  // CHECK: %[[T:.*]] = simt.copy_tile %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}} on %{{.*}}[%{{.*}}] phase %{{.*}} if %{{.*}} : !tile.desc<8x8xf16>, !simt.shared<8x8xf16, #{{.*}}>, !simt.barriers<1>
  %true = arith.constant true
  %t = simt.copy_tile %d[%n, %n] to %s on %b1[%n] phase %n if %true
    : !tile.desc<8x8xf16>, !simt.shared<8x8xf16, #sw>, !simt.barriers<1>
  // CHECK: simt.copy_tile {{.*}} if %{{.*}} tf32 : !tile.desc<8x8xf32>
  simt.copy_tile %f[%n, %n] to %s32 on %b1[%n] phase %n if %true tf32
    : !tile.desc<8x8xf32>, !simt.shared<8x8xf32>, !simt.barriers<1>
  // CHECK: simt.wait_tiles %[[T]] on %{{.*}} : !simt.barriers<1>
  simt.wait_tiles %t on %b1 : !simt.barriers<1>
  // CHECK: simt.copy_out %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] : !simt.shared<8x8xf16, #{{.*}}>, !tile.desc<8x8xf16>
  simt.copy_out %s to %d[%n, %n] : !simt.shared<8x8xf16, #sw>, !tile.desc<8x8xf16>
  // CHECK: simt.arrive_warps %{{.*}}[%{{.*}}] : {{.*}}<1>
  simt.arrive_warps %b1[%n] : !simt.barriers<1>
  // CHECK: simt.end_barriers %{{.*}} : {{.*}}<1>
  simt.end_barriers %b1 : !simt.barriers<1>
  // CHECK: simt.barrier_invalidate %{{.*}}[%{{.*}}] : {{.*}}<4>
  simt.barrier_invalidate %b[%n] : !simt.barriers<4>
  // CHECK: simt.barrier_arrive %{{.*}}[%{{.*}}] : {{.*}}<4>
  simt.barrier_arrive %b[%n] : !simt.barriers<4>
  // CHECK: simt.barrier_expect %{{.*}}[%{{.*}}] bytes 32768 : {{.*}}<4>
  simt.barrier_expect %b[%n] bytes 32768 : !simt.barriers<4>
  // CHECK: simt.barrier_wait %{{.*}}[%{{.*}}], %{{.*}} : {{.*}}<4>
  simt.barrier_wait %b[%n], %n : !simt.barriers<4>
  // CHECK: simt.load_tile %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}} on %{{.*}}[%{{.*}}] : {{.*}}<8x8xf16>, {{.*}}<8x8xf16, #{{.*}}>, {{.*}}<4>
  simt.load_tile %d[%n, %n] to %s on %b[%n] : !tile.desc<8x8xf16>, !simt.shared<8x8xf16, #sw>, !simt.barriers<4>
  // CHECK: simt.load_tile {{.*}} tf32 : {{.*}}<8x8xf32>
  simt.load_tile %f[%n, %n] to %s32 on %b[%n] tf32 : !tile.desc<8x8xf32>, !simt.shared<8x8xf32>, !simt.barriers<4>
  // CHECK: simt.store_tile %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] : {{.*}}<8x8xf16, #{{.*}}>, {{.*}}<8x8xf16>
  simt.store_tile %s to %d[%n, %n] : !simt.shared<8x8xf16, #sw>, !tile.desc<8x8xf16>
  // CHECK: simt.async_load %{{.*}}[%{{.*}}] to %{{.*}}[%{{.*}}] width 8 mask %{{.*}} : {{.*}}<f16>, vector<4xi32>, {{.*}}<8x8xf16, #{{.*}}>, vector<4xi32>, vector<4xi1>
  simt.async_load %x[%o] to %s[%o] width 8 mask %m : !tile.ptr<f16>, vector<4xi32>, !simt.shared<8x8xf16, #sw>,
      vector<4xi32>, vector<4xi1>
  // CHECK: simt.async_load %{{.*}}[%{{.*}}] to %{{.*}}[%{{.*}}] width 2 : {{.*}}<f16>, i32, {{.*}}<8x8xf16, #{{.*}}>, i32
  simt.async_load %x[%n] to %s[%n] width 2 : !tile.ptr<f16>, i32, !simt.shared<8x8xf16, #sw>, i32
  // CHECK: simt.commit_loads
  simt.commit_loads
  // CHECK: simt.wait_loads 2
  simt.wait_loads 2
  // CHECK: simt.commit_stores
  simt.commit_stores
  // CHECK: simt.wait_stores reads 0
  simt.wait_stores reads 0
  // CHECK: simt.wait_stores 1
  simt.wait_stores 1
  return
}

// CHECK-LABEL: func.func @cluster
func.func @cluster(%d: !tile.desc<8x8xf16>, %n: i32) attributes {simt.cluster = 2 : i32, simt.warp_size = 32 : i32,
    simt.warps = 4 : i32, tile.kernel} {
  %s = simt.shared_alloc : !simt.shared<8x8xf16, #sw>
  %b = simt.barrier_alloc : !simt.barriers<4>
  // CHECK: simt.cluster_barrier
  simt.cluster_barrier
  // CHECK: %[[RANK:.*]] = simt.cluster_rank : i32
  %rank = simt.cluster_rank : i32
  // CHECK: simt.barrier_arrive %{{.*}}[%{{.*}}] of %[[RANK]] : {{.*}}<4>
  simt.barrier_arrive %b[%n] of %rank : !simt.barriers<4>
  // CHECK: simt.arrive_warps %{{.*}}[%{{.*}}] loaded also of %[[RANK]] : {{.*}}<4>
  simt.arrive_warps %b[%n] loaded also of %rank : !simt.barriers<4>
  // CHECK: simt.load_tile {{.*}} multicast : {{.*}}<8x8xf16>
  simt.load_tile %d[%n, %n] to %s on %b[%n] multicast
    : !tile.desc<8x8xf16>, !simt.shared<8x8xf16, #sw>, !simt.barriers<4>
  %true = arith.constant true
  // CHECK: simt.copy_tile {{.*}} if %[[TRUE:.*]] once %[[TRUE]] multicast %[[TRUE]] : {{.*}}<8x8xf16>
  simt.copy_tile %d[%n, %n] to %s on %b[%n] phase %n if %true once %true multicast %true
    : !tile.desc<8x8xf16>, !simt.shared<8x8xf16, #sw>, !simt.barriers<4>
  return
}

// CHECK-LABEL: func.func @producer
func.func @producer(%n: i32) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  %b = simt.barrier_alloc at 0 : !simt.barriers<2>
  // CHECK: simt.producer(%{{.*}}, %{{.*}}) : !simt.barriers<2>, i32
  // CHECK: group warps 4 registers 40 (%[[B:.*]]: !simt.barriers<2>, %[[N:.*]]: i32) {
  simt.producer(%b, %n) : !simt.barriers<2>, i32
  group warps 4 registers 40 (%b0: !simt.barriers<2>, %n0: i32) {
    // CHECK: simt.barrier_wait %[[B]][%[[N]]], %[[N]]
    simt.barrier_wait %b0[%n0], %n0 : !simt.barriers<2>
  }
  return
}

// CHECK-LABEL: func.func @producer_of_nothing
func.func @producer_of_nothing() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // CHECK: simt.producer()
  // CHECK-NEXT: group warps 4 registers 24 () {
  simt.producer()
  group warps 4 registers 24 () {
  }
  return
}

// CHECK-LABEL: func.func @matrices
func.func @matrices(%a: vector<32xf16>, %b: vector<32xf16>, %c: vector<128xf32>, %a1: vector<8xf16>,
    %b1: vector<4xf16>, %c1: vector<4xf32>, %p: i1, %n: i32, %f: f32, %x: !tile.ptr<f16>) {
  // CHECK: simt.mma %{{.*}}, %{{.*}}, %{{.*}} instruction "mma.m16n8k16.f32.f16" : vector<8xf16>, vector<4xf16>, vector<4xf32>
  %d0 = simt.mma %a1, %b1, %c1 instruction "mma.m16n8k16.f32.f16" : vector<8xf16>, vector<4xf16>, vector<4xf32>
  // CHECK: simt.mma %{{.*}}, %{{.*}}, %{{.*}} instruction "mma.m16n8k16.f32.f16" tiles [4, 8, 1] : vector<32xf16>, vector<32xf16>, vector<128xf32>
  %d1 = simt.mma %a, %b, %c instruction "mma.m16n8k16.f32.f16" tiles [4, 8, 1] : vector<32xf16>, vector<32xf16>,
      vector<128xf32>
  // CHECK: simt.shared_alloc : {{.*}}<64x16xf16>
  %sa = simt.shared_alloc : !simt.shared<64x16xf16>
  // CHECK: simt.shared_alloc : {{.*}}<16x8xf16>
  %sb = simt.shared_alloc : !simt.shared<16x8xf16>
  // CHECK: simt.shared_alloc : {{.*}}<8x8xf16, #{{.*}}>
  %sp = simt.shared_alloc : !simt.shared<8x8xf16, #padded>
  // CHECK: simt.matmul_async %{{.*}}, %{{.*}}, %{{.*}} instruction "wgmma.m64n8k16.f32.f16" : {{.*}}<64x16xf16>, {{.*}}<16x8xf16>, vector<4xf32>
  %w0 = simt.matmul_async %sa, %sb, %c1 instruction "wgmma.m64n8k16.f32.f16" : !simt.shared<64x16xf16>,
      !simt.shared<16x8xf16>, vector<4xf32>
  // CHECK: simt.matmul_async %{{.*}}, %{{.*}}, %{{.*}} accumulate %{{.*}} instruction "wgmma.m64n8k16.f32.f16" : vector<8xf16>, {{.*}}<16x8xf16>, vector<4xf32>
  %w1 = simt.matmul_async %a1, %sb, %w0 accumulate %p instruction "wgmma.m64n8k16.f32.f16" : vector<8xf16>,
      !simt.shared<16x8xf16>, vector<4xf32>
  // CHECK: simt.matmul_wait 1 %{{.*}} : vector<4xf32>
  %w2 = simt.matmul_wait 1 %w1 : vector<4xf32>
  // CHECK: simt.matmul_wait 0
  simt.matmul_wait 0
  // CHECK: simt.fragment_fill %{{.*}} : f32 -> {{.*}}<16x16xf32, acc>
  %fc = simt.fragment_fill %f : f32 -> !simt.fragment<16x16xf32, acc>
  // CHECK: simt.fragment_load row %{{.*}}[%{{.*}}] stride %{{.*}} : {{.*}}<8x8xf16, #{{.*}}> -> {{.*}}<16x16xf16, a>
  %fa = simt.fragment_load row %sp[%n] stride %n : !simt.shared<8x8xf16, #padded> -> !simt.fragment<16x16xf16, a>
  // CHECK: simt.fragment_load column %{{.*}}[%{{.*}}] stride %{{.*}} : {{.*}}<f16> -> {{.*}}<16x16xf16, b>
  %fb = simt.fragment_load column %x[%n] stride %n : !tile.ptr<f16> -> !simt.fragment<16x16xf16, b>
  // CHECK: simt.fragment_mma %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}<16x16xf16, a>, {{.*}}<16x16xf16, b>, {{.*}}<16x16xf32, acc>
  %fd = simt.fragment_mma %fa, %fb, %fc : !simt.fragment<16x16xf16, a>, !simt.fragment<16x16xf16, b>,
      !simt.fragment<16x16xf32, acc>
  // CHECK: simt.fragment_elements %{{.*}} : {{.*}}<16x16xf32, acc> -> vector<8xf32>
  %fv = simt.fragment_elements %fd : !simt.fragment<16x16xf32, acc> -> vector<8xf32>
  // CHECK: simt.fragment_from_elements %{{.*}} : vector<8xf32> -> {{.*}}<16x16xf32, acc>
  %fw = simt.fragment_from_elements %fv : vector<8xf32> -> !simt.fragment<16x16xf32, acc>
  // CHECK: simt.fragment_reduce_rows maxnumf %{{.*}} : {{.*}}<16x16xf32, acc>
  %fm = simt.fragment_reduce_rows maxnumf %fw : !simt.fragment<16x16xf32, acc>
  // CHECK: simt.fragment_convert %{{.*}} : {{.*}}<16x16xf32, acc> -> {{.*}}<16x16xf16, a>
  %fg = simt.fragment_convert %fm : !simt.fragment<16x16xf32, acc> -> !simt.fragment<16x16xf16, a>
  // CHECK: simt.fragment_coordinates of !simt.fragment<16x16xf32, acc> : vector<8xi32>, vector<8xi32>
  %fi, %fj = simt.fragment_coordinates of !simt.fragment<16x16xf32, acc> : vector<8xi32>, vector<8xi32>
  // CHECK: simt.fragment_store column %{{.*}}, %{{.*}}[%{{.*}}] stride %{{.*}} : {{.*}}<16x16xf16, b>, {{.*}}<f16>
  simt.fragment_store column %fb, %x[%n] stride %n : !simt.fragment<16x16xf16, b>, !tile.ptr<f16>
  return
}

// CHECK-LABEL: func.func @registers_to_fp8
func.func @registers_to_fp8(%v: vector<4xf32>) -> vector<4xf8E5M2> {
  // CHECK: tile.fp_cast %{{.*}} rounding(rtz) : vector<4xf32> -> vector<4xf8E5M2>
  %q = tile.fp_cast %v rounding(rtz) : vector<4xf32> -> vector<4xf8E5M2>
  return %q : vector<4xf8E5M2>
}
