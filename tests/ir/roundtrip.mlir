// Every op and attribute parses, prints, and parses back to the same text, in the short and in the generic form.
// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// RUN: tegula-opt --mlir-print-op-generic %s | tegula-opt | FileCheck %s

// CHECK: module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32}
module attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x"}
// CHECK-SAME: !tile.desc<64x32xf16> {tile.name = "d"}
// CHECK-SAME: attributes {tile.kernel}
func.func @kernel(%x: !tile.ptr<f32> {tile.name = "x", tile.divisibility = 16 : i64},
                  %d: !tile.desc<64x32xf16> {tile.name = "d"},
                  %pp: !tile.ptr<!tile.ptr<f8E4M3FN>> {tile.name = "pp"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    // CHECK: tile.barrier
    tile.barrier
    // CHECK: tile.may_not_end
    tile.may_not_end
  // CHECK: {tile.disable_licm, tile.disallow_acc_multi_buffer, tile.flatten, tile.loop_unroll_factor = 2 : i32, tile.num_stages = 4 : i32, tile.warp_specialize}
  } {tile.num_stages = 4 : i32, tile.loop_unroll_factor = 2 : i32, tile.flatten, tile.warp_specialize,
     tile.disallow_acc_multi_buffer, tile.disable_licm}
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%f: f32, %v: tensor<64xf32>, %m: tensor<64x32xf16>) {
  // CHECK: tile.program_id 0{{$}}
  %pid = tile.program_id 0
  // CHECK: tile.num_programs 2{{$}}
  %n = tile.num_programs 2
  // CHECK: tile.make_range -4 to 60{{ *$}}
  %r = tile.make_range -4 to 60
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<64x32xf32>
  %s = tile.splat %f : f32 -> tensor<64x32xf32>
  // CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<64xf32>
  %e = tile.expand_dims %v axis 1 : tensor<64xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<64x1xf32> -> tensor<64x32xf32>
  %b = tile.broadcast %e : tensor<64x1xf32> -> tensor<64x32xf32>
  // CHECK: tile.reshape %{{.*}} : tensor<64xf32> -> tensor<8x8xf32>
  %rs = tile.reshape %v : tensor<64xf32> -> tensor<8x8xf32>
  // CHECK: tile.reshape %{{.*}} allow_reorder : tensor<64xf32> -> tensor<8x8xf32>
  %rr = tile.reshape %v allow_reorder : tensor<64xf32> -> tensor<8x8xf32>
  // CHECK: tile.trans %{{.*}} order [1, 0] : tensor<64x32xf16>
  %t = tile.trans %m order [1, 0] : tensor<64x32xf16>
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<64xf32>
  %j = tile.join %v, %v : tensor<64xf32>
  // CHECK: tile.join %{{.*}}, %{{.*}} : f32
  %js = tile.join %f, %f : f32
  // CHECK: tile.split %{{.*}} : tensor<64x2xf32>
  %p0, %p1 = tile.split %j : tensor<64x2xf32>
  // CHECK: tile.split %{{.*}} : tensor<2xf32>
  %q0, %q1 = tile.split %js : tensor<2xf32>
  // CHECK: tile.cat %{{.*}}, %{{.*}} : tensor<64xf32>
  %c = tile.cat %p0, %p1 : tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%x: !tile.ptr<f32>, %p: tensor<64x!tile.ptr<f32>>, %ip: tensor<64x!tile.ptr<i32>>, %o: tensor<64xi64>,
                  %m: tensor<64xi1>, %v: tensor<64xf32>, %iv: tensor<64xi32>, %s: i32, %sm: i1) {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<f32>, i32
  %a = tile.addptr %x, %s : !tile.ptr<f32>, i32
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
  %b = tile.addptr %p, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
  // CHECK: tile.ptr_to_int %{{.*}} : tensor<64x!tile.ptr<f32>> -> tensor<64xi64>
  %i = tile.ptr_to_int %b : tensor<64x!tile.ptr<f32>> -> tensor<64xi64>
  // CHECK: tile.int_to_ptr %{{.*}} : tensor<64xi64> -> tensor<64x!tile.ptr<i8>>
  %q = tile.int_to_ptr %i : tensor<64xi64> -> tensor<64x!tile.ptr<i8>>
  // CHECK: tile.ptr_cast %{{.*}} : tensor<64x!tile.ptr<i8>> -> tensor<64x!tile.ptr<f32>>
  %r = tile.ptr_cast %q : tensor<64x!tile.ptr<i8>> -> tensor<64x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} : !tile.ptr<f32>
  %l0 = tile.load %a : !tile.ptr<f32>
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<64x!tile.ptr<f32>>
  %l1 = tile.load %r mask %m : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} cache(cg) eviction(first) volatile : tensor<64x!tile.ptr<f32>>
  %l2 = tile.load %p mask %m other %v cache(cg) eviction(first) volatile : tensor<64x!tile.ptr<f32>>
  // CHECK: cache(ca)
  %l3 = tile.load %p cache(ca) : tensor<64x!tile.ptr<f32>>
  // CHECK: cache(cs) eviction(last)
  %l4 = tile.load %p cache(cs) eviction(last) : tensor<64x!tile.ptr<f32>>
  // CHECK: cache(cv)
  %l5 = tile.load %p cache(cv) : tensor<64x!tile.ptr<f32>>
  %stride = arith.constant 64 : i64
  // CHECK: tile.load_strided %{{.*}} stride %{{.*}} : <f32> -> tensor<16x8xf32>
  %l6 = tile.load_strided %a stride %stride : !tile.ptr<f32> -> tensor<16x8xf32>
  // CHECK: tile.load_strided %{{.*}} stride %{{.*}} columns : <f32> -> tensor<16x8xf32>
  %l7 = tile.load_strided %a stride %stride columns : !tile.ptr<f32> -> tensor<16x8xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}} : tensor<64x!tile.ptr<f32>>
  tile.store %p, %v : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} cache(wt) eviction(last) : tensor<64x!tile.ptr<f32>>
  tile.store %p, %v mask %m cache(wt) eviction(last) : tensor<64x!tile.ptr<f32>>
  // CHECK: cache(wb)
  tile.store %p, %v cache(wb) : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw fadd relaxed block %{{.*}}, %{{.*}} mask %{{.*}} : tensor<64x!tile.ptr<f32>>
  %a0 = tile.atomic_rmw fadd relaxed block %p, %v mask %m : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw fmin acquire device
  %a1 = tile.atomic_rmw fmin acquire device %p, %v : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw fmax release system
  %a2 = tile.atomic_rmw fmax release system %p, %v : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw add acq_rel
  %a3 = tile.atomic_rmw add acq_rel device %ip, %iv : tensor<64x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw min acq_rel
  %a4 = tile.atomic_rmw min acq_rel device %ip, %iv : tensor<64x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw max acq_rel
  %a5 = tile.atomic_rmw max acq_rel device %ip, %iv : tensor<64x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw umin acq_rel
  %a6 = tile.atomic_rmw umin acq_rel device %ip, %iv : tensor<64x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw umax acq_rel
  %a7 = tile.atomic_rmw umax acq_rel device %ip, %iv : tensor<64x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw and acq_rel
  %a8 = tile.atomic_rmw and acq_rel device %ip, %iv : tensor<64x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw or acq_rel
  %a9 = tile.atomic_rmw or acq_rel device %ip, %iv : tensor<64x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw xor acq_rel
  %a10 = tile.atomic_rmw xor acq_rel device %ip, %iv : tensor<64x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw xchg acq_rel
  %a11 = tile.atomic_rmw xchg acq_rel device %p, %v : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.atomic_cas acq_rel system %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!tile.ptr<i32>>
  %cas = tile.atomic_cas acq_rel system %ip, %iv, %iv : tensor<64x!tile.ptr<i32>>
  return
}

// CHECK-LABEL: func.func @descriptors
func.func @descriptors(%x: !tile.ptr<f16>, %m: i32, %n: i64, %rows: tensor<16xi32>) {
  // CHECK: tile.make_desc %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : !tile.ptr<f16> -> !tile.desc<1x32xf16>
  %d = tile.make_desc %x, [%m, %m], [%n, %n] : !tile.ptr<f16> -> !tile.desc<1x32xf16>
  // CHECK: padding(nan) : !tile.ptr<f16> -> !tile.desc<8xf16>
  %e = tile.make_desc %x, [%m], [%n] padding(nan) : !tile.ptr<f16> -> !tile.desc<8xf16>
  // CHECK: tile.desc_base %{{.*}} : !tile.desc<1x32xf16>
  %base = tile.desc_base %d : !tile.desc<1x32xf16>
  // CHECK: tile.desc_extent %{{.*}} axis 1 : !tile.desc<1x32xf16>
  %extent = tile.desc_extent %d axis 1 : !tile.desc<1x32xf16>
  // CHECK: tile.desc_stride %{{.*}} axis 0 : !tile.desc<1x32xf16>
  %stride = tile.desc_stride %d axis 0 : !tile.desc<1x32xf16>
  // CHECK: tile.desc_pads_nan %{{.*}} : !tile.desc<1x32xf16>
  %nan = tile.desc_pads_nan %d : !tile.desc<1x32xf16>
  // CHECK: tile.desc_load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.desc<1x32xf16> -> tensor<1x32xf16>
  %a = tile.desc_load %d[%m, %m] : !tile.desc<1x32xf16> -> tensor<1x32xf16>
  // CHECK: tile.desc_load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.desc<1x32xf16> -> tensor<32xf16>
  %b = tile.desc_load %d[%m, %m] : !tile.desc<1x32xf16> -> tensor<32xf16>
  // CHECK: tile.desc_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tile.desc<1x32xf16>, tensor<32xf16>
  tile.desc_store %d[%m, %m], %b : !tile.desc<1x32xf16>, tensor<32xf16>
  // CHECK: tile.desc_gather %{{.*}}[%{{.*}}, %{{.*}}] : !tile.desc<1x32xf16>, tensor<16xi32>
  %g = tile.desc_gather %d[%rows, %m] : !tile.desc<1x32xf16>, tensor<16xi32>
  // CHECK: tile.desc_scatter %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tile.desc<1x32xf16>, tensor<16xi32>, tensor<16x32xf16>
  tile.desc_scatter %d[%rows, %m], %g : !tile.desc<1x32xf16>, tensor<16xi32>, tensor<16x32xf16>
  // CHECK: tile.desc_atomic fadd %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tile.desc<1x32xf16>, tensor<1x32xf16>
  tile.desc_atomic fadd %d[%m, %m], %a : !tile.desc<1x32xf16>, tensor<1x32xf16>
  return
}

// CHECK-LABEL: func.func @compute
func.func @compute(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>, %c: tensor<64x16xf32>, %q: tensor<64x32xf8E4M3FN>,
                   %k: tensor<32x16xf8E5M2>, %i: tensor<1024xi32>, %m: tensor<1024xi1>, %s: f32) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x16xf32>
  %d0 = tile.dot %a, %b, %c : tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x16xf32>
  // CHECK: precision(tf32)
  %d1 = tile.dot %a, %b, %c precision(tf32) : tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x16xf32>
  // CHECK: precision(tf32x3)
  %d2 = tile.dot %a, %b, %c precision(tf32x3) : tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x16xf32>
  // CHECK: precision(bf16x3)
  %d3 = tile.dot %a, %b, %c precision(bf16x3) : tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x16xf32>
  // CHECK: precision(bf16x6)
  %d4 = tile.dot %a, %b, %c precision(bf16x6) : tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x16xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} max_imprecise(32) : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E5M2>, tensor<64x16xf32>
  %d5 = tile.dot %q, %k, %c max_imprecise(32) : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E5M2>, tensor<64x16xf32>
  // CHECK: tile.reduce(%{{.*}}) axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK: tile.yield %{{.*}} : f32
  %r = tile.reduce(%a) axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  // CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis 0 : (tensor<1024xi32>, tensor<1024xi1>) -> (i32, i1)
  %r2:2 = tile.reduce(%i, %m) axis 0 : (tensor<1024xi32>, tensor<1024xi1>) -> (i32, i1) {
  ^bb0(%x: i32, %xm: i1, %y: i32, %ym: i1):
    tile.yield %x, %ym : i32, i1
  }
  // CHECK: tile.reduce(%{{.*}}) axis 0 any_order : (tensor<1024xi32>) -> i32
  %any = tile.reduce(%i) axis 0 any_order : (tensor<1024xi32>) -> i32 {
  ^bb0(%x: i32, %y: i32):
    tile.yield %y : i32
  }
  // CHECK: tile.scan(%{{.*}}) axis 0 reverse : (tensor<1024xi32>) -> tensor<1024xi32>
  %sc = tile.scan(%i) axis 0 reverse : (tensor<1024xi32>) -> tensor<1024xi32> {
  ^bb0(%x: i32, %y: i32):
    %z = arith.maxsi %x, %y : i32
    tile.yield %z : i32
  }
  // CHECK: tile.scan(%{{.*}}) axis 0 : (tensor<1024xi32>) -> tensor<1024xi32>
  %sf = tile.scan(%i) axis 0 : (tensor<1024xi32>) -> tensor<1024xi32> {
  ^bb0(%x: i32, %y: i32):
    tile.yield %y : i32
  }
  // CHECK: tile.map_elementwise(%{{.*}}, %{{.*}}) : (tensor<1024xi32>, tensor<1024xi1>) -> tensor<1024xf32>
  %me = tile.map_elementwise(%i, %m) : (tensor<1024xi32>, tensor<1024xi1>) -> tensor<1024xf32> {
  ^bb0(%x: i32, %c1: i1):
    %f = scf.if %c1 -> f32 {
      %y = arith.sitofp %x : i32 to f32
      scf.yield %y : f32
    } else {
      %zero = arith.constant 0.0 : f32
      scf.yield %zero : f32
    }
    tile.yield %f : f32
  }
  // CHECK: tile.gather %{{.*}}[%{{.*}}] axis 0 : tensor<1024xf32>, tensor<1024xi32>
  %g = tile.gather %me[%i] axis 0 : tensor<1024xf32>, tensor<1024xi32>
  // CHECK: tile.histogram %{{.*}} : tensor<1024xi32> -> tensor<256xi32>
  %h0 = tile.histogram %i : tensor<1024xi32> -> tensor<256xi32>
  // CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<1024xi32> -> tensor<256xi32>
  %h1 = tile.histogram %i mask %m : tensor<1024xi32> -> tensor<256xi32>
  // CHECK: tile.sort %{{.*}} descending signed : tensor<1024xi32>
  %s0 = tile.sort %i descending signed : tensor<1024xi32>
  // CHECK: tile.sort %{{.*}} : tensor<1024xf32>
  %s1 = tile.sort %g : tensor<1024xf32>
  // CHECK: tile.fp_cast %{{.*}} : tensor<64x32xf32> -> tensor<64x32xbf16>
  %f0 = tile.fp_cast %a : tensor<64x32xf32> -> tensor<64x32xbf16>
  // CHECK: tile.fp_cast %{{.*}} rounding(rtz) : f32 -> f8E4M3FNUZ
  %f1 = tile.fp_cast %s rounding(rtz) : f32 -> f8E4M3FNUZ
  // CHECK: tile.function erfc(%{{.*}}) : tensor<64x32xf32>
  %e3 = tile.function erfc(%a) : tensor<64x32xf32>
  // CHECK: tile.function fma_rd(%{{.*}}, %{{.*}}, %{{.*}}) : f32
  %r3 = tile.function fma_rd(%s, %s, %s) : f32
  // CHECK: tile.fp_cast %{{.*}} : f32 -> f8E5M2FNUZ
  %f2 = tile.fp_cast %s : f32 -> f8E5M2FNUZ
  return
}

// CHECK-LABEL: func.func @effects
func.func @effects(%v: tensor<64xi32>, %f: f32, %c: i1, %m: tensor<64xi1>) {
  // CHECK: tile.print "x: " is_signed [true, false](%{{.*}}, %{{.*}}) : tensor<64xi32>, f32
  tile.print "x: " is_signed [true, false](%v, %f) : tensor<64xi32>, f32
  // CHECK: tile.print "x: " hex is_signed [false](%{{.*}}) : tensor<64xi32>
  tile.print "x: " hex is_signed [false](%v) : tensor<64xi32>
  // CHECK: tile.print "here"{{$}}
  tile.print "here"
  // CHECK: tile.assert %{{.*}}, "n must be positive" : tensor<64xi1>
  tile.assert %m, "n must be positive" : tensor<64xi1>
  // CHECK: tile.assume %{{.*}} : i1
  tile.assume %c : i1
  // CHECK: tile.hint %{{.*}} divisibility [16] contiguity [64] constancy [1] : tensor<64xi32>
  %h = tile.hint %v divisibility [16] contiguity [64] constancy [1] : tensor<64xi32>
  // CHECK: tile.hint %{{.*}} divisibility [8] : f32
  %h1 = tile.hint %f divisibility [8] : f32
  return
}

}
