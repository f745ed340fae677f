// Buffers in shared memory that an instruction may use: those of loops that have ended are free. The least room: three
// quarters of 22 KiB, for two buffers of 8 KiB.
// RUN: tegula-opt --simt-set-target='fields={shared_bytes=22528,instructions=[#simt.instruction<"group", 64x64x16, a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>, c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>]}' --tile-select-products %s | FileCheck %s

// Both loops' products get the instruction.
// CHECK-LABEL: func.func @one_after_another
// CHECK: scf.for
// CHECK:   tile.dot {{.*}} {simt.instruction
// CHECK: scf.for
// CHECK:   tile.dot {{.*}} {simt.instruction
func.func @one_after_another(%n: i32, %p: tensor<64x64x!tile.ptr<f16>>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %b = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %r) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %b = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return %s : tensor<64x64xf32>
}

// The first loop's left operand is used behind the second loop, where its buffer is read again.
// CHECK-LABEL: func.func @used_later
// CHECK: scf.for
// CHECK:   tile.dot {{.*}} {simt.instruction
// CHECK: scf.for
// CHECK-NOT: simt.instruction
// CHECK: scf.yield
func.func @used_later(%n: i32, %p: tensor<64x64x!tile.ptr<f16>>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %q = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %b = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %q, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %r) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %b = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %qt = tile.trans %q order [1, 0] : tensor<64x64xf16>
  %e = tile.dot %qt, %q, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  return %e : tensor<64x64xf32>
}

// The second loop's left operand is stored before the first one.
// CHECK-LABEL: func.func @made_earlier
// CHECK: scf.for
// CHECK:   tile.dot {{.*}} {simt.instruction
// CHECK: scf.for
// CHECK-NOT: simt.instruction
// CHECK: scf.yield
func.func @made_earlier(%n: i32, %p: tensor<64x64x!tile.ptr<f16>>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %q = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %b = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %r) -> (tensor<64x64xf32>) : i32 {
    %b = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %q, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return %s : tensor<64x64xf32>
}
