// RUN: tegula-opt --tile-to-simt %s --split-input-file --verify-diagnostics
// Kernels that are too large for compilers of devices. 2 warps of 4 lanes.

// 8192 values of a thread.
#l = #layout.distributed<register (8) (16) (32) (64) (128) (256) (512) (1024) (2048) (4096)
                             (8192) (16384) (32768), lane (1) (2), warp (4)>
module attributes {tile.num_warps = 2 : i32} {
func.func @values(%x: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  // expected-error @+1 {{a tensor of 65536 elements is 8192 values in each of 8 threads, at most 4096}}
  %r = tile.make_range 0 to 65536 : tensor<65536xi32, #l>
  %b = tile.splat %x : !tile.ptr<i32> -> tensor<65536x!tile.ptr<i32>, #l>
  %p = tile.addptr %b, %r : tensor<65536x!tile.ptr<i32>, #l>, tensor<65536xi32, #l>
  tile.store %p, %r : tensor<65536x!tile.ptr<i32>, #l>
  return
}
}

// -----

// 4096 values are as many as are allowed.
#m = #layout.distributed<register (8) (16) (32) (64) (128) (256) (512) (1024) (2048) (4096)
                             (8192) (16384), lane (1) (2), warp (4)>
module attributes {tile.num_warps = 2 : i32} {
func.func @most_values(%x: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32768 : tensor<32768xi32, #m>
  %b = tile.splat %x : !tile.ptr<i32> -> tensor<32768x!tile.ptr<i32>, #m>
  %p = tile.addptr %b, %r : tensor<32768x!tile.ptr<i32>, #m>, tensor<32768xi32, #m>
  tile.store %p, %r : tensor<32768x!tile.ptr<i32>, #m>
  return
}
}

// -----

// A sort without the shared memory that its loops need: 120 steps on 4096 values each.
#m = #layout.distributed<register (8) (16) (32) (64) (128) (256) (512) (1024) (2048) (4096)
                             (8192) (16384), lane (1) (2), warp (4)>
module attributes {tile.num_warps = 2 : i32, simt.target = {warp_size = 4 : i64, shared_bytes = 8192 : i64}} {
func.func @operations(%x: !tile.ptr<i32>)
    attributes {tile.kernel, simt.warps = 2 : i32, simt.warp_size = 4 : i32} {
  %r = tile.make_range 0 to 32768 : tensor<32768xi32, #m>
  %b = tile.splat %x : !tile.ptr<i32> -> tensor<32768x!tile.ptr<i32>, #m>
  %p = tile.addptr %b, %r : tensor<32768x!tile.ptr<i32>, #m>, tensor<32768xi32, #m>
  // expected-error-re @+1 {{'operations' has {{[0-9]+}} operations for each thread, {{[0-9]+}} of them}}
  %s = tile.sort %r signed : tensor<32768xi32, #m>
  tile.store %p, %s : tensor<32768x!tile.ptr<i32>, #m>
  return
}
}
