// Products by an instruction whose element mapping is known: layouts, buffers, and the code of a thread.
// RUN: tegula-opt --tile-select-products --tile-assign-layouts --tile-stage-operands --canonicalize %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-assign-layouts --tile-stage-operands --tile-to-simt --canonicalize --cse %s --split-input-file 2>/dev/null | FileCheck %s --check-prefix=SIMT

#mma = #simt.instruction<"mma.m16n8k16.f32.f16", 16x8x16,
  a <f16 registers <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>,
  b <f16 registers <register (1,0) (8,0), lane (2,0) (4,0) (0,1) (0,2) (0,4)>>,
  c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>>

// Two warps divide the rows. A repeats the instruction's layout once a warp; B four times along the columns, and both
// warps hold copies of it. Buffers have the order of the loads, with pieces of 16 bytes swizzled.
// CHECK-DAG: #[[C:.*]] = #layout.distributed<register (0,1) (8,0) (0,8) (0,16), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0)>
// CHECK-DAG: #[[A:.*]] = #layout.distributed<register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0)>
// CHECK-DAG: #[[B:.*]] = #layout.distributed<register (1,0) (8,0) (0,8) (0,16), lane (2,0) (4,0) (0,1) (0,2) (0,4), warp (0,0)>
// CHECK-DAG: #[[SA:.*]] = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,8) (8,0) (16,0)>
// CHECK-DAG: #[[SB:.*]] = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,8) (4,16) (8,0)>
// CHECK-LABEL: func.func @staged
// CHECK: %[[TA:.*]] = simt.shared_alloc : <32x16xf16, #[[SA]]>
// CHECK: simt.shared_store %[[TA]], %{{.*}} : !simt.shared<32x16xf16, #[[SA]]>, tensor<32x16xf16, #{{.*}}>
// CHECK: %[[TB:.*]] = simt.shared_alloc : <16x32xf16, #[[SB]]>
// CHECK: simt.shared_store %[[TB]], %{{.*}} : !simt.shared<16x32xf16, #[[SB]]>, tensor<16x32xf16, #{{.*}}>
// Both are stored before either is loaded: one barrier stands between.
// CHECK: %[[X:.*]] = simt.shared_load %[[TA]] : <32x16xf16, #[[SA]]> -> tensor<32x16xf16, #[[A]]>
// CHECK: %[[Y:.*]] = simt.shared_load %[[TB]] : <16x32xf16, #[[SB]]> -> tensor<16x32xf16, #[[B]]>
// CHECK: tile.dot %[[X]], %[[Y]], %{{.*}} : tensor<32x16xf16, #[[A]]>, tensor<16x32xf16, #[[B]]>, tensor<32x32xf32, #[[C]]>
// The result is stored in its own layout.
// CHECK-NOT: convert_layout

// Stores of 16 bytes; A by rows as it is, B by rows transposed.
// SIMT-LABEL: func.func @staged
// SIMT: simt.shared_store %{{.*}} : !simt.shared<32x16xf16, #{{.*}}>, vector<1xi32>, vector<8xf16>
// SIMT: %[[X:.*]] = simt.load_matrix %{{[0-9]+}}[%{{[0-9]+}}] : <32x16xf16, #{{.*}}> -> vector<8xf16>
// SIMT: simt.load_matrix %{{[0-9]+}}[%{{[0-9]+}}] transpose : <16x32xf16, #{{.*}}> -> vector<8xf16>
// SIMT: simt.load_matrix %{{[0-9]+}}[%{{[0-9]+}}] transpose : <16x32xf16, #{{.*}}> -> vector<8xf16>
// SIMT: %[[Y:.*]] = simt.concat
// SIMT: simt.mma %[[X]], %[[Y]], %{{.*}} instruction "mma.m16n8k16.f32.f16" tiles [1, 4, 1] : vector<8xf16>, vector<16xf16>, vector<16xf32>
module attributes {simt.target = {loads_matrices = true, instructions = [#mma]}, tile.num_warps = 2 : i32} {
  func.func @staged(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                    %q: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                    %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
    %r = tile.make_range 0 to 512 : tensor<512xi32>
    %ia = tile.reshape %r : tensor<512xi32> -> tensor<32x16xi32>
    %ib = tile.reshape %r : tensor<512xi32> -> tensor<16x32xi32>
    %sp = tile.splat %p : !tile.ptr<f16> -> tensor<32x16x!tile.ptr<f16>>
    %sq = tile.splat %q : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
    %pa = tile.addptr %sp, %ia : tensor<32x16x!tile.ptr<f16>>, tensor<32x16xi32>
    %pb = tile.addptr %sq, %ib : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
    %a = tile.load %pa : tensor<32x16x!tile.ptr<f16>>
    %b = tile.load %pb : tensor<16x32x!tile.ptr<f16>>
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %d = tile.dot %a, %b, %zero : tensor<32x16xf16>, tensor<16x32xf16>, tensor<32x32xf32>
    %rc = tile.make_range 0 to 1024 : tensor<1024xi32>
    %ic = tile.reshape %rc : tensor<1024xi32> -> tensor<32x32xi32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
    %po = tile.addptr %so, %ic : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
    tile.store %po, %d : tensor<32x32x!tile.ptr<f32>>
    return
  }
}

// -----

#mma = #simt.instruction<"mma.m16n8k16.f32.f16", 16x8x16,
  a <f16 registers <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>,
  b <f16 registers <register (1,0) (8,0), lane (2,0) (4,0) (0,1) (0,2) (0,4)>>,
  c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>>

// A result that becomes the left operand of the next product: warps divide rows only, and the operand's layout is the
// result's, so no element moves.
// CHECK-LABEL: func.func @chained
// CHECK: %[[S:.*]] = tile.dot
// CHECK-NEXT: %[[P:.*]] = tile.fp_cast %[[S]]
// CHECK-NOT: shared_store
// CHECK: tile.dot
// SIMT-LABEL: func.func @chained
// SIMT: simt.mma
// SIMT-NEXT: %[[P:.*]] = arith.truncf
// SIMT-NOT: shared_store
// SIMT: simt.mma %[[P]]
module attributes {simt.target = {loads_matrices = true, instructions = [#mma]}, tile.num_warps = 4 : i32} {
  func.func @chained(%x: f16, %o: !tile.ptr<f32>) attributes {tile.kernel} {
    %q = tile.splat %x : f16 -> tensor<64x16xf16>
    %k = tile.splat %x : f16 -> tensor<16x16xf16>
    %zero = arith.constant dense<0.0> : tensor<64x16xf32>
    %s = tile.dot %q, %k, %zero : tensor<64x16xf16>, tensor<16x16xf16>, tensor<64x16xf32>
    %p = tile.fp_cast %s : tensor<64x16xf32> -> tensor<64x16xf16>
    %d = tile.dot %p, %k, %zero : tensor<64x16xf16>, tensor<16x16xf16>, tensor<64x16xf32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>>
    tile.store %so, %d : tensor<64x16x!tile.ptr<f32>>
    return
  }
}

// -----

#mma = #simt.instruction<"mma.m16n8k16.f32.f16", 16x8x16,
  a <f16 registers <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>,
  b <f16 registers <register (1,0) (8,0), lane (2,0) (4,0) (0,1) (0,2) (0,4)>>,
  c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>>

// Fewer rows than the instruction's: its lower eight rows are copies of the upper ones, for the product alone.
// CHECK: #[[C:.*]] = #layout.distributed<register (0,1) (0,0), lane (0,2) (0,4) (1,0) (2,0) (4,0)>
// CHECK-LABEL: func.func @few_rows
// CHECK: %[[D:.*]] = tile.dot {{.*}} {simt.instruction = #{{.*}}} : {{.*}}, tensor<8x8xf32, #[[C]]>
// CHECK: simt.convert_layout %[[D]] : tensor<8x8xf32, #[[C]]> ->
// Less depth than the instruction's would be added twice.
// CHECK-LABEL: func.func @shallow
// CHECK-NOT: simt.instruction
// CHECK: return
module attributes {simt.target = {loads_matrices = true, instructions = [#mma]}, tile.num_warps = 1 : i32} {
  func.func @few_rows(%x: f16, %o: !tile.ptr<f32>) attributes {tile.kernel} {
    %a = tile.splat %x : f16 -> tensor<8x16xf16>
    %b = tile.splat %x : f16 -> tensor<16x8xf16>
    %zero = arith.constant dense<0.0> : tensor<8x8xf32>
    %d = tile.dot %a, %b, %zero : tensor<8x16xf16>, tensor<16x8xf16>, tensor<8x8xf32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
    tile.store %so, %d : tensor<8x8x!tile.ptr<f32>>
    return
  }
  func.func @shallow(%x: f16, %o: !tile.ptr<f32>) attributes {tile.kernel} {
    %a = tile.splat %x : f16 -> tensor<16x8xf16>
    %b = tile.splat %x : f16 -> tensor<8x8xf16>
    %zero = arith.constant dense<0.0> : tensor<16x8xf32>
    %d = tile.dot %a, %b, %zero : tensor<16x8xf16>, tensor<8x8xf16>, tensor<16x8xf32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>>
    tile.store %so, %d : tensor<16x8x!tile.ptr<f32>>
    return
  }
}

// -----

#tf32 = #simt.instruction<"mma.m16n8k8.f32.tf32", 16x8x8,
  a <tf32 registers <register (8,0) (0,4), lane (0,1) (0,2) (1,0) (2,0) (4,0)>>,
  b <tf32 registers <register (4,0), lane (1,0) (2,0) (0,1) (0,2) (0,4)>>,
  c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>>

// f32 operands are divided where they are registers of a thread. Registers hold neighbours along the depth, which are 4
// apart in the instruction's own layouts.
// CHECK-DAG: #[[A:.*]] = #layout.distributed<register (8,0) (0,1) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0)>
// CHECK-DAG: #[[B:.*]] = #layout.distributed<register (1,0) (8,0), lane (2,0) (4,0) (0,1) (0,2) (0,4)>
// CHECK-LABEL: func.func @parts
// CHECK: tile.dot {{.*}} precision(tf32x3) {{.*}}<16x16xf32, #[[A]]>, tensor<16x8xf32, #[[B]]>
// SIMT-LABEL: func.func @parts
// Along the depth there are two tiles, one after another. The products of rests with the rounded numbers come first; in
// these, numbers that are not finite count as zero.
// SIMT: arith.cmpf ord
// SIMT: %[[ROUNDED_A:.*]] = arith.bitcast %{{.*}} : vector<4xi32> to vector<4xf32>
// SIMT-NEXT: %[[IS_FINITE:.*]] = arith.cmpi ult
// SIMT-NEXT: %[[FINITE_A:.*]] = arith.select %[[IS_FINITE]], %[[ROUNDED_A]], %{{.*}} : vector<4xi1>, vector<4xf32>
// SIMT-NEXT: arith.andi %{{.*}}, %{{.*}} : vector<4xi32>
// SIMT-NEXT: arith.bitcast
// SIMT-NEXT: %[[LESS:.*]] = arith.subf %{{.*}}, %{{.*}} : vector<4xf32>
// SIMT-NEXT: arith.select %[[IS_FINITE]], %[[LESS]]
// SIMT: %[[REST_A:.*]] = arith.bitcast %{{.*}} : vector<4xi32> to vector<4xf32>
// SIMT: arith.cmpf ord
// SIMT: %[[ROUNDED_B:.*]] = arith.bitcast %{{.*}} : vector<2xi32> to vector<2xf32>
// SIMT-NEXT: arith.cmpi ult
// SIMT-NEXT: %[[FINITE_B:.*]] = arith.select %{{.*}}, %[[ROUNDED_B]], %{{.*}} : vector<2xi1>, vector<2xf32>
// SIMT: arith.subf
// SIMT: %[[REST_B:.*]] = arith.bitcast %{{.*}} : vector<2xi32> to vector<2xf32>
// SIMT-NEXT: %[[S0:.*]] = simt.mma %[[FINITE_A]], %[[REST_B]], %{{.*}} instruction "mma.m16n8k8.f32.tf32" :
// SIMT-NEXT: %[[S1:.*]] = simt.mma %[[REST_A]], %[[FINITE_B]], %[[S0]] instruction
// SIMT-NEXT: %[[S2:.*]] = simt.mma %[[ROUNDED_A]], %[[ROUNDED_B]], %[[S1]] instruction
// SIMT: simt.mma %{{.*}}, %{{.*}}, %[[S2]] instruction
// SIMT-NEXT: simt.mma
// SIMT-NEXT: simt.mma
// SIMT-NOT: simt.mma
module attributes {simt.target = {loads_matrices = true, instructions = [#tf32]}, tile.num_warps = 1 : i32} {
  func.func @parts(%x: f32, %y: f32, %o: !tile.ptr<f32>) attributes {tile.kernel} {
    %a = tile.splat %x : f32 -> tensor<16x16xf32>
    %b = tile.splat %y : f32 -> tensor<16x8xf32>
    %zero = arith.constant dense<0.0> : tensor<16x8xf32>
    %d = tile.dot %a, %b, %zero precision(tf32x3) : tensor<16x16xf32>, tensor<16x8xf32>, tensor<16x8xf32>
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>>
    tile.store %so, %d : tensor<16x8x!tile.ptr<f32>>
    return
  }
}
