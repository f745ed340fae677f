// RUN: tegula-opt --tile-expand-schedules --split-input-file --verify-diagnostics %s

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The buffer of a product that runs on is written by the next iteration.
func.func @overwritten_while_it_runs(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    simt.shared_store %b, %h : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
    simt.fence async
    %x = simt.product %b, %b, %sum instruction #group 
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    // expected-error @below {{cannot run -1 iterations ahead at place 0: its product cannot run on}}
    %s = simt.wait_products %x {simt.schedule = #simt.schedule<ahead -1>} : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The left operand of a product that runs on is in registers.
func.func @left_operand_in_registers(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = simt.product %h, %b, %sum instruction #group 
      : tensor<64x64xf16>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    // expected-error @below {{cannot run -1 iterations ahead at place 0: its product cannot run on}}
    %s = simt.wait_products %x {simt.schedule = #simt.schedule<ahead -1>} : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// A wait for a product cannot run ahead of it.
func.func @wait_ahead(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = simt.product %b, %b, %sum instruction #group 
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    // expected-error @below {{expected it to run in the next iteration, #simt.schedule<ahead -1>, found}}
    %s = simt.wait_products %x {simt.schedule = #simt.schedule<ahead 1>} : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The product of the previous iteration still reads the stage that the copy fills.
func.func @ring_of_a_product_that_runs_on(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %s = simt.stage %ring[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 1 iterations ahead at place -1: its ring of 2 stages is filled again}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<64x64x!tile.ptr<f16>>, !simt.shared<64x64xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    simt.fence async {simt.schedule = #simt.schedule<ahead 0, place -2>}
    %x = simt.product %s, %s, %sum instruction #group 
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x {simt.schedule = #simt.schedule<ahead -1>} : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// Products see what threads have copied only behind a fence.
func.func @no_fence(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %s = simt.stage %ring[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 1 iterations ahead at place -1: no fence stands between its wait and the product}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<64x64x!tile.ptr<f16>>, !simt.shared<64x64xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    %x = simt.product %s, %s, %sum instruction #group 
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// A load of shared memory may need a barrier, which would stand before the fence.
func.func @fence_behind_a_load(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %s = simt.stage %ring[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 1 iterations ahead at place -1: no fence stands between its wait and the product}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<64x64x!tile.ptr<f16>>, !simt.shared<64x64xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    %l = simt.shared_load %s : !simt.shared<64x64xf16, #sw> -> tensor<64x64xf16>
    simt.fence async
    %x = simt.product %s, %s, %sum instruction #group 
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %y = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The second copy of the phase is started behind the wait for it.
func.func @half_a_phase(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %ring1 = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %s1 = simt.stage %ring1[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<2>
  simt.start_barriers %full count 2 : !simt.barriers<2>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<2>
    // expected-error @below {{cannot run 0 iterations ahead at place -3: not all copies of its phase are started before it}}
    simt.wait_tiles %t0 on %full {simt.schedule = #simt.schedule<ahead 0, place -3>} : !simt.barriers<2>
    %t1 = simt.copy_tile %d[%i, %c0] to %s1 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 0>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<2>
    simt.wait_tiles %t1 on %full {simt.schedule = #simt.schedule<ahead 0>} : !simt.barriers<2>
    %x = simt.product %s0, %s1, %sum instruction #group 
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %s = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The barrier objects do not start.
func.func @no_start(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<2>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 1 iterations ahead at place -1: it needs one barrier object for each stage of its ring}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<2>
    simt.wait_tiles %t0 on %full {simt.schedule = #simt.schedule<ahead 0, place -3>} : !simt.barriers<2>
    %x = simt.product %s0, %s0, %sum instruction #group 
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %s = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// A ring of three stages needs three barrier objects.
func.func @too_few_objects(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<2>
  simt.start_barriers %full count 1 : !simt.barriers<2>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-error @below {{cannot run 1 iterations ahead at place -1: it needs one barrier object for each stage of its ring}}
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<2>
    simt.wait_tiles %t0 on %full {simt.schedule = #simt.schedule<ahead 0, place -3>} : !simt.barriers<2>
    %x = simt.product %s0, %s0, %sum instruction #group 
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %s = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The first delayed product reads the last stage, which holds no zeros.
func.func @stage_not_cleared(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 1 : !simt.barriers<3>
  %q = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full {simt.schedule = #simt.schedule<ahead 0, place -3>} : !simt.barriers<3>
    %f = simt.product %q, %s0, %zero instruction #group 
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %e = simt.wait_products %f : tensor<64x64xf32>
    %g = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    // expected-error @below {{cannot run -1 iterations ahead at place 0: the last stage of its right operand's ring is not cleared before the loop}}
    %x = simt.product %g, %s0, %sum instruction #group
      {simt.schedule = #simt.schedule<ahead -1>}
      : tensor<64x64xf16>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %s = simt.wait_products %x {simt.schedule = #simt.schedule<ahead -1>} : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The wait of a delayed product is delayed, too.
func.func @delayed_without_its_wait(%p: tensor<64x64x!tile.ptr<f16>>, %d: !tile.desc<64x64xf16>,
    %h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %always = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring0 = simt.shared_alloc : !simt.shared<3x64x64xf16, #sw>
  %s0 = simt.stage %ring0[%c0] : !simt.shared<3x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %full = simt.barrier_alloc : !simt.barriers<3>
  simt.start_barriers %full count 1 : !simt.barriers<3>
  %q = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %t0 = simt.copy_tile %d[%i, %c0] to %s0 on %full[%c0] phase %c0 if %always
      {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : !tile.desc<64x64xf16>, !simt.shared<64x64xf16, #sw>, !simt.barriers<3>
    simt.wait_tiles %t0 on %full {simt.schedule = #simt.schedule<ahead 0, place -3>} : !simt.barriers<3>
    %f = simt.product %q, %s0, %zero instruction #group 
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %e = simt.wait_products %f : tensor<64x64xf32>
    %g = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    // expected-error @below {{cannot run -1 iterations ahead at place 0: its wait has no schedule}}
    %x = simt.product %g, %s0, %sum instruction #group
      {simt.schedule = #simt.schedule<ahead -1>}
      : tensor<64x64xf16>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %s = simt.wait_products %x : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// A computed operand in a ring of one stage.
func.func @one_stage(%h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring = simt.shared_alloc : !simt.shared<1x64x64xf16, #sw>
  %b = simt.stage %ring[%c0] : !simt.shared<1x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    simt.shared_store %b, %h : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
    simt.fence async
    %x = simt.product %b, %b, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    // expected-error @below {{cannot run -1 iterations ahead at place 0: its product cannot run on}}
    %s = simt.wait_products %x {simt.schedule = #simt.schedule<ahead -1>} : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// A ring that an iteration stores to twice, once while the product of the same stage may run.
func.func @stored_twice(%h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %b = simt.stage %ring[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    simt.shared_store %b, %h : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
    simt.fence async
    %x = simt.product %b, %b, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    // expected-error @below {{cannot run -1 iterations ahead at place 0: its product cannot run on}}
    %s = simt.wait_products %x {simt.schedule = #simt.schedule<ahead -1>} : tensor<64x64xf32>
    simt.shared_store %b, %h : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
    simt.fence async
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// A ring that an iteration reads before it stores to it: what it reads is an earlier iteration's.
func.func @read_before(%h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %b = simt.stage %ring[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %y = simt.product %b, %b, %zero instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %z = simt.wait_products %y : tensor<64x64xf32>
    simt.shared_store %b, %h : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
    simt.fence async
    %x = simt.product %b, %b, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    // expected-error @below {{cannot run -1 iterations ahead at place 0: its product cannot run on}}
    %s = simt.wait_products %x {simt.schedule = #simt.schedule<ahead -1>} : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
#group = #simt.instruction<"wgmma.m64n64k16.f32.f16", 64x64x16,
  a <f16 either <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>, b <f16 shared>,
  c <f32 registers <register (0,1) (8,0) (0,8) (0,16) (0,32), lane (0,2) (0,4) (1,0) (2,0) (4,0), warp (16,0) (32,0)>>>
// The fence behind a store that the product reads through another view of the ring stays behind the store.
func.func @other_view(%h: tensor<64x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ring = simt.shared_alloc : !simt.shared<2x64x64xf16, #sw>
  %filled = simt.stage %ring[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %b = simt.stage %ring[%c0] : !simt.shared<2x64x64xf16, #sw> -> !simt.shared<64x64xf16, #sw>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    simt.shared_store %filled, %h : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
    // expected-error @below {{cannot run 0 iterations ahead at place -2: it orders a store of the loop}}
    simt.fence async {simt.schedule = #simt.schedule<ahead 0, place -2>}
    %x = simt.product %b, %b, %sum instruction #group
      : !simt.shared<64x64xf16, #sw>, !simt.shared<64x64xf16, #sw>, tensor<64x64xf32>
    %s = simt.wait_products %x {simt.schedule = #simt.schedule<ahead -1>} : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
