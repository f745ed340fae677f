// RUN: tegula-opt --tile-stage-operands --tile-to-simt --canonicalize %s --split-input-file | FileCheck %s
// 2 warps of 4 lanes; canonicalised, so that index expressions are short.

// Four registers of an aligned row are one access at the offset of the first element.
// CHECK-LABEL: func.func @wide
// CHECK: %[[PLACES:.*]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[PLACES]] overflow<nsw> : vector<4xi32>
// CHECK: %[[FIRST:.*]] = simt.pick %[[AT]] [0] : vector<4xi32> -> vector<1xi32>
// CHECK: %[[V:.*]] = simt.load %arg0[%[[FIRST]]]{{.*}} : <f32>, vector<1xi32> -> vector<4xf32>
// CHECK: simt.store %arg0[%{{.*}}], %[[V]] : <f32>, vector<1xi32>, vector<4xf32>
#l = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
module attributes {tile.num_warps = 2 : i32} {
func.func @wide(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>, #l>
  tile.store %p, %v : tensor<32x!tile.ptr<f32>, #l>
  return
}
}

// -----

// Without a declared divisibility: element by element, also the mask.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[N:.*]] = simt.splat %arg1 : i32 -> vector<4xi32>
// CHECK: %[[M:.*]] = arith.cmpi slt, %[[AT:.*]], %[[N]] : vector<4xi32>
// CHECK: %[[V:.*]] = simt.load %arg0[%[[AT]]] mask %[[M]]{{.*}} : <f32>, vector<4xi32>, vector<4xi1> -> vector<4xf32>
// CHECK: simt.store %arg0[%[[AT]]], %[[V]] mask %[[M]] :
#l = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
module attributes {tile.num_warps = 2 : i32} {
func.func @narrow(%x: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<32xi32, #l>
  %m = arith.cmpi slt, %r, %ns : tensor<32xi32, #l>
  %v = tile.load %p mask %m : tensor<32x!tile.ptr<f32>, #l>
  tile.store %p, %v mask %m : tensor<32x!tile.ptr<f32>, #l>
  return
}
}

// -----

// Registers by halves, lanes by shuffles, warps through shared memory, which has no offset and no barriers yet; a
// scalar is written by one thread.
// CHECK-LABEL: func.func @sum
// CHECK: %[[T:.*]] = simt.thread_id
// CHECK: %[[V:.*]] = simt.load
// CHECK: %[[E:.*]] = simt.pick %[[V]] [0, 2] : vector<4xf32> -> vector<2xf32>
// CHECK: %[[O:.*]] = simt.pick %[[V]] [1, 3] : vector<4xf32> -> vector<2xf32>
// CHECK: arith.addf %[[E]], %[[O]] : vector<2xf32>
// CHECK: %[[R:.*]] = arith.addf %{{.*}} : vector<1xf32>
// CHECK: %[[S1:.*]] = simt.shuffle xor %[[R]], %c1_i32 : vector<1xf32>
// CHECK: %[[L1:.*]] = arith.addf %[[R]], %[[S1]]
// CHECK: %[[S2:.*]] = simt.shuffle xor %[[L1]], %c2_i32 : vector<1xf32>
// CHECK: %[[L2:.*]] = arith.addf %[[L1]], %[[S2]]
// CHECK-NOT: simt.shuffle
// CHECK: %[[B:.*]] = simt.shared_alloc : <8xf32>
// CHECK: simt.shared_store %[[B]][%{{.*}}], %[[L2]]
// CHECK-NOT: simt.barrier
// CHECK: %[[W0:.*]] = simt.shared_load %[[B]]
// CHECK: %[[W1:.*]] = simt.shared_load %[[B]]
// CHECK: arith.addf %[[W0]], %[[W1]] : vector<1xf32>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %c0_i32 : i32
// CHECK: %[[MASK:.*]] = simt.splat %[[FIRST]] : i1 -> vector<1xi1>
// CHECK: simt.store %arg1[%{{.*}}], %{{.*}} mask %[[MASK]]
#l = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
module attributes {tile.num_warps = 2 : i32} {
func.func @sum(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>, #l>
  %s = tile.reduce(%v) axis 0 : (tensor<32xf32, #l>) -> f32 {
  ^bb0(%a: f32, %c: f32):
    %o = arith.addf %a, %c : f32
    tile.yield %o : f32
  }
  tile.store %y, %s : !tile.ptr<f32>
  return
}
}

// -----

// Elements cross warps: they are stored so that each reader finds its own side by side.
// CHECK-LABEL: func.func @through_memory
// CHECK: %[[V:.*]] = simt.load
// CHECK: %[[B:.*]] = simt.shared_alloc : <32xf32>
// CHECK: simt.shared_store %[[B]][%{{.*}}], %[[V]] : !simt.shared<32xf32>, vector<4xi32>, vector<4xf32>
// CHECK-NOT: simt.barrier
// CHECK: %[[W:.*]] = simt.shared_load %[[B]][%{{.*}}] : <32xf32>, vector<1xi32> -> vector<4xf32>
// CHECK: simt.store %arg1[%{{.*}}], %[[W]]
#l = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
#m = #layout.distributed<register (8) (16), lane (1) (2), warp (4)>
module attributes {tile.num_warps = 2 : i32} {
func.func @through_memory(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>, #l>
  %w = simt.convert_layout %v : tensor<32xf32, #l> -> tensor<32xf32, #m>
  %q = tile.make_range 0 to 32 : tensor<32xi32, #m>
  %c = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #m>
  %d = tile.addptr %c, %q : tensor<32x!tile.ptr<f32>, #m>, tensor<32xi32, #m>
  tile.store %d, %w : tensor<32x!tile.ptr<f32>, #m>
  return
}
}

// -----

// Each thread has all elements that it needs: no memory, no shuffle.
// CHECK-LABEL: func.func @by_registers
// CHECK-NOT: shared_alloc
// CHECK-NOT: shuffle
// CHECK: %[[V:.*]] = simt.load
// CHECK-NEXT: %[[W:.*]] = simt.pick %[[V]] [0, 2, 1, 3] : vector<4xf32> -> vector<4xf32>
// CHECK-NEXT: simt.store %arg1[%{{.*}}], %[[W]]
#l = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
#m = #layout.distributed<register (2) (1), lane (4) (8), warp (16)>
module attributes {tile.num_warps = 2 : i32} {
func.func @by_registers(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  %p = tile.addptr %b, %r : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>, #l>
  %w = simt.convert_layout %v : tensor<32xf32, #l> -> tensor<32xf32, #m>
  %q = tile.make_range 0 to 32 : tensor<32xi32, #m>
  %c = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #m>
  %d = tile.addptr %c, %q : tensor<32x!tile.ptr<f32>, #m>, tensor<32xi32, #m>
  tile.store %d, %w : tensor<32x!tile.ptr<f32>, #m>
  return
}
}

// -----

// One thread executes the atomic, all get its result; earlier accesses are complete by then.
// CHECK-LABEL: func.func @ticket
// CHECK: %[[T:.*]] = simt.thread_id
// CHECK: simt.barrier {simt.releases = 1 : i32}
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %c0_i32 : i32
// CHECK: %[[MASK:.*]] = simt.splat %[[FIRST]] : i1 -> vector<1xi1>
// CHECK: %[[OLD:.*]] = simt.atomic_rmw add acq_rel device %arg0[%[[ZERO:.*]]], %{{.*}} mask %[[MASK]]
// CHECK: simt.shared_store %[[B:.*]][%{{.*}}], %[[OLD]]
// CHECK: simt.shared_load %[[B]][%[[ZERO]]]
module attributes {tile.num_warps = 2 : i32} {
func.func @ticket(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %c1 = arith.constant 1 : i32
  %old = tile.atomic_rmw add acq_rel device %x, %c1 : !tile.ptr<i32>
  tile.store %y, %old : !tile.ptr<i32>
  return
}
}

// -----

// Half of the lanes and the second warp hold copies: only the first holder stores, and adds.
// CHECK-LABEL: func.func @copies
// CHECK: %[[T:.*]] = simt.thread_id
// CHECK: %[[REST:.*]] = arith.andi %[[T]], %c6_i32 : i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[REST]], %c0_i32 : i32
// CHECK: %[[MASK:.*]] = simt.splat %[[FIRST]] : i1 -> vector<1xi1>
// CHECK: %[[OLD:.*]] = simt.atomic_rmw add relaxed device %arg0[%{{.*}}], %{{.*}} mask %[[MASK]]
// CHECK: simt.shared_store %[[B:.*]][%{{.*}}], %[[OLD]]
// CHECK: %[[ALL:.*]] = simt.shared_load %[[B]]
// CHECK: simt.store %arg0[%{{.*}}], %[[ALL]] mask
#l = #layout.distributed<lane (1) (0), warp (0)>
module attributes {tile.num_warps = 2 : i32} {
func.func @copies(%x: !tile.ptr<i32>) attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 2 : tensor<2xi32, #l>
  %b = tile.splat %x : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>, #l>
  %p = tile.addptr %b, %r : tensor<2x!tile.ptr<i32>, #l>, tensor<2xi32, #l>
  %old = tile.atomic_rmw add relaxed device %p, %r : tensor<2x!tile.ptr<i32>, #l>
  tile.store %p, %old : tensor<2x!tile.ptr<i32>, #l>
  return
}
}

// -----

// Unchanged: a function without layouts.
// CHECK-LABEL: func.func @no_layouts(%arg0: tensor<32xf32>) -> tensor<32xf32> {
// CHECK-NEXT: arith.addf %arg0, %arg0 : tensor<32xf32>
module {
func.func @no_layouts(%v: tensor<32xf32>) -> tensor<32xf32> {
  %w = arith.addf %v, %v : tensor<32xf32>
  return %w : tensor<32xf32>
}
}

// -----

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// A product in fragments: both operands go to padded lines of shared memory, each of 4 warps computes one fragment, and
// the result leaves through shared memory.
// CHECK-LABEL: func.func @fragments
// CHECK: %[[ZERO:.*]] = simt.fragment_fill %{{.*}} : f32 -> <8x8xf32, acc>
// CHECK: %[[A:.*]] = simt.shared_alloc : <16x8xf16, #shared>
// CHECK: simt.shared_store %[[A]]
// CHECK: %[[B:.*]] = simt.shared_alloc : <8x16xf16, #shared1>
// CHECK: simt.shared_store %[[B]]
// CHECK: %[[LEFT:.*]] = simt.fragment_load row %[[A]][%{{.*}}] stride %c16_i32 : !simt.shared<16x8xf16, #shared> -> <8x8xf16, a>
// CHECK: %[[RIGHT:.*]] = simt.fragment_load row %[[B]][%{{.*}}] stride %c24_i32 : !simt.shared<8x16xf16, #shared1> -> <8x8xf16, b>
// CHECK: %[[SUM:.*]] = simt.fragment_mma %[[LEFT]], %[[RIGHT]], %[[ZERO]]
// CHECK: %[[C:.*]] = simt.shared_alloc : <320xf32>
// CHECK: simt.fragment_store row %[[SUM]], %[[C]][%{{.*}}] stride %c20_i32
// CHECK: simt.shared_load %[[C]]
// CHECK: simt.store
#a = #layout.distributed<register (0,1) (0,2), lane (0,4) (1,0) (2,0), warp (4,0) (8,0)>
#b = #layout.distributed<register (0,1) (0,2), lane (0,4) (0,8) (1,0), warp (2,0) (4,0)>
#c = #layout.distributed<register (0,1) (0,2) (8,0), lane (0,4) (0,8) (1,0), warp (2,0) (4,0)>
#f = #layout.fragments<8x8xf32, warps [2, 2]>
func.func @fragments(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 8 : i32} {
  %px = tile.splat %x : !tile.ptr<f16> -> tensor<16x8x!tile.ptr<f16>, #a>
  %pz = tile.splat %x : !tile.ptr<f16> -> tensor<8x16x!tile.ptr<f16>, #b>
  %py = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>, #c>
  %a = tile.load %px : tensor<16x8x!tile.ptr<f16>, #a>
  %b = tile.load %pz : tensor<8x16x!tile.ptr<f16>, #b>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %d = tile.dot %a, %b, %zero {simt.instruction = #instruction}
      : tensor<16x8xf16, #a>, tensor<8x16xf16, #b>, tensor<16x16xf32, #f>
  %o = simt.convert_layout %d : tensor<16x16xf32, #f> -> tensor<16x16xf32, #c>
  tile.store %py, %o : tensor<16x16x!tile.ptr<f32>, #c>
  return
}

// -----

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// Fewer rows and a smaller k than the instruction's: zeros surround the operands. A column is loaded with stride 0.
// CHECK-LABEL: func.func @small
// CHECK: simt.fragment_load column %{{.*}}[%{{.*}}] stride %c0_i32 : !simt.shared<8xf32> -> <8x8xf32, acc>
// CHECK: simt.fragment_elements
// CHECK: arith.mulf %{{.*}} : vector<8xf32>
// CHECK: simt.fragment_from_elements
// CHECK: simt.shared_store %{{.*}}, %cst{{.*}} : !simt.shared<{{.*}}xf16, #{{.*}}>, vector<{{.*}}xi32>, vector<{{.*}}xf16>
// CHECK: simt.fragment_mma
#a = #layout.distributed<register (0,1), lane (1,0) (2,0) (0,2), warp (0,0) (0,0)>
#b = #layout.distributed<register (0,1), lane (0,2) (0,4) (1,0), warp (2,0) (0,0)>
#c = #layout.distributed<register (0,1), lane (0,2) (0,4) (1,0), warp (2,0) (0,0)>
#v = #layout.distributed<lane (1,0) (2,0) (0,0), warp (0,0) (0,0)>
#f = #layout.fragments<8x8xf32, warps [1, 1]>
func.func @small(%x: !tile.ptr<f16>, %z: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 8 : i32} {
  %px = tile.splat %x : !tile.ptr<f16> -> tensor<4x4x!tile.ptr<f16>, #a>
  %pz = tile.splat %x : !tile.ptr<f16> -> tensor<4x8x!tile.ptr<f16>, #b>
  %pv = tile.splat %z : !tile.ptr<f32> -> tensor<4x1x!tile.ptr<f32>, #v>
  %py = tile.splat %z : !tile.ptr<f32> -> tensor<4x8x!tile.ptr<f32>, #c>
  %a = tile.load %px : tensor<4x4x!tile.ptr<f16>, #a>
  %b = tile.load %pz : tensor<4x8x!tile.ptr<f16>, #b>
  %v = tile.load %pv : tensor<4x1x!tile.ptr<f32>, #v>
  %w = tile.broadcast %v : tensor<4x1xf32, #v> -> tensor<4x8xf32, #f>
  %s = arith.mulf %w, %w : tensor<4x8xf32, #f>
  %d = tile.dot %a, %b, %s {simt.instruction = #instruction}
      : tensor<4x4xf16, #a>, tensor<4x8xf16, #b>, tensor<4x8xf32, #f>
  %o = simt.convert_layout %d : tensor<4x8xf32, #f> -> tensor<4x8xf32, #c>
  tile.store %py, %o : tensor<4x8x!tile.ptr<f32>, #c>
  return
}

// -----

#instruction = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
// Rows in fragments: a row is first combined element by element over its fragments, then within one; a column is spread
// to the elements of its rows, a range to its positions; the rounded value becomes an operand. A column leaves by one
// of its copies.
// CHECK-LABEL: func.func @rows
// CHECK: %[[ROWS:.*]], %[[COLUMNS:.*]] = simt.fragment_coordinates of !simt.fragment<8x8xf32, acc> : vector<8xi32>, vector<8xi32>
// CHECK: %[[L:.*]] = simt.fragment_elements %[[LEFT:.*]] : <8x8xf32, acc> -> vector<8xf32>
// CHECK: %[[R:.*]] = simt.fragment_elements %[[RIGHT:.*]] : <8x8xf32, acc> -> vector<8xf32>
// CHECK: %[[BOTH:.*]] = arith.maxnumf %[[L]], %[[R]] : vector<8xf32>
// CHECK: %[[WHOLE:.*]] = simt.fragment_from_elements %[[BOTH]]
// CHECK: %[[M:.*]] = simt.fragment_reduce_rows maxnumf %[[WHOLE]] : <8x8xf32, acc>
// CHECK: %[[L2:.*]] = simt.fragment_elements %[[LEFT]]
// CHECK: %[[TOP:.*]] = simt.fragment_elements %[[M]]
// CHECK: arith.subf %[[L2]], %[[TOP]]
// CHECK: %[[R2:.*]] = simt.fragment_elements %[[RIGHT]]
// CHECK: %[[TOP2:.*]] = simt.fragment_elements %[[M]]
// CHECK: arith.subf %[[R2]], %[[TOP2]]
// CHECK: arith.cmpi slt, %{{.*}} : vector<8xi32>
// CHECK: arith.select %{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK: arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK: %[[P:.*]] = simt.fragment_from_elements %[[WIDE]]
// CHECK: %[[A:.*]] = simt.fragment_convert %[[P]] : <8x8xf32, acc> -> <8x8xf16, a>
// CHECK: simt.fragment_mma %[[A]]
// CHECK: arith.cmpi ult, %[[COLUMNS]]
// CHECK: simt.shared_store
// CHECK: simt.shared_load
#l = #layout.distributed<register (0,1) (0,2) (4,0) (8,0), lane (0,4) (0,8) (1,0), warp (2,0)>
#r = #layout.distributed<register (4) (8), lane (0) (0) (1), warp (2)>
#f = #layout.fragments<8x8xf32, warps [2, 1]>
#c = #layout.fragments<8x8xf32, warps [2, 1], column>
#w = #layout.fragments<8x8xf32, warps [2, 1], row>
#a = #layout.fragments<8x8xf16, warps [2, 1], operand>
func.func @rows(%x: !tile.ptr<f16>, %o: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 8 : i32} {
  %px = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #l>
  %po = tile.splat %o : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #r>
  %v = tile.load %px : tensor<16x16x!tile.ptr<f16>, #l>
  %q = simt.convert_layout %v : tensor<16x16xf16, #l> -> tensor<16x16xf16, #a>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #f>
  %s = tile.dot %q, %v, %zero {simt.instruction = #instruction}
      : tensor<16x16xf16, #a>, tensor<16x16xf16, #l>, tensor<16x16xf32, #f>
  %m = tile.reduce(%s) axis 1 : (tensor<16x16xf32, #f>) -> tensor<16xf32, #c> {
  ^bb0(%y: f32, %z: f32):
    %max = arith.maxnumf %y, %z : f32
    tile.yield %max : f32
  }
  %m1 = tile.expand_dims %m axis 1 : tensor<16xf32, #c>
  %ms = tile.broadcast %m1 : tensor<16x1xf32, #c> -> tensor<16x16xf32, #f>
  %d = arith.subf %s, %ms : tensor<16x16xf32, #f>
  %j = tile.make_range 0 to 16 : tensor<16xi32, #w>
  %ns = tile.splat %n : i32 -> tensor<16xi32, #w>
  %in = arith.cmpi slt, %j, %ns : tensor<16xi32, #w>
  %in1 = tile.expand_dims %in axis 0 : tensor<16xi1, #w>
  %ins = tile.broadcast %in1 : tensor<1x16xi1, #w> -> tensor<16x16xi1, #f>
  %t = arith.select %ins, %d, %zero : tensor<16x16xi1, #f>, tensor<16x16xf32, #f>
  %p = tile.fp_cast %t : tensor<16x16xf32, #f> -> tensor<16x16xf16, #f>
  %pa = simt.convert_layout %p : tensor<16x16xf16, #f> -> tensor<16x16xf16, #a>
  %u = tile.dot %pa, %v, %zero {simt.instruction = #instruction}
      : tensor<16x16xf16, #a>, tensor<16x16xf16, #l>, tensor<16x16xf32, #f>
  %sum = tile.reduce(%u) axis 1 : (tensor<16x16xf32, #f>) -> tensor<16xf32, #c> {
  ^bb0(%y: f32, %z: f32):
    %add = arith.addf %y, %z : f32
    tile.yield %add : f32
  }
  %out = simt.convert_layout %sum : tensor<16xf32, #c> -> tensor<16xf32, #r>
  tile.store %po, %out : tensor<16x!tile.ptr<f32>, #r>
  return
}

// -----

// Part 1 of 2 of a tensor's columns, whose number is a register bit of A and a lane bit of B: of A half of the
// registers are stored, of B all, where the lane is in the part.
// CHECK-LABEL: func.func @parts
// CHECK: %[[A:.*]] = simt.shared_alloc : <8x8xf16, #shared>
// CHECK: simt.shared_store %[[A]][%{{.*}}], %{{.*}} : !simt.shared<8x8xf16, #shared>, vector<2xi32>, vector<4xf16>
// CHECK: %[[B:.*]] = simt.shared_alloc : <8x8xf16, #shared>
// CHECK: %[[HERE:.*]] = arith.cmpi eq, %{{.*}}, %c1_i32 : i32
// CHECK-NEXT: scf.if %[[HERE]] {
// CHECK: simt.shared_store %[[B]][%{{.*}}], %{{.*}} : !simt.shared<8x8xf16, #shared>, i32, vector<2xf16>
// CHECK-NEXT: } {simt.divergent}
// CHECK: scf.if
// CHECK: simt.shared_store %[[B]]
// CHECK-NOT: scf.if
#a = #layout.distributed<register (0,1) (0,8) (0,4), lane (0,2) (1,0) (2,0), warp (4,0) (0,0)>
#b = #layout.distributed<register (0,1) (0,4), lane (0,2) (1,0) (0,8), warp (2,0) (4,0)>
#p = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0) (4,0), pad 8 every 8>
func.func @parts(%x: !tile.ptr<f16>) attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 8 : i32} {
  %px = tile.splat %x : !tile.ptr<f16> -> tensor<8x16x!tile.ptr<f16>, #a>
  %py = tile.splat %x : !tile.ptr<f16> -> tensor<8x16x!tile.ptr<f16>, #b>
  %a = tile.load %px : tensor<8x16x!tile.ptr<f16>, #a>
  %b = tile.load %py : tensor<8x16x!tile.ptr<f16>, #b>
  %s = simt.shared_alloc : !simt.shared<8x8xf16, #p>
  simt.shared_store %s, %a part 1 : !simt.shared<8x8xf16, #p>, tensor<8x16xf16, #a>
  %t = simt.shared_alloc : !simt.shared<8x8xf16, #p>
  simt.shared_store %t, %b part 1 : !simt.shared<8x8xf16, #p>, tensor<8x16xf16, #b>
  return
}
