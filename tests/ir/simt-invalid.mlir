// Every verifier message of the simt level.
// RUN: tegula-opt --verify-diagnostics --split-input-file --allow-unregistered-dialect %s

// --- layouts ---
// expected-error@+1 {{expected at least one basis, found none}}
func.func private @f(!simt.shared<8xf32, #layout.shared<>>)

// -----

// expected-error@+1 {{expected a coordinate of 2 numbers, found 1}}
func.func private @f(tensor<8x8xf32, #layout.distributed<lane (0,1) (2)>>)

// -----

// expected-error@+1 {{expected register, lane, warp or block, found 'thread'}}
func.func private @f(tensor<8xf32, #layout.distributed<thread (1)>>)

// -----

// expected-error@+1 {{expected coordinates from 0 to 2147483648, found -1}}
func.func private @f(tensor<8xf32, #layout.distributed<lane (-1)>>)

// -----

// expected-error@+1 {{expected positive padding every power of two of elements, found pad 2 every 3}}
func.func private @f(!simt.shared<2xf32, #layout.shared<(1), pad 2 every 3>>)

// -----

// expected-error@+1 {{expected positive padding every power of two of elements, found pad 0 every 2}}
func.func private @f(!simt.shared<2xf32, #layout.shared<(1), pad 0 every 2>>)

// -----

// expected-error@+2 {{expected at most 24 bases, found 25}}
func.func private @f(!simt.shared<2xf32,
    #layout.shared<(1) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0) (0)
                   (0)>>)

// -----

// --- types ---
// expected-error@+1 {{expected integers or floats in shared memory, found 'index'}}
func.func private @f(!simt.shared<8xindex>)

// -----

// expected-error@+1 {{expected at least one dimension, found none}}
func.func private @f(!simt.shared<f32>)

// -----

// expected-error@+1 {{expected at most 16777216 elements, found extents that exceed it}}
func.func private @f(!simt.shared<8192x8192xf32>)

// -----

// expected-error@+1 {{expected a layout of rank 2, or one less where the first dimension counts stages, found rank 3}}
func.func private @f(!simt.shared<2x2xf32, #layout.shared<(0,0,1)>>)

// -----

// expected-error@+1 {{expected a layout of the extents 4, found one of 8}}
func.func private @f(!simt.shared<4xf32, #layout.shared<(1) (2) (4)>>)

// -----

// expected-error@+1 {{expected 1 to 1024 barrier objects, found 0}}
func.func private @f(!simt.barriers<0>)

// -----

// expected-error@+1 {{expected rows, columns, elements and one of a, b, acc}}
func.func private @f(!simt.fragment<16x16xf16, c>)

// -----

// expected-error@+1 {{expected 1 to 256 rows and columns, found 512 and 16}}
func.func private @f(!simt.fragment<512x16xf16, a>)

// -----

// expected-error@+1 {{expected integers or floats in a fragment, found 'index'}}
func.func private @f(!simt.fragment<16x16xindex, a>)

// -----

// --- attributes of the dialect ---
// expected-error@+1 {{expected 'simt.warps' to be a positive i32, found 0 : i32}}
func.func private @f() attributes {simt.warps = 0 : i32, simt.warp_size = 32 : i32}

// -----

// expected-error@+1 {{expected 'simt.warp_size' to be a power of two, found 24 : i32}}
func.func private @f() attributes {simt.warps = 1 : i32, simt.warp_size = 24 : i32}

// -----

// expected-error@+1 {{expected 'simt.warps' beside 'simt.warp_size'}}
func.func private @f() attributes {simt.warp_size = 32 : i32}

// -----

// expected-error@+1 {{expected 'simt.warp_size' beside 'simt.warps'}}
func.func private @f() attributes {simt.warps = 1 : i32}

// -----

// expected-error@+1 {{expected a kernel without results, found 1}}
func.func private @f() -> i32 attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32}

// -----

func.func @f() {
  // expected-error@+1 {{expected 'simt.warps' on a func.func only}}
  "test.op"() {simt.warps = 1 : i32} : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected 'simt.uniform' on an scf.if, scf.for or scf.while only}}
  "test.op"() {simt.uniform} : () -> ()
  return
}

// -----

func.func @f(%p: i1) {
  // expected-error@+1 {{expected 'simt.uniform' to be a unit attribute or a positive number of warps as i32, found 0 : i32}}
  scf.if %p {
  } {simt.uniform = 0 : i32}
  return
}

// -----

func.func @f(%p: i1) {
  // expected-error@+1 {{expected 'simt.divergent' to be a unit attribute, found 1 : i32}}
  scf.if %p {
  } {simt.divergent = 1 : i32}
  return
}

// -----

// expected-error@+1 {{found unknown attribute 'simt.speed' of dialect simt}}
func.func private @f() attributes {simt.speed = 1 : i32}

// -----

// --- kernels ---
// expected-error@+1 {{expected a body of one block: control flow is structured}}
func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  cf.br ^bb1
  ^bb1:
  return
}

// -----

func.func @f(%p: i1) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected one of 'simt.uniform' and 'simt.divergent', found both}}
  scf.if %p {
  } {simt.uniform, simt.divergent}
  return
}

// -----

func.func @f(%p: i1) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected 'simt.uniform' or 'simt.divergent' to say whether threads may part here}}
  scf.if %p {
  }
  return
}

// -----

func.func @f(%p: i1) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-note@+1 {{this is the branch or loop}}
  scf.if %p {
    // expected-error@+1 {{expected all 8 warps of the region to be here together, found it in a branch or loop that threads of a warp part at}}
    simt.barrier
  } {simt.divergent}
  return
}

// -----

func.func @f(%p: i1) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-note@+1 {{this is the branch or loop}}
  scf.if %p {
    // expected-error@+1 {{expected all 8 warps of the region to be here together, found it in a branch or loop that only 4 warps agree on}}
    simt.barrier
  } {simt.uniform = 4 : i32}
  return
}

// -----

func.func @f(%p: i1) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-note@+1 {{this is the branch or loop}}
  scf.if %p {
    // expected-error@+1 {{expected 4 warps to be here together, found it in a branch or loop that only 2 warps agree on}}
    simt.barrier warps 4
  } {simt.uniform = 2 : i32}
  return
}

// -----

func.func @f(%p: i1, %x: f32, %n: i32) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-note@+1 {{this is the branch or loop}}
  scf.if %p {
    // expected-error@+1 {{expected all lanes of a warp to be here together, found it in a branch or loop that threads of a warp part at}}
    %y = simt.shuffle xor %x, %n : f32
  } {simt.divergent}
  return
}

// -----

func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected a region of a multiple of 3 warps, found 8}}
  simt.barrier warps 3
  return
}

// -----

func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected a region of a multiple of 16 warps, found 8}}
  simt.barrier warps 16
  return
}

// -----

func.func @f(%p: i1) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  scf.if %p {
    // expected-error@+1 {{expected to stand at the top of a kernel, found it inside another op}}
    %s = simt.shared_alloc at 0 : !simt.shared<8xf32>
  } {simt.uniform}
  return
}

// -----

func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  simt.warp_groups()
  group warps 8 () {
    // expected-error@+1 {{expected to stand at the top of a kernel, found it inside another op}}
    %s = simt.shared_alloc : !simt.shared<8xf32>
  }
  return
}

// -----

func.func @f(%p: i1) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  scf.if %p {
    // expected-error@+1 {{expected to stand at the top of a kernel, found it inside another op}}
    simt.warp_groups()
    group warps 8 () {
    }
  } {simt.uniform}
  return
}

// -----

func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected groups of 8 warps together, as the kernel has, found 5}}
  simt.warp_groups()
  group warps 4 () {
  }
  group warps 1 () {
  }
  return
}

// -----

func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  simt.warp_groups()
  group warps 8 () {
  }
  // expected-error@+1 {{expected one simt.warp_groups or simt.producer in a kernel, found a second}}
  simt.warp_groups()
  group warps 8 () {
  }
  return
}

// -----

func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  simt.producer()
  group warps 4 registers 40 () {
  }
  // expected-error@+1 {{expected one simt.warp_groups or simt.producer in a kernel, found a second}}
  simt.producer()
  group warps 4 registers 40 () {
  }
  return
}

// -----

func.func @f(%p: i1) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  scf.if %p {
    // expected-error@+1 {{expected to stand in the kernel's body, found it inside another op}}
    simt.producer()
    group warps 4 registers 40 () {
    }
  } {simt.uniform}
  return
}

// -----

func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected the registers to be a multiple of 8 from 24 to 256, found 42}}
  simt.producer()
  group warps 4 registers 42 () {
  }
  return
}

// -----

func.func @f(%n: i32) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected the arguments of the region to have the types of the operands}}
  simt.producer(%n) : i32
  group warps 4 registers 40 (%m: i64) {
  }
  return
}

// -----

func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  simt.producer()
  group warps 4 registers 40 () {
    // expected-error@+1 {{expected several threads to execute this together, found it in a simt.producer, whose region one thread executes}}
    simt.barrier
  }
  return
}

// -----

func.func private @g()
func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected no calls in a simt kernel: inline them}}
  call @g() : () -> ()
  return
}

// -----

func.func @f(%c: vector<4xf32>) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64x16xf16>
  %b = simt.shared_alloc : !simt.shared<16x8xf16>
  // expected-note@+1 {{the product was started here}}
  %r = simt.matmul_async %a, %b, %c instruction "wgmma.m64n8k16.f32.f16"
      : !simt.shared<64x16xf16>, !simt.shared<16x8xf16>, vector<4xf32>
  // expected-error@+1 {{expected a finished accumulator, found one in flight; put a simt.matmul_wait before it}}
  %s = arith.addf %r, %r : vector<4xf32>
  return
}

// -----

func.func @f(%c: vector<4xf32>, %i: i32) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64x16xf16>
  %b = simt.shared_alloc : !simt.shared<16x8xf16>
  %q = scf.for %j = %i to %i step %i iter_args(%v = %c) -> (vector<4xf32>) : i32 {
    // expected-note@+1 {{the product was started here}}
    %r = simt.matmul_async %a, %b, %v instruction "wgmma.m64n8k16.f32.f16"
        : !simt.shared<64x16xf16>, !simt.shared<16x8xf16>, vector<4xf32>
    scf.yield %r : vector<4xf32>
  } {simt.uniform}
  // expected-error@+1 {{expected a finished accumulator, found one in flight; put a simt.matmul_wait before it}}
  %s = arith.negf %q : vector<4xf32>
  return
}

// -----

// --- threads and register tiles ---
func.func @f(%x: f32) {
  // expected-error@+1 {{expected a result with elements of type 'f32', found 'vector<4xf16>'}}
  %v = simt.splat %x : f32 -> vector<4xf16>
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{expected register numbers below 4, found 4}}
  %x = simt.pick %v [4] : vector<4xf32> -> f32
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{expected a number or a vector as result, found 'index'}}
  %x = simt.pick %v [3] : vector<4xf32> -> index
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{expected a result of 2 elements, found 'f32'}}
  %x = simt.pick %v [0, 3] : vector<4xf32> -> f32
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{expected a result with elements of type 'f32', found 'f16'}}
  %x = simt.pick %v [0] : vector<4xf32> -> f16
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{expected a slice within the 4 registers, found it to end at 5}}
  %x = simt.slice %v from 3 : vector<4xf32> -> vector<2xf32>
  return
}

// -----

func.func @f(%v: index) {
  // expected-error@+1 {{expected numbers and vectors as parts, found 'index'}}
  %x = simt.concat %v : index -> vector<1xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %y: f32) {
  // expected-error@+1 {{expected a result of 5 elements, as the parts have together, found 'vector<6xf32>'}}
  %x = simt.concat %v, %y : vector<4xf32>, f32 -> vector<6xf32>
  return
}

// -----

func.func @f(%v: vector<4xi32>) {
  // expected-error@+1 {{expected floats of at least 16 bits for 'addf', found 'i32'}}
  %x = simt.reduce_registers addf %v keep 0 : vector<4xi32> -> vector<1xi32>
  return
}

// -----

func.func @f(%v: vector<4xf8E5M2>) {
  // expected-error@+1 {{expected floats of at least 16 bits for 'maxnumf', found 'f8E5M2'}}
  %x = simt.reduce_registers maxnumf %v keep 0 : vector<4xf8E5M2> -> vector<1xf8E5M2>
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{expected integers for 'xori', found 'f32'}}
  %x = simt.reduce_registers xori %v keep 0 : vector<4xf32> -> vector<1xf32>
  return
}

// -----

func.func @f(%v: vector<6xf32>) {
  // expected-error@+1 {{expected a power of two of registers, found 'vector<6xf32>'}}
  %x = simt.reduce_registers addf %v keep 0 : vector<6xf32> -> vector<1xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{expected 'keep' below the 4 registers, found 4}}
  %x = simt.reduce_registers addf %v keep 4 : vector<4xf32> -> vector<2xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{expected a result of 2 registers for keep 1, found 'vector<4xf32>'}}
  %x = simt.reduce_registers addf %v keep 1 : vector<4xf32> -> vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<1xf32>) {
  // expected-error@+1 {{expected a source of 2 registers for keep 2, found 'vector<1xf32>'}}
  %x = simt.spread_registers %v keep 2 : vector<1xf32> -> vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{must be a tensor with a #layout.distributed or #layout.fragments encoding, but got 'vector<4xf32>'}}
  %x = simt.convert_layout %v : vector<4xf32> -> vector<4xf32>
  return
}

// -----

func.func @f(%v: tensor<8xf32, #layout.distributed<lane (1) (2) (4)>>) {
  // expected-error@+1 {{expected a result of the same shape and elements as}}
  %x = simt.convert_layout %v : tensor<8xf32, #layout.distributed<lane (1) (2) (4)>>
      -> tensor<8xf16, #layout.distributed<lane (1) (2) (4)>>
  return
}

// -----

func.func @f(%v: tensor<8xf32, #layout.distributed<lane (1) (2) (4)>>, %n: i32) {
  // expected-error@+1 {{expected a value of one thread, found 'tensor<8xf32}}
  %x = simt.shuffle up %v, %n : tensor<8xf32, #layout.distributed<lane (1) (2) (4)>>
  return
}

// -----

// --- memory ---
func.func @f(%x: !tile.ptr<f32>, %n: i32) {
  // expected-error@+1 {{expected a value with elements of type 'f32', found 'f16'}}
  %v = simt.load %x[%n] : !tile.ptr<f32>, i32 -> f16
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %n: i32, %p: i1, %o: vector<2xf32>) {
  // expected-error@+1 {{expected 'other' of the result's type 'f32', found 'vector<2xf32>'}}
  %v = simt.load %x[%n] mask %p other %o : !tile.ptr<f32>, i32, i1, other vector<2xf32> -> f32
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %n: i32, %o: f32) {
  // expected-error@+1 {{expected a mask beside 'other'}}
  %v = "simt.load"(%x, %n, %o) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (!tile.ptr<f32>, i32, f32) -> f32
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %n: vector<2xi32>) {
  // expected-error@+1 {{expected a power of two of elements for each of the 2 offsets, found 6 elements}}
  %v = simt.load %x[%n] : !tile.ptr<f32>, vector<2xi32> -> vector<6xf32>
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %n: vector<4xi32>, %v: vector<2xf32>) {
  // expected-error@+1 {{expected a power of two of elements for each of the 4 offsets, found 2 elements}}
  simt.store %x[%n], %v : !tile.ptr<f32>, vector<4xi32>, vector<2xf32>
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %n: vector<2xi32>, %p: i1, %v: vector<4xf32>) {
  // expected-error@+1 {{expected a mask of 2 elements, one an offset, found 'i1'}}
  simt.store %x[%n], %v mask %p : !tile.ptr<f32>, vector<2xi32>, vector<4xf32>, i1
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %n: i32, %v: tensor<8xf32, #layout.distributed<lane (1) (2) (4)>>) {
  // expected-error@+1 {{expected offsets and value both of tensors or both of one thread, found 'i32' and}}
  simt.store %x[%n], %v : !tile.ptr<f32>, i32, tensor<8xf32, #layout.distributed<lane (1) (2) (4)>>
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %n: i32, %v: vector<3xf32>) {
  // expected-error@+1 {{expected a power of two of elements for each of the 1 offsets, found 3 elements}}
  %o = simt.atomic_rmw fadd relaxed device %x[%n], %v : !tile.ptr<f32>, i32, vector<3xf32>
  return
}

// -----

func.func @f(%x: !tile.ptr<i32>, %n: i32, %v: vector<2xi32>) {
  // expected-error@+1 {{expected one value an offset, found 2}}
  %o = simt.atomic_cas relaxed device %x[%n], %v, %v : !tile.ptr<i32>, i32, vector<2xi32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected a place that is a multiple of 16 bytes, found 8}}
  %s = simt.shared_alloc at 8 : !simt.shared<8xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<8x8xf32>, %n: i32) {
  // expected-error@+1 {{expected a buffer with stages, found '!simt.shared<8x8xf32>'}}
  %v = simt.stage %s[%n] : !simt.shared<8x8xf32> -> !simt.shared<8xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>, %n: i32) {
  // expected-error@+1 {{expected a result of type '!simt.shared<8xf32}}
  %v = simt.stage %s[%n] : !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>
      -> !simt.shared<8xf16, #layout.shared<(1) (2) (4)>>
  return
}

// -----

func.func @f(%s: !simt.shared<4x4xf32, #layout.shared<(0,1) (0,2) (1,1) (2,2)>>, %n: i32) {
  // expected-error@+1 {{this shape cuts one of its bases}}
  %v = simt.part %s[%n, %n] : !simt.shared<4x4xf32, #layout.shared<(0,1) (0,2) (1,1) (2,2)>> -> !simt.shared<1x4xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<4x4xf32>, %n: i32) {
  // expected-error@+1 {{expected a result of type '!simt.shared<2x4xf32}}
  %v = simt.part %s[%n, %n] : !simt.shared<4x4xf32> -> !simt.shared<2x4xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<4x4xf32>, %n: i32) {
  // expected-error@+1 {{expected a position of 2 numbers, found 1}}
  %v = simt.part %s[%n] : !simt.shared<4x4xf32> -> !simt.shared<2x4xf32, #layout.shared<(0,1) (0,2) (1,0)>>
  return
}

// -----

func.func @f(%s: !simt.shared<8xf32>) {
  // expected-error@+1 {{expected a tile of two dimensions, found '!simt.shared<8xf32>'}}
  %v = simt.transpose %s : !simt.shared<8xf32> -> !simt.shared<8xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<2x4xf32>) {
  // expected-error@+1 {{expected a result of type '!simt.shared<4x2xf32}}
  %v = simt.transpose %s : !simt.shared<2x4xf32> -> !simt.shared<4x2xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>, %n: i32) {
  // expected-error@+1 {{expected one stage of shared memory, found}}
  %v = simt.shared_load %s[%n] : !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>, i32 -> f32
  return
}

// -----

func.func @f(%s: !simt.shared<8xf32>, %n: i32, %v: tensor<8xf32, #layout.distributed<lane (1) (2) (4)>>) {
  // expected-error@+1 {{expected no offsets for a tensor: the layouts say them}}
  simt.shared_store %s[%n], %v : !simt.shared<8xf32>, i32, tensor<8xf32, #layout.distributed<lane (1) (2) (4)>>
  return
}

// -----

func.func @f(%s: !simt.shared<16xf32>) {
  // expected-error@+1 {{expected a tensor of the view's shape '!simt.shared<16xf32>', found}}
  %v = simt.shared_load %s : !simt.shared<16xf32> -> tensor<8xf32, #layout.distributed<lane (1) (2) (4)>>
  return
}

// -----

func.func @f(%x: tensor<16xf32>) {
  // expected-error@+1 {{expected a result of 2 parts 'tensor<16xf32>' along the last axis, found 'tensor<16xf32>'}}
  %v = simt.join_parts %x, %x : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  return
}

// -----

func.func @f(%x: tensor<16xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{expected parts of one type, found 'tensor<16xf32>' and 'tensor<8xf32>'}}
  %v = simt.join_parts %x, %y : tensor<16xf32>, tensor<8xf32> -> tensor<32xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected at least one part, found none}}
  %v = "simt.join_parts"() : () -> tensor<32xf32>
  return
}

// -----

// The part of register (1) (8), lane (2) (4) has no register for the second half.
func.func @f(%x: tensor<8xf32, #layout.distributed<register (1) (2), lane (4) (0)>>) {
  // expected-error@+1 {{expected parts with the layout of a part of}}
  %v = simt.join_parts %x, %x : tensor<8xf32, #layout.distributed<register (1) (2), lane (4) (0)>>,
    tensor<8xf32, #layout.distributed<register (1) (2), lane (4) (0)>>
    -> tensor<16xf32, #layout.distributed<register (1) (8), lane (2) (4)>>
  return
}

// -----

func.func @f(%s: !simt.shared<16x8xf32>, %v: tensor<16xf32>) {
  // expected-error@+1 {{expected a tensor of the view's rank '!simt.shared<16x8xf32>', found}}
  simt.shared_store %s, %v : !simt.shared<16x8xf32>, tensor<16xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<16x8xf32>, %v: tensor<32x16xf32>) {
  // expected-error@+1 {{larger than the view '!simt.shared<16x8xf32>' along one axis at most}}
  simt.shared_store %s, %v part 1 : !simt.shared<16x8xf32>, tensor<32x16xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<16x8xf32>, %v: tensor<16x32xf32>) {
  // expected-error@+1 {{expected one of 4 parts of 'tensor<16x32xf32>'}}
  simt.shared_store %s, %v part 4 : !simt.shared<16x8xf32>, tensor<16x32xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<16x8xf32>, %v: tensor<16x32xf32>) {
  // expected-error@+1 {{expected one of 4 parts of 'tensor<16x32xf32>'}}
  simt.shared_store %s, %v : !simt.shared<16x8xf32>, tensor<16x32xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<16x8xf32>, %v: tensor<16x8xf32>) {
  // expected-error@+1 {{expected no part of 'tensor<16x8xf32>'}}
  simt.shared_store %s, %v part 0 : !simt.shared<16x8xf32>, tensor<16x8xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<16xf32>, %n: i32, %v: f32) {
  // expected-error@+1 {{expected no part of a value of one thread}}
  simt.shared_store %s[%n], %v part 0 : !simt.shared<16xf32>, i32, f32
  return
}

// -----

func.func @f(%s: !simt.shared<16xf32>, %n: i32, %v: f32) {
  // expected-error@+1 {{expected no 'tf32' with a value of one thread}}
  simt.shared_store %s[%n], %v tf32 : !simt.shared<16xf32>, i32, f32
  return
}

// -----

func.func @f(%s: !simt.shared<16xf32>, %v: f32) {
  // expected-error@+1 {{expected offsets for a value of one thread, 'f32'}}
  simt.shared_store %s, %v : !simt.shared<16xf32>, f32
  return
}

// -----

func.func @f(%s: !simt.shared<2x8xf16, #layout.shared<(1) (2) (4)>>, %n: i32) {
  // expected-error@+1 {{expected one stage of shared memory, found}}
  %v = simt.load_matrix %s[%n] : !simt.shared<2x8xf16, #layout.shared<(1) (2) (4)>> -> vector<2xf16>
  return
}

// -----

func.func @f(%s: !simt.shared<64xf32>, %n: i32) {
  // expected-error@+1 {{expected elements of 8 or 16 bits, found 'f32'}}
  %v = simt.load_matrix %s[%n] : !simt.shared<64xf32> -> vector<2xf32>
  return
}

// -----

func.func @f(%s: !simt.shared<64xf16>, %n: i32, %v: vector<6xf16>) {
  // expected-error@+1 {{expected 2, 4 or 8 elements a lane (1, 2 or 4 matrices), found 'vector<6xf16>'}}
  simt.store_matrix %s[%n], %v : !simt.shared<64xf16>, vector<6xf16>
  return
}

// -----

// --- copies and groups ---
func.func @f(%d: !tile.desc<8xf32>, %s: !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>, %b: !simt.barriers<1>,
    %n: i32) {
  // expected-error@+1 {{expected one stage of shared memory, found}}
  simt.load_tile %d[%n] to %s on %b[%n]
      : !tile.desc<8xf32>, !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>, !simt.barriers<1>
  return
}

// -----

func.func @f(%d: !tile.desc<8xf32>, %s: !simt.shared<8xf32>, %b: !simt.barriers<1>, %n: i32) {
  // expected-error@+1 {{expected a position of 1 numbers for '!tile.desc<8xf32>', found 2}}
  simt.load_tile %d[%n, %n] to %s on %b[%n] : !tile.desc<8xf32>, !simt.shared<8xf32>, !simt.barriers<1>
  return
}

// -----

func.func @f(%d: !tile.desc<8xf32>, %s: !simt.shared<16xf32>, %n: i32) {
  // expected-error@+1 {{expected a tile of the block's shape and elements, 'tensor<8xf32>', found '!simt.shared<16xf32>'}}
  simt.store_tile %s to %d[%n] : !simt.shared<16xf32>, !tile.desc<8xf32>
  return
}

// -----

#group = #simt.instruction<"wgmma.m64n8k16.f32.f16", 64x8x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
func.func @f(%c: tensor<64x8xf32>) {
  %a = simt.shared_alloc : !simt.shared<64x16xf16>
  %b = simt.shared_alloc : !simt.shared<8x16xf16>
  // expected-error@+1 {{expected shapes m x k, k x n and m x n, found '!simt.shared<64x16xf16>'}}
  %r = simt.product %a, %b, %c instruction #group : !simt.shared<64x16xf16>, <8x16xf16>, tensor<64x8xf32>
  return
}

// -----

#mma = #simt.instruction<"mma.m16n8k16.f32.f16", 16x8x16,
  a <f16 registers <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>,
  b <f16 registers <register (1,0) (8,0), lane (2,0) (4,0) (0,1) (0,2) (0,4)>>,
  c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>>
func.func @f(%c: tensor<64x8xf32>) {
  %a = simt.shared_alloc : !simt.shared<64x16xf16>
  %b = simt.shared_alloc : !simt.shared<16x8xf16>
  // expected-error@+1 {{expected an instruction that takes its operands from there}}
  %r = simt.product %a, %b, %c instruction #mma : !simt.shared<64x16xf16>, <16x8xf16>, tensor<64x8xf32>
  return
}

// -----

#group = #simt.instruction<"wgmma.m64n8k16.f32.f16", 64x8x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
#c = #layout.distributed<register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>
func.func @f(%c: tensor<64x8xf32, #c>) attributes {simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %a = simt.shared_alloc : !simt.shared<64x16xf16>
  %b = simt.shared_alloc : !simt.shared<16x8xf16>
  // expected-note@+1 {{the product was started here}}
  %r = simt.product %a, %b, %c instruction #group : !simt.shared<64x16xf16>, <16x8xf16>, tensor<64x8xf32, #c>
  // expected-error@+1 {{expected a finished accumulator, found one in flight; put a simt.wait_products before it}}
  %s = arith.negf %r : tensor<64x8xf32, #c>
  return
}

// -----

func.func @f(%d: !tile.desc<8x8xf16>, %s: !simt.shared<8x16xf16>, %b: !simt.barriers<1>, %n: i32, %c: i1) {
  // expected-error@+1 {{expected a tile of the block's shape and elements, 'tensor<8x8xf16>', found}}
  %t = simt.copy_tile %d[%n, %n] to %s on %b[%n] phase %n if %c
    : !tile.desc<8x8xf16>, !simt.shared<8x16xf16>, !simt.barriers<1>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected at least one copy, found none}}
  "simt.wait_copies"() : () -> ()
  return
}

// -----

func.func @f(%p: tensor<8x!tile.ptr<f32>>, %s: !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>) {
  // expected-error@+1 {{expected one stage of shared memory, found}}
  %t = simt.copy %p to %s : tensor<8x!tile.ptr<f32>>, !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>
  return
}

// -----

func.func @f(%p: tensor<8x!tile.ptr<f16>>, %s: !simt.shared<8xf32>) {
  // expected-error@+1 {{expected pointers to the elements of '!simt.shared<8xf32>', found 'tensor<8x!tile.ptr<f16>>'}}
  %t = simt.copy %p to %s : tensor<8x!tile.ptr<f16>>, !simt.shared<8xf32>
  return
}

// -----

func.func @f(%p: tensor<4x!tile.ptr<f32>>, %s: !simt.shared<8xf32>) {
  // expected-error@+1 {{expected pointers to the elements of '!simt.shared<8xf32>', found 'tensor<4x!tile.ptr<f32>>'}}
  %t = simt.copy %p to %s : tensor<4x!tile.ptr<f32>>, !simt.shared<8xf32>
  return
}

// -----

func.func @f(%p: tensor<8x!tile.ptr<f32>>, %s: !simt.shared<8xf32>, %m: tensor<4xi1>) {
  // expected-error@+1 {{expected a mask of i1 for each of 'tensor<8x!tile.ptr<f32>>', found 'tensor<4xi1>'}}
  %t = simt.copy %p to %s mask %m : tensor<8x!tile.ptr<f32>>, !simt.shared<8xf32>, tensor<4xi1>
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %s: !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>, %n: i32) {
  // expected-error@+1 {{expected one stage of shared memory, found}}
  simt.async_load %x[%n] to %s[%n] width 4
      : !tile.ptr<f32>, i32, !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>, i32
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %s: !simt.shared<8xf16>, %n: i32) {
  // expected-error@+1 {{expected a buffer with elements of type 'f32', found '!simt.shared<8xf16>'}}
  simt.async_load %x[%n] to %s[%n] width 4 : !tile.ptr<f32>, i32, !simt.shared<8xf16>, i32
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %s: !simt.shared<8xf32>, %n: i32, %m: vector<2xi32>) {
  // expected-error@+1 {{expected as many places in shared memory as in global memory, 1, found 'vector<2xi32>'}}
  simt.async_load %x[%n] to %s[%m] width 4 : !tile.ptr<f32>, i32, !simt.shared<8xf32>, vector<2xi32>
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %s: !simt.shared<8xf32>, %n: i32, %m: vector<2xi1>) {
  // expected-error@+1 {{expected a mask of 1 elements, found 'vector<2xi1>'}}
  simt.async_load %x[%n] to %s[%n] width 4 mask %m : !tile.ptr<f32>, i32, !simt.shared<8xf32>, i32, vector<2xi1>
  return
}

// -----

func.func @f(%x: !tile.ptr<f32>, %s: !simt.shared<8xf32>, %n: i32) {
  // expected-error@+1 {{expected copies of 4, 8 or 16 bytes, found 32}}
  simt.async_load %x[%n] to %s[%n] width 8 : !tile.ptr<f32>, i32, !simt.shared<8xf32>, i32
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected at least one group}}
  "simt.warp_groups"() {warps = array<i32>, registers = array<i32>} : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected warps and registers for each of 1 groups, found 2 and 1}}
  "simt.warp_groups"() ({
    "simt.end_group"() : () -> ()
  }) {warps = array<i32: 1, 2>, registers = array<i32: 0>} : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected group 0 to have warps, found 0}}
  simt.warp_groups()
  group warps 0 () {
  }
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected the registers of group 0 to be a multiple of 8, found 12}}
  simt.warp_groups()
  group warps 1 registers 12 () {
  }
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{expected the arguments of group 0 to have the types of the operands}}
  simt.warp_groups(%x) : f32
  group warps 1 (%y: f16) {
  }
  return
}

// -----

// --- matrix products ---
func.func @f(%a: vector<8xf16>, %b: vector<4xf16>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected three positive numbers as tiles: of rows, columns and the inner dimension}}
  %d = simt.mma %a, %b, %c instruction "m" tiles [1, 0, 1] : vector<8xf16>, vector<4xf16>, vector<4xf32>
  return
}

// -----

func.func @f(%a: vector<8xf16>, %b: vector<4xf16>, %c: vector<3xf32>) {
  // expected-error@+1 {{expected 'b' to hold 3 fragments, found 'vector<4xf16>'}}
  %d = simt.mma %a, %b, %c instruction "m" tiles [1, 3, 1] : vector<8xf16>, vector<4xf16>, vector<3xf32>
  return
}

// -----

func.func @f(%a: f16, %b: !simt.shared<16x8xf16>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected 'a' in shared memory or in registers, found 'f16'}}
  %d = simt.matmul_async %a, %b, %c instruction "m" : f16, !simt.shared<16x8xf16>, vector<4xf32>
  return
}

// -----

func.func @f(%a: vector<8xf16>, %b: !simt.shared<16xf16>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected a matrix in shared memory, found '!simt.shared<16xf16>'}}
  %d = simt.matmul_async %a, %b, %c instruction "m" : vector<8xf16>, !simt.shared<16xf16>, vector<4xf32>
  return
}

// -----

func.func @f(%a: !simt.shared<64x32xf16>, %b: !simt.shared<16x8xf16>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected as many columns of 'a' as 'b' has rows, 16, found 32}}
  %d = simt.matmul_async %a, %b, %c instruction "m" : !simt.shared<64x32xf16>, !simt.shared<16x8xf16>, vector<4xf32>
  return
}

// -----

func.func @f(%x: f16) {
  // expected-error@+1 {{expected a value of type 'f32', found 'f16'}}
  %c = simt.fragment_fill %x : f16 -> !simt.fragment<16x16xf32, acc>
  return
}

// -----

func.func @f(%x: !tile.ptr<f16>, %n: i32) {
  // expected-error@+1 {{expected memory of type 'f32', found 'f16'}}
  %c = simt.fragment_load row %x[%n] stride %n : !tile.ptr<f16> -> !simt.fragment<16x16xf32, acc>
  return
}

// -----

func.func @f(%x: !simt.shared<16x16xf16>, %n: i32, %c: !simt.fragment<16x16xf32, acc>) {
  // expected-error@+1 {{expected shared memory with elements of type 'f32', found 'f16'}}
  simt.fragment_store row %c, %x[%n] stride %n : !simt.fragment<16x16xf32, acc>, !simt.shared<16x16xf16>
  return
}

// -----

func.func @f(%x: !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>, %n: i32) {
  // expected-error@+1 {{expected one stage of shared memory, found}}
  %c = simt.fragment_load row %x[%n] stride %n : !simt.shared<2x8xf32, #layout.shared<(1) (2) (4)>>
      -> !simt.fragment<16x16xf32, acc>
  return
}

// -----

func.func @f(%c: !simt.fragment<16x16xf32, acc>) {
  // expected-error@+1 {{expected fragments for a, b and acc, found}}
  %d = simt.fragment_mma %c, %c, %c
      : !simt.fragment<16x16xf32, acc>, !simt.fragment<16x16xf32, acc>, !simt.fragment<16x16xf32, acc>
  return
}

// -----

func.func @f(%a: !simt.fragment<16x8xf16, a>, %b: !simt.fragment<16x16xf16, b>, %c: !simt.fragment<16x16xf32, acc>) {
  // expected-error@+1 {{expected shapes m x k, k x n and m x n, found}}
  %d = simt.fragment_mma %a, %b, %c
      : !simt.fragment<16x8xf16, a>, !simt.fragment<16x16xf16, b>, !simt.fragment<16x16xf32, acc>
  return
}

// -----

func.func @f(%c: !simt.fragment<16x16xf32, acc>) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected a vector of 8 elements a lane for '!simt.fragment<16x16xf32, acc>' and warps of 32, found 'vector<4xf32>'}}
  %v = simt.fragment_elements %c : !simt.fragment<16x16xf32, acc> -> vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<8xf16>) attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected a vector with elements of type 'f32', found 'vector<8xf16>'}}
  %c = simt.fragment_from_elements %v : vector<8xf16> -> !simt.fragment<16x16xf32, acc>
  return
}

// -----

func.func @f(%a: !simt.fragment<16x16xf16, a>) {
  // expected-error@+1 {{expected an accumulator, found '!simt.fragment<16x16xf16, a>'}}
  %m = simt.fragment_reduce_rows maxnumf %a : !simt.fragment<16x16xf16, a>
  return
}

// -----

func.func @f(%c: !simt.fragment<16x16xi32, acc>) {
  // expected-error@+1 {{expected floats of at least 16 bits for 'addf', found 'i32'}}
  %m = simt.fragment_reduce_rows addf %c : !simt.fragment<16x16xi32, acc>
  return
}

// -----

func.func @f(%c: !simt.fragment<16x16xf32, acc>) {
  // expected-error@+1 {{expected an accumulator to become an operand, found}}
  %a = simt.fragment_convert %c : !simt.fragment<16x16xf32, acc> -> !simt.fragment<16x16xf16, acc>
  return
}

// -----

func.func @f(%c: !simt.fragment<16x8xf32, acc>) {
  // expected-error@+1 {{expected fragments of one shape, found}}
  %a = simt.fragment_convert %c : !simt.fragment<16x8xf32, acc> -> !simt.fragment<16x16xf16, a>
  return
}

// -----

func.func @f(%c: !simt.fragment<16x16xi32, acc>) {
  // expected-error@+1 {{expected floats, found}}
  %a = simt.fragment_convert %c : !simt.fragment<16x16xi32, acc> -> !simt.fragment<16x16xi8, a>
  return
}

// -----

func.func @f() attributes {simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
  // expected-error@+1 {{expected a vector of 8 elements a lane for '!simt.fragment<16x16xf32, acc>' and warps of 32, found 'vector<4xi32>'}}
  %i, %j = simt.fragment_coordinates of !simt.fragment<16x16xf32, acc> : vector<8xi32>, vector<4xi32>
  return
}

// -----

func.func @f(%v: vector<4xf32>) {
  // expected-error@+1 {{expected 'elements' for a value of several, found none}}
  simt.print "x" (%v) : vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %e: vector<2xi32>) {
  // expected-error@+1 {{expected 4 element numbers of type i32, one for each of the value's, found 'vector<2xi32>'}}
  simt.print "x" shape [64] elements %e : vector<2xi32> (%v) : vector<4xf32>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %e: vector<4xi32>) {
  // expected-error@+1 {{expected 'shape' beside 'elements', found none}}
  simt.print "x" elements %e : vector<4xi32> (%v) : vector<4xf32>
  return
}

// -----

func.func @f(%v: f32) {
  // expected-error@+1 {{expected 'elements' beside 'shape', found none}}
  simt.print "x" shape [64] (%v) : f32
  return
}

// -----

func.func @f(%v: i32) {
  // expected-error@+1 {{expected a value of type i64 for 'address', found 'i32'}}
  simt.print "x" address (%v) : i32
  return
}

// -----

func.func @f(%e: vector<4xi32>) {
  // expected-error@+1 {{expected a value beside 'elements', found none}}
  simt.print "x" shape [64] elements %e : vector<4xi32>
  return
}

// -----

func.func @f(%c: vector<2xi1>, %e: vector<4xi32>) {
  // expected-error@+1 {{expected 2 element numbers of type i32, one for each of the condition's, found 'vector<4xi32>'}}
  simt.assert %c, "x" shape [64] elements %e : vector<4xi32> : vector<2xi1>
  return
}

// -----

func.func @f(%c: vector<2xi1>) {
  // expected-error@+1 {{expected a limit to be tested by one i1, found 'vector<2xi1>'}}
  simt.assert %c, "x" limit : vector<2xi1>
  return
}

// -----

func.func @f(%v: vector<4xf32>, %p: !tile.ptr<f32>, %t: i32) {
  // expected-error@+1 {{expected 'simt.sole' as a unit attribute on a simt.load only, found unit}}
  simt.store %p[%t], %v {simt.sole} : !tile.ptr<f32>, i32, vector<4xf32>
  return
}

// -----

func.func @f(%p: !tile.ptr<f32>, %t: i32) {
  // expected-error@+1 {{expected 'simt.releases' as a scope on a simt.barrier only, found unit}}
  simt.barrier {simt.releases}
  return
}

// -----

func.func @f(%v: vector<4xf32>, %p: !tile.ptr<f32>, %t: i32) {
  // expected-error@+1 {{expected 'simt.part' as an i32 on a simt.load or simt.store only, found unit}}
  simt.store %p[%t], %v {simt.part} : !tile.ptr<f32>, i32, vector<4xf32>
  return
}

// -----

// --- clusters ---
func.func @f(%b: !simt.barriers<1>, %n: i32) {
  // expected-error@+1 {{expected 'of' in a kernel with 'simt.cluster' of at least 2}}
  simt.barrier_arrive %b[%n] of %n : !simt.barriers<1>
  return
}

// -----

func.func @f(%b: !simt.barriers<1>, %n: i32) {
  // expected-error@+1 {{expected 'also of' in a kernel with 'simt.cluster' of at least 2}}
  simt.arrive_warps %b[%n] also of %n : !simt.barriers<1>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected 'simt.cluster_barrier' in a kernel with 'simt.cluster' of at least 2}}
  simt.cluster_barrier
  return
}

// -----

func.func @f(%yes: i1) attributes {simt.cluster = 2 : i32, simt.warp_size = 32 : i32, simt.warps = 4 : i32} {
  scf.if %yes {
    // expected-error@+1 {{expected in the kernel's body}}
    simt.cluster_barrier
  } {simt.uniform}
  return
}

// -----

func.func @f(%d: !tile.desc<8xf32>, %s: !simt.shared<8xf32>, %b: !simt.barriers<1>, %n: i32) {
  // expected-error@+1 {{expected 'multicast' in a kernel with 'simt.cluster' of at least 2}}
  simt.load_tile %d[%n] to %s on %b[%n] multicast : !tile.desc<8xf32>, !simt.shared<8xf32>, !simt.barriers<1>
  return
}

// -----

func.func @f(%d: !tile.desc<8xf32>, %n: i32)
    attributes {simt.cluster = 16 : i32, simt.warp_size = 32 : i32, simt.warps = 4 : i32} {
  %s = simt.shared_alloc : !simt.shared<8xf32>
  %b = simt.barrier_alloc : !simt.barriers<1>
  // expected-error@+1 {{expected a multiple of 16 columns, found 8}}
  simt.load_tile %d[%n] to %s on %b[%n] multicast : !tile.desc<8xf32>, !simt.shared<8xf32>, !simt.barriers<1>
  return
}

// -----

func.func @f(%n: i32) attributes {simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{expected 'simt.programs' as a unit attribute on an scf.for in the body of a kernel with 'simt.resident' only, found unit}}
  scf.for %p = %c0 to %n step %c1 : i32 {
  } {simt.programs, simt.uniform}
  return
}

// -----

func.func @f(%n: i32) attributes {simt.resident, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{expected the loop over programs to number them in i32 and to carry nothing}}
  %r = scf.for %p = %c0 to %n step %c1 iter_args(%x = %c0) -> (i32) : i32 {
    scf.yield %x : i32
  } {simt.programs, simt.uniform}
  return
}
