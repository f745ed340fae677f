// RUN: tegula-opt --simt-allocate-shared %s --split-input-file --verify-diagnostics=only-expected -o /dev/null

// Two instances of the buffer would be live at once: this iteration's and the previous one's.
func.func @handed_on(%v: f32, %n: i32) attributes {simt.warps = 2 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = simt.thread_id : i32
  %p = arith.cmpi eq, %n, %c1 : i32
  %first = simt.shared_alloc : !simt.shared<64xf32>
  simt.shared_store %first[%t], %v : !simt.shared<64xf32>, i32, f32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (!simt.shared<64xf32>) : i32 {
    // expected-error@+1 {{expected a buffer made in a loop to stay within its iteration, found it handed on to the next; make it before the loop}}
    %now = simt.shared_alloc : !simt.shared<64xf32>
    %x = simt.shared_load %before[%t] : !simt.shared<64xf32>, i32 -> f32
    simt.shared_store %now[%t], %x : !simt.shared<64xf32>, i32, f32
    %next = scf.if %p -> (!simt.shared<64xf32>) {
      scf.yield %now : !simt.shared<64xf32>
    } else {
      scf.yield %before : !simt.shared<64xf32>
    } {simt.uniform}
    // expected-note@+1 {{handed on here}}
    scf.yield %next : !simt.shared<64xf32>
  } {simt.uniform}
  return
}
