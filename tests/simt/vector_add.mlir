// z = x + y in fp32: 128 threads in warps of any size, 1024 elements for each program. Programs that lie wholly within
// n access 16 bytes at once; the last one masks single elements.
//
// (register r, thread t) -> element = (r / 4) * 512 + 4 * t + r mod 4
func.func @vector_add(%x: !tile.ptr<f32> {tile.name = "x", tile.divisibility = 16 : i64},
                      %y: !tile.ptr<f32> {tile.name = "y", tile.divisibility = 16 : i64},
                      %z: !tile.ptr<f32> {tile.name = "z", tile.divisibility = 16 : i64}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c4 = arith.constant 4 : i32
  %c1024 = arith.constant 1024 : i32
  %program = tile.program_id 0
  %thread = simt.thread_id : i32
  %begin = arith.muli %program, %c1024 : i32
  %left = arith.subi %n, %begin : i32
  %whole = arith.cmpi sge, %left, %c1024 : i32
  %thread4 = arith.muli %thread, %c4 : i32
  %first = arith.addi %begin, %thread4 : i32
  scf.if %whole {
    %firsts = simt.splat %first : i32 -> vector<2xi32>
    %halves = arith.constant dense<[0, 512]> : vector<2xi32>
    %at = arith.addi %firsts, %halves : vector<2xi32>
    %a = simt.load %x[%at] : !tile.ptr<f32>, vector<2xi32> -> vector<8xf32>
    %b = simt.load %y[%at] : !tile.ptr<f32>, vector<2xi32> -> vector<8xf32>
    %s = arith.addf %a, %b : vector<8xf32>
    simt.store %z[%at], %s : !tile.ptr<f32>, vector<2xi32>, vector<8xf32>
  } else {
    %firsts = simt.splat %first : i32 -> vector<8xi32>
    %registers = arith.constant dense<[0, 1, 2, 3, 512, 513, 514, 515]> : vector<8xi32>
    %at = arith.addi %firsts, %registers : vector<8xi32>
    %bound = simt.splat %n : i32 -> vector<8xi32>
    %mask = arith.cmpi slt, %at, %bound : vector<8xi32>
    %a = simt.load %x[%at] mask %mask : !tile.ptr<f32>, vector<8xi32>, vector<8xi1> -> vector<8xf32>
    %b = simt.load %y[%at] mask %mask : !tile.ptr<f32>, vector<8xi32>, vector<8xi1> -> vector<8xf32>
    %s = arith.addf %a, %b : vector<8xf32>
    simt.store %z[%at], %s mask %mask : !tile.ptr<f32>, vector<8xi32>, vector<8xf32>, vector<8xi1>
  } {simt.uniform}
  return
}
