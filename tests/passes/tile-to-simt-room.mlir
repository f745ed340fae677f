// RUN: tegula-opt --simt-set-target='fields={shared_bytes=8192}' --tile-to-simt --canonicalize %s | FileCheck %s --check-prefixes=CHECK,SHARED
// RUN: tegula-opt --simt-set-target='fields={shared_bytes=8192,shares_widths=false}' --tile-to-simt --canonicalize %s | FileCheck %s --check-prefixes=CHECK,APART
// What an exchange between threads may use of shared memory: four warps of 8 lanes; a conversion of 8 KiB.

#from = #layout.distributed<register (0,1) (0,2) (0,4) (0,8) (0,16) (32,0), lane (1,0) (2,0) (4,0), warp (8,0) (16,0)>
#to = #layout.distributed<register (1,0) (2,0) (4,0) (8,0) (16,0) (32,0), lane (0,1) (0,2) (0,4), warp (0,8) (0,16)>
#rows = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0) (4,0) (8,0) (16,0)>
#part = #layout.distributed<register (0,1) (0,2) (0,4) (0,8) (0,16), lane (1,0) (2,0) (4,0), warp (8,0) (16,0)>

// A planned buffer of 4 KiB is needed before and after the first conversion, which has half of the memory then. The
// second conversion has all of it; where each width has a range of its own, what the buffer leaves.
// CHECK-LABEL: func.func @beside_a_buffer
// CHECK: simt.shared_alloc : <32x32xf32,
// CHECK: simt.shared_alloc : <1024xf32>
// SHARED: simt.shared_alloc : <2048xf32>
// APART: simt.shared_alloc : <1024xf32>
func.func @beside_a_buffer(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 8 : i32} {
  %px = tile.splat %x : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>, #from>
  %py = tile.splat %y : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>, #to>
  %pz = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>, #part>
  %b = simt.shared_alloc : !simt.shared<32x32xf32, #rows>
  %z = tile.load %pz : tensor<32x32x!tile.ptr<f32>, #part>
  simt.shared_store %b, %z : !simt.shared<32x32xf32, #rows>, tensor<32x32xf32, #part>
  %v = tile.load %px : tensor<64x32x!tile.ptr<f32>, #from>
  %w = simt.convert_layout %v : tensor<64x32xf32, #from> -> tensor<64x32xf32, #to>
  tile.store %py, %w : tensor<64x32x!tile.ptr<f32>, #to>
  %l = simt.shared_load %b : !simt.shared<32x32xf32, #rows> -> tensor<32x32xf32, #part>
  tile.store %pz, %l : tensor<32x32x!tile.ptr<f32>, #part>
  %v2 = tile.load %px : tensor<64x32x!tile.ptr<f32>, #from>
  %w2 = simt.convert_layout %v2 : tensor<64x32xf32, #from> -> tensor<64x32xf32, #to>
  tile.store %py, %w2 : tensor<64x32x!tile.ptr<f32>, #to>
  return
}

// Exchanges of two widths: each has half where they cannot share storage.
// CHECK-LABEL: func.func @two_widths
// SHARED: simt.shared_alloc : <2048xf32>
// APART: simt.shared_alloc : <1024xf32>
// CHECK: simt.shared_alloc : <2048xf16>
func.func @two_widths(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %h: !tile.ptr<f16>)
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 8 : i32} {
  %px = tile.splat %x : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>, #from>
  %py = tile.splat %y : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>, #to>
  %ph = tile.splat %h : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>, #from>
  %pi = tile.splat %h : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>, #to>
  %v = tile.load %px : tensor<64x32x!tile.ptr<f32>, #from>
  %w = simt.convert_layout %v : tensor<64x32xf32, #from> -> tensor<64x32xf32, #to>
  tile.store %py, %w : tensor<64x32x!tile.ptr<f32>, #to>
  %a = tile.load %ph : tensor<64x32x!tile.ptr<f16>, #from>
  %c = simt.convert_layout %a : tensor<64x32xf16, #from> -> tensor<64x32xf16, #to>
  tile.store %pi, %c : tensor<64x32x!tile.ptr<f16>, #to>
  return
}

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,8) (4,16) (8,0) (16,0) (32,0)>
#swt = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (0,1) (8,2) (16,4) (0,8) (0,16) (0,32)>
#sums = #layout.distributed<register (0,1) (8,0) (0,8) (0,16) (0,32),
                             lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers #sums>>
#from32 = #layout.distributed<register (0,1) (0,2) (0,4) (0,8), lane (0,16) (1,0) (2,0) (4,0) (8,0), warp (16,0) (32,0)>
#to32 = #layout.distributed<register (1,0) (2,0) (4,0) (8,0), lane (16,0) (32,0) (0,1) (0,2) (0,4), warp (0,8) (0,16)>

// The operands of a product take 4 KiB each until it has been waited for, those of the next one from their stores on: a
// conversion between the two has all of the memory, one before the wait what is left.
// SHARED-LABEL: func.func @between_products
// SHARED: simt.matmul_async
// SHARED: simt.shared_alloc : <256xf32>
// SHARED: simt.matmul_wait
// SHARED: simt.shared_alloc : <2048xf32>
// SHARED: simt.matmul_async
func.func @between_products(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>)
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  %px = tile.splat %x : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>, #from32>
  %py = tile.splat %y : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>, #to32>
  %pd = tile.splat %y : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>, #sums>
  %g = arith.constant dense<1.0> : tensor<64x32xf16, #from32>
  %a = simt.shared_alloc : !simt.shared<64x32xf16, #sw>
  simt.shared_store %a, %g : !simt.shared<64x32xf16, #sw>, tensor<64x32xf16, #from32>
  %b = simt.shared_alloc : !simt.shared<64x32xf16, #sw>
  simt.shared_store %b, %g : !simt.shared<64x32xf16, #sw>, tensor<64x32xf16, #from32>
  simt.fence async
  %v = simt.transpose %b : !simt.shared<64x32xf16, #sw> -> !simt.shared<32x64xf16, #swt>
  %p = simt.product %a, %v, %zero instruction #group
      : !simt.shared<64x32xf16, #sw>, !simt.shared<32x64xf16, #swt>, tensor<64x64xf32, #sums>
  %s = tile.load %px : tensor<64x32x!tile.ptr<f32>, #from32>
  %t = simt.convert_layout %s : tensor<64x32xf32, #from32> -> tensor<64x32xf32, #to32>
  tile.store %py, %t : tensor<64x32x!tile.ptr<f32>, #to32>
  %d = simt.wait_products %p : tensor<64x64xf32, #sums>
  tile.store %pd, %d : tensor<64x64x!tile.ptr<f32>, #sums>
  %s2 = tile.load %px : tensor<64x32x!tile.ptr<f32>, #from32>
  %t2 = simt.convert_layout %s2 : tensor<64x32xf32, #from32> -> tensor<64x32xf32, #to32>
  tile.store %py, %t2 : tensor<64x32x!tile.ptr<f32>, #to32>
  %a2 = simt.shared_alloc : !simt.shared<64x32xf16, #sw>
  simt.shared_store %a2, %g : !simt.shared<64x32xf16, #sw>, tensor<64x32xf16, #from32>
  %b2 = simt.shared_alloc : !simt.shared<64x32xf16, #sw>
  simt.shared_store %b2, %g : !simt.shared<64x32xf16, #sw>, tensor<64x32xf16, #from32>
  simt.fence async
  %v2 = simt.transpose %b2 : !simt.shared<64x32xf16, #sw> -> !simt.shared<32x64xf16, #swt>
  %p2 = simt.product %a2, %v2, %zero instruction #group
      : !simt.shared<64x32xf16, #sw>, !simt.shared<32x64xf16, #swt>, tensor<64x64xf32, #sums>
  %d2 = simt.wait_products %p2 : tensor<64x64xf32, #sums>
  tile.store %pd, %d2 : tensor<64x64x!tile.ptr<f32>, #sums>
  return
}
