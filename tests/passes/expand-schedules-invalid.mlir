// RUN: tegula-opt --tile-expand-schedules --split-input-file --verify-diagnostics %s

func.func @too_far(%p: tensor<16x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{expected an op to run -1 to 8 iterations ahead, found 9}}
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 9>} : tensor<16x!tile.ptr<f32>>
  }
  return
}

// -----

func.func @too_low(%p: tensor<16x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{expected a place from -8 to 8, found -9}}
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -9>} : tensor<16x!tile.ptr<f32>>
  }
  return
}

// -----

func.func @other_op(%x: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{expected 'simt.schedule' as a #simt.schedule on a load, an asynchronous copy or product, a wait for one, a fence, a simt.shared_store or a simt.convert_layout only}}
    %a = arith.addf %x, %x {simt.schedule = #simt.schedule<ahead 1>} : f32
  }
  return
}

// -----

func.func @no_schedule(%p: tensor<16x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{expected 'simt.schedule' as a #simt.schedule on a load, an asynchronous copy or product, a wait for one, a fence, a simt.shared_store or a simt.convert_layout only, found 1 : i32}}
    %a = tile.load %p {simt.schedule = 1 : i32} : tensor<16x!tile.ptr<f32>>
  }
  return
}

// -----

func.func @no_loop(%p: tensor<16x!tile.ptr<f32>>) {
  // expected-error @below {{expected an op with 'simt.schedule' directly in the body of an scf.for}}
  %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1>} : tensor<16x!tile.ptr<f32>>
  return
}

// -----

func.func @in_a_branch(%p: tensor<16x!tile.ptr<f32>>, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.if %c {
      // expected-error @below {{expected an op with 'simt.schedule' directly in the body of an scf.for}}
      %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1>} : tensor<16x!tile.ptr<f32>>
    }
  }
  return
}

// -----

func.func @store_ahead(%t: !simt.shared<128xf32>, %o: i32, %v: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{expected it to run in its own iteration, found 1 iterations ahead}}
    simt.shared_store %t[%o], %v {simt.schedule = #simt.schedule<ahead 1>} : !simt.shared<128xf32>, i32, f32
  }
  return
}

// -----

func.func @store_to_part(%t: !simt.shared<128xf32>, %o: i32, %v: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{cannot run 0 iterations ahead at place -1: it does not fill a whole buffer of the iteration}}
    simt.shared_store %t[%o], %v {simt.schedule = #simt.schedule<ahead 0, place -1>} : !simt.shared<128xf32>, i32, f32
  }
  return
}

// -----

func.func @index_too_late(%x: !tile.ptr<f32>, %pages: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %pp = tile.addptr %pages, %i : !tile.ptr<i32>, i32
    %page = tile.load %pp {simt.schedule = #simt.schedule<ahead 1>} : !tile.ptr<i32>
    %xp = tile.addptr %x, %page : !tile.ptr<f32>, i32
    // expected-error @below {{cannot run 2 iterations ahead at place 0: it depends on 'tile.load', which does not run before it}}
    %a = tile.load %xp {simt.schedule = #simt.schedule<ahead 2>} : !tile.ptr<f32>
  }
  return
}

// -----

// In the same iteration, but at a later place.
func.func @index_behind(%x: !tile.ptr<f32>, %pages: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %pp = tile.addptr %pages, %i : !tile.ptr<i32>, i32
    %page = tile.load %pp {simt.schedule = #simt.schedule<ahead 1>} : !tile.ptr<i32>
    %xp = tile.addptr %x, %page : !tile.ptr<f32>, i32
    // expected-error @below {{cannot run 1 iterations ahead at place -1: it depends on 'tile.load', which does not run before it}}
    %a = tile.load %xp {simt.schedule = #simt.schedule<ahead 1, place -1>} : !tile.ptr<f32>
  }
  return
}

// -----

func.func @unscheduled_index(%x: !tile.ptr<f32>, %pages: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %pp = tile.addptr %pages, %i : !tile.ptr<i32>, i32
    %page = tile.load %pp : !tile.ptr<i32>
    %xp = tile.addptr %x, %page : !tile.ptr<f32>, i32
    // expected-error @below {{cannot run 1 iterations ahead at place 0: it depends on 'tile.load' in the loop}}
    %a = tile.load %xp {simt.schedule = #simt.schedule<ahead 1>} : !tile.ptr<f32>
  }
  return
}

// -----

// The page is carried: iteration i reads the page that iteration i - 1 has loaded, so one less is enough, but not two.
func.func @carried_index(%x: !tile.ptr<f32>, %pages: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> (i32) : i32 {
    %pp = tile.addptr %pages, %i : !tile.ptr<i32>, i32
    %page = tile.load %pp {simt.schedule = #simt.schedule<ahead 1, place -1>} : !tile.ptr<i32>
    %xp = tile.addptr %x, %at : !tile.ptr<f32>, i32
    // expected-error @below {{cannot run 3 iterations ahead at place 0: it depends on 'tile.load', which does not run before it}}
    %a = tile.load %xp {simt.schedule = #simt.schedule<ahead 3>} : !tile.ptr<f32>
    scf.yield %page : i32
  }
  return
}

// -----

func.func @used_before(%p: tensor<16x!tile.ptr<f32>>, %n: i32) -> tensor<16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16xf32>) : i32 {
    // expected-error @below {{cannot run 0 iterations ahead at place 1: its result is used earlier in the iteration}}
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 0, place 1>} : tensor<16x!tile.ptr<f32>>
    %s = arith.addf %acc, %a : tensor<16xf32>
    scf.yield %s : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// -----

func.func @written(%p: tensor<16x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{cannot run 1 iterations ahead at place 0: the loop may write what it reads}}
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1>} : tensor<16x!tile.ptr<f32>>
    tile.store %p, %a : tensor<16x!tile.ptr<f32>>
  }
  return
}

// -----

func.func @past_a_barrier(%p: tensor<16x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{cannot run 1 iterations ahead at place 0: 'tile.barrier' keeps the order of what is around it}}
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1>} : tensor<16x!tile.ptr<f32>>
    tile.barrier
  }
  return
}

// -----

func.func @volatile(%p: tensor<16x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{cannot run 1 iterations ahead at place 0: it is volatile}}
    %a = tile.load %p volatile {simt.schedule = #simt.schedule<ahead 1>} : tensor<16x!tile.ptr<f32>>
  }
  return
}

// -----

// The address depends on what a reduction of the same iteration gives.
func.func @behind_a_reduction(%x: !tile.ptr<i32>, %p: tensor<16x!tile.ptr<i32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %all = tile.load %p {simt.schedule = #simt.schedule<ahead 1>} : tensor<16x!tile.ptr<i32>>
    %sum = tile.reduce(%all) axis 0 : (tensor<16xi32>) -> i32 {
    ^bb0(%l: i32, %o: i32):
      %s = arith.addi %l, %o : i32
      tile.yield %s : i32
    }
    %xp = tile.addptr %x, %sum : !tile.ptr<i32>, i32
    // expected-error @below {{cannot run 1 iterations ahead at place 0: it depends on 'tile.reduce' in the loop}}
    %a = tile.load %xp {simt.schedule = #simt.schedule<ahead 1>} : !tile.ptr<i32>
  }
  return
}

// -----

#rows = #layout.distributed<register (1,0) (2,0) (4,0), lane (0,1) (0,2) (0,4) (0,8) (8,0), warp (16,0) (32,0)>
#buffer = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,1) (0,2) (0,4) (0,8)>
func.func @stored_before_loaded(%p: tensor<64x16x!tile.ptr<f32>, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %p : tensor<64x16x!tile.ptr<f32>, #rows>
    %t = simt.shared_alloc : !simt.shared<64x16xf32, #buffer>
    // expected-error @below {{cannot run 0 iterations ahead at place -1: it depends on 'tile.load' in the loop}}
    simt.shared_store %t, %a {simt.schedule = #simt.schedule<ahead 0, place -1>}
      : !simt.shared<64x16xf32, #buffer>, tensor<64x16xf32, #rows>
  } {simt.uniform}
  return
}

// -----

#rows = #layout.distributed<register (1,0) (2,0) (4,0), lane (0,1) (0,2) (0,4) (0,8) (8,0), warp (16,0) (32,0)>
#buffer = #layout.shared<(1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,1) (0,2) (0,4) (0,8)>
func.func @stored_behind_its_load(%p: tensor<64x16x!tile.ptr<f32>, #rows>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #rows>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x16xf32, #rows>) : i32 {
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1>} : tensor<64x16x!tile.ptr<f32>, #rows>
    %t = simt.shared_alloc : !simt.shared<64x16xf32, #buffer>
    // expected-error @below {{cannot run 0 iterations ahead at place 1: its buffer is used earlier in the iteration}}
    simt.shared_store %t, %a {simt.schedule = #simt.schedule<ahead 0, place 1>}
      : !simt.shared<64x16xf32, #buffer>, tensor<64x16xf32, #rows>
    %b = simt.shared_load %t : !simt.shared<64x16xf32, #buffer> -> tensor<64x16xf32, #rows>
    %s = arith.addf %acc, %b : tensor<64x16xf32, #rows>
    scf.yield %s : tensor<64x16xf32, #rows>
  } {simt.uniform}
  return
}

// -----

#rows = #layout.distributed<lane (1) (2) (4) (8) (16), warp (0) (0)>
#each = #layout.distributed<register (1) (2) (4), lane (8) (16) (0) (0) (0), warp (0) (0)>

func.func @converted_before_load(%p: tensor<32x!tile.ptr<f32>, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %p : tensor<32x!tile.ptr<f32>, #rows>
    // expected-error @below {{cannot run 0 iterations ahead at place -4: it depends on 'tile.load' in the loop}}
    %b = simt.convert_layout %a {simt.schedule = #simt.schedule<ahead 0, place -4>}
      : tensor<32xf32, #rows> -> tensor<32xf32, #each>
  }
  return
}

// -----

#rows = #layout.distributed<lane (1) (2) (4) (8) (16), warp (0) (0)>
#each = #layout.distributed<register (1) (2) (4), lane (8) (16) (0) (0) (0), warp (0) (0)>

func.func @converted_too_late(%p: tensor<32x!tile.ptr<f32>, #rows>, %first: tensor<32xf32, #each>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (tensor<32xf32, #each>) : i32 {
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -4>} : tensor<32x!tile.ptr<f32>, #rows>
    // expected-error @below {{cannot run 0 iterations ahead at place 1: its result is used earlier in the iteration}}
    %b = simt.convert_layout %a {simt.schedule = #simt.schedule<ahead 0, place 1>}
      : tensor<32xf32, #rows> -> tensor<32xf32, #each>
    %sum = arith.addf %before, %b : tensor<32xf32, #each>
    scf.yield %sum : tensor<32xf32, #each>
  } {simt.uniform}
  return
}

// -----

func.func @unknown_issuer(%p: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{expected 'place', 'producer' or 'turns', found 'sideways'}}
    %x = tile.load %p {simt.schedule = #simt.schedule<ahead 1, sideways>} : !tile.ptr<i32>
  }
  return
}

// -----

func.func @load_by_the_producer(%p: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{expected 'producer' on a simt.copy_tile only}}
    %x = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -4, producer>} : !tile.ptr<i32>
  }
  return
}

// -----

func.func @load_in_turns(%p: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{expected 'turns' on a simt.product only}}
    %x = tile.load %p {simt.schedule = #simt.schedule<ahead 1, turns>} : !tile.ptr<i32>
  }
  return
}

// -----

#lines = #layout.shared<(0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0)>
func.func @ahead_of_no_loop(%full: !simt.barriers<1>, %b: !simt.shared<16x16xf16, #lines>,
    %d: !tile.desc<16x16xf16>) {
  %c0 = arith.constant 0 : i32
  %always = arith.constant true
  // expected-error @below {{expected #simt.schedule<ahead 0, producer> outside of loops}}
  %t = simt.copy_tile %d[%c0, %c0] to %b on %full[%c0] phase %c0 if %always
    {simt.schedule = #simt.schedule<ahead 1, producer>}
    : !tile.desc<16x16xf16>, !simt.shared<16x16xf16, #lines>, !simt.barriers<1>
  return
}
