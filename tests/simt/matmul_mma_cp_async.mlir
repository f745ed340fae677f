// fp16 matrix product C = A * B with the matrix instruction of a warp: A (M x K), B (K x N) and C (M x N) row-major
// with strides lda, ldb, ldc. Each thread copies its part of blocks of A (128 x 32) and B (32 x 128) asynchronously
// into a ring of four stages; four warps, two by two, compute 64 x 64 elements each of the 128 x 128 tile. Two programs
// fit on a multiprocessor at a time: one computes while the other waits.
//
// M and N must be multiples of 128, K of 32; strides and addresses multiples of 8 elements.
//
// Pieces of 16 bytes are XORed by the row, so that eight rows of one column of pieces are in different banks:
//   A, rows of 64 bytes:  piece(row, k) = (k / 8) xor (row / 2 mod 4)
//   B, rows of 256 bytes: piece(k, column) = (column / 8) xor (k mod 8)
#a = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,8) (4,16) (8,0) (16,0) (32,0) (64,0)>
#b = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (1,8) (2,16) (4,32) (8,0) (16,0)>

func.func @matmul(%a: !tile.ptr<f16> {tile.name = "a", tile.divisibility = 16 : i64},
                  %b: !tile.ptr<f16> {tile.name = "b", tile.divisibility = 16 : i64},
                  %c: !tile.ptr<f16> {tile.name = "c", tile.divisibility = 16 : i64}, %m: i32 {tile.name = "m"},
                  %n: i32 {tile.name = "n"}, %k: i32 {tile.name = "k"}, %lda: i32 {tile.name = "lda"},
                  %ldb: i32 {tile.name = "ldb"}, %ldc: i32 {tile.name = "ldc"})
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %sa = simt.shared_alloc at 0 : !simt.shared<4x128x32xf16, #a>
  %sb = simt.shared_alloc at 32768 : !simt.shared<4x32x128xf16, #b>

  // Tiles are numbered down groups of 16 rows of tiles.
  %rows = arith.divui %m, %c128 : i32
  %columns = arith.divui %n, %c128 : i32
  %steps = arith.divui %k, %c32 : i32
  %tile = tile.program_id 0
  %width = arith.muli %columns, %c16 : i32
  %group = arith.divui %tile, %width : i32
  %firstRow = arith.muli %group, %c16 : i32
  %left = arith.subi %rows, %firstRow : i32
  %height = arith.minui %left, %c16 : i32
  %within = arith.remui %tile, %width : i32
  %r0 = arith.remui %within, %height : i32
  %tileRow = arith.addi %firstRow, %r0 : i32
  %tileColumn = arith.divui %within, %height : i32
  %row = arith.muli %tileRow, %c128 : i32
  %column = arith.muli %tileColumn, %c128 : i32

  %t = simt.thread_id : i32
  %lane = simt.lane_id : i32
  %warp = simt.warp_id : i32

  // This thread's copies. A: pieces (t / 4 + 32 i, t mod 4), i < 4. B: pieces (t / 16 + 8 i, t mod 16), i < 4.
  %aRow = arith.shrui %t, %c2 : i32
  %aPiece = arith.andi %t, %c3 : i32
  %aHalfRow = arith.shrui %aRow, %c1 : i32
  %aTwist = arith.andi %aHalfRow, %c3 : i32
  %aPlaced = arith.xori %aPiece, %aTwist : i32
  %aPlaced8 = arith.muli %aPlaced, %c8 : i32
  %aRow32 = arith.muli %aRow, %c32 : i32
  %aTo0 = arith.addi %aRow32, %aPlaced8 : i32
  %aTos = simt.splat %aTo0 : i32 -> vector<4xi32>
  %aToSteps = arith.constant dense<[0, 1024, 2048, 3072]> : vector<4xi32>
  %aTo = arith.addi %aTos, %aToSteps : vector<4xi32>
  %aGlobalRow = arith.addi %row, %aRow : i32
  %aRowStart = arith.muli %aGlobalRow, %lda : i32
  %aPiece8 = arith.muli %aPiece, %c8 : i32
  %aFrom0 = arith.addi %aRowStart, %aPiece8 : i32
  %aFroms = simt.splat %aFrom0 : i32 -> vector<4xi32>
  %aRowSteps = arith.constant dense<[0, 32, 64, 96]> : vector<4xi32>
  %ldas = simt.splat %lda : i32 -> vector<4xi32>
  %aFromSteps = arith.muli %aRowSteps, %ldas : vector<4xi32>
  %aFrom = arith.addi %aFroms, %aFromSteps : vector<4xi32>

  %bRow = arith.shrui %t, %c4 : i32
  %bPiece = arith.andi %t, %c15 : i32
  %bPlaced = arith.xori %bPiece, %bRow : i32
  %bPlaced8 = arith.muli %bPlaced, %c8 : i32
  %bRow128 = arith.muli %bRow, %c128 : i32
  %bTo0 = arith.addi %bRow128, %bPlaced8 : i32
  %bTos = simt.splat %bTo0 : i32 -> vector<4xi32>
  %bToSteps = arith.constant dense<[0, 1024, 2048, 3072]> : vector<4xi32>
  %bTo = arith.addi %bTos, %bToSteps : vector<4xi32>
  %bRowStart = arith.muli %bRow, %ldb : i32
  %bPiece8 = arith.muli %bPiece, %c8 : i32
  %bColumn = arith.addi %column, %bPiece8 : i32
  %bFrom0 = arith.addi %bRowStart, %bColumn : i32
  %bFroms = simt.splat %bFrom0 : i32 -> vector<4xi32>
  %bRowSteps = arith.constant dense<[0, 8, 16, 24]> : vector<4xi32>
  %ldbs = simt.splat %ldb : i32 -> vector<4xi32>
  %bFromSteps = arith.muli %bRowSteps, %ldbs : vector<4xi32>
  %bFrom = arith.addi %bFroms, %bFromSteps : vector<4xi32>
  %ldb32 = arith.muli %ldb, %c32 : i32

  // Three blocks are in flight before the first product.
  scf.for %step = %c0 to %c3 step %c1 : i32 {
    %exists = arith.cmpi slt, %step, %steps : i32
    %slot = arith.andi %step, %c3 : i32
    %ka = arith.muli %step, %c32 : i32
    %kas = simt.splat %ka : i32 -> vector<4xi32>
    %fromA = arith.addi %aFrom, %kas : vector<4xi32>
    %kb = arith.muli %step, %ldb32 : i32
    %kbs = simt.splat %kb : i32 -> vector<4xi32>
    %fromB = arith.addi %bFrom, %kbs : vector<4xi32>
    %existsA = simt.splat %exists : i1 -> vector<4xi1>
    %existsB = simt.splat %exists : i1 -> vector<4xi1>
    %slotA = simt.stage %sa[%slot] : !simt.shared<4x128x32xf16, #a> -> !simt.shared<128x32xf16, #a>
    %slotB = simt.stage %sb[%slot] : !simt.shared<4x32x128xf16, #b> -> !simt.shared<32x128xf16, #b>
    simt.async_load %a[%fromA] to %slotA[%aTo] width 8 mask %existsA
      : !tile.ptr<f16>, vector<4xi32>, !simt.shared<128x32xf16, #a>, vector<4xi32>, vector<4xi1>
    simt.async_load %b[%fromB] to %slotB[%bTo] width 8 mask %existsB
      : !tile.ptr<f16>, vector<4xi32>, !simt.shared<32x128xf16, #b>, vector<4xi32>, vector<4xi1>
    simt.commit_loads
  } {simt.uniform}

  // Positions of this lane's rows of 8x8 matrices. A: row 64 wm + 16 mi + lane mod 16, piece 2 ks + lane / 16, XORed
  // with (lane / 2) mod 4. B: row 16 ks + lane mod 16, piece 8 wn + 2 nj + lane / 16, XORed with lane mod 8.
  %wm = arith.shrui %warp, %c1 : i32
  %wn = arith.andi %warp, %c1 : i32
  %lane15 = arith.andi %lane, %c15 : i32
  %upper = arith.shrui %lane, %c4 : i32
  %wmRow = arith.muli %wm, %c64 : i32
  %fragmentRow = arith.addi %wmRow, %lane15 : i32
  %fragmentRow32 = arith.muli %fragmentRow, %c32 : i32
  %laneHalf = arith.shrui %lane, %c1 : i32
  %twistA = arith.andi %laneHalf, %c3 : i32
  %pieceA = arith.xori %upper, %twistA : i32
  %pieceA8 = arith.muli %pieceA, %c8 : i32
  %readA = arith.addi %fragmentRow32, %pieceA8 : i32
  %lane15x128 = arith.muli %lane15, %c128 : i32
  %twistB = arith.andi %lane, %c7 : i32
  %pieceB = arith.xori %upper, %twistB : i32
  %pieceB8 = arith.muli %pieceB, %c8 : i32
  %wnColumn = arith.muli %wn, %c64 : i32
  %readB0 = arith.addi %lane15x128, %pieceB8 : i32
  %readB = arith.addi %readB0, %wnColumn : i32
  %k1Bit = arith.constant 16 : i32
  %readA1 = arith.xori %readA, %k1Bit : i32
  %twist1 = arith.constant 16 : i32
  %readB1x = arith.xori %readB, %twist1 : i32
  %twist2 = arith.constant 32 : i32
  %readB2x = arith.xori %readB, %twist2 : i32
  %twist3 = arith.constant 48 : i32
  %readB3x = arith.xori %readB, %twist3 : i32

  %zeros = arith.constant dense<0.0> : vector<128xf32>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zeros) -> (vector<128xf32>) : i32 {
    // The wait covers this thread's part of the oldest of three blocks, and the barrier makes all parts visible; it
    // also orders all reads of the previous block before the copies that fill its stage next.
    simt.wait_loads 2
    simt.barrier
    %step = arith.addi %i, %c3 : i32
    %exists = arith.cmpi slt, %step, %steps : i32
    %slot = arith.andi %step, %c3 : i32
    %ka = arith.muli %step, %c32 : i32
    %kas = simt.splat %ka : i32 -> vector<4xi32>
    %fromA = arith.addi %aFrom, %kas : vector<4xi32>
    %kb = arith.muli %step, %ldb32 : i32
    %kbs = simt.splat %kb : i32 -> vector<4xi32>
    %fromB = arith.addi %bFrom, %kbs : vector<4xi32>
    %existsA = simt.splat %exists : i1 -> vector<4xi1>
    %existsB = simt.splat %exists : i1 -> vector<4xi1>
    %slotA = simt.stage %sa[%slot] : !simt.shared<4x128x32xf16, #a> -> !simt.shared<128x32xf16, #a>
    %slotB = simt.stage %sb[%slot] : !simt.shared<4x32x128xf16, #b> -> !simt.shared<32x128xf16, #b>
    simt.async_load %a[%fromA] to %slotA[%aTo] width 8 mask %existsA
      : !tile.ptr<f16>, vector<4xi32>, !simt.shared<128x32xf16, #a>, vector<4xi32>, vector<4xi1>
    simt.async_load %b[%fromB] to %slotB[%bTo] width 8 mask %existsB
      : !tile.ptr<f16>, vector<4xi32>, !simt.shared<32x128xf16, #b>, vector<4xi32>, vector<4xi1>
    simt.commit_loads

    %s = arith.andi %i, %c3 : i32
    %ta = simt.stage %sa[%s] : !simt.shared<4x128x32xf16, #a> -> !simt.shared<128x32xf16, #a>
    %tb = simt.stage %sb[%s] : !simt.shared<4x32x128xf16, #b> -> !simt.shared<32x128xf16, #b>
    %a00 = simt.load_matrix %ta[%readA] : !simt.shared<128x32xf16, #a> -> vector<8xf16>
    %am01 = arith.constant 512 : i32
    %ao01 = arith.addi %readA, %am01 : i32
    %a01 = simt.load_matrix %ta[%ao01] : !simt.shared<128x32xf16, #a> -> vector<8xf16>
    %am02 = arith.constant 1024 : i32
    %ao02 = arith.addi %readA, %am02 : i32
    %a02 = simt.load_matrix %ta[%ao02] : !simt.shared<128x32xf16, #a> -> vector<8xf16>
    %am03 = arith.constant 1536 : i32
    %ao03 = arith.addi %readA, %am03 : i32
    %a03 = simt.load_matrix %ta[%ao03] : !simt.shared<128x32xf16, #a> -> vector<8xf16>
    %b00 = simt.load_matrix %tb[%readB] transpose : !simt.shared<32x128xf16, #b> -> vector<8xf16>
    %b01 = simt.load_matrix %tb[%readB1x] transpose : !simt.shared<32x128xf16, #b> -> vector<8xf16>
    %b02 = simt.load_matrix %tb[%readB2x] transpose : !simt.shared<32x128xf16, #b> -> vector<8xf16>
    %b03 = simt.load_matrix %tb[%readB3x] transpose : !simt.shared<32x128xf16, #b> -> vector<8xf16>
    %fa0 = simt.concat %a00, %a01, %a02, %a03
      : vector<8xf16>, vector<8xf16>, vector<8xf16>, vector<8xf16> -> vector<32xf16>
    %fb0 = simt.concat %b00, %b01, %b02, %b03
      : vector<8xf16>, vector<8xf16>, vector<8xf16>, vector<8xf16> -> vector<32xf16>
    %a10 = simt.load_matrix %ta[%readA1] : !simt.shared<128x32xf16, #a> -> vector<8xf16>
    %am11 = arith.constant 512 : i32
    %ao11 = arith.addi %readA1, %am11 : i32
    %a11 = simt.load_matrix %ta[%ao11] : !simt.shared<128x32xf16, #a> -> vector<8xf16>
    %am12 = arith.constant 1024 : i32
    %ao12 = arith.addi %readA1, %am12 : i32
    %a12 = simt.load_matrix %ta[%ao12] : !simt.shared<128x32xf16, #a> -> vector<8xf16>
    %am13 = arith.constant 1536 : i32
    %ao13 = arith.addi %readA1, %am13 : i32
    %a13 = simt.load_matrix %ta[%ao13] : !simt.shared<128x32xf16, #a> -> vector<8xf16>
    %bm0 = arith.constant 2048 : i32
    %bo0 = arith.addi %readB, %bm0 : i32
    %b10 = simt.load_matrix %tb[%bo0] transpose : !simt.shared<32x128xf16, #b> -> vector<8xf16>
    %bm1 = arith.constant 2048 : i32
    %bo1 = arith.addi %readB1x, %bm1 : i32
    %b11 = simt.load_matrix %tb[%bo1] transpose : !simt.shared<32x128xf16, #b> -> vector<8xf16>
    %bm2 = arith.constant 2048 : i32
    %bo2 = arith.addi %readB2x, %bm2 : i32
    %b12 = simt.load_matrix %tb[%bo2] transpose : !simt.shared<32x128xf16, #b> -> vector<8xf16>
    %bm3 = arith.constant 2048 : i32
    %bo3 = arith.addi %readB3x, %bm3 : i32
    %b13 = simt.load_matrix %tb[%bo3] transpose : !simt.shared<32x128xf16, #b> -> vector<8xf16>
    %fa1 = simt.concat %a10, %a11, %a12, %a13
      : vector<8xf16>, vector<8xf16>, vector<8xf16>, vector<8xf16> -> vector<32xf16>
    %fb1 = simt.concat %b10, %b11, %b12, %b13
      : vector<8xf16>, vector<8xf16>, vector<8xf16>, vector<8xf16> -> vector<32xf16>
    %acc0 = simt.mma %fa0, %fb0, %acc instruction "mma.m16n8k16.f32.f16" tiles [4, 8, 1]
      : vector<32xf16>, vector<32xf16>, vector<128xf32>
    %acc1 = simt.mma %fa1, %fb1, %acc0 instruction "mma.m16n8k16.f32.f16" tiles [4, 8, 1]
      : vector<32xf16>, vector<32xf16>, vector<128xf32>
    scf.yield %acc1 : vector<128xf32>
  } {simt.uniform}

  // Fragment (mi, nj), pair h: row 64 wm + 16 mi + 8 h + lane / 4, columns 64 wn + 8 nj + 2 (lane mod 4) and + 1.
  %short = arith.truncf %sum : vector<128xf32> to vector<128xf16>
  %laneRow = arith.shrui %lane, %c2 : i32
  %laneColumn0 = arith.andi %lane, %c3 : i32
  %laneColumn = arith.muli %laneColumn0, %c2 : i32
  %outRow0 = arith.addi %row, %wmRow : i32
  %outRow = arith.addi %outRow0, %laneRow : i32
  %outColumn0 = arith.addi %column, %wnColumn : i32
  %outColumn = arith.addi %outColumn0, %laneColumn : i32
  %outStart = arith.muli %outRow, %ldc : i32
  %out0 = arith.addi %outStart, %outColumn : i32
  %outs = simt.splat %out0 : i32 -> vector<64xi32>
  %ldcs = simt.splat %ldc : i32 -> vector<64xi32>
  %rowSteps = arith.constant dense<[
    0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8,
    16, 24, 16, 24, 16, 24, 16, 24, 16, 24, 16, 24, 16, 24, 16, 24,
    32, 40, 32, 40, 32, 40, 32, 40, 32, 40, 32, 40, 32, 40, 32, 40,
    48, 56, 48, 56, 48, 56, 48, 56, 48, 56, 48, 56, 48, 56, 48, 56
  ]> : vector<64xi32>
  %columnSteps = arith.constant dense<[
    0, 0, 8, 8, 16, 16, 24, 24, 32, 32, 40, 40, 48, 48, 56, 56,
    0, 0, 8, 8, 16, 16, 24, 24, 32, 32, 40, 40, 48, 48, 56, 56,
    0, 0, 8, 8, 16, 16, 24, 24, 32, 32, 40, 40, 48, 48, 56, 56,
    0, 0, 8, 8, 16, 16, 24, 24, 32, 32, 40, 40, 48, 48, 56, 56
  ]> : vector<64xi32>
  %rowOffsets = arith.muli %rowSteps, %ldcs : vector<64xi32>
  %steps0 = arith.addi %rowOffsets, %columnSteps : vector<64xi32>
  %to = arith.addi %outs, %steps0 : vector<64xi32>
  simt.store %c[%to], %short : !tile.ptr<f16>, vector<64xi32>, vector<128xf16>
  return
}
