// fp16 matrix product C = A * B^T for Hopper: the tensor memory accelerator copies blocks of A (M x K) and B (N x K)
// into four stages, each guarded by a pair of barrier objects; one producer group issues the copies, two consumer
// groups of four warps execute asynchronous matrix instructions on 64 x 256 halves of a 128 x 256 tile. Programs are
// persistent: the grid has as many programs as the device runs at once, and the producer starts the next tile's copies
// while the last tile is being stored.
//
// All sizes are allowed: copies fill with zeros and clip at the edges. Descriptors hold the strides.
//
// One stage: A 128 x 64 (16 KiB) and B 256 x 64 (32 KiB), rows of 128 bytes whose 16-byte pieces are XORed by the row:
//   piece(row, column) = (column / 8) xor (row mod 8)
#a = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0)>
#b = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) (128,0)>
#bt = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (8,1) (16,2) (32,4) (0,8) (0,16) (0,32) (0,64) (0,128)>
#half = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>

func.func @matmul(%a: !tile.desc<128x64xf16> {tile.name = "a"}, %b: !tile.desc<256x64xf16> {tile.name = "b"},
                  %c: !tile.desc<64x64xf16> {tile.name = "c"}, %m: i32 {tile.name = "m"}, %n: i32 {tile.name = "n"},
                  %k: i32 {tile.name = "k"})
    attributes {tile.kernel, simt.warps = 12 : i32, simt.warp_size = 32 : i32, simt.max_registers = 168 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %sa = simt.shared_alloc at 0 : !simt.shared<4x128x64xf16, #a>
  %sb = simt.shared_alloc at 65536 : !simt.shared<4x256x64xf16, #b>
  %sc = simt.shared_alloc at 196608 : !simt.shared<4x64x64xf16, #half>
  %full = simt.barrier_alloc at 229376 : !simt.barriers<4>
  %empty = simt.barrier_alloc at 229408 : !simt.barriers<4>

  // A stage is full after one arrival and its bytes, and empty after one arrival of each consuming warp.
  %thread = simt.thread_id : i32
  %isFirst = arith.cmpi eq, %thread, %c0 : i32
  scf.if %isFirst {
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      simt.barrier_init %full[%i] count 1 : !simt.barriers<4>
      simt.barrier_init %empty[%i] count 8 : !simt.barriers<4>
    } {simt.divergent}
    simt.fence barrier_init
  } {simt.divergent}
  simt.barrier

  // Tiles are numbered down groups of 16 rows of tiles, so that programs that run at the same time share operands.
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %c127 = arith.constant 127 : i32
  %c128 = arith.constant 128 : i32
  %c255 = arith.constant 255 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant 16 : i32
  %m1 = arith.addi %m, %c127 : i32
  %rows = arith.divui %m1, %c128 : i32
  %n1 = arith.addi %n, %c255 : i32
  %columns = arith.divui %n1, %c256 : i32
  %k1 = arith.addi %k, %c63 : i32
  %steps = arith.divui %k1, %c64 : i32
  %tiles = arith.muli %rows, %columns : i32
  %program = tile.program_id 0
  %programs = tile.num_programs 0

  simt.warp_groups(%a, %b, %c, %sa, %sb, %sc, %full, %empty, %rows, %columns, %steps, %tiles, %program, %programs)
    : !tile.desc<128x64xf16>, !tile.desc<256x64xf16>, !tile.desc<64x64xf16>, !simt.shared<4x128x64xf16, #a>,
      !simt.shared<4x256x64xf16, #b>, !simt.shared<4x64x64xf16, #half>, !simt.barriers<4>, !simt.barriers<4>, i32,
      i32, i32,
      i32, i32, i32
  group warps 4 registers 40 (%da: !tile.desc<128x64xf16>, %db: !tile.desc<256x64xf16>, %dc: !tile.desc<64x64xf16>,
                                  %qa: !simt.shared<4x128x64xf16, #a>, %qb: !simt.shared<4x256x64xf16, #b>,
                                  %qc: !simt.shared<4x64x64xf16, #half>, %qfull: !simt.barriers<4>,
                                  %qempty: !simt.barriers<4>,
                                  %nrows: i32, %ncolumns: i32, %nsteps: i32, %ntiles: i32, %pid: i32, %npids: i32) {
    // The producer is one thread. `at` counts stages from the kernel's start; its low bits are the stage's index.
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i3 = arith.constant 3 : i32
    %i16 = arith.constant 16 : i32
    %i64 = arith.constant 64 : i32
    %i128 = arith.constant 128 : i32
    %i256 = arith.constant 256 : i32
    %warp = simt.warp_id : i32
    %elected = simt.elect : i1
    %isWarp0 = arith.cmpi eq, %warp, %i0 : i32
    %isProducer = arith.andi %elected, %isWarp0 : i1
    scf.if %isProducer {
      %end = scf.for %tile = %pid to %ntiles step %npids iter_args(%at0 = %i0) -> (i32) : i32 {
        %width = arith.muli %ncolumns, %i16 : i32
        %group = arith.divui %tile, %width : i32
        %firstRow = arith.muli %group, %i16 : i32
        %left = arith.subi %nrows, %firstRow : i32
        %height = arith.minui %left, %i16 : i32
        %within = arith.remui %tile, %width : i32
        %r0 = arith.remui %within, %height : i32
        %tileRow = arith.addi %firstRow, %r0 : i32
        %tileColumn = arith.divui %within, %height : i32
        %row = arith.muli %tileRow, %i128 : i32
        %column = arith.muli %tileColumn, %i256 : i32
        %next = scf.for %step = %i0 to %nsteps step %i1 iter_args(%at = %at0) -> (i32) : i32 {
          %s = arith.andi %at, %i3 : i32
          %round = arith.shrui %at, %i2 : i32
          %parity = arith.andi %round, %i1 : i32
          %other = arith.xori %parity, %i1 : i32
          simt.barrier_wait %qempty[%s], %other : !simt.barriers<4>
          simt.barrier_expect %qfull[%s] bytes 49152 : !simt.barriers<4>
          %inner = arith.muli %step, %i64 : i32
          %ta = simt.stage %qa[%s] : !simt.shared<4x128x64xf16, #a> -> !simt.shared<128x64xf16, #a>
          %tb = simt.stage %qb[%s] : !simt.shared<4x256x64xf16, #b> -> !simt.shared<256x64xf16, #b>
          simt.load_tile %da[%row, %inner] to %ta on %qfull[%s]
            : !tile.desc<128x64xf16>, !simt.shared<128x64xf16, #a>, !simt.barriers<4>
          simt.load_tile %db[%column, %inner] to %tb on %qfull[%s]
            : !tile.desc<256x64xf16>, !simt.shared<256x64xf16, #b>, !simt.barriers<4>
          %at1 = arith.addi %at, %i1 : i32
          scf.yield %at1 : i32
        } {simt.divergent}
        scf.yield %next : i32
      } {simt.divergent}
    } {simt.divergent}
  }
  group warps 8 registers 232 (%da: !tile.desc<128x64xf16>, %db: !tile.desc<256x64xf16>, %dc: !tile.desc<64x64xf16>,
                                  %qa: !simt.shared<4x128x64xf16, #a>, %qb: !simt.shared<4x256x64xf16, #b>,
                                  %qc: !simt.shared<4x64x64xf16, #half>, %qfull: !simt.barriers<4>,
                                  %qempty: !simt.barriers<4>,
                                  %nrows: i32, %ncolumns: i32, %nsteps: i32, %ntiles: i32, %pid: i32, %npids: i32) {
    // The consumers: warps 0 to 3 compute the upper 64 rows, warps 4 to 7 the lower ones.
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i3 = arith.constant 3 : i32
    %i16 = arith.constant 16 : i32
    %i64 = arith.constant 64 : i32
    %i128 = arith.constant 128 : i32
    %i256 = arith.constant 256 : i32
    %i4 = arith.constant 4 : i32
    %i7 = arith.constant 7 : i32
    %i8 = arith.constant 8 : i32
    %no = arith.constant false
    %zeros = arith.constant dense<0.0> : vector<128xf32>
    %warp = simt.warp_id : i32
    %lane = simt.lane_id : i32
    %half = arith.divui %warp, %i4 : i32
    %quarter = arith.andi %warp, %i3 : i32
    %elected = simt.elect : i1
    %isQuarter0 = arith.cmpi eq, %quarter, %i0 : i32
    %isStorer = arith.andi %elected, %isQuarter0 : i1

    // Positions of the rows of 8x8 matrices that this lane stores: row = 16 * quarter + lane mod 16, and the upper or
    // lower of two pieces.
    %lane8 = arith.andi %lane, %i7 : i32
    %lane16 = arith.shrui %lane, %i4 : i32
    %i15 = arith.constant 15 : i32
    %rowInWarp = arith.andi %lane, %i15 : i32
    %warpRow = arith.muli %quarter, %i16 : i32
    %storeRow = arith.addi %warpRow, %rowInWarp : i32
    %storeRow64 = arith.muli %storeRow, %i64 : i32
    %piece = arith.xori %lane16, %lane8 : i32
    %piece8 = arith.muli %piece, %i8 : i32
    %store0 = arith.addi %storeRow64, %piece8 : i32
    %x1 = arith.constant 16 : i32
    %store1 = arith.xori %store0, %x1 : i32
    %x2 = arith.constant 32 : i32
    %store2 = arith.xori %store0, %x2 : i32
    %x3 = arith.constant 48 : i32
    %store3 = arith.xori %store0, %x3 : i32
    %halfRow = arith.muli %half, %i64 : i32
    %halfBuffer = arith.muli %half, %i2 : i32

    %end = scf.for %tile = %pid to %ntiles step %npids iter_args(%at0 = %i0) -> (i32) : i32 {
      %width = arith.muli %ncolumns, %i16 : i32
      %group = arith.divui %tile, %width : i32
      %firstRow = arith.muli %group, %i16 : i32
      %left = arith.subi %nrows, %firstRow : i32
      %height = arith.minui %left, %i16 : i32
      %within = arith.remui %tile, %width : i32
      %r0 = arith.remui %within, %height : i32
      %tileRow = arith.addi %firstRow, %r0 : i32
      %tileColumn = arith.divui %within, %height : i32
      %row = arith.muli %tileRow, %i128 : i32
      %column = arith.muli %tileColumn, %i256 : i32

      // The first product overwrites the accumulator. From then on one product is in flight while the next one starts;
      // a stage becomes empty when a wait leaves only the product after it in flight.
      %s0 = arith.andi %at0, %i3 : i32
      %round0 = arith.shrui %at0, %i2 : i32
      %parity0 = arith.andi %round0, %i1 : i32
      simt.barrier_wait %qfull[%s0], %parity0 : !simt.barriers<4>
      %ta0 = simt.stage %qa[%s0] : !simt.shared<4x128x64xf16, #a> -> !simt.shared<128x64xf16, #a>
      %ha0 = simt.part %ta0[%half, %i0] : !simt.shared<128x64xf16, #a> -> !simt.shared<64x64xf16, #half>
      %tb0 = simt.stage %qb[%s0] : !simt.shared<4x256x64xf16, #b> -> !simt.shared<256x64xf16, #b>
      %hb0 = simt.transpose %tb0 : !simt.shared<256x64xf16, #b> -> !simt.shared<64x256xf16, #bt>
      %acc0 = simt.matmul_async %ha0, %hb0, %zeros accumulate %no instruction "wgmma.m64n256k16.f32.f16"
        : !simt.shared<64x64xf16, #half>, !simt.shared<64x256xf16, #bt>, vector<128xf32>
      %at1 = arith.addi %at0, %i1 : i32
      %acc, %at2 = scf.for %step = %i1 to %nsteps step %i1 iter_args(%sum = %acc0, %at = %at1) -> (vector<128xf32>,
        i32) : i32 {
        %s = arith.andi %at, %i3 : i32
        %round = arith.shrui %at, %i2 : i32
        %parity = arith.andi %round, %i1 : i32
        simt.barrier_wait %qfull[%s], %parity : !simt.barriers<4>
        %ta = simt.stage %qa[%s] : !simt.shared<4x128x64xf16, #a> -> !simt.shared<128x64xf16, #a>
        %ha = simt.part %ta[%half, %i0] : !simt.shared<128x64xf16, #a> -> !simt.shared<64x64xf16, #half>
        %tb = simt.stage %qb[%s] : !simt.shared<4x256x64xf16, #b> -> !simt.shared<256x64xf16, #b>
        %hb = simt.transpose %tb : !simt.shared<256x64xf16, #b> -> !simt.shared<64x256xf16, #bt>
        %sum1 = simt.matmul_async %ha, %hb, %sum instruction "wgmma.m64n256k16.f32.f16"
          : !simt.shared<64x64xf16, #half>, !simt.shared<64x256xf16, #bt>, vector<128xf32>
        simt.matmul_wait 1
        scf.if %elected {
          %before = arith.subi %at, %i1 : i32
          %free = arith.andi %before, %i3 : i32
          simt.barrier_arrive %qempty[%free] : !simt.barriers<4>
        } {simt.divergent}
        %atNext = arith.addi %at, %i1 : i32
        scf.yield %sum1, %atNext : vector<128xf32>, i32
      } {simt.uniform}
      %sum = simt.matmul_wait 0 %acc : vector<128xf32>
      scf.if %elected {
        %before = arith.subi %at2, %i1 : i32
        %free = arith.andi %before, %i3 : i32
        simt.barrier_arrive %qempty[%free] : !simt.barriers<4>
      } {simt.divergent}

      // The result is stored in four blocks of 64 columns through two buffers: registers to shared memory as 8x8
      // matrices, then a copy that clips at the edges. A buffer is rewritten when the copy before the last has read it.
      %short = arith.truncf %sum : vector<128xf32> to vector<128xf16>
      %outRow = arith.addi %row, %halfRow : i32

      scf.if %isStorer {
        simt.wait_stores reads 1
      } {simt.divergent}
      simt.barrier warps 4
      %buffer0 = arith.addi %halfBuffer, %i0 : i32
      %tc0 = simt.stage %qc[%buffer0] : !simt.shared<4x64x64xf16, #half> -> !simt.shared<64x64xf16, #half>
      %v00 = simt.slice %short from 0 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc0[%store0], %v00 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v01 = simt.slice %short from 8 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc0[%store1], %v01 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v02 = simt.slice %short from 16 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc0[%store2], %v02 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v03 = simt.slice %short from 24 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc0[%store3], %v03 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      simt.fence async
      simt.barrier warps 4
      %o0 = arith.constant 0 : i32
      %outColumn0 = arith.addi %column, %o0 : i32
      scf.if %isStorer {
        simt.store_tile %tc0 to %dc[%outRow, %outColumn0] : !simt.shared<64x64xf16, #half>, !tile.desc<64x64xf16>
        simt.commit_stores
      } {simt.divergent}

      scf.if %isStorer {
        simt.wait_stores reads 1
      } {simt.divergent}
      simt.barrier warps 4
      %buffer1 = arith.addi %halfBuffer, %i1 : i32
      %tc1 = simt.stage %qc[%buffer1] : !simt.shared<4x64x64xf16, #half> -> !simt.shared<64x64xf16, #half>
      %v10 = simt.slice %short from 32 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc1[%store0], %v10 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v11 = simt.slice %short from 40 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc1[%store1], %v11 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v12 = simt.slice %short from 48 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc1[%store2], %v12 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v13 = simt.slice %short from 56 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc1[%store3], %v13 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      simt.fence async
      simt.barrier warps 4
      %o1 = arith.constant 64 : i32
      %outColumn1 = arith.addi %column, %o1 : i32
      scf.if %isStorer {
        simt.store_tile %tc1 to %dc[%outRow, %outColumn1] : !simt.shared<64x64xf16, #half>, !tile.desc<64x64xf16>
        simt.commit_stores
      } {simt.divergent}

      scf.if %isStorer {
        simt.wait_stores reads 1
      } {simt.divergent}
      simt.barrier warps 4
      %buffer2 = arith.addi %halfBuffer, %i0 : i32
      %tc2 = simt.stage %qc[%buffer2] : !simt.shared<4x64x64xf16, #half> -> !simt.shared<64x64xf16, #half>
      %v20 = simt.slice %short from 64 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc2[%store0], %v20 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v21 = simt.slice %short from 72 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc2[%store1], %v21 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v22 = simt.slice %short from 80 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc2[%store2], %v22 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v23 = simt.slice %short from 88 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc2[%store3], %v23 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      simt.fence async
      simt.barrier warps 4
      %o2 = arith.constant 128 : i32
      %outColumn2 = arith.addi %column, %o2 : i32
      scf.if %isStorer {
        simt.store_tile %tc2 to %dc[%outRow, %outColumn2] : !simt.shared<64x64xf16, #half>, !tile.desc<64x64xf16>
        simt.commit_stores
      } {simt.divergent}

      scf.if %isStorer {
        simt.wait_stores reads 1
      } {simt.divergent}
      simt.barrier warps 4
      %buffer3 = arith.addi %halfBuffer, %i1 : i32
      %tc3 = simt.stage %qc[%buffer3] : !simt.shared<4x64x64xf16, #half> -> !simt.shared<64x64xf16, #half>
      %v30 = simt.slice %short from 96 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc3[%store0], %v30 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v31 = simt.slice %short from 104 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc3[%store1], %v31 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v32 = simt.slice %short from 112 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc3[%store2], %v32 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      %v33 = simt.slice %short from 120 : vector<128xf16> -> vector<8xf16>
      simt.store_matrix %tc3[%store3], %v33 : !simt.shared<64x64xf16, #half>, vector<8xf16>
      simt.fence async
      simt.barrier warps 4
      %o3 = arith.constant 192 : i32
      %outColumn3 = arith.addi %column, %o3 : i32
      scf.if %isStorer {
        simt.store_tile %tc3 to %dc[%outRow, %outColumn3] : !simt.shared<64x64xf16, #half>, !tile.desc<64x64xf16>
        simt.commit_stores
      } {simt.divergent}
      scf.yield %at2 : i32
    } {simt.uniform}
    scf.if %isStorer {
      simt.wait_stores 0
    } {simt.divergent}
  }
  return
}
