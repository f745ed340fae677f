// Conversions and loads from rings move to their uses.
// RUN: tegula-opt --tile-sink-exchanges %s --split-input-file | FileCheck %s

#rows = #layout.distributed<register (4), lane (1) (2)>
#lanes = #layout.distributed<register (1), lane (2) (4)>
#shared = #layout.shared<(1) (2) (4)>

// Past a load and an unrelated store, not past the first use.
// CHECK-LABEL: func.func @conversion
// CHECK: %[[A:.*]] = tile.load %{{.*}}, #[[ROWS:.*]]>
// CHECK-NEXT: tile.load
// CHECK-NEXT: simt.shared_store
// CHECK-NEXT: %[[C:.*]] = simt.convert_layout %[[A]]
// CHECK-NEXT: arith.addf %[[C]], %[[C]]
func.func @conversion(%p: tensor<8x!tile.ptr<f32>, #rows>, %q: tensor<8x!tile.ptr<f32>, #lanes>, %n: i32)
    -> tensor<8xf32, #lanes> {
  %buffer = simt.shared_alloc : <8xf32, #shared>
  %a = tile.load %p : tensor<8x!tile.ptr<f32>, #rows>
  %c = simt.convert_layout %a : tensor<8xf32, #rows> -> tensor<8xf32, #lanes>
  %b = tile.load %q : tensor<8x!tile.ptr<f32>, #lanes>
  simt.shared_store %buffer, %b : !simt.shared<8xf32, #shared>, tensor<8xf32, #lanes>
  %d = arith.addf %c, %c : tensor<8xf32, #lanes>
  %e = arith.addf %d, %b : tensor<8xf32, #lanes>
  return %e : tensor<8xf32, #lanes>
}

// -----

#rows = #layout.distributed<register (4), lane (1) (2)>
#lanes = #layout.distributed<register (1), lane (2) (4)>

// Not past a wait of some warps for others.
// CHECK-LABEL: func.func @order
// CHECK: tile.load
// CHECK-NEXT: tile.load
// CHECK-NEXT: simt.convert_layout
// CHECK-NEXT: simt.barrier_wait
// CHECK-NEXT: arith.addf
func.func @order(%p: tensor<8x!tile.ptr<f32>, #rows>, %q: tensor<8x!tile.ptr<f32>, #lanes>, %o: !simt.barriers<1>,
                 %i: i32) -> tensor<8xf32, #lanes> {
  %a = tile.load %p : tensor<8x!tile.ptr<f32>, #rows>
  %c = simt.convert_layout %a : tensor<8xf32, #rows> -> tensor<8xf32, #lanes>
  %b = tile.load %q : tensor<8x!tile.ptr<f32>, #lanes>
  simt.barrier_wait %o[%i], %i : <1>
  %d = arith.addf %c, %b : tensor<8xf32, #lanes>
  return %d : tensor<8xf32, #lanes>
}

// -----

#lanes = #layout.distributed<register (1), lane (2) (4)>
#shared = #layout.shared<(1) (2) (4)>

// A load from a stage of a ring passes stores to other buffers, not one to its own.
// CHECK-LABEL: func.func @loads
// CHECK: %[[S:.*]] = simt.stage
// CHECK-NEXT: %[[OTHER:.*]] = simt.shared_alloc
// CHECK-NEXT: simt.shared_store %[[OTHER]]
// CHECK-NEXT: %[[V:.*]] = simt.shared_load %[[S]]
// CHECK-NEXT: simt.shared_store %{{.*}}, %arg
// CHECK-NEXT: arith.addf %[[V]]
func.func @loads(%i: i32, %x: tensor<8xf32, #lanes>) -> tensor<8xf32, #lanes> {
  %ring = simt.shared_alloc : <2x8xf32, #shared>
  %own = simt.stage %ring[%i] : <2x8xf32, #shared> -> <8xf32, #shared>
  %v = simt.shared_load %own : <8xf32, #shared> -> tensor<8xf32, #lanes>
  %other = simt.shared_alloc : <8xf32, #shared>
  simt.shared_store %other, %x : !simt.shared<8xf32, #shared>, tensor<8xf32, #lanes>
  simt.shared_store %own, %x : !simt.shared<8xf32, #shared>, tensor<8xf32, #lanes>
  %d = arith.addf %v, %x : tensor<8xf32, #lanes>
  return %d : tensor<8xf32, #lanes>
}

// -----

#rows = #layout.distributed<register (0,4), lane (0,1) (0,2)>
#lanes = #layout.distributed<register (0,1), lane (0,2) (0,4)>
#flat = #layout.distributed<register (1), lane (2) (4)>
#apart = #layout.distributed<register (4), lane (1) (2)>

// The result is reshaped, scaled and rounded to 16 bits before the exchange.
// CHECK-LABEL: func.func @narrowed
// CHECK-NOT: simt.convert_layout %arg0
// CHECK: %[[R:.*]] = tile.reshape %arg0 : tensor<1x8xf32, #[[ROWS:.*]]> -> tensor<8xf32, #[[FROM:.*]]>
// CHECK: %[[M:.*]] = arith.mulf %[[R]], %{{.*}} : tensor<8xf32, #[[FROM]]>
// CHECK: %[[N:.*]] = tile.fp_cast %[[M]] : tensor<8xf32, #[[FROM]]> -> tensor<8xf16, #[[FROM]]>
// CHECK: %[[C:.*]] = simt.convert_layout %[[N]] : tensor<8xf16, #[[FROM]]> -> tensor<8xf16, #[[TO:.*]]>
// CHECK: tile.store %arg1, %[[C]] : tensor<8x!tile.ptr<f16>, #[[TO]]>
func.func @narrowed(%x: tensor<1x8xf32, #rows>, %p: tensor<8x!tile.ptr<f16>, #flat>, %scale: f32) {
  %c = simt.convert_layout %x : tensor<1x8xf32, #rows> -> tensor<1x8xf32, #lanes>
  %r = tile.reshape %c : tensor<1x8xf32, #lanes> -> tensor<8xf32, #flat>
  %s = tile.splat %scale : f32 -> tensor<8xf32, #flat>
  %m = arith.mulf %r, %s : tensor<8xf32, #flat>
  %n = tile.fp_cast %m : tensor<8xf32, #flat> -> tensor<8xf16, #flat>
  tile.store %p, %n : tensor<8x!tile.ptr<f16>, #flat>
  return
}

// The product's other operand is a tensor of the new layout: the conversion stays where it is.
// CHECK-LABEL: func.func @not_narrowed
// CHECK: %[[C:.*]] = simt.convert_layout %arg0 : tensor<8xf32, #{{.*}}> -> tensor<8xf32, #[[TO:.*]]>
// CHECK-NEXT: arith.mulf %[[C]], %arg1
func.func @not_narrowed(%x: tensor<8xf32, #apart>, %y: tensor<8xf32, #flat>) -> tensor<8xf16, #flat> {
  %c = simt.convert_layout %x : tensor<8xf32, #apart> -> tensor<8xf32, #flat>
  %m = arith.mulf %c, %y : tensor<8xf32, #flat>
  %n = tile.fp_cast %m : tensor<8xf32, #flat> -> tensor<8xf16, #flat>
  return %n : tensor<8xf16, #flat>
}
