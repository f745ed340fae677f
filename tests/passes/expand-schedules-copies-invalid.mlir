// RUN: tegula-opt --tile-expand-schedules --split-input-file --verify-diagnostics %s

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// Two stages hold the tiles of an iteration and of the next one.
func.func @a_stage_too_few(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    // expected-error @below {{cannot run 2 iterations ahead at place -1: its ring of 2 stages is filled again before it is read}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 2, place -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
  }
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// The wait of an iteration precedes its copy.
func.func @waits_before_it_starts(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 0, place -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    // expected-error @below {{cannot run 0 iterations ahead at place -3: it depends on 'simt.copy', which does not run before it}}
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
  }
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// The wait stands at the end of the step.
func.func @read_before_its_wait(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    // expected-error @below {{cannot run 1 iterations ahead at place -1: its ring is read before a wait for it}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place 1>}
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
  }
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// Nothing waits for the copy.
func.func @no_wait(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    // expected-error @below {{cannot run 1 iterations ahead at place -1: only waits in the loop's body may take its token, and one has to}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
  }
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// The unexpanded loop names stage 0.
func.func @another_stage(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c1] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    // expected-error @below {{cannot run 1 iterations ahead at place -1: it does not fill stage 0 of a ring that is allocated before the loop}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
  }
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// The ring is allocated anew in each iteration.
func.func @ring_of_an_iteration(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
    %s = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    // expected-error @below {{cannot run 1 iterations ahead at place -1: it depends on 'simt.shared_alloc' in the loop}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
  }
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// The ring is used behind the loop, too.
func.func @read_behind_the_loop(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    // expected-error @below {{cannot run 1 iterations ahead at place -1: its ring is also used by 'simt.shared_load'}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
  }
  %f = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
  %g = simt.shared_load %f : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// A store fills the ring, too.
func.func @written_by_another(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    // expected-error @below {{cannot run 1 iterations ahead at place -1: its ring is also used by 'simt.shared_store'}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
    simt.shared_store %s, %a : !simt.shared<16x16xf16, #sw>, tensor<16x16xf16>
  }
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// The loop may write what the copy reads.
func.func @stored_elements(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    // expected-error @below {{cannot run 1 iterations ahead at place -1: the loop writes elements of its type, and two arguments may be one array}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
    tile.store %o, %a : tensor<16x16x!tile.ptr<f16>>
  }
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// A wait is for its own iteration.
func.func @wait_ahead(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead 1, place -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    // expected-error @below {{expected it to run in its own iteration, found 1 iterations ahead}}
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 1>}
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
  }
  return
}

// -----

#sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,8) (4,0) (8,0)>
// A copy runs in its own iteration or ahead.
func.func @copy_later(%p: tensor<16x16x!tile.ptr<f16>>, %o: tensor<16x16x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = simt.shared_alloc : !simt.shared<2x16x16xf16, #sw>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = simt.stage %ring[%c0] : !simt.shared<2x16x16xf16, #sw> -> !simt.shared<16x16xf16, #sw>
    // expected-error @below {{expected it to run in its own iteration or ahead, found -1 iterations ahead}}
    %t = simt.copy %p to %s {simt.schedule = #simt.schedule<ahead -1>}
      : tensor<16x16x!tile.ptr<f16>>, !simt.shared<16x16xf16, #sw>
    simt.wait_copies %t {simt.schedule = #simt.schedule<ahead 0, place -3>}
    %a = simt.shared_load %s : !simt.shared<16x16xf16, #sw> -> tensor<16x16xf16>
  }
  return
}
