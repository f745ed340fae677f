// RUN: tegula-opt --simt-set-target='fields={shared_bytes=1024,shares_widths=false,shared_element_bytes=4}' --tile-to-simt --canonicalize %s --split-input-file | FileCheck %s --check-prefix=PARTS
// RUN: tegula-opt --tile-to-simt --canonicalize %s --split-input-file | FileCheck %s --check-prefix=WHOLE
// 2 warps of 4 lanes. Where shared memory is small and has 32-bit elements only, exchanges go in parts and narrow
// values in words; otherwise they go whole.

// 512 halves as words are 2 KiB: with parts of 128, each of the eight threads also has a dummy slot for elements of
// other parts.
// PARTS-LABEL: func.func @gather
// PARTS-COUNT-4: simt.shared_alloc : <136xi32>
// PARTS-NOT: simt.shared_alloc
// WHOLE-LABEL: func.func @gather
// WHOLE: simt.shared_alloc : <512xf16>
// WHOLE-NOT: simt.shared_alloc
#l = #layout.distributed<register (1) (2) (4) (8) (16) (32), lane (64) (128), warp (256)>
module attributes {tile.num_warps = 2 : i32} {
func.func @gather(%x: !tile.ptr<f16>, %y: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 512 : tensor<512xi32, #l>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>, #l>
  %xp = tile.addptr %xs, %r : tensor<512x!tile.ptr<f16>, #l>, tensor<512xi32, #l>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>, #l>
  %yp = tile.addptr %ys, %r : tensor<512x!tile.ptr<i32>, #l>, tensor<512xi32, #l>
  %v = tile.load %xp : tensor<512x!tile.ptr<f16>, #l>
  %i = tile.load %yp : tensor<512x!tile.ptr<i32>, #l>
  %g = tile.gather %v[%i] axis 0 : tensor<512xf16, #l>, tensor<512xi32, #l>
  tile.store %xp, %g : tensor<512x!tile.ptr<f16>, #l>
  return
}
}

// -----

// Two values of 64 and 32 bits: with the copies for the next warp, 8 * (8 + 4) bytes for each register. 16 registers
// would need 1536 bytes; eight fit.
// PARTS-LABEL: func.func @two
// PARTS: simt.shared_alloc : <64xf64>
// PARTS: simt.shared_alloc : <64xi32>
// PARTS: simt.shared_alloc : <64xf64>
// PARTS: simt.shared_alloc : <64xi32>
// PARTS-NOT: simt.shared_alloc
// WHOLE-LABEL: func.func @two
// WHOLE: simt.shared_alloc : <128xf64>
// WHOLE: simt.shared_alloc : <128xi32>
// WHOLE-NOT: simt.shared_alloc
#m = #layout.distributed<register (0,1) (0,2) (0,4) (0,8), lane (0,16) (0,32), warp (1,0)>
#s = #layout.distributed<register (1) (2) (4) (8), lane (16) (32), warp (0)>
module attributes {tile.num_warps = 2 : i32} {
func.func @two(%x: !tile.ptr<f64>, %y: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %xs = tile.splat %x : !tile.ptr<f64> -> tensor<2x64x!tile.ptr<f64>, #m>
  %v = tile.load %xs : tensor<2x64x!tile.ptr<f64>, #m>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<2x64x!tile.ptr<i32>, #m>
  %k = tile.load %ys : tensor<2x64x!tile.ptr<i32>, #m>
  %r:2 = tile.reduce(%v, %k) axis 0 : (tensor<2x64xf64, #m>, tensor<2x64xi32, #m>)
      -> (tensor<64xf64, #s>, tensor<64xi32, #s>) {
  ^bb0(%p: f64, %i: i32, %q: f64, %j: i32):
    %c = arith.cmpf ogt, %p, %q : f64
    %best = arith.select %c, %p, %q : f64
    %at = arith.select %c, %i, %j : i32
    tile.yield %best, %at : f64, i32
  }
  %os = tile.splat %x : !tile.ptr<f64> -> tensor<64x!tile.ptr<f64>, #s>
  %op = tile.addptr %os, %r#1 : tensor<64x!tile.ptr<f64>, #s>, tensor<64xi32, #s>
  tile.store %op, %r#0 : tensor<64x!tile.ptr<f64>, #s>
  return
}
}

// -----

// 64 registers with 28 steps would be 1792 pieces of code: two loops over the steps, each a compare and exchange in
// shared memory, in parts of one row where memory is small.
// PARTS-LABEL: func.func @sort
// PARTS-COUNT-4: simt.shared_alloc : <136xf32>
// PARTS-NOT: simt.shared_alloc
// WHOLE-LABEL: func.func @sort
// WHOLE: %[[MEMORY:.+]] = simt.shared_alloc : <512xf32>
// WHOLE: simt.shared_store
// WHOLE: scf.for %[[STAGE:.+]] = %{{.+}} to %c8_i32 step
// WHOLE-NEXT: scf.for %{{.+}} = %c0_i32 to %[[STAGE]] step
// WHOLE-COUNT-2: simt.shared_load %[[MEMORY]]{{.*}} -> vector<32xf32>
// WHOLE-COUNT-2: simt.shared_store
// WHOLE: simt.shared_load %[[MEMORY]]{{.*}} -> vector<64xf32>
// WHOLE-NOT: simt.shared
#l = #layout.distributed<register (0,1) (0,2) (0,4) (0,8) (0,16) (1,0), lane (0,32) (0,64), warp (2,0)>
module attributes {tile.num_warps = 2 : i32} {
func.func @sort(%p: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<4x128x!tile.ptr<f32>, #l>
  %x = tile.load %ps : tensor<4x128x!tile.ptr<f32>, #l>
  %s = tile.sort %x : tensor<4x128xf32, #l>
  tile.store %ps, %s : tensor<4x128x!tile.ptr<f32>, #l>
  return
}
}

// -----

// Two columns of A and two rows of B fit beside the dummy slots: one loop over the depth in steps of two.
// PARTS-LABEL: func.func @dot
// PARTS: scf.for %{{.+}} = %c0_i32 to %c32_i32 step %c2_i32
// PARTS-COUNT-2: simt.shared_alloc : <72xf32>
// PARTS: scf.for %{{.+}} = %c0_i32 to %c2_i32 step %c1_i32
// PARTS-NOT: scf.for
// PARTS-NOT: simt.shared_alloc
// WHOLE-LABEL: func.func @dot
// WHOLE-COUNT-2: simt.shared_alloc : <1024xf32>
// WHOLE: scf.for %{{.+}} = %c0_i32 to %c32_i32 step %c1_i32
// WHOLE-NOT: scf.for
#l = #layout.distributed<register (0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0), lane (4,0) (8,0), warp (16,0)>
module attributes {tile.num_warps = 2 : i32} {
func.func @dot(%p: !tile.ptr<f32>) attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>, #l>
  %x = tile.load %ps : tensor<32x32x!tile.ptr<f32>, #l>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #l>
  %d = tile.dot %x, %x, %c : tensor<32x32xf32, #l>, tensor<32x32xf32, #l>, tensor<32x32xf32, #l>
  tile.store %ps, %d : tensor<32x32x!tile.ptr<f32>, #l>
  return
}
}
