// RUN: tegula-opt --tile-select-products --tile-plan-products --tile-pipeline-copies %s 2>/dev/null | FileCheck %s
// RUN: tegula-opt --tile-select-products --tile-plan-products --tile-pipeline-copies --verify-diagnostics -o /dev/null %s

#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>

// With four stages, which a product that runs on would need, one program of four warps would fit the multiprocessor.
// Copies at the iteration's end need three, as far ahead.
// CHECK-LABEL: func.func @loop
// CHECK-COUNT-2: simt.shared_alloc : <3x64x32xf16, #{{.*}}>
// CHECK: simt.copy %{{.*}} to %{{.*}} {simt.schedule = #simt.schedule<ahead 2, place 1>}
// CHECK: simt.copy %{{.*}} to %{{.*}} {simt.schedule = #simt.schedule<ahead 2, place 1>}
// CHECK: simt.wait_products %{{.*}} {simt.schedule = #simt.schedule<ahead -1>}
module attributes {
  simt.target = {copies_async = true, loads_matrices = true, shared_bytes = 65536, instructions = [#group]},
  tile.num_warps = 4 : i32, tile.num_stages = 3 : i32
} {
  func.func @loop(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c2048 = arith.constant dense<2048> : tensor<64x32xi32>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = tile.make_range 0 to 2048 : tensor<2048xi32>
    %at = tile.reshape %r : tensor<2048xi32> -> tensor<64x32xi32>
    %ro = tile.make_range 0 to 4096 : tensor<4096xi32>
    %ato = tile.reshape %ro : tensor<4096xi32> -> tensor<64x64xi32>
    %sp = tile.splat %p : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %pa = tile.addptr %sp, %at : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    // expected-remark @below {{in 3 stages of 8192 bytes together; started at an iteration's end, because more programs fit a multiprocessor with one stage less; products that run on into the next iteration: 1}}
    %sum, %last = scf.for %i = %c0 to %n step %c32 iter_args(%c = %zero, %a_ptrs = %pa)
        -> (tensor<64x64xf32>, tensor<64x32x!tile.ptr<f16>>) : i32 {
      %a = tile.load %a_ptrs : tensor<64x32x!tile.ptr<f16>>
      %tile = arith.muli %i, %c64 : i32
      %qi = tile.addptr %q, %tile : !tile.ptr<f16>, i32
      %sq = tile.splat %qi : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
      %pb = tile.addptr %sq, %at : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %b = tile.load %pb : tensor<64x32x!tile.ptr<f16>>
      %bt = tile.trans %b order [1, 0] : tensor<64x32xf16>
      // expected-remark @below {{dot: 64x64x32 of f16 into f32: wgmma.m64n64k16.f32.f16}}
      %d = tile.dot %a, %bt, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      %next = tile.addptr %a_ptrs, %c2048 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      scf.yield %d, %next : tensor<64x64xf32>, tensor<64x32x!tile.ptr<f16>>
    }
    %so = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %po = tile.addptr %so, %ato : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>
    return
  }
}
