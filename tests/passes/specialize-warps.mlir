// RUN: tegula-opt --simt-specialize-warps %s --split-input-file | FileCheck %s

module attributes {simt.target = {moves_registers = true}} {
  // All warps execute what stands before the producer. The thread's number is computed again behind it, the barrier
  // objects and the buffer are passed.
  // CHECK-LABEL: func.func @split
  // CHECK-SAME: simt.max_registers = 168 : i32, {{.*}}simt.warps = 12 : i32
  // CHECK: %[[T:.*]] = simt.shared_alloc at 0
  // CHECK: %[[FULL:.*]] = simt.barrier_alloc at 8192
  // CHECK: %[[OUTER:.*]] = simt.thread_id
  // CHECK: simt.barrier_init %[[FULL]]
  // CHECK: simt.barrier{{$}}
  // CHECK: simt.warp_groups(%{{.*}}) : !tile.desc<64x64xf16>, !simt.barriers<1>, !simt.shared<64x64xf16>, !tile.ptr<f16>
  // CHECK: group warps 8 registers 232 (%{{.*}}: !tile.desc<64x64xf16>, %[[F0:.*]]: !simt.barriers<1>, %[[T0:.*]]: !simt.shared<64x64xf16>, %[[O0:.*]]: !tile.ptr<f16>)
  // CHECK:   %[[THREAD:.*]] = simt.thread_id
  // CHECK:   simt.barrier_wait %[[F0]]
  // CHECK:   %[[X:.*]] = simt.shared_load %[[T0]][%[[THREAD]]]
  // CHECK:   simt.store %[[O0]][%[[THREAD]]], %[[X]]
  // CHECK: group warps 4 registers 40 (%[[D1:.*]]: !tile.desc<64x64xf16>, %[[F1:.*]]: !simt.barriers<1>, %[[T1:.*]]: !simt.shared<64x64xf16>, %{{.*}}: !tile.ptr<f16>)
  // CHECK:   %[[ME:.*]] = simt.thread_id
  // CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %[[ME]], %{{.*}}
  // CHECK:   scf.if %[[FIRST]] {
  // CHECK:     simt.barrier_expect %[[F1]]
  // CHECK:     simt.load_tile %[[D1]]{{.*}} to %[[T1]] on %[[F1]]
  // CHECK:   } {simt.divergent}
  // CHECK: return
  func.func @split(%d: !tile.desc<64x64xf16>, %o: !tile.ptr<f16>)
      attributes {tile.kernel, simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
    %c0 = arith.constant 0 : i32
    %t = simt.shared_alloc at 0 : !simt.shared<64x64xf16>
    %full = simt.barrier_alloc at 8192 : !simt.barriers<1>
    %thread = simt.thread_id : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      simt.barrier_init %full[%c0] count 1 : !simt.barriers<1>
      simt.fence barrier_init
    } {simt.divergent}
    simt.barrier
    simt.producer(%d, %full, %t) : !tile.desc<64x64xf16>, !simt.barriers<1>, !simt.shared<64x64xf16>
    group warps 4 registers 40 (%d0: !tile.desc<64x64xf16>, %f0: !simt.barriers<1>, %t0: !simt.shared<64x64xf16>) {
      %z = arith.constant 0 : i32
      simt.barrier_expect %f0[%z] bytes 8192 : !simt.barriers<1>
      simt.load_tile %d0[%z, %z] to %t0 on %f0[%z] : !tile.desc<64x64xf16>, !simt.shared<64x64xf16>, !simt.barriers<1>
    }
    simt.barrier_wait %full[%c0], %c0 : !simt.barriers<1>
    %x = simt.shared_load %t[%thread] : !simt.shared<64x64xf16>, i32 -> f16
    simt.store %o[%thread], %x : !tile.ptr<f16>, i32, f16
    return
  }

  // CHECK-LABEL: func.func @none
  // CHECK-NOT: simt.warp_groups
  func.func @none(%o: !tile.ptr<f16>) attributes {tile.kernel, simt.warps = 8 : i32, simt.warp_size = 32 : i32} {
    return
  }
}

// -----

module attributes {simt.target = {moves_registers = true, shared_bytes = 232448 : i64}} {
  // Four warps that need few registers and little shared memory: three programs run at a time.
  // CHECK-LABEL: func.func @three_programs
  // CHECK-SAME: simt.max_registers = 80 : i32, {{.*}}simt.warps = 8 : i32
  // CHECK: group warps 4 registers 120
  // CHECK: group warps 4 registers 40
  func.func @three_programs(%d: !tile.desc<64x64xf16>)
      attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
    %full = simt.barrier_alloc at 65536 : !simt.barriers<1>
    simt.producer(%d, %full) : !tile.desc<64x64xf16>, !simt.barriers<1>
    group warps 4 registers 40 (%d0: !tile.desc<64x64xf16>, %f0: !simt.barriers<1>) {
      %z = arith.constant 0 : i32
      simt.barrier_arrive %f0[%z] : !simt.barriers<1>
    }
    return
  }

  // More than a third of shared memory: two.
  // CHECK-LABEL: func.func @two_programs
  // CHECK-SAME: simt.max_registers = 128 : i32, {{.*}}simt.warps = 8 : i32
  // CHECK: group warps 4 registers 216
  // CHECK: group warps 4 registers 40
  func.func @two_programs(%d: !tile.desc<64x64xf16>)
      attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
    %full = simt.barrier_alloc at 90112 : !simt.barriers<1>
    simt.producer(%d, %full) : !tile.desc<64x64xf16>, !simt.barriers<1>
    group warps 4 registers 40 (%d0: !tile.desc<64x64xf16>, %f0: !simt.barriers<1>) {
      %z = arith.constant 0 : i32
      simt.barrier_arrive %f0[%z] : !simt.barriers<1>
    }
    return
  }

  // More than half of shared memory: one.
  // CHECK-LABEL: func.func @one_program
  // CHECK-SAME: simt.max_registers = 248 : i32, {{.*}}simt.warps = 8 : i32
  // CHECK: group warps 4 registers 248
  func.func @one_program(%d: !tile.desc<64x64xf16>)
      attributes {tile.kernel, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
    %full = simt.barrier_alloc at 131072 : !simt.barriers<1>
    simt.producer(%d, %full) : !tile.desc<64x64xf16>, !simt.barriers<1>
    group warps 4 registers 40 (%d0: !tile.desc<64x64xf16>, %f0: !simt.barriers<1>) {
      %z = arith.constant 0 : i32
      simt.barrier_arrive %f0[%z] : !simt.barriers<1>
    }
    return
  }
}
