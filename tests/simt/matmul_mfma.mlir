// fp16 matrix product C = A * B^T with matrix instructions of warps of 64 lanes: A (M x K), B (N x K) and C (M x N)
// row-major with strides lda, ldb, ldc. Four warps, two by two, compute 64 x 64 elements each of a 128 x 128 tile.
// Blocks of 128 x 32 are loaded from global memory to registers while the products of the previous block run, then
// stored to one of two stages in shared memory.
//
// M and N are masked; K, strides and addresses must be multiples of 8 elements.
//
// Fragments of the instruction, 32 x 32 x 8 (register r, lane l):
//   A(row, k): row = l mod 32, k = 4 * (l / 32) + r, r < 4; B(k, column) the same with the column
//   C(row, column): row = 8 * (r / 4) + 4 * (l / 32) + r mod 4, column = l mod 32, r < 16
// Rows of 64 bytes are padded by 16 bytes, so that adjacent rows are in different banks.
#rows = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0), pad 8 every 32>

func.func @matmul(%a: !tile.ptr<f16> {tile.name = "a", tile.divisibility = 16 : i64},
                  %b: !tile.ptr<f16> {tile.name = "b", tile.divisibility = 16 : i64},
                  %c: !tile.ptr<f16> {tile.name = "c"},
                  %m: i32 {tile.name = "m"}, %n: i32 {tile.name = "n"}, %k: i32 {tile.name = "k"},
                  %lda: i32 {tile.name = "lda"}, %ldb: i32 {tile.name = "ldb"}, %ldc: i32 {tile.name = "ldc"})
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c8 = arith.constant 8 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c40 = arith.constant 40 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %sa = simt.shared_alloc at 0 : !simt.shared<2x128x32xf16, #rows>
  %sb = simt.shared_alloc at 20480 : !simt.shared<2x128x32xf16, #rows>
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %row = arith.muli %p0, %c128 : i32
  %column = arith.muli %p1, %c128 : i32
  %t = simt.thread_id : i32
  %lane = simt.lane_id : i32
  %warp = simt.warp_id : i32

  // This thread's pieces of a block: rows t / 4 and + 64, columns 8 * (t mod 4) to + 7.
  %pieceRow0 = arith.shrui %t, %c2 : i32
  %pieceRows0 = simt.splat %pieceRow0 : i32 -> vector<2xi32>
  %pieceSteps = arith.constant dense<[0, 64]> : vector<2xi32>
  %pieceRows = arith.addi %pieceRows0, %pieceSteps : vector<2xi32>
  %piece0 = arith.andi %t, %c3 : i32
  %piece = arith.muli %piece0, %c8 : i32
  %pieces = simt.splat %piece : i32 -> vector<2xi32>
  %pitch = simt.splat %c40 : i32 -> vector<2xi32>
  %to0 = arith.muli %pieceRows, %pitch : vector<2xi32>
  %to = arith.addi %to0, %pieces : vector<2xi32>
  %aBase = simt.splat %row : i32 -> vector<2xi32>
  %aRows = arith.addi %aBase, %pieceRows : vector<2xi32>
  %aLimit = simt.splat %m : i32 -> vector<2xi32>
  %aIn = arith.cmpi slt, %aRows, %aLimit : vector<2xi32>
  %aStride = simt.splat %lda : i32 -> vector<2xi32>
  %aStarts = arith.muli %aRows, %aStride : vector<2xi32>
  %aFrom = arith.addi %aStarts, %pieces : vector<2xi32>
  %bBase = simt.splat %column : i32 -> vector<2xi32>
  %bRows = arith.addi %bBase, %pieceRows : vector<2xi32>
  %bLimit = simt.splat %n : i32 -> vector<2xi32>
  %bIn = arith.cmpi slt, %bRows, %bLimit : vector<2xi32>
  %bStride = simt.splat %ldb : i32 -> vector<2xi32>
  %bStarts = arith.muli %bRows, %bStride : vector<2xi32>
  %bFrom = arith.addi %bStarts, %pieces : vector<2xi32>

  %innerFirst = arith.muli %c0, %c32 : i32
  %innersFirst = simt.splat %innerFirst : i32 -> vector<2xi32>
  %kAtFirst = arith.addi %innerFirst, %piece : i32
  %kInFirst = arith.cmpi slt, %kAtFirst, %k : i32
  %kInsFirst = simt.splat %kInFirst : i1 -> vector<2xi1>
  %aOkFirst = arith.andi %aIn, %kInsFirst : vector<2xi1>
  %bOkFirst = arith.andi %bIn, %kInsFirst : vector<2xi1>
  %aAtFirst = arith.addi %aFrom, %innersFirst : vector<2xi32>
  %bAtFirst = arith.addi %bFrom, %innersFirst : vector<2xi32>
  %aFirst = simt.load %a[%aAtFirst] mask %aOkFirst : !tile.ptr<f16>, vector<2xi32>, vector<2xi1> -> vector<16xf16>
  %bFirst = simt.load %b[%bAtFirst] mask %bOkFirst : !tile.ptr<f16>, vector<2xi32>, vector<2xi1> -> vector<16xf16>
  %k31 = arith.addi %k, %c31 : i32
  %steps = arith.divui %k31, %c32 : i32

  // Positions of this lane's fragments: rows 64 wm + 32 mi + lane mod 32, columns 8 kf + 4 * (lane / 32).
  %wm = arith.shrui %warp, %c1 : i32
  %wn = arith.andi %warp, %c1 : i32
  %lane32 = arith.andi %lane, %c31 : i32
  %upper = arith.shrui %lane, %c5 : i32
  %upper4 = arith.muli %upper, %c4 : i32
  %wmRow = arith.muli %wm, %c64 : i32
  %wnRow = arith.muli %wn, %c64 : i32
  %fragmentSteps = arith.constant dense<[0, 8, 16, 24, 1280, 1288, 1296, 1304]> : vector<8xi32>
  %aRow = arith.addi %wmRow, %lane32 : i32
  %aRow40 = arith.muli %aRow, %c40 : i32
  %aRead0 = arith.addi %aRow40, %upper4 : i32
  %aReads = simt.splat %aRead0 : i32 -> vector<8xi32>
  %aRead = arith.addi %aReads, %fragmentSteps : vector<8xi32>
  %bRow = arith.addi %wnRow, %lane32 : i32
  %bRow40 = arith.muli %bRow, %c40 : i32
  %bRead0 = arith.addi %bRow40, %upper4 : i32
  %bReads = simt.splat %bRead0 : i32 -> vector<8xi32>
  %bRead = arith.addi %bReads, %fragmentSteps : vector<8xi32>

  %zeros = arith.constant dense<0.0> : vector<64xf32>
  %sum, %lastA, %lastB = scf.for %i = %c0 to %steps step %c1
      iter_args(%acc = %zeros, %va = %aFirst, %vb = %bFirst) -> (vector<64xf32>, vector<16xf16>, vector<16xf16>) : i32 {
    // The block in registers goes to its stage. One barrier for each block is enough: the stage was read two blocks
    // ago.
    %s = arith.andi %i, %c1 : i32
    %ta = simt.stage %sa[%s] : !simt.shared<2x128x32xf16, #rows> -> !simt.shared<128x32xf16, #rows>
    %tb = simt.stage %sb[%s] : !simt.shared<2x128x32xf16, #rows> -> !simt.shared<128x32xf16, #rows>
    simt.shared_store %ta[%to], %va : !simt.shared<128x32xf16, #rows>, vector<2xi32>, vector<16xf16>
    simt.shared_store %tb[%to], %vb : !simt.shared<128x32xf16, #rows>, vector<2xi32>, vector<16xf16>
    simt.barrier
    %next = arith.addi %i, %c1 : i32
    %innerNext = arith.muli %next, %c32 : i32
    %innersNext = simt.splat %innerNext : i32 -> vector<2xi32>
    %kAtNext = arith.addi %innerNext, %piece : i32
    %kInNext = arith.cmpi slt, %kAtNext, %k : i32
    %kInsNext = simt.splat %kInNext : i1 -> vector<2xi1>
    %aOkNext = arith.andi %aIn, %kInsNext : vector<2xi1>
    %bOkNext = arith.andi %bIn, %kInsNext : vector<2xi1>
    %aAtNext = arith.addi %aFrom, %innersNext : vector<2xi32>
    %bAtNext = arith.addi %bFrom, %innersNext : vector<2xi32>
    %aNext = simt.load %a[%aAtNext] mask %aOkNext : !tile.ptr<f16>, vector<2xi32>, vector<2xi1> -> vector<16xf16>
    %bNext = simt.load %b[%bAtNext] mask %bOkNext : !tile.ptr<f16>, vector<2xi32>, vector<2xi1> -> vector<16xf16>
    %fa = simt.shared_load %ta[%aRead] : !simt.shared<128x32xf16, #rows>, vector<8xi32> -> vector<32xf16>
    %fb = simt.shared_load %tb[%bRead] : !simt.shared<128x32xf16, #rows>, vector<8xi32> -> vector<32xf16>
    %acc1 = simt.mma %fa, %fb, %acc instruction "mfma_f32_32x32x8_f16" tiles [2, 2, 4]
      : vector<32xf16>, vector<32xf16>, vector<64xf32>
    scf.yield %acc1, %aNext, %bNext : vector<64xf32>, vector<16xf16>, vector<16xf16>
  } {simt.uniform}

  %rowSteps = arith.constant dense<[
    0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27,
    0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27,
    32, 33, 34, 35, 40, 41, 42, 43, 48, 49, 50, 51, 56, 57, 58, 59,
    32, 33, 34, 35, 40, 41, 42, 43, 48, 49, 50, 51, 56, 57, 58, 59
  ]> : vector<64xi32>
  %columnSteps = arith.constant dense<[
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32
  ]> : vector<64xi32>
  %short = arith.truncf %sum : vector<64xf32> to vector<64xf16>
  %outRow0 = arith.addi %row, %wmRow : i32
  %outRow1 = arith.addi %outRow0, %upper4 : i32
  %outRows0 = simt.splat %outRow1 : i32 -> vector<64xi32>
  %outRows = arith.addi %outRows0, %rowSteps : vector<64xi32>
  %outColumn0 = arith.addi %column, %wnRow : i32
  %outColumn1 = arith.addi %outColumn0, %lane32 : i32
  %outColumns0 = simt.splat %outColumn1 : i32 -> vector<64xi32>
  %outColumns = arith.addi %outColumns0, %columnSteps : vector<64xi32>
  %ms = simt.splat %m : i32 -> vector<64xi32>
  %ns = simt.splat %n : i32 -> vector<64xi32>
  %rowOk = arith.cmpi slt, %outRows, %ms : vector<64xi32>
  %columnOk = arith.cmpi slt, %outColumns, %ns : vector<64xi32>
  %ok = arith.andi %rowOk, %columnOk : vector<64xi1>
  %ldcs = simt.splat %ldc : i32 -> vector<64xi32>
  %starts = arith.muli %outRows, %ldcs : vector<64xi32>
  %out = arith.addi %starts, %outColumns : vector<64xi32>
  simt.store %c[%out], %short mask %ok : !tile.ptr<f16>, vector<64xi32>, vector<64xf16>, vector<64xi1>
  return
}
