// Every verifier message of the dialect.
// RUN: tegula-opt --verify-diagnostics --split-input-file --allow-unregistered-dialect %s

// --- types ---
// expected-error@+1 {{expected a scalar or !tile.ptr as pointee, found 'index'}}
func.func private @f(!tile.ptr<index>)

// -----

// expected-error@+1 {{expected integer or float elements in a descriptor, found 'index'}}
func.func private @f(!tile.desc<64xindex>)

// -----

// expected-error@+1 {{expected a block of rank 1 to 5, found rank 6}}
func.func private @f(!tile.desc<2x2x2x2x2x2xf32>)

// -----

// expected-error@+1 {{expected a block with power-of-two extents and at most 1048576 elements, found 'tensor<3xf32>'}}
func.func private @f(!tile.desc<3xf32>)

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{result #0 must be tensor of integers, floats or pointers with power-of-two extents and at most 1048576 elements, but got 'tensor<3xf32>'}}
  tile.splat %x : f32 -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{with power-of-two extents and at most 1048576 elements, but got 'tensor<2048x1024xf32>'}}
  tile.splat %x : f32 -> tensor<2048x1024xf32>
  return
}

// -----

func.func @f(%x: tensor<4xindex>) {
  // expected-error@+1 {{operand #0 must be tensor of integers, floats or pointers}}
  tile.broadcast %x : tensor<4xindex> -> tensor<4xindex>
  return
}

// -----

// --- attributes of the dialect ---
// expected-error@+1 {{expected a kernel without results, found 1}}
func.func private @f() -> i32 attributes {tile.kernel}

// -----

// expected-error@+1 {{expected 'tile.kernel' to be a unit attribute, found 1 : i32}}
func.func private @f() attributes {tile.kernel = 1 : i32}

// -----

// expected-error@+1 {{expected 'tile.kernel' on a func.func only}}
module attributes {tile.kernel} {}

// -----

// expected-error@+1 {{expected 'tile.num_warps' to be a positive i32, found 0 : i32}}
module attributes {tile.num_warps = 0 : i32} {}

// -----

// expected-error@+1 {{expected 'tile.num_stages' to be a positive i32, found 1 : i64}}
module attributes {tile.num_stages = 1 : i64} {}

// -----

// expected-error@+1 {{expected 'tile.num_warps' on a module only}}
func.func private @f() attributes {tile.num_warps = 4 : i32}

// -----

// expected-error@+1 {{expected 'tile.num_stages' on a module or an scf.for only}}
func.func private @f() attributes {tile.num_stages = 4 : i32}

// -----

// expected-error@+1 {{expected 'tile.loop_unroll_factor' on an scf.for only}}
module attributes {tile.loop_unroll_factor = 4 : i32} {}

// -----

// expected-error@+1 {{expected 'tile.flatten' on an scf.for only}}
func.func private @f() attributes {tile.flatten}

// -----

func.func @f(%i: i32) {
  // expected-error@+1 {{expected 'tile.flatten' to be a unit attribute, found true}}
  scf.for %k = %i to %i step %i : i32 {
  } {tile.flatten = true}
  return
}

// -----

func.func private @f(%d: !tile.desc<8x8xf16>, %i: i32) {
  // expected-error@+1 {{found 'tile.copied', which only a load or store of a block through a descriptor has}}
  %x = arith.addi %i, %i {tile.copied} : i32
  return
}

// -----

func.func private @f_rounded(%d: !tile.desc<8x8xf16>, %i: i32) {
  // expected-error@+1 {{found 'tile.rounded', which only a quotient, product, sum or difference of floats has}}
  %x = arith.addi %i, %i {tile.rounded} : i32
  return
}

// -----

// expected-error@+1 {{found unknown attribute 'tile.nonsense' of dialect tile}}
func.func private @f() attributes {tile.nonsense}

// -----

// expected-error@+1 {{expected 'tile.name' of argument 0 to be a string, found 3 : i32}}
func.func private @f(i32 {tile.name = 3 : i32})

// -----

// expected-error@+1 {{expected 'tile.equals' of argument 0 to be an i64, found 1 : i32}}
func.func private @f(i32 {tile.equals = 1 : i32})

// -----

// expected-error@+1 {{expected 'tile.equals' on integer arguments only, found argument 0 of type 'f32'}}
func.func private @f(f32 {tile.equals = 1 : i64})

// -----

// expected-error@+1 {{expected 'tile.nonnegative' of argument 0 to be a unit attribute, found 1 : i32}}
func.func private @f(i32 {tile.nonnegative = 1 : i32})

// -----

// expected-error@+1 {{expected 'tile.nonnegative' on integer arguments only, found argument 0 of type 'f32'}}
func.func private @f(f32 {tile.nonnegative})

// -----

// expected-error@+1 {{expected 'tile.divisibility' of argument 1 to be a power of two as i64, found 12 : i64}}
func.func private @f(i32, i32 {tile.divisibility = 12 : i64})

// -----

// expected-error@+1 {{found unknown attribute 'tile.nonsense' of dialect tile on argument 0}}
func.func private @f(i32 {tile.nonsense})

// -----

// --- shapes ---
func.func @f() {
  // expected-error@+1 {{attribute 'axis' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative whose maximum value is 2}}
  tile.program_id 3
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected end - start to be a power of two up to 1048576, found 48 - 0 = 48}}
  tile.make_range 0 to 48
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{expected result elements of type 'f32', found 'i32'}}
  tile.splat %x : f32 -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected an axis below 2, found 2}}
  tile.expand_dims %x axis 2 : tensor<4xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{invalid kind of type specified}}
  tile.expand_dims %x axis 0 : f32
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<1x4xf32>' are incompatible with return type(s) of operation 'tensor<4x1xf32>'}}
  "tile.expand_dims"(%x) {axis = 0 : i32} : (tensor<4xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @f(%x: tensor<4x1xf32>) {
  // expected-error@+1 {{expected result elements of type 'f32', found 'i32'}}
  tile.broadcast %x : tensor<4x1xf32> -> tensor<4x4xi32>
  return
}

// -----

func.func @f(%x: tensor<4x1xf32>) {
  // expected-error@+1 {{expected a result of rank 2, found 'tensor<4xf32>'}}
  tile.broadcast %x : tensor<4x1xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{expected extent 2 at axis 1 of the result, found 8}}
  tile.broadcast %x : tensor<4x2xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a result of 8 elements, found 16}}
  tile.reshape %x : tensor<4x2xf32> -> tensor<16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{expected result elements of type 'f32', found 'i32'}}
  tile.reshape %x : tensor<4x2xf32> -> tensor<8xi32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{expected an order of 2 axes, found 1}}
  tile.trans %x order [0] : tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{expected order to be a permutation of the axes 0 to 1, found axis 1 twice}}
  tile.trans %x order [1, 1] : tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{expected order to be a permutation of the axes 0 to 1, found axis 2}}
  tile.trans %x order [2, 0] : tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{expected operands of one type, found 'tensor<4xf32>' and 'tensor<4xi32>'}}
  "tile.join"(%x, %y) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a last axis of extent 2, found 'tensor<4xf32>'}}
  tile.split %x : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{expected operands of one type, found 'tensor<4xf32>' and 'tensor<8xf32>'}}
  "tile.cat"(%x, %y) : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{expected operands of rank 1, found rank 2}}
  tile.cat %x, %x : tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error@+1 {{expected the first operand to be a tensor with power-of-two extents and at most 1048576 elements, found 'tensor<?xf32>'}}
  tile.cat %x, %x : tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<4611686018427387904xf32>) {
  // expected-error@+1 {{expected the first operand to be a tensor with power-of-two extents}}
  tile.cat %x, %x : tensor<4611686018427387904xf32>
  return
}

// -----

// --- memory ---
func.func @f(%p: tensor<4x!tile.ptr<f32>>, %o: i32) {
  // expected-error@+1 {{expected an offset of type 'tensor<4xi32>', found 'i32'}}
  tile.addptr %p, %o : tensor<4x!tile.ptr<f32>>, i32
  return
}

// -----

func.func @f(%p: !tile.ptr<f32>) {
  // expected-error@+1 {{expected a result of type 'i64', found 'i32'}}
  tile.ptr_to_int %p : !tile.ptr<f32> -> i32
  return
}

// -----

func.func @f(%p: i32) {
  // expected-error@+1 {{expected an address of type 'i64', found 'i32'}}
  tile.int_to_ptr %p : i32 -> !tile.ptr<f32>
  return
}

// -----

func.func @f(%p: i64) {
  // expected-error@+1 {{expected a result with the shape of 'i64', found 'tensor<4x!tile.ptr<f32>>'}}
  tile.int_to_ptr %p : i64 -> tensor<4x!tile.ptr<f32>>
  return
}

// -----

func.func @f(%p: tensor<4x!tile.ptr<f32>>) {
  // expected-error@+1 {{expected a result with the shape of 'tensor<4x!tile.ptr<f32>>', found 'tensor<8x!tile.ptr<f32>>'}}
  tile.ptr_cast %p : tensor<4x!tile.ptr<f32>> -> tensor<8x!tile.ptr<f32>>
  return
}

// -----

func.func @f(%p: tensor<4xf32>) {
  // expected-error@+1 {{expected !tile.ptr or a tensor of it, found 'tensor<4xf32>'}}
  tile.load %p : tensor<4xf32>
  return
}

// -----

func.func @f(%p: !tile.ptr<f16>, %s: i64) {
  // expected-error@+1 {{expected a matrix of 'f16', found 'tensor<16x8xf32>'}}
  tile.load_strided %p stride %s : !tile.ptr<f16> -> tensor<16x8xf32>
  return
}

// -----

func.func @f(%p: tensor<4x!tile.ptr<f32>>, %m: tensor<8xi1>) {
  // expected-error@+1 {{expected a mask of type 'tensor<4xi1>', found 'tensor<8xi1>'}}
  "tile.load"(%p, %m) {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<4x!tile.ptr<f32>>, tensor<8xi1>)
      -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<4x!tile.ptr<f32>>, %m: tensor<4xi1>, %o: f32) {
  // expected-error@+1 {{expected 'other' of type 'tensor<4xf32>', found 'f32'}}
  "tile.load"(%p, %m, %o) {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<4x!tile.ptr<f32>>, tensor<4xi1>, f32)
      -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: tensor<4x!tile.ptr<f32>>, %o: tensor<4xf32>) {
  // expected-error@+1 {{expected a mask with 'other', found none}}
  tile.load %p other %o : tensor<4x!tile.ptr<f32>>
  return
}

// -----

func.func @f(%p: tensor<4x!tile.ptr<f32>>, %v: tensor<4xf16>) {
  // expected-error@+1 {{expected a value of type 'tensor<4xf32>', found 'tensor<4xf16>'}}
  "tile.store"(%p, %v) : (tensor<4x!tile.ptr<f32>>, tensor<4xf16>) -> ()
  return
}

// -----

func.func @f(%p: !tile.ptr<f32>, %v: f32, %m: tensor<4xi1>) {
  // expected-error@+1 {{expected a mask of type 'i1', found 'tensor<4xi1>'}}
  "tile.store"(%p, %v, %m) : (!tile.ptr<f32>, f32, tensor<4xi1>) -> ()
  return
}

// -----

func.func @f(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error@+1 {{expected integer elements for 'add', found 'f32'}}
  tile.atomic_rmw add relaxed device %p, %v : !tile.ptr<f32>
  return
}

// -----

func.func @f(%p: !tile.ptr<i32>, %v: i32) {
  // expected-error@+1 {{expected float elements for 'fmax', found 'i32'}}
  tile.atomic_rmw fmax relaxed device %p, %v : !tile.ptr<i32>
  return
}

// -----

func.func @f(%p: !tile.ptr<i32>, %v: i64, %o: i32) {
  // expected-error@+1 {{expected a compared value of type 'i32', found 'i64'}}
  "tile.atomic_cas"(%p, %v, %o) {order = 0 : i32, scope = 1 : i32} : (!tile.ptr<i32>, i64, i32) -> i32
  return
}

// -----

func.func @f(%p: !tile.ptr<i32>, %v: i64, %o: i32) {
  // expected-error@+1 {{expected a value of type 'i32', found 'i64'}}
  "tile.atomic_cas"(%p, %o, %v) {order = 0 : i32, scope = 1 : i32} : (!tile.ptr<i32>, i32, i64) -> i32
  return
}

// -----

// --- descriptors ---
func.func @f(%p: !tile.ptr<f32>, %m: i32, %s: i64) {
  // expected-error@+1 {{expected a base of type '!tile.ptr<f16>', found '!tile.ptr<f32>'}}
  tile.make_desc %p, [%m], [%s] : !tile.ptr<f32> -> !tile.desc<8xf16>
  return
}

// -----

func.func @f(%p: !tile.ptr<f32>, %m: i32, %s: i64) {
  // expected-error@+1 {{expected 2 extents and strides for '!tile.desc<8x8xf32>', found 2 and 1}}
  tile.make_desc %p, [%m, %m], [%s] : !tile.ptr<f32> -> !tile.desc<8x8xf32>
  return
}

// -----

func.func @f(%p: !tile.ptr<i32>, %m: i32, %s: i64) {
  // expected-error@+1 {{expected float elements with padding nan, found 'i32'}}
  tile.make_desc %p, [%m], [%s] padding(nan) : !tile.ptr<i32> -> !tile.desc<8xi32>
  return
}

// -----

func.func @f(%d: !tile.desc<8x8xf32>) {
  // expected-error@+1 {{expected an axis below 2 of '!tile.desc<8x8xf32>', found 2}}
  tile.desc_extent %d axis 2 : !tile.desc<8x8xf32>
  return
}

// -----

func.func @f(%d: !tile.desc<8x8xf32>) {
  // expected-error@+1 {{expected an axis below 2 of '!tile.desc<8x8xf32>', found 3}}
  tile.desc_stride %d axis 3 : !tile.desc<8x8xf32>
  return
}

// -----

func.func @f(%d: !tile.desc<8x8xf32>, %m: i32) {
  // expected-error@+1 {{expected 2 offsets for '!tile.desc<8x8xf32>', found 1}}
  tile.desc_load %d[%m] : !tile.desc<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%d: !tile.desc<2x8xf32>, %m: i32) {
  // expected-error@+1 {{expected a result of type 'tensor<2x8xf32>' (leading unit axes may be dropped), found 'tensor<8xf32>'}}
  tile.desc_load %d[%m, %m] : !tile.desc<2x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%d: !tile.desc<8xf32>, %m: i32, %v: tensor<8xf16>) {
  // expected-error@+1 {{expected a value of type 'tensor<8xf32>' (leading unit axes may be dropped), found 'tensor<8xf16>'}}
  tile.desc_store %d[%m], %v : !tile.desc<8xf32>, tensor<8xf16>
  return
}

// -----

func.func @f(%d: !tile.desc<8x8xf32>, %m: i32, %r: tensor<4xi32>) {
  // expected-error@+1 {{expected a descriptor with a block of 1xC, found '!tile.desc<8x8xf32>'}}
  tile.desc_gather %d[%r, %m] : !tile.desc<8x8xf32>, tensor<4xi32>
  return
}

// -----

func.func @f(%d: !tile.desc<1x8xf32>, %m: i32, %r: tensor<4x2xi32>) {
  // expected-error@+1 {{expected rows to be a rank-1 tensor of i32, found 'tensor<4x2xi32>'}}
  tile.desc_gather %d[%r, %m] : !tile.desc<1x8xf32>, tensor<4x2xi32>
  return
}

// -----

func.func @f(%d: !tile.desc<1x8xf32>, %m: i32, %r: tensor<4xi32>, %v: tensor<8x8xf32>) {
  // expected-error@+1 {{expected a value of type 'tensor<4x8xf32>', found 'tensor<8x8xf32>'}}
  tile.desc_scatter %d[%r, %m], %v : !tile.desc<1x8xf32>, tensor<4xi32>, tensor<8x8xf32>
  return
}

// -----

func.func @f(%d: !tile.desc<8xf32>, %m: i32, %v: tensor<8xf32>) {
  // expected-error@+1 {{expected integer elements for 'add', found 'f32'}}
  tile.desc_atomic add %d[%m], %v : !tile.desc<8xf32>, tensor<8xf32>
  return
}

// -----

// --- compute ---
func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected operands of rank 2 or 3, found 'tensor<4xf32>'}}
  tile.dot %a, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expected operands of rank 2, found 'tensor<4xf32>' and 'tensor<4x4xf32>'}}
  tile.dot %a, %b, %a : tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf16>) {
  // expected-error@+1 {{expected elements of b to be 'f32' as those of a, found 'f16'}}
  tile.dot %a, %b, %a : tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x4xi8>) {
  // expected-error@+1 {{expected elements of c to be i32, found 'i8'}}
  tile.dot %a, %a, %a : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xi8>
  return
}

// -----

func.func @f(%a: tensor<4x4xi32>) {
  // expected-error@+1 {{expected elements of a to be float or i8, found 'i32'}}
  tile.dot %a, %a, %a : tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>
  return
}

// -----

func.func @f(%a: tensor<4x4xf16>, %c: tensor<4x4xi32>) {
  // expected-error@+1 {{expected elements of c to be f16, bf16, f32 or f64, found 'i32'}}
  tile.dot %a, %a, %c : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xi32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf16>, %c: tensor<4x4xf32>) {
  // expected-error@+1 {{expected b of type 'tensor<8x8xf16>', found 'tensor<4x8xf16>'}}
  tile.dot %a, %a, %c : tensor<4x8xf16>, tensor<4x8xf16>, tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x4x8xf16>, %b: tensor<2x8x4xf16>, %c: tensor<1x4x4xf32>) {
  // expected-error@+1 {{expected c of type 'tensor<2x4x4xf32>', found 'tensor<1x4x4xf32>'}}
  tile.dot %a, %b, %c : tensor<2x4x8xf16>, tensor<2x8x4xf16>, tensor<1x4x4xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{expected at least one operand, found none}}
  "tile.reduce"() ({
  ^bb0:
    tile.yield
  }) {axis = 0 : i32} : () -> ()
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{expected operand #1 to have the shape of 'tensor<4xf32>', found 'tensor<8xf32>'}}
  tile.reduce(%a, %b) axis 0 : (tensor<4xf32>, tensor<8xf32>) -> (f32, f32) {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
    tile.yield %x, %y : f32, f32
  }
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{expected an axis below 1, found 1}}
  tile.reduce(%a) axis 1 : (tensor<4xf32>) -> f32 {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a region with arguments ('f32', 'f32'), found ('f32')}}
  tile.reduce(%a) axis 0 : (tensor<4xf32>) -> f32 {
  ^bb0(%x: f32):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a region that yields ('f32'), found ()}}
  tile.scan(%a) axis 0 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: f32, %y: f32):
    tile.yield
  }
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a region that ends in tile.yield, found another terminator or none}}
  tile.scan(%a) axis 0 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: f32, %y: f32):
    "test.end"() : () -> ()
  }
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: f32) {
  // expected-note@+1 {{required by region isolation constraints}}
  tile.scan(%a) axis 0 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: f32, %y: f32):
    // expected-error@+1 {{using value defined outside the region}}
    %s = arith.addf %x, %b : f32
    tile.yield %s : f32
  }
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected result #0 to have the shape of 'tensor<4xf32>', found 'tensor<8xf32>'}}
  tile.map_elementwise(%a) : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%x: f32):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error@+1 {{expects parent op to be one of 'tile.reduce, tile.scan, tile.map_elementwise'}}
  tile.yield %a : f32
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4x4xi32>) {
  // expected-error@+1 {{expected indices of rank 1, found 'tensor<4x4xi32>'}}
  tile.gather %x[%i] axis 0 : tensor<4xf32>, tensor<4x4xi32>
  return
}

// -----

func.func @f(%x: tensor<4x4xf32>, %i: tensor<4x8xi32>) {
  // expected-error@+1 {{expected extent 4 at axis 1 of the indices, found 8}}
  tile.gather %x[%i] axis 0 : tensor<4x4xf32>, tensor<4x8xi32>
  return
}

// -----

func.func @f(%x: tensor<4x4xi32>) {
  // expected-error@+1 {{expected operand and result of rank 1, found 'tensor<4x4xi32>' and 'tensor<8xi32>'}}
  tile.histogram %x : tensor<4x4xi32> -> tensor<8xi32>
  return
}

// -----

func.func @f(%x: tensor<4xi32>, %m: tensor<8xi1>) {
  // expected-error@+1 {{expected a mask of type 'tensor<4xi1>', found 'tensor<8xi1>'}}
  "tile.histogram"(%x, %m) : (tensor<4xi32>, tensor<8xi1>) -> tensor<8xi32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a result of type 'tensor<4xf16>', found 'tensor<8xf16>'}}
  tile.fp_cast %x : tensor<4xf32> -> tensor<8xf16>
  return
}

// -----

func.func @f(%x: vector<4xf32>) {
  // expected-error@+1 {{expected a result of type 'vector<4xf16>', found 'vector<8xf16>'}}
  tile.fp_cast %x : vector<4xf32> -> vector<8xf16>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error@+1 {{operand #0 must be float, or a tensor or vector of it}}
  tile.fp_cast %x : tensor<4xi32> -> tensor<4xf16>
  return
}

// -----

// --- effects ---
func.func @f(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected 1 entries of 'is_signed', one for each value, found 0}}
  tile.print "x" (%x) : tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error@+1 {{operand #0 must be i1, or a tensor of it}}
  tile.assert %x, "no" : tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4x4xi32>) {
  // expected-error@+1 {{expected 2 entries of 'divisibility', found 1}}
  tile.hint %x divisibility [16] : tensor<4x4xi32>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error@+1 {{expected powers of two in 'constancy', found 3}}
  tile.hint %x constancy [3] : tensor<4xi32>
  return
}

// -----

func.func @function_arguments(%x: f32) {
  // expected-error @+1 {{'tile.function' op expected 2 arguments of hypot, found 1}}
  tile.function hypot(%x) : f32
  return
}

// -----

// expected-error @+1 {{expected 'tile.conditions' on a kernel only}}
func.func private @conditions(%n: i32) attributes {tile.conditions = []}

// -----

// expected-error @+1 {{expected 'tile.conditions' to be expressions of integer arguments}}
func.func private @conditions(%x: f32) attributes {tile.kernel, tile.conditions = [array<i64: 1, 0, 0, 0>]}

// -----

// A sum of itself.
// expected-error @+1 {{expected 'tile.conditions' to be expressions of integer arguments}}
func.func private @conditions(%n: i32) attributes {tile.kernel, tile.conditions = [array<i64: 3, 0, 0, 0>]}

// -----

// expected-error @+1 {{expected 'tile.apart' on a kernel only}}
func.func private @apart(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.apart = [array<i64: 0, 1>]}

// -----

// expected-error @+1 {{expected 'tile.apart' to be pairs of pointers or descriptors}}
func.func private @apart(%x: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.apart = [array<i64: 0, 1>]}

// -----

// expected-error @+1 {{expected 'tile.apart' to be pairs of pointers or descriptors}}
func.func private @apart(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>)
    attributes {tile.kernel, tile.apart = [array<i64: 1, 1>]}

// -----

// expected-error @+1 {{expected 'tile.conditions' beside 'tile.tensor' of argument 1}}
func.func private @tensor(%x: !tile.ptr<f16>, %d: !tile.desc<64xf16> {tile.tensor = {pointer = 0 : i64,
    axes = [{extent = array<i64: 64>, stride = array<i64: 1>}]}}) attributes {tile.kernel}

// -----

// expected-error @+1 {{expected 'tile.tensor' of argument 1 to have a pointer and an axis for each of the block's}}
func.func private @tensor(%x: !tile.ptr<f16>, %d: !tile.desc<64xf16> {tile.tensor = {pointer = 0 : i64, positive = [],
    axes = [{extent = array<i64: 64>, stride = array<i64: 1>}]}}) attributes {tile.kernel, tile.conditions = []}

// -----

// --- splits of the depth ---
// expected-error@+1 {{expected 'tile.depth_splits' as an i32 above 1 on a kernel only, found 1 : i32}}
func.func @f() attributes {tile.depth_splits = 1 : i32, tile.kernel} {
  return
}

// -----

// expected-error@+1 {{expected 'tile.grid_factor' as an i32 above 1 on a kernel only, found 2 : i32}}
func.func @f() attributes {tile.grid_factor = 2 : i32} {
  return
}

// -----

// expected-error@+1 {{expected 'tile.workspace' of argument 0 to be a positive i64, and the argument a pointer, found 8 : i64}}
func.func @f(%x: i32 {tile.workspace = 8 : i64}) attributes {tile.kernel} {
  return
}

// -----

// expected-error@+1 {{expected 'tile.workspace' of argument 0 to be a positive i64, and the argument a pointer, found 0 : i64}}
func.func @f(%x: !tile.ptr<i32> {tile.workspace = 0 : i64}) attributes {tile.kernel} {
  return
}

// -----

// expected-error@+1 {{expected 'tile.zeroed' of argument 0 to be a unit attribute beside 'tile.workspace', found unit}}
func.func @f(%x: !tile.ptr<i32> {tile.zeroed}) attributes {tile.kernel} {
  return
}
