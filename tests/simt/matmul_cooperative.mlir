// fp16 matrix product C = A * B on cooperative matrices, whose element positions the device chooses: A (M x K), B (K x
// N) in fp16 and C (M x N) in fp32, row-major with strides lda, ldb, ldc. Four warps of 8 lanes, two by two, compute 16
// x 16 elements each of a 32 x 32 tile, as 2 x 2 fragments of 8 x 8; blocks of A (32 x 16) and B (16 x 32) are loaded
// into two padded stages.
//
// M and N must be multiples of 32, K of 16; strides and addresses of 8 elements.
#a = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) (16,0), pad 8 every 16>
#b = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0) (4,0) (8,0), pad 8 every 32>

func.func @matmul(%a: !tile.ptr<f16> {tile.name = "a", tile.divisibility = 16 : i64},
                  %b: !tile.ptr<f16> {tile.name = "b", tile.divisibility = 16 : i64},
                  %c: !tile.ptr<f32> {tile.name = "c"},
                  %m: i32 {tile.name = "m"}, %n: i32 {tile.name = "n"}, %k: i32 {tile.name = "k"},
                  %lda: i32 {tile.name = "lda"}, %ldb: i32 {tile.name = "ldb"}, %ldc: i32 {tile.name = "ldc"})
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  %c32 = arith.constant 32 : i32
  %c40 = arith.constant 40 : i32
  %zero = arith.constant 0.0 : f32
  %sa = simt.shared_alloc at 0 : !simt.shared<2x32x16xf16, #a>
  %sb = simt.shared_alloc at 3072 : !simt.shared<2x16x32xf16, #b>
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %row = arith.muli %p0, %c32 : i32
  %column = arith.muli %p1, %c32 : i32
  %t = simt.thread_id : i32
  %warp = simt.warp_id : i32

  // This thread's pieces of 8 elements. A: rows t / 2 and + 16, piece t mod 2; B: rows t / 4 and + 8, piece t mod 4.
  %aRow = arith.shrui %t, %c1 : i32
  %aPiece0 = arith.andi %t, %c1 : i32
  %aPiece = arith.muli %aPiece0, %c8 : i32
  %aGlobalRow = arith.addi %row, %aRow : i32
  %aStart = arith.muli %aGlobalRow, %lda : i32
  %aFrom0 = arith.addi %aStart, %aPiece : i32
  %lda16 = arith.muli %lda, %c16 : i32
  %aFrom1 = arith.addi %aFrom0, %lda16 : i32
  %aFrom = simt.concat %aFrom0, %aFrom1 : i32, i32 -> vector<2xi32>
  %aPitch = arith.muli %aRow, %c24 : i32
  %aTo0 = arith.addi %aPitch, %aPiece : i32
  %aTos = simt.splat %aTo0 : i32 -> vector<2xi32>
  %aToSteps = arith.constant dense<[0, 384]> : vector<2xi32>
  %aTo = arith.addi %aTos, %aToSteps : vector<2xi32>
  %bRow = arith.shrui %t, %c2 : i32
  %bPiece0 = arith.andi %t, %c3 : i32
  %bPiece = arith.muli %bPiece0, %c8 : i32
  %bStart = arith.muli %bRow, %ldb : i32
  %bColumn = arith.addi %column, %bPiece : i32
  %bFrom0 = arith.addi %bStart, %bColumn : i32
  %ldb8 = arith.muli %ldb, %c8 : i32
  %bFrom1 = arith.addi %bFrom0, %ldb8 : i32
  %bFrom = simt.concat %bFrom0, %bFrom1 : i32, i32 -> vector<2xi32>
  %bPitch = arith.muli %bRow, %c40 : i32
  %bTo0 = arith.addi %bPitch, %bPiece : i32
  %bTos = simt.splat %bTo0 : i32 -> vector<2xi32>
  %bToSteps = arith.constant dense<[0, 320]> : vector<2xi32>
  %bTo = arith.addi %bTos, %bToSteps : vector<2xi32>
  %ldb16 = arith.muli %ldb, %c16 : i32

  // Fragments of this warp: rows 16 wm + 8 i of A's block, columns 16 wn + 8 j of B's.
  %wm = arith.shrui %warp, %c1 : i32
  %wn = arith.andi %warp, %c1 : i32
  %wmRow = arith.muli %wm, %c16 : i32
  %wnColumn = arith.muli %wn, %c16 : i32
  %a00 = arith.muli %wmRow, %c24 : i32
  %a01 = arith.addi %a00, %c8 : i32
  %c192 = arith.constant 192 : i32
  %a10 = arith.addi %a00, %c192 : i32
  %a11 = arith.addi %a10, %c8 : i32
  %b01 = arith.addi %wnColumn, %c8 : i32
  %c320 = arith.constant 320 : i32
  %b10 = arith.addi %wnColumn, %c320 : i32
  %b11 = arith.addi %b10, %c8 : i32

  %steps = arith.divui %k, %c16 : i32
  %zeros = simt.fragment_fill %zero : f32 -> !simt.fragment<8x8xf32, acc>
  %r00, %r01, %r10, %r11 = scf.for %i = %c0 to %steps step %c1
      iter_args(%s00 = %zeros, %s01 = %zeros, %s10 = %zeros, %s11 = %zeros)
      -> (!simt.fragment<8x8xf32, acc>, !simt.fragment<8x8xf32, acc>, !simt.fragment<8x8xf32, acc>,
        !simt.fragment<8x8xf32, acc>) : i32 {
    %s = arith.andi %i, %c1 : i32
    %ta = simt.stage %sa[%s] : !simt.shared<2x32x16xf16, #a> -> !simt.shared<32x16xf16, #a>
    %tb = simt.stage %sb[%s] : !simt.shared<2x16x32xf16, #b> -> !simt.shared<16x32xf16, #b>
    %inner = arith.muli %i, %c16 : i32
    %inners = simt.splat %inner : i32 -> vector<2xi32>
    %aAt = arith.addi %aFrom, %inners : vector<2xi32>
    %rowsB = arith.muli %i, %ldb16 : i32
    %rowsBs = simt.splat %rowsB : i32 -> vector<2xi32>
    %bAt = arith.addi %bFrom, %rowsBs : vector<2xi32>
    %va = simt.load %a[%aAt] : !tile.ptr<f16>, vector<2xi32> -> vector<16xf16>
    %vb = simt.load %b[%bAt] : !tile.ptr<f16>, vector<2xi32> -> vector<16xf16>
    simt.shared_store %ta[%aTo], %va : !simt.shared<32x16xf16, #a>, vector<2xi32>, vector<16xf16>
    simt.shared_store %tb[%bTo], %vb : !simt.shared<16x32xf16, #b>, vector<2xi32>, vector<16xf16>
    // One barrier for each block is enough: this stage was last read two blocks ago.
    simt.barrier
    %fa00 = simt.fragment_load row %ta[%a00] stride %c24 : !simt.shared<32x16xf16, #a> -> !simt.fragment<8x8xf16, a>
    %fa10 = simt.fragment_load row %ta[%a10] stride %c24 : !simt.shared<32x16xf16, #a> -> !simt.fragment<8x8xf16, a>
    %fb00 = simt.fragment_load row %tb[%wnColumn] stride %c40
      : !simt.shared<16x32xf16, #b> -> !simt.fragment<8x8xf16, b>
    %fb01 = simt.fragment_load row %tb[%b01] stride %c40 : !simt.shared<16x32xf16, #b> -> !simt.fragment<8x8xf16, b>
    %fa01 = simt.fragment_load row %ta[%a01] stride %c24 : !simt.shared<32x16xf16, #a> -> !simt.fragment<8x8xf16, a>
    %fa11 = simt.fragment_load row %ta[%a11] stride %c24 : !simt.shared<32x16xf16, #a> -> !simt.fragment<8x8xf16, a>
    %fb10 = simt.fragment_load row %tb[%b10] stride %c40 : !simt.shared<16x32xf16, #b> -> !simt.fragment<8x8xf16, b>
    %fb11 = simt.fragment_load row %tb[%b11] stride %c40 : !simt.shared<16x32xf16, #b> -> !simt.fragment<8x8xf16, b>
    %t00 = simt.fragment_mma %fa00, %fb00, %s00
      : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
    %t01 = simt.fragment_mma %fa00, %fb01, %s01
      : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
    %t10 = simt.fragment_mma %fa10, %fb00, %s10
      : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
    %t11 = simt.fragment_mma %fa10, %fb01, %s11
      : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
    %u00 = simt.fragment_mma %fa01, %fb10, %t00
      : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
    %u01 = simt.fragment_mma %fa01, %fb11, %t01
      : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
    %u10 = simt.fragment_mma %fa11, %fb10, %t10
      : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
    %u11 = simt.fragment_mma %fa11, %fb11, %t11
      : !simt.fragment<8x8xf16, a>, !simt.fragment<8x8xf16, b>, !simt.fragment<8x8xf32, acc>
    scf.yield %u00, %u01, %u10, %u11 : !simt.fragment<8x8xf32, acc>, !simt.fragment<8x8xf32, acc>,
      !simt.fragment<8x8xf32, acc>,
                                       !simt.fragment<8x8xf32, acc>
  } {simt.uniform}

  %outRow = arith.addi %row, %wmRow : i32
  %outColumn = arith.addi %column, %wnColumn : i32
  %outStart = arith.muli %outRow, %ldc : i32
  %o00 = arith.addi %outStart, %outColumn : i32
  %o01 = arith.addi %o00, %c8 : i32
  %ldc8 = arith.muli %ldc, %c8 : i32
  %o10 = arith.addi %o00, %ldc8 : i32
  %o11 = arith.addi %o10, %c8 : i32
  simt.fragment_store row %r00, %c[%o00] stride %ldc : !simt.fragment<8x8xf32, acc>, !tile.ptr<f32>
  simt.fragment_store row %r01, %c[%o01] stride %ldc : !simt.fragment<8x8xf32, acc>, !tile.ptr<f32>
  simt.fragment_store row %r10, %c[%o10] stride %ldc : !simt.fragment<8x8xf32, acc>, !tile.ptr<f32>
  simt.fragment_store row %r11, %c[%o11] stride %ldc : !simt.fragment<8x8xf32, acc>, !tile.ptr<f32>
  return
}
