// Flash attention forward, fp16, head dimension 128, not causal: O = softmax(scale * Q K^T) V for each head. The rows
// of all heads are consecutive: Q, K, V and O are (heads * length) x 128. Program (i, head) computes 128 rows of Q; one
// producer thread loads blocks of 128 rows of K and V into two stages each; two consumer groups compute 64 rows of Q
// each. Within a group the scores of a block are computed while the previous block is multiplied by V; the softmax
// overlaps with this product.
//
// length must be a multiple of 128. Source of the recurrence: FlashAttention-2, Dao, arXiv 2307.08691; of the overlap:
// FlashAttention-3, Shah et al., arXiv 2407.08608.
//
// A block of 128 x 128 is two boxes of 64 columns; a row has 128 bytes, and its 16-byte pieces are XORed by the row's
// number.
#t = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (0,64)>
#tt = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (8,1) (16,2) (32,4) (0,8) (0,16) (0,32) (0,64) (64,0)>
#h = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (0,0) (0,64)>

func.func @attention(%q: !tile.desc<128x128xf16> {tile.name = "q"}, %k: !tile.desc<128x128xf16> {tile.name = "k"},
                     %v: !tile.desc<128x128xf16> {tile.name = "v"}, %o: !tile.desc<64x128xf16> {tile.name = "o"},
                     %length: i32 {tile.name = "length"}, %scale: f32 {tile.name = "scale"})
    attributes {tile.kernel, simt.warps = 12 : i32, simt.warp_size = 32 : i32, simt.max_registers = 168 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c128 = arith.constant 128 : i32
  %sq = simt.shared_alloc at 0 : !simt.shared<128x128xf16, #t>
  %sk = simt.shared_alloc at 32768 : !simt.shared<2x128x128xf16, #t>
  %sv = simt.shared_alloc at 98304 : !simt.shared<2x128x128xf16, #t>
  %qFull = simt.barrier_alloc at 163840 : !simt.barriers<1>
  %kFull = simt.barrier_alloc at 163848 : !simt.barriers<2>
  %kEmpty = simt.barrier_alloc at 163864 : !simt.barriers<2>
  %vFull = simt.barrier_alloc at 163880 : !simt.barriers<2>
  %vEmpty = simt.barrier_alloc at 163896 : !simt.barriers<2>

  %thread = simt.thread_id : i32
  %isFirst = arith.cmpi eq, %thread, %c0 : i32
  scf.if %isFirst {
    simt.barrier_init %qFull[%c0] count 1 : !simt.barriers<1>
    scf.for %i = %c0 to %c2 step %c1 : i32 {
      simt.barrier_init %kFull[%i] count 1 : !simt.barriers<2>
      simt.barrier_init %kEmpty[%i] count 8 : !simt.barriers<2>
      simt.barrier_init %vFull[%i] count 1 : !simt.barriers<2>
      simt.barrier_init %vEmpty[%i] count 8 : !simt.barriers<2>
    } {simt.divergent}
    simt.fence barrier_init
  } {simt.divergent}
  simt.barrier

  %head = tile.program_id 1
  %block = tile.program_id 0
  %headRow = arith.muli %head, %length : i32
  %blockRow = arith.muli %block, %c128 : i32
  %row = arith.addi %headRow, %blockRow : i32
  %blocks = arith.divui %length, %c128 : i32

  simt.warp_groups(%q, %k, %v, %o, %sq, %sk, %sv, %qFull, %kFull, %kEmpty, %vFull, %vEmpty, %row, %headRow, %blocks,
                   %scale)
    : !tile.desc<128x128xf16>, !tile.desc<128x128xf16>, !tile.desc<128x128xf16>, !tile.desc<64x128xf16>,
      !simt.shared<128x128xf16, #t>, !simt.shared<2x128x128xf16, #t>, !simt.shared<2x128x128xf16, #t>,
      !simt.barriers<1>, !simt.barriers<2>, !simt.barriers<2>, !simt.barriers<2>, !simt.barriers<2>, i32, i32, i32, f32
  group warps 4 registers 24 (%dq: !tile.desc<128x128xf16>, %dk: !tile.desc<128x128xf16>, %dv: !tile.desc<128x128xf16>,
                                  %do: !tile.desc<64x128xf16>, %tq: !simt.shared<128x128xf16, #t>,
                                  %tk: !simt.shared<2x128x128xf16, #t>, %tv: !simt.shared<2x128x128xf16, #t>,
                                  %qf: !simt.barriers<1>, %kf: !simt.barriers<2>, %ke: !simt.barriers<2>,
                                  %vf: !simt.barriers<2>, %ve: !simt.barriers<2>, %first: i32, %base: i32, %count: i32,
                                  %factor: f32) {
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i128 = arith.constant 128 : i32
    %warp = simt.warp_id : i32
    %elected = simt.elect : i1
    %isWarp0 = arith.cmpi eq, %warp, %i0 : i32
    %isProducer = arith.andi %elected, %isWarp0 : i1
    scf.if %isProducer {
      simt.barrier_expect %qf[%i0] bytes 32768 : !simt.barriers<1>
      simt.load_tile %dq[%first, %i0] to %tq on %qf[%i0]
        : !tile.desc<128x128xf16>, !simt.shared<128x128xf16, #t>, !simt.barriers<1>
      scf.for %j = %i0 to %count step %i1 : i32 {
        %s = arith.andi %j, %i1 : i32
        %round = arith.shrui %j, %i1 : i32
        %parity = arith.andi %round, %i1 : i32
        %other = arith.xori %parity, %i1 : i32
        %within = arith.muli %j, %i128 : i32
        %at = arith.addi %base, %within : i32
        simt.barrier_wait %ke[%s], %other : !simt.barriers<2>
        simt.barrier_expect %kf[%s] bytes 32768 : !simt.barriers<2>
        %ks = simt.stage %tk[%s] : !simt.shared<2x128x128xf16, #t> -> !simt.shared<128x128xf16, #t>
        simt.load_tile %dk[%at, %i0] to %ks on %kf[%s]
          : !tile.desc<128x128xf16>, !simt.shared<128x128xf16, #t>, !simt.barriers<2>
        simt.barrier_wait %ve[%s], %other : !simt.barriers<2>
        simt.barrier_expect %vf[%s] bytes 32768 : !simt.barriers<2>
        %vs = simt.stage %tv[%s] : !simt.shared<2x128x128xf16, #t> -> !simt.shared<128x128xf16, #t>
        simt.load_tile %dv[%at, %i0] to %vs on %vf[%s]
          : !tile.desc<128x128xf16>, !simt.shared<128x128xf16, #t>, !simt.barriers<2>
      } {simt.divergent}
    } {simt.divergent}
  }
  group warps 8 registers 240 (%dq: !tile.desc<128x128xf16>, %dk: !tile.desc<128x128xf16>, %dv: !tile.desc<128x128xf16>,
                                  %do: !tile.desc<64x128xf16>, %tq: !simt.shared<128x128xf16, #t>,
                                  %tk: !simt.shared<2x128x128xf16, #t>, %tv: !simt.shared<2x128x128xf16, #t>,
                                  %qf: !simt.barriers<1>, %kf: !simt.barriers<2>, %ke: !simt.barriers<2>,
                                  %vf: !simt.barriers<2>, %ve: !simt.barriers<2>, %first: i32, %base: i32, %count: i32,
                                  %factor: f32) {
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i3 = arith.constant 3 : i32
    %i4 = arith.constant 4 : i32
    %i7 = arith.constant 7 : i32
    %i8 = arith.constant 8 : i32
    %i15 = arith.constant 15 : i32
    %i16 = arith.constant 16 : i32
    %i64 = arith.constant 64 : i32
    %no = arith.constant false
    %zeros = arith.constant dense<0.0> : vector<64xf32>
    %one = arith.constant 1.0 : f32
    %log2e = arith.constant 1.44269502 : f32
    %warp = simt.warp_id : i32
    %lane = simt.lane_id : i32
    %half = arith.divui %warp, %i4 : i32
    %quarter = arith.andi %warp, %i3 : i32
    %elected = simt.elect : i1
    // Scores are scaled to base 2: p = exp2(s * factor * log2(e) - maximum).
    %c = arith.mulf %factor, %log2e : f32
    %cs = simt.splat %c : f32 -> vector<64xf32>
    %c2 = simt.splat %c : f32 -> vector<2xf32>
    %hq = simt.part %tq[%half, %i0] : !simt.shared<128x128xf16, #t> -> !simt.shared<64x128xf16, #h>

    // The first block of scores. A thread holds two of the 64 rows, distinguished by register bit 1.
    simt.barrier_wait %qf[%i0], %i0 : !simt.barriers<1>
    simt.barrier_wait %kf[%i0], %i0 : !simt.barriers<2>
    %k0 = simt.stage %tk[%i0] : !simt.shared<2x128x128xf16, #t> -> !simt.shared<128x128xf16, #t>
    %kt0 = simt.transpose %k0 : !simt.shared<128x128xf16, #t> -> !simt.shared<128x128xf16, #tt>
    %f0 = simt.matmul_async %hq, %kt0, %zeros accumulate %no instruction "wgmma.m64n128k16.f32.f16"
      : !simt.shared<64x128xf16, #h>, !simt.shared<128x128xf16, #tt>, vector<64xf32>
    %s0 = simt.matmul_wait 0 %f0 : vector<64xf32>
    scf.if %elected {
      simt.barrier_arrive %ke[%i0] : !simt.barriers<2>
    } {simt.divergent}
    %a0 = simt.reduce_registers maxnumf %s0 keep 2 : vector<64xf32> -> vector<2xf32>
    %b0 = simt.shuffle xor %a0, %i1 : vector<2xf32>
    %d0 = arith.maxnumf %a0, %b0 : vector<2xf32>
    %e0 = simt.shuffle xor %d0, %i2 : vector<2xf32>
    %g0 = arith.maxnumf %d0, %e0 : vector<2xf32>
    %h0 = arith.mulf %g0, %c2 : vector<2xf32>
    %ms0 = simt.spread_registers %h0 keep 2 : vector<2xf32> -> vector<64xf32>
    %n0 = arith.negf %ms0 : vector<64xf32>
    %x0 = math.fma %s0, %cs, %n0 : vector<64xf32>
    %p0 = math.exp2 %x0 : vector<64xf32>
    %l0 = simt.reduce_registers addf %p0 keep 2 : vector<64xf32> -> vector<2xf32>
    %w0 = arith.truncf %p0 : vector<64xf32> to vector<64xf16>

    %acc, %weights, %maximum, %sum = scf.for %j = %i1 to %count step %i1
        iter_args(%o0 = %zeros, %w1 = %w0, %m0 = %h0, %l1 = %l0)
        -> (vector<64xf32>, vector<64xf16>, vector<2xf32>, vector<2xf32>) : i32 {
      %s = arith.andi %j, %i1 : i32
      %round = arith.shrui %j, %i1 : i32
      %parity = arith.andi %round, %i1 : i32
      %before = arith.subi %j, %i1 : i32
      %sBefore = arith.andi %before, %i1 : i32
      %roundBefore = arith.shrui %before, %i1 : i32
      %parityBefore = arith.andi %roundBefore, %i1 : i32

      // This block's scores, then the previous block times V; both in flight.
      simt.barrier_wait %kf[%s], %parity : !simt.barriers<2>
      %ks = simt.stage %tk[%s] : !simt.shared<2x128x128xf16, #t> -> !simt.shared<128x128xf16, #t>
      %kt = simt.transpose %ks : !simt.shared<128x128xf16, #t> -> !simt.shared<128x128xf16, #tt>
      %f = simt.matmul_async %hq, %kt, %zeros accumulate %no instruction "wgmma.m64n128k16.f32.f16"
        : !simt.shared<64x128xf16, #h>, !simt.shared<128x128xf16, #tt>, vector<64xf32>
      simt.barrier_wait %vf[%sBefore], %parityBefore : !simt.barriers<2>
      %vs = simt.stage %tv[%sBefore] : !simt.shared<2x128x128xf16, #t> -> !simt.shared<128x128xf16, #t>
      %o1 = simt.matmul_async %w1, %vs, %o0 instruction "wgmma.m64n128k16.f32.f16"
        : vector<64xf16>, !simt.shared<128x128xf16, #t>, vector<64xf32>
      %scores = simt.matmul_wait 1 %f : vector<64xf32>
      scf.if %elected {
        simt.barrier_arrive %ke[%s] : !simt.barriers<2>
      } {simt.divergent}
      %a2 = simt.reduce_registers maxnumf %scores keep 2 : vector<64xf32> -> vector<2xf32>
      %b2 = simt.shuffle xor %a2, %i1 : vector<2xf32>
      %d2 = arith.maxnumf %a2, %b2 : vector<2xf32>
      %e2 = simt.shuffle xor %d2, %i2 : vector<2xf32>
      %g2 = arith.maxnumf %d2, %e2 : vector<2xf32>
      %h2 = arith.mulf %g2, %c2 : vector<2xf32>
      %m2 = arith.maxnumf %m0, %h2 : vector<2xf32>
      %ms2 = simt.spread_registers %m2 keep 2 : vector<2xf32> -> vector<64xf32>
      %n2 = arith.negf %ms2 : vector<64xf32>
      %x2 = math.fma %scores, %cs, %n2 : vector<64xf32>
      %p2 = math.exp2 %x2 : vector<64xf32>
      %l2 = simt.reduce_registers addf %p2 keep 2 : vector<64xf32> -> vector<2xf32>
      %w2 = arith.truncf %p2 : vector<64xf32> to vector<64xf16>
      %fall = arith.subf %m0, %m2 : vector<2xf32>
      %alpha = math.exp2 %fall : vector<2xf32>
      %l3 = arith.mulf %l1, %alpha : vector<2xf32>
      %l4 = arith.addf %l3, %l2 : vector<2xf32>

      // The product with V has ended; it is scaled by the old maximum.
      %o2 = simt.matmul_wait 0 %o1 : vector<64xf32>
      scf.if %elected {
        simt.barrier_arrive %ve[%sBefore] : !simt.barriers<2>
      } {simt.divergent}
      %alphas = simt.spread_registers %alpha keep 2 : vector<2xf32> -> vector<64xf32>
      %o3 = arith.mulf %o2, %alphas : vector<64xf32>
      scf.yield %o3, %w2, %m2, %l4 : vector<64xf32>, vector<64xf16>, vector<2xf32>, vector<2xf32>
    } {simt.uniform}

    // The last block times V.
    %last = arith.subi %count, %i1 : i32
    %sLast = arith.andi %last, %i1 : i32
    %roundLast = arith.shrui %last, %i1 : i32
    %parityLast = arith.andi %roundLast, %i1 : i32
    simt.barrier_wait %vf[%sLast], %parityLast : !simt.barriers<2>
    %vLast = simt.stage %tv[%sLast] : !simt.shared<2x128x128xf16, #t> -> !simt.shared<128x128xf16, #t>
    %o4 = simt.matmul_async %weights, %vLast, %acc instruction "wgmma.m64n128k16.f32.f16"
      : vector<64xf16>, !simt.shared<128x128xf16, #t>, vector<64xf32>

    // Sums over the four lanes that share a row.
    %t1 = simt.shuffle xor %sum, %i1 : vector<2xf32>
    %t2 = arith.addf %sum, %t1 : vector<2xf32>
    %t3 = simt.shuffle xor %t2, %i2 : vector<2xf32>
    %t4 = arith.addf %t2, %t3 : vector<2xf32>
    %ones = simt.splat %one : f32 -> vector<2xf32>
    %inverse = arith.divf %ones, %t4 : vector<2xf32>
    %o5 = simt.matmul_wait 0 %o4 : vector<64xf32>
    %inverses = simt.spread_registers %inverse keep 2 : vector<2xf32> -> vector<64xf32>
    %o6 = arith.mulf %o5, %inverses : vector<64xf32>
    %short = arith.truncf %o6 : vector<64xf32> to vector<64xf16>

    // The result leaves through this group's half of Q's buffer, which its warps no longer read. Row 16 * quarter +
    // lane mod 16, piece (2 q + lane / 16) xor (lane mod 8); the second box is 8192 elements behind.
    simt.barrier warps 4
    %lane8 = arith.andi %lane, %i7 : i32
    %upper = arith.shrui %lane, %i4 : i32
    %lane15 = arith.andi %lane, %i15 : i32
    %warpRow = arith.muli %quarter, %i16 : i32
    %storeRow = arith.addi %warpRow, %lane15 : i32
    %storeRow64 = arith.muli %storeRow, %i64 : i32
    %piece = arith.xori %upper, %lane8 : i32
    %piece8 = arith.muli %piece, %i8 : i32
    %store0 = arith.addi %storeRow64, %piece8 : i32
    %z0 = simt.slice %short from 0 : vector<64xf16> -> vector<8xf16>
    simt.store_matrix %hq[%store0], %z0 : !simt.shared<64x128xf16, #h>, vector<8xf16>
    %y1 = arith.constant 16 : i32
    %store1 = arith.xori %store0, %y1 : i32
    %z1 = simt.slice %short from 8 : vector<64xf16> -> vector<8xf16>
    simt.store_matrix %hq[%store1], %z1 : !simt.shared<64x128xf16, #h>, vector<8xf16>
    %y2 = arith.constant 32 : i32
    %store2 = arith.xori %store0, %y2 : i32
    %z2 = simt.slice %short from 16 : vector<64xf16> -> vector<8xf16>
    simt.store_matrix %hq[%store2], %z2 : !simt.shared<64x128xf16, #h>, vector<8xf16>
    %y3 = arith.constant 48 : i32
    %store3 = arith.xori %store0, %y3 : i32
    %z3 = simt.slice %short from 24 : vector<64xf16> -> vector<8xf16>
    simt.store_matrix %hq[%store3], %z3 : !simt.shared<64x128xf16, #h>, vector<8xf16>
    %y4 = arith.constant 8192 : i32
    %store4 = arith.xori %store0, %y4 : i32
    %z4 = simt.slice %short from 32 : vector<64xf16> -> vector<8xf16>
    simt.store_matrix %hq[%store4], %z4 : !simt.shared<64x128xf16, #h>, vector<8xf16>
    %y5 = arith.constant 8208 : i32
    %store5 = arith.xori %store0, %y5 : i32
    %z5 = simt.slice %short from 40 : vector<64xf16> -> vector<8xf16>
    simt.store_matrix %hq[%store5], %z5 : !simt.shared<64x128xf16, #h>, vector<8xf16>
    %y6 = arith.constant 8224 : i32
    %store6 = arith.xori %store0, %y6 : i32
    %z6 = simt.slice %short from 48 : vector<64xf16> -> vector<8xf16>
    simt.store_matrix %hq[%store6], %z6 : !simt.shared<64x128xf16, #h>, vector<8xf16>
    %y7 = arith.constant 8240 : i32
    %store7 = arith.xori %store0, %y7 : i32
    %z7 = simt.slice %short from 56 : vector<64xf16> -> vector<8xf16>
    simt.store_matrix %hq[%store7], %z7 : !simt.shared<64x128xf16, #h>, vector<8xf16>
    simt.fence async
    simt.barrier warps 4
    %isQuarter0 = arith.cmpi eq, %quarter, %i0 : i32
    %isStorer = arith.andi %elected, %isQuarter0 : i1
    scf.if %isStorer {
      %halfRow = arith.muli %half, %i64 : i32
      %outRow = arith.addi %first, %halfRow : i32
      simt.store_tile %hq to %do[%outRow, %i0] : !simt.shared<64x128xf16, #h>, !tile.desc<64x128xf16>
      simt.commit_stores
      simt.wait_stores 0
    } {simt.divergent}
  }
  return
}
