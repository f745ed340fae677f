// RUN: tegula-opt --simt-set-target='fields={instructions=[#simt.instruction<"16x16x16.f16.f32", 16x16x16, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>,#simt.instruction<"16x8x16.f16.f32", 16x8x16, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>,#simt.instruction<"16x16x16.f16.f16", 16x16x16, a <f16 fragment>, b <f16 fragment>, c <f16 fragment>>,#simt.instruction<"16x16x32.i8.i32", 16x16x32, a <i8 fragment>, b <i8 fragment>, c <i32 fragment>>]}' --tile-select-products %s --split-input-file | FileCheck %s
// RUN: tegula-opt --tile-select-products %s --split-input-file | FileCheck %s --check-prefix=NONE
// NONE-NOT: simt.instruction

// The larger of the two instructions that compute no unused elements.
// CHECK: #[[I:instruction[0-9]*]] = #simt.instruction<"16x16x16.f16.f32"
// CHECK-LABEL: func.func @plain
// CHECK: tile.dot {{.*}} {simt.instruction = #[[I]]}
func.func @plain(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// -----

// Eight columns: the narrow instruction computes less.
// CHECK: #[[I:instruction[0-9]*]] = #simt.instruction<"16x8x16.f16.f32"
// CHECK-LABEL: func.func @narrow
// CHECK: tile.dot {{.*}} {simt.instruction = #[[I]]}
func.func @narrow(%a: tensor<64x32xf16>, %b: tensor<32x8xf16>, %c: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x8xf16>, tensor<64x8xf32>
  return %d : tensor<64x8xf32>
}

// -----

// Sums are f32, rounded once at the end, although an instruction with f16 sums exists.
// CHECK: #[[I:instruction[0-9]*]] = #simt.instruction<"16x16x16.f16.f32"
// CHECK-LABEL: func.func @rounded
// CHECK: %[[C:.*]] = tile.fp_cast %arg2 : tensor<16x16xf16> -> tensor<16x16xf32>
// CHECK: %[[D:.*]] = tile.dot %arg0, %arg1, %[[C]] {simt.instruction = #[[I]]}
// CHECK: tile.fp_cast %[[D]] : tensor<16x16xf32> -> tensor<16x16xf16>
func.func @rounded(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf16>) -> tensor<16x16xf16> {
  %d = tile.dot %a, %b, %c : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf16>
  return %d : tensor<16x16xf16>
}

// -----

// CHECK: #[[I:instruction[0-9]*]] = #simt.instruction<"16x16x32.i8.i32"
// CHECK-LABEL: func.func @integers
// CHECK: tile.dot {{.*}} {simt.instruction = #[[I]]}
func.func @integers(%a: tensor<2x16x16xi8>, %b: tensor<2x16x16xi8>, %c: tensor<2x16x16xi32>) -> tensor<2x16x16xi32> {
  %d = tile.dot %a, %b, %c : tensor<2x16x16xi8>, tensor<2x16x16xi8>, tensor<2x16x16xi32>
  return %d : tensor<2x16x16xi32>
}

// -----

// No instruction: f32 operands, bf16 operands, f64 sums.
// CHECK-LABEL: func.func @none
// CHECK-NOT: simt.instruction
func.func @none(%a: tensor<16x16xf32>, %b: tensor<16x16xbf16>, %c: tensor<16x16xf32>, %h: tensor<16x16xf16>,
                %w: tensor<16x16xf64>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf64>) {
  %d = tile.dot %a, %a, %c : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %e = tile.dot %b, %b, %c : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  %f = tile.dot %h, %h, %w : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf64>
  return %d, %e, %f : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf64>
}
