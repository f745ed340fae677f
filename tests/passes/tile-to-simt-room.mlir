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
