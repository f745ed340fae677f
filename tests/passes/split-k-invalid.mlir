// Kernels whose depth cannot be split: the error stands at what is in the way.
// RUN: tegula-opt --tile-split-k %s --split-input-file --verify-diagnostics -o /dev/null

// expected-error@+1 {{depth_splits is 2, but the kernel has no loop that adds to a sum; the loop must stand in the kernel's body, not in another loop or an 'if' (code behind an early return is in an 'if')}}
func.func @no_loop(%x: !tile.ptr<i32>) attributes {tile.depth_splits = 2 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  tile.store %x, %c0 : !tile.ptr<i32>
  return
}

// -----

func.func @two_loops(%n: i32, %x: !tile.ptr<i32>) attributes {tile.depth_splits = 3 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = scf.for %k = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %a1 = arith.addi %a, %k : i32
    scf.yield %a1 : i32
  }
  // expected-error@+1 {{depth_splits is 3, but the kernel uses the results of two loops; only one loop's sums can be split}}
  %second = scf.for %k = %c0 to %n step %c1 iter_args(%a = %first) -> (i32) : i32 {
    %a1 = arith.addi %a, %k : i32
    scf.yield %a1 : i32
  }
  tile.store %x, %second : !tile.ptr<i32>
  return
}

// -----

func.func @step(%n: i32, %x: !tile.ptr<i32>) attributes {tile.depth_splits = 2 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  // expected-error@+1 {{depth_splits is 2, but the loop does not count integers in constant steps above 0}}
  %sum = scf.for %k = %c0 to %n step %n iter_args(%a = %c0) -> (i32) : i32 {
    %a1 = arith.addi %a, %k : i32
    scf.yield %a1 : i32
  }
  tile.store %x, %sum : !tile.ptr<i32>
  return
}

// -----

func.func @maximum(%n: i32, %x: !tile.ptr<i32>) attributes {tile.depth_splits = 2 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %c0, %m = %c0) -> (i32, i32) : i32 {
    %a1 = arith.addi %a, %k : i32
    // expected-error@+1 {{depth_splits is 2, but the loop carries this to its next iteration, and it is no sum of what iterations add, such as a maximum, or the loop also reads the sum}}
    %m1 = arith.maxsi %m, %k : i32
    scf.yield %a1, %m1 : i32, i32
  }
  tile.store %x, %sum#0 : !tile.ptr<i32>
  return
}

// -----

func.func @used_otherwise(%n: i32, %x: !tile.ptr<f32>) attributes {tile.depth_splits = 2 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zero) -> (f32) : i32 {
    %v = arith.mulf %a, %a : f32
    // expected-error@+1 {{or the loop also reads the sum}}
    %a1 = arith.addf %a, %v : f32
    scf.yield %a1 : f32
  }
  tile.store %x, %sum : !tile.ptr<f32>
  return
}

// -----

func.func @doubled(%n: i32, %x: !tile.ptr<f32>) attributes {tile.depth_splits = 2 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%a = %one) -> (f32) : i32 {
    // expected-error@+1 {{or the loop also reads the sum}}
    %a1 = arith.addf %a, %a : f32
    scf.yield %a1 : f32
  }
  tile.store %x, %sum : !tile.ptr<f32>
  return
}

// -----

func.func @only_moves(%n: i32, %x: !tile.ptr<i32>) attributes {tile.depth_splits = 2 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{depth_splits is 2, but the loop adds to no sum that is used behind it}}
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x) -> (!tile.ptr<i32>) : i32 {
    %p1 = tile.addptr %p, %n : !tile.ptr<i32>, i32
    scf.yield %p1 : !tile.ptr<i32>
  }
  tile.store %end, %n : !tile.ptr<i32>
  return
}

// -----

func.func @stores(%n: i32, %x: !tile.ptr<i32>) attributes {tile.depth_splits = 2 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    // expected-error@+1 {{depth_splits is 2, but this stands before or in the loop, which the programs of all parts execute; only loads may stand there}}
    tile.store %x, %k : !tile.ptr<i32>
    %a1 = arith.addi %a, %k : i32
    scf.yield %a1 : i32
  }
  tile.store %x, %sum : !tile.ptr<i32>
  return
}

// -----

func.func @prints(%n: i32, %x: !tile.ptr<i32>) attributes {tile.depth_splits = 2 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %a1 = arith.addi %a, %k : i32
    scf.yield %a1 : i32
  }
  // expected-error@+1 {{depth_splits is 2, but the kernel prints or asserts, and the numbers of programs in such messages would not be those of the caller's grid}}
  tile.print "sum" is_signed [true](%sum) : i32
  tile.store %x, %sum : !tile.ptr<i32>
  return
}
