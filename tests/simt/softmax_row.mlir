// Softmax of the rows of a matrix, one workgroup for each row: y[r, :] = exp(x[r, :] - max) / sum, for up to 1024
// columns. 128 threads in warps of any size, 8 elements for each thread. Lanes reduce by shuffles, warps through shared
// memory.
//
// (register r, thread t) -> column = (r / 4) * 512 + 4 * t + r % 4
func.func @softmax_row(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"},
                       %stride: i32 {tile.name = "stride"}, %columns: i32 {tile.name = "columns"})
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %log2e = arith.constant dense<1.44269502> : vector<8xf32>
  %partials = simt.shared_alloc at 0 : !simt.shared<32xf32>
  %row = tile.program_id 0
  %t = simt.thread_id : i32
  %lane = simt.lane_id : i32
  %warp = simt.warp_id : i32

  // log2 of the lanes of a warp, and the number of warps.
  %lanes = simt.warp_size : i32
  %c31 = arith.constant 31 : i32
  %zeros = math.ctlz %lanes : i32
  %steps = arith.subi %c31, %zeros : i32
  %c128 = arith.constant 128 : i32
  %warps = arith.divui %c128, %lanes : i32

  // This thread's columns, and which of them exist. A row's address may be unaligned, so elements are loaded one by
  // one.
  %first = arith.muli %t, %c4 : i32
  %firsts = simt.splat %first : i32 -> vector<8xi32>
  %register = arith.constant dense<[0, 1, 2, 3, 512, 513, 514, 515]> : vector<8xi32>
  %column = arith.addi %firsts, %register : vector<8xi32>
  %bound = simt.splat %columns : i32 -> vector<8xi32>
  %mask = arith.cmpi slt, %column, %bound : vector<8xi32>
  %start = arith.muli %row, %stride : i32
  %starts = simt.splat %start : i32 -> vector<8xi32>
  %offset = arith.addi %starts, %column : vector<8xi32>
  %lows = simt.splat %low : f32 -> vector<8xf32>
  %v = simt.load %x[%offset] mask %mask other %lows
    : !tile.ptr<f32>, vector<8xi32>, vector<8xi1>, other vector<8xf32> -> vector<8xf32>

  // The maximum: registers, lanes, warps.
  %m1 = simt.reduce_registers maxnumf %v keep 0 : vector<8xf32> -> vector<1xf32>
  %m0 = simt.pick %m1 [0] : vector<1xf32> -> f32
  %mw = scf.for %i = %c0 to %steps step %c1 iter_args(%m = %m0) -> (f32) : i32 {
    %distance = arith.shli %c1, %i : i32
    %other = simt.shuffle xor %m, %distance : f32
    %next = arith.maxnumf %m, %other : f32
    scf.yield %next : f32
  } {simt.uniform}
  simt.shared_store %partials[%warp], %mw : !simt.shared<32xf32>, i32, f32
  simt.barrier
  %max = scf.for %i = %c0 to %warps step %c1 iter_args(%m = %low) -> (f32) : i32 {
    %part = simt.shared_load %partials[%i] : !simt.shared<32xf32>, i32 -> f32
    %next = arith.maxnumf %m, %part : f32
    scf.yield %next : f32
  } {simt.uniform}
  %maxs = simt.splat %max : f32 -> vector<8xf32>
  simt.barrier

  %d = arith.subf %v, %maxs : vector<8xf32>
  %scaled = arith.mulf %d, %log2e : vector<8xf32>
  %e = math.exp2 %scaled : vector<8xf32>

  // The sum, the same way.
  %s1 = simt.reduce_registers addf %e keep 0 : vector<8xf32> -> vector<1xf32>
  %s0 = simt.pick %s1 [0] : vector<1xf32> -> f32
  %sw = scf.for %i = %c0 to %steps step %c1 iter_args(%s = %s0) -> (f32) : i32 {
    %distance = arith.shli %c1, %i : i32
    %other = simt.shuffle xor %s, %distance : f32
    %next = arith.addf %s, %other : f32
    scf.yield %next : f32
  } {simt.uniform}
  simt.shared_store %partials[%warp], %sw : !simt.shared<32xf32>, i32, f32
  simt.barrier
  %sum = scf.for %i = %c0 to %warps step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %part = simt.shared_load %partials[%i] : !simt.shared<32xf32>, i32 -> f32
    %next = arith.addf %s, %part : f32
    scf.yield %next : f32
  } {simt.uniform}
  %sums = simt.splat %sum : f32 -> vector<8xf32>
  %q = arith.divf %e, %sums : vector<8xf32>
  simt.store %y[%offset], %q mask %mask : !tile.ptr<f32>, vector<8xi32>, vector<8xf32>, vector<8xi1>
  return
}
