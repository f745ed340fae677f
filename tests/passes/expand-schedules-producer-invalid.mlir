// RUN: tegula-opt --simt-set-target='fields={moves_registers=true}' --tile-expand-schedules --split-input-file --verify-diagnostics %s

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The producer runs as far ahead as the ring has empty stages.
func.func @too_near(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 1 iterations ahead at place 1: the producer runs as far ahead as the ring has empty stages: 'ahead' must be one less than its 3 stages}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// It starts all copies of its loop.
func.func @one_of_two(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 2 iterations ahead at place 1: the producer must start all copies of its loop}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// A nested loop would begin its rings anew.
func.func @nested(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  scf.for %j = %c0 to %n step %c1 : i32 {
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 2 iterations ahead at place 1: its loop stands neither in the kernel's body nor in its loop over programs}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  }
  return %zero : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// Copies from the kernel's beginning on would pass the store.
func.func @behind_a_store(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  tile.store %q, %n : !tile.ptr<i32>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 2 iterations ahead at place 1: an op before its loop has to run before the copies}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The producer reads no memory.
func.func @bound_from_memory(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  %m = tile.load %q : !tile.ptr<i32>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 2 iterations ahead at place 1: one of its operands, or a bound of its loop, follows not only from arguments, program ids and constants}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// Prints are the kernel's own.
func.func @prints(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  tile.print "n" is_signed [true](%n) : i32
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 2 iterations ahead at place 1: the kernel prints, or has a producer for another loop}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The warps wait where they read.
func.func @wait_with_a_place(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    // expected-error @below {{cannot run 0 iterations ahead at place -3: a wait for a producer's copies has no place}}
    simt.wait_tiles %t0 on %full {simt.schedule = #simt.schedule<ahead 0, place -3>} : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The wait stands behind the product.
func.func @read_before_the_wait(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 2 iterations ahead at place 1: its ring is read before a wait for it}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The product reads the stage of its own iteration.
func.func @wait_in_the_next_iteration(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 2 iterations ahead at place 1: its ring is read before a wait for it}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full {simt.schedule = #simt.schedule<ahead -1>} : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// One group of four warps has nobody to take turns with.
func.func @turns_of_all_warps(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    // expected-error @below {{cannot run 0 iterations ahead at place 0: not all products of its loop take half of the kernel's warps}}
    %x = simt.product %s0, %s1, %sum instruction #group {simt.schedule = #simt.schedule<ahead 0, turns>}
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// What is copied behind the loop is waited for and loaded.
func.func @part_without_a_load(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  // expected-error @below {{cannot be started by a producer: waits in its own block, and only those, must wait for it}}
  %p = simt.copy_tile %d[%c0, %c0] to %s0 on %full[%c0] phase %c0 if %always
    {simt.schedule = #simt.schedule<ahead 0, producer>}
    : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The copy would pass the store.
func.func @part_behind_a_store(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %q, %n : !tile.ptr<i32>
  // expected-error @below {{cannot be started by a producer: 'tile.store' before it has to run before it}}
  %p = simt.copy_tile %d[%c0, %c0] to %s0 on %full[%c0] phase %c0 if %always
    {simt.schedule = #simt.schedule<ahead 0, producer>}
    : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
  simt.wait_tiles %p on %full : !simt.barriers<3>
  %l = simt.shared_load %s0 : !simt.shared<64x64xf16, #sw> -> tensor<64x64xf16>
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// No product is delayed: nothing keeps the producer from the stage that threads clear.
func.func @cleared_and_not_delayed(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  %last = arith.constant 2 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %z = simt.stage %ring1[%last] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  simt.shared_store %z, %none : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
  simt.fence async
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    // expected-error @below {{cannot run 2 iterations ahead at place 1: threads clear a stage that the producer fills from the kernel's beginning on}}
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The stage would be handed back before the branch.
func.func @read_in_a_branch(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 2 iterations ahead at place 1: its ring is read in a branch}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    scf.if %always {
      %l = simt.shared_load %s0 : !simt.shared<64x64xf16, #sw> -> tensor<64x64xf16>
      tile.assume %always : i1
    }
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The copy starts with the kernel, whatever stands before it.
func.func @once_and_stored(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  %b = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %once = simt.barrier_alloc : !simt.barriers<1>
  simt.start_barriers %once count 1 : !simt.barriers<1>
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  simt.shared_store %b, %none : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
  // expected-error @below {{cannot be started by a producer: its buffer is also written, or read before the wait}}
  %o = simt.copy_tile %d[%c0, %c0] to %b on %once[%c0] phase %c0 if %always
    {simt.schedule = #simt.schedule<ahead 0, producer>}
    : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<1>
  simt.wait_tiles %o on %once : !simt.barriers<1>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// Two copies are started where the object counts one.
func.func @once_of_two(%d: !tile.desc<64x64xf16>, %q: !tile.ptr<i32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  %b = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %once = simt.barrier_alloc : !simt.barriers<1>
  simt.start_barriers %once count 2 : !simt.barriers<1>
  // expected-error @below {{cannot be started by a producer: before the loop it fills a whole buffer, unconditionally, in phase 0}}
  %o = simt.copy_tile %d[%c0, %c0] to %b on %once[%c0] phase %c0 if %always
    {simt.schedule = #simt.schedule<ahead 0, producer>}
    : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<1>
  simt.wait_tiles %o on %once : !simt.barriers<1>
  simt.start_barriers %full count 2 : !simt.barriers<3>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full : !simt.barriers<3>
    simt.wait_tiles %t1 on %full : !simt.barriers<3>
    %x = simt.product %s0, %s1, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  simt.end_barriers %full : !simt.barriers<3>
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// No loop has a producer.
func.func @without_a_loop(%d: !tile.desc<64x64xf16>) {
  %c0 = arith.constant 0 : i32
  %always = arith.constant true
  %b = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<1>
  simt.start_barriers %full count 1 : !simt.barriers<1>
  // expected-error @below {{cannot be started by a producer: no loop of the kernel has a producer}}
  %t = simt.copy_tile %d[%c0, %c0] to %b on %full[%c0] phase %c0 if %always
    {simt.schedule = #simt.schedule<ahead 0, producer>}
    : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<1>
  simt.wait_tiles %t on %full : !simt.barriers<1>
  simt.end_barriers %full : !simt.barriers<1>
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#l = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                         warp (16,0) (32,0)>
// A producer's loop may stand in the loop over programs, but in no other one.
func.func @nest_of_another_kind(%d: !tile.desc<64x64xf16>, %n: i32, %k: i32)
    attributes {tile.kernel, simt.resident, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf16, #l>
  %ring = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 1 : !simt.barriers<3>
  scf.for %program = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
    %r = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf16, #l>) : i32 {
      // expected-error @below {{cannot run 2 iterations ahead at place 1: it needs one barrier object for each stage of its ring, started once before the loop}}
      %t = simt.copy_tile %d[%program, %i] to %s on %full[%c0] phase %c0 if %always 
        {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
        : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
      simt.wait_tiles %t on %full : !simt.barriers<3>
      %x = simt.shared_load %s : !simt.shared<64x64xf16, #sw> -> tensor<64x64xf16, #l>
      %y = arith.addf %sum, %x : tensor<64x64xf16, #l>
      scf.yield %y : tensor<64x64xf16, #l>
    } {simt.uniform}
  } {simt.uniform}
  simt.end_barriers %full : !simt.barriers<3>
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#l = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                         warp (16,0) (32,0)>
// A ring that the kernel's own warps fill begins anew with each program; its barrier objects do not.
func.func @begins_anew(%d: !tile.desc<64x64xf16>, %n: i32, %k: i32)
    attributes {tile.kernel, simt.resident, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf16, #l>
  %ring = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 1 : !simt.barriers<3>
  scf.for %program = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
    %r = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf16, #l>) : i32 {
      // expected-error @below {{cannot run 2 iterations ahead at place -1: it needs one barrier object for each stage of its ring, started once before the loop}}
      %t = simt.copy_tile %d[%program, %i] to %s on %full[%c0] phase %c0 if %always 
        {simt.schedule = #simt.schedule<ahead 2, place -1>}
        : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
      simt.wait_tiles %t on %full : !simt.barriers<3>
      %x = simt.shared_load %s : !simt.shared<64x64xf16, #sw> -> tensor<64x64xf16, #l>
      %y = arith.addf %sum, %x : tensor<64x64xf16, #l>
      scf.yield %y : tensor<64x64xf16, #l>
    } {simt.uniform}
  } {simt.programs, simt.uniform}
  simt.end_barriers %full : !simt.barriers<3>
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#l = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                         warp (16,0) (32,0)>
// Only the producer computes whether the program's peer reads the same block.
func.func @shared_by_whom(%d: !tile.desc<64x64xf16>, %n: i32, %k: i32, %where: !tile.ptr<i32>)
    attributes {tile.kernel, simt.resident, simt.cluster = 2 : i32, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf16, #l>
  %ring = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 1 : !simt.barriers<3>
  scf.for %program = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
    %found = tile.load %where : !tile.ptr<i32>
    %same = arith.cmpi eq, %found, %program : i32
    %r = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf16, #l>) : i32 {
      // expected-error @below {{cannot run 2 iterations ahead at place 1: one of its operands, or a bound of its loop, follows not only from arguments}}
      %t = simt.copy_tile %d[%program, %i] to %s on %full[%c0] phase %c0 if %always multicast %same
        {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
        : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
      simt.wait_tiles %t on %full : !simt.barriers<3>
      %x = simt.shared_load %s : !simt.shared<64x64xf16, #sw> -> tensor<64x64xf16, #l>
      %y = arith.addf %sum, %x : tensor<64x64xf16, #l>
      scf.yield %y : tensor<64x64xf16, #l>
    } {simt.uniform}
  } {simt.programs, simt.uniform}
  simt.end_barriers %full : !simt.barriers<3>
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#l = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                         warp (16,0) (32,0)>
// A producer's ring goes on from one program to the next, so it stands before them.
func.func @ring_of_one_program(%d: !tile.desc<64x64xf16>, %n: i32, %k: i32, %where: !tile.ptr<i32>)
    attributes {tile.kernel, simt.resident, simt.cluster = 2 : i32, simt.warps = 4 : i32, simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf16, #l>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 1 : !simt.barriers<3>
  scf.for %program = %c0 to %n step %c1 : i32 {
    %ring = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
    %s = simt.stage %ring[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
    %r = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf16, #l>) : i32 {
      // expected-error @below {{cannot run 2 iterations ahead at place 1: its ring must stand before the loop over programs}}
      %t = simt.copy_tile %d[%program, %i] to %s on %full[%c0] phase %c0 if %always 
        {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
        : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
      simt.wait_tiles %t on %full : !simt.barriers<3>
      %x = simt.shared_load %s : !simt.shared<64x64xf16, #sw> -> tensor<64x64xf16, #l>
      %y = arith.addf %sum, %x : tensor<64x64xf16, #l>
      scf.yield %y : tensor<64x64xf16, #l>
    } {simt.uniform}
  } {simt.programs, simt.uniform}
  simt.end_barriers %full : !simt.barriers<3>
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#l = #layout.distributed<register (0,1) (0,2) (0,4) (1,0) (2,0), lane (0,8) (0,16) (0,32) (4,0) (8,0),
                         warp (16,0) (32,0)>
// Programs in pairs have different numbers of iterations: their rings are not at the same stage.
func.func @shared_in_pairs(%d: !tile.desc<64x64xf16>, %n: i32, %k: i32, %where: !tile.ptr<i32>)
    attributes {tile.kernel, simt.resident, simt.pairs, simt.cluster = 2 : i32, simt.warps = 4 : i32,
                simt.warp_size = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf16, #l>
  %ring = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 1 : !simt.barriers<3>
  scf.for %program = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
    %same = arith.cmpi eq, %c0, %program : i32
    %r = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf16, #l>) : i32 {
      // expected-error @below {{cannot run 2 iterations ahead at place 1: only programs of a persistent kernel, not in pairs, with equally many iterations}}
      %t = simt.copy_tile %d[%program, %i] to %s on %full[%c0] phase %c0 if %always multicast %same
        {simt.schedule = #simt.schedule<ahead 2, place 1, producer>}
        : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
      simt.wait_tiles %t on %full : !simt.barriers<3>
      %x = simt.shared_load %s : !simt.shared<64x64xf16, #sw> -> tensor<64x64xf16, #l>
      %y = arith.addf %sum, %x : tensor<64x64xf16, #l>
      scf.yield %y : tensor<64x64xf16, #l>
    } {simt.uniform}
  } {simt.programs, simt.uniform}
  simt.end_barriers %full : !simt.barriers<3>
  return
}
