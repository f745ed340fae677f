// Layouts that do not fit their tensor or op.
// RUN: tegula-opt --verify-diagnostics --split-input-file %s

// A layout that does not fit the tensor.
func.func @too_few_elements() {
  // expected-error@+1 {{but got 'tensor<32xi32, #layout.distributed<register (16), lane (4) (8), warp (1)>>'}}
  %r = tile.make_range 0 to 32 : tensor<32xi32, #layout.distributed<register (16), lane (4) (8), warp (1)>>
  return
}

// -----

func.func @too_many_elements() {
  // expected-error@+1 {{but got 'tensor<8xi32, #layout.distributed<register (16), lane (1) (2), warp (4)>>'}}
  %r = tile.make_range 0 to 8 : tensor<8xi32, #layout.distributed<register (16), lane (1) (2), warp (4)>>
  return
}

// -----

func.func @other_rank() {
  // expected-error@+1 {{but got 'tensor<8xi32, #layout.distributed<lane (0,1) (0,2), warp (0,4)>>'}}
  %r = tile.make_range 0 to 8 : tensor<8xi32, #layout.distributed<lane (0,1) (0,2), warp (0,4)>>
  return
}

// -----

// A layout that does not fit the kernel.
func.func @other_threads() attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 8 : i32} {
  // expected-error@+1 {{expected layouts of 2 warps of 8 lanes, as the kernel has, found 2 of 4 in #layout.distributed<lane (2) (1), warp (4)>}}
  %r = tile.make_range 0 to 8 : tensor<8xi32, #layout.distributed<lane (2) (1), warp (4)>>
  return
}

// -----

func.func @other_warps() attributes {tile.kernel, simt.warps = 1 : i32, simt.warp_size = 4 : i32} {
  // expected-error@+1 {{expected layouts of 1 warps of 4 lanes, as the kernel has, found 2 of 4}}
  %r = tile.make_range 0 to 8 : tensor<8xi32, #layout.distributed<lane (2) (1), warp (4)>>
  return
}

// -----

// Operands and results together.
#l = #layout.distributed<lane (1) (2), warp (4)>
#m = #layout.distributed<lane (2) (1), warp (4)>
func.func @offsets_elsewhere(%b: tensor<8x!tile.ptr<f32>, #m>, %r: tensor<8xi32, #l>) {
  // expected-error@+1 {{expected an offset of type 'tensor<8xi32, #layout.distributed<lane (2) (1), warp (4)>>', found 'tensor<8xi32, #layout.distributed<lane (1) (2), warp (4)>>'}}
  %p = tile.addptr %b, %r : tensor<8x!tile.ptr<f32>, #m>, tensor<8xi32, #l>
  return
}

// -----

#l = #layout.distributed<lane (1) (2), warp (4)>
#m = #layout.distributed<lane (2) (1), warp (4)>
func.func @mask_elsewhere(%p: tensor<8x!tile.ptr<f32>, #l>, %m: tensor<8xi1, #m>) { // expected-note {{prior use here}}
  // expected-error@+1 {{use of value '%m' expects different type than prior uses}}
  %v = tile.load %p mask %m : tensor<8x!tile.ptr<f32>, #l>
  return
}

// -----

#l = #layout.distributed<register (0,1) (0,2) (4,0), lane (0,4) (1,0), warp (2,0)>
#m = #layout.distributed<lane (2) (1), warp (4)>
func.func @not_the_slice(%v: tensor<8x8xf32, #l>) {
  // expected-error@+2 {{inferred type(s) 'tensor<8xf32, #layout.distributed<register (4), lane (0) (1), warp (2)>>' are incompatible}}
  // expected-error@+1 {{failed to infer returned types}}
  %s = tile.reduce(%v) axis 1 : (tensor<8x8xf32, #l>) -> tensor<8xf32, #m> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

#m = #layout.distributed<register (0,1), lane (1,0) (4,0), warp (2,0)>
#n = #layout.distributed<lane (1,0) (2,0), warp (4,0)>
func.func @other_threads_need_it(%v: tensor<8x1xi32, #n>) {
  // expected-error@+1 {{expected a result whose elements are in the same threads as those of}}
  %r = tile.broadcast %v : tensor<8x1xi32, #n> -> tensor<8x2xi32, #m>
  return
}

// -----

// Conversions.
#l = #layout.distributed<lane (1) (2), warp (4)>
func.func @to_nothing(%v: tensor<8xf32, #l>) {
  // expected-error@+1 {{must be a tensor with a #layout.distributed or #layout.fragments encoding, but got 'tensor<8xf32>'}}
  %w = simt.convert_layout %v : tensor<8xf32, #l> -> tensor<8xf32>
  return
}

// -----

// Fragments are divided over the warps of the kernel.
func.func @fragments(%c: tensor<32x32xf32>) attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 8 : i32} {
  // expected-error@+1 {{expected fragments divided over at most 2 warps, as the kernel has, found #layout.fragments<8x8xf32, warps [2, 2]>}}
  %z = arith.constant dense<0.0> : tensor<32x32xf32, #layout.fragments<8x8xf32, warps [2, 2]>>
  return
}

// -----

// expected-error@+1 {{expected powers of two, found 3}}
#f = #layout.fragments<8x8xf32, warps [3, 1]>

// -----

// expected-error@+1 {{expected rows and columns of a fragment, found 3 extents}}
#f = #layout.fragments<8x8x8xf32, warps [2, 1]>

// -----

// expected-error@+1 {{expected 'operand', 'column' or 'row', found 'diagonal'}}
#f = #layout.fragments<8x8xf32, warps [2, 1], diagonal>

// -----

// expected-error@+1 {{expected an operand whose columns are not divided over warps, found 2 warps along them}}
#f = #layout.fragments<8x8xf16, warps [2, 2], operand>

// -----

// expected-error@+1 {{expected a number of warps for each of 2 axes of what is of a matrix, found 3}}
#f = #layout.fragments<8x8xf32, warps [1, 2, 1], column>

// -----

// A column of 8 rows is not divided over 2 warps.
#f = #layout.fragments<8x8xf32, warps [2, 1], column>
func.func @column(%x: f32) {
  // expected-error@+1 {{must be tensor of integers, floats or pointers}}
  %y = tile.splat %x : f32 -> tensor<8xf32, #f>
  return
}

// -----

// A column has no axis of rows to expand.
#c = #layout.fragments<8x8xf32, warps [1, 1], column>
func.func @expanded(%x: tensor<8xf32, #c>) {
  // expected-error@+1 {{must be tensor of integers, floats or pointers}}
  %y = "tile.expand_dims"(%x) {axis = 0 : i32} : (tensor<8xf32, #c>) -> tensor<1x8xf32, #c>
  return
}

// -----

// Only a row or a column is spread over fragments.
#l = #layout.distributed<register (0,0), lane (0,0) (0,0), warp (0,0)>
func.func @spread(%x: tensor<1x1xf32, #l>) {
  // expected-error@+1 {{expected a row or a column, distributed over threads or in fragments, for a result in fragments, found}}
  %y = tile.broadcast %x : tensor<1x1xf32, #l> -> tensor<8x8xf32, #layout.fragments<8x8xf32, warps [1, 1]>>
  return
}

// -----

func.func @instruction(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error@+1 {{expected 'simt.instruction' as a #simt.instruction on a tile.dot only, found "16x16.f16"}}
  %d = tile.dot %a, %a, %c {simt.instruction = "16x16.f16"} : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return
}

// -----

// expected-error@+1 {{expected registers, shared, either or fragment, found 'memory'}}
#i = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 memory>, b <f16 fragment>, c <f32 fragment>>

// -----

// expected-error@+1 {{expected all of A, B and C in fragments, or none}}
#i = #simt.instruction<"8x8x8.f16.f32", 8x8x8, a <f16 shared>, b <f16 fragment>, c <f32 fragment>>

// -----

// expected-error@+1 {{expected a layout of B if it can be in registers, and only then}}
#i = #simt.instruction<"mma", 16x8x16, a <f16 shared>, b <f16 registers>, c <f32 shared>>

// -----

// expected-error@+1 {{expected a layout of 16x8 for C, found}}
#i = #simt.instruction<"mma", 16x8x16, a <f16 shared>, b <f16 shared>,
                       c <f32 registers <register (0,1), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>>

// -----

// expected-error@+1 {{found unknown key 'lanes' in 'simt.target'}}
module attributes {simt.target = {lanes = 8 : i64}} {}

// -----

// expected-error@+1 {{found true for 'warp_size' of 'simt.target', which is of another kind}}
module attributes {simt.target = {warp_size = true}} {}

// -----

// expected-error@+1 {{expected 'warp_size' of 'simt.target' to be a power of two, found 12}}
module attributes {simt.target = {warp_size = 12 : i64}} {}

// -----

// expected-error@+1 {{expected 'vector_atomics' of 'simt.target' to end in a power of two, as 'fadd.f32x4', found 'fadd.f32x3'}}
module attributes {simt.target = {vector_atomics = ["fadd.f16x2", "fadd.f32x3"]}} {}

// -----

// expected-error@+1 {{expected 'simt.target' as a dictionary on a module only, found}}
func.func private @f() attributes {simt.target = {}}
