// The passes on tiles that need no layout and no instruction (core/passes/tile); part of Passes.td.
#ifndef TEGULA_TILE_PASSES
#define TEGULA_TILE_PASSES

include "mlir/Pass/PassBase.td"

def FuseDot : Pass<"tile-fuse-dot"> {
  let summary = "fuses an addition to the result of a tile.dot into its accumulator";
  let description = [{
    `c + dot(a, b, 0)` becomes `dot(a, b, c)`: a matrix instruction adds its accumulator at no cost, and a loop with
    `acc += tl.dot(a, b)` then carries the accumulator of its product.

    Before:
    ```mlir
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %d = tile.dot %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %sum = arith.addf %acc, %d : tensor<64x64xf32>
    ```
    After:
    ```mlir
    %sum = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    ```

    It does nothing if the product has another use, if its accumulator is not zero, or if the accumulator's type is
    narrower than f32, because the sum would then be rounded once instead of twice. Integer sums (`arith.addi`) are
    exact in both forms.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect"];
}

def PlaceHints : Pass<"tile-place-hints", "::mlir::ModuleOp"> {
  let summary = "makes a tile.hint apply to all uses of its value";
  let description = [{
    `tl.multiple_of(x, 16)` whose result is not used promises the same about `x` as a call whose result is used. But a
    hint is pure, so it would be erased if its result had no uses. This pass replaces uses of the value by the hint's
    result. If the hint is in the value's own block, it replaces all uses, because each execution of that block makes
    the promise. Otherwise it replaces the uses after the hint, in the hint's block.

    Before:
    ```mlir
    %p = tile.addptr %base, %offsets : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    %unused = tile.hint %p divisibility [16] : tensor<64x!tile.ptr<f16>>
    %v = tile.load %p : tensor<64x!tile.ptr<f16>>
    ```
    After:
    ```mlir
    %p = tile.addptr %base, %offsets : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    %q = tile.hint %p divisibility [16] : tensor<64x!tile.ptr<f16>>
    %v = tile.load %q : tensor<64x!tile.ptr<f16>>
    ```
  }];
}

def CountLoops : Pass<"tile-count-loops"> {
  let summary = "makes for loops of while loops whose iterations can be counted";
  let description = [{
    A while loop whose condition compares one carried value, the counter, with a bound from before the loop becomes a
    for loop, which later passes can schedule: the addresses of its later iterations are known. Each iteration adds a
    positive constant, or the number of programs, to the counter while it is less than the bound, or subtracts a
    positive constant while it is greater than a constant that is not negative. The counter has 32 or 64 bits. A rising
    counter whose next number would not fit its type ends the loop, where the while loop would go on with a negative
    number; a counter that rises by 1, and one that falls, never get there.

    Before:
    ```mlir
    %r:2 = scf.while (%left = %n, %sum = %zero) : (i32, f32) -> (i32, f32) {
      %c = arith.cmpi sgt, %left, %c0 : i32
      scf.condition(%c) %left, %sum : i32, f32
    } do {
    ^bb0(%left: i32, %sum: f32):
      tile.may_not_end
      ...
      %next = arith.subi %left, %c64 : i32
      scf.yield %next, %s : i32, f32
    }
    ```
    After:
    ```mlir
    %most = arith.maxsi %n, %c0 : i32
    %r = scf.for %done = %c0 to %most step %c64 iter_args(%sum = %zero) -> (f32) : i32 {
      %left = arith.subi %n, %done : i32
      ...
      scf.yield %s : f32
    }
    ```
    If the counter is read after the loop, the for loop carries it, too.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def WidenFp8 : Pass<"tile-widen-fp8", "::mlir::ModuleOp"> {
  let summary = "computes 8-bit floats in f32 and rounds the results";
  let description = [{
    No target has arithmetic on 8-bit floats, and the folders of upstream's ops do not saturate. After this pass ops of
    `arith`, `math` and `tile.function` take and give 8-bit floats only in ops that move or select bits
    (`arith.constant`, `arith.select`, `arith.bitcast`), in `arith.extf`, which is exact, and in `math.fma`, which must
    round once and is left to `simt-expand-math` and the CPU's executor.

    - `arith.truncf` becomes `tile.fp_cast`.
    - Negation and absolute values change the sign bit and keep NaN.
    - Other ops are computed in f32, with operands and results converted by `tile.fp_cast`, which rounds and saturates.
      f32 has more than twice the bits of an 8-bit float, so sums, differences, products, quotients and roots are
      correctly rounded.
    - A `tile.reduce` or `tile.scan` of one tensor by one such op combines in f32 and rounds each result once. If sums
      in f32 are exact, results are then independent of a target's order of combination.

    Before:
    ```mlir
    %s = arith.addf %x, %y : tensor<64xf8E5M2>
    ```
    After:
    ```mlir
    %a = tile.fp_cast %x : tensor<64xf8E5M2> -> tensor<64xf32>
    %b = tile.fp_cast %y : tensor<64xf8E5M2> -> tensor<64xf32>
    %sum = arith.addf %a, %b : tensor<64xf32>
    %s = tile.fp_cast %sum : tensor<64xf32> -> tensor<64xf8E5M2>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tegula::tile::TileDialect"];
}

def RelaxQuotients : Pass<"tile-relax-quotients", "::mlir::ModuleOp"> {
  let summary = "allows f32 quotients an error of 2 ulp";
  let description = [{
    For targets with `relaxes_quotients`: there a correctly rounded division costs registers, and a test and a branch
    for each element. `arith.divf` of f32 gets the flag `arcp`, by which its error may be 2 ulp (docs/math.md), unless

    - it must be rounded correctly (`tile.rounded`, of `tl.div_rn`);
    - both operands were widened from 16 bits or fewer: rounded to such a type, the quotient is the language's quotient
      of that type, which is correctly rounded.

    Divisions that later passes add, for functions that a target lacks, stay exact.

    Before:
    ```mlir
    %q = arith.divf %x, %y : tensor<64xf32>
    ```
    After:
    ```mlir
    %q = arith.divf %x, %y fastmath<arcp> : tensor<64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CombineBroadcasts : Pass<"tile-combine-broadcasts", "::mlir::ModuleOp"> {
  let summary = "combines tensors that are broadcast from one shape before the broadcast";
  let description = [{
    Kernels write masks and addresses as sums of rows and columns, in any order. The operands of a conjunction that are
    broadcast from one shape are combined in that shape, and so are pointers and the offsets that are added to them: a
    thread then computes one value for a row and not one for each of its elements.

    Before:
    ```mlir
    %a = arith.andi (broadcast %row1), (broadcast %column) : tensor<64x32xi1>
    %m = arith.andi %a, (broadcast %row2) : tensor<64x32xi1>
    %p = tile.addptr (broadcast %base), (broadcast %offset1) : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    ```
    After, where %base and %offset1 have the shape 64x1:
    ```mlir
    %rows = arith.andi %row1, %row2 : tensor<64x1xi1>
    %m = arith.andi (broadcast %column), (broadcast %rows) : tensor<64x32xi1>
    %q = tile.addptr %base, %offset1 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %p = tile.broadcast %q : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
    ```
  }];
}

def UnsignedRemainders : Pass<"tile-unsigned-remainders", "::mlir::ModuleOp"> {
  let summary = "makes remainders of wrapped rows unsigned, for wide accesses, if the launch can check their signs";
  let description = [{
    For targets with `conditional`. The range `(start + range) % n`, by which products wrap rows beyond the last one,
    counts up within aligned groups whose size divides `n`, so that accesses can be wide. This does not hold if `start`
    is negative. A start that is computed from a quotient, such as that of programs in groups of rows, is not known to
    be non-negative. If it depends on arguments and the program's place alone, the kernel's code becomes conditional
    (`tile.conditions`): the launch checks that in no program the range is negative or exceeds 32 bits, and that the
    divisor is positive (core/contracts/ProgramExpression.h). The remainder becomes unsigned, which tells later passes
    that the sign is known. The pass does nothing if axis analysis finds no group, if it knows the sign, or if no access
    becomes wider.

    Before:
    ```mlir
    %wrapped = arith.remsi %columns, %n : tensor<64xi32>
    ```
    After:
    ```mlir
    %wrapped = arith.remui %columns, %n : tensor<64xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ScalarizeUniform : Pass<"tile-scalarize-uniform"> {
  let summary = "computes uniform values as scalars, and keeps pointers as one base and offsets";
  let description = [{
    Three steps, each of which enables the next:

    1. A pure elementwise op whose tensor operands are all splats becomes the scalar op and one splat.
    2. A loop that carries a tensor of pointers or integers, and adds a uniform amount to it in each iteration, carries
       a scalar instead. The tensor is recomputed in the loop from the scalar and from loop-invariant offsets, and after
       the loop if it is used there. Nested loops that pass the tensor on are changed together.
    3. In a chain of `tile.addptr` on a splat, uniform offsets, and the uniform parts of offsets, are added to the
       scalar base.

    Before:
    ```mlir
    %start = tile.splat %s : i32 -> tensor<64xi32>                  // %s = program id * 64
    %at = arith.addi %start, %range : tensor<64xi32>
    %bases = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %p0 = tile.addptr %bases, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0) -> (tensor<64x!tile.ptr<f32>>) : i32 {
      ...
      %next = tile.addptr %p, %c64s : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      scf.yield %next : tensor<64x!tile.ptr<f32>>
    }
    ```
    After:
    ```mlir
    %base = tile.addptr %x, %s : !tile.ptr<f32>, i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %base) -> (!tile.ptr<f32>) : i32 {
      %bases = tile.splat %b : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
      %p = tile.addptr %bases, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      ...
      %next = tile.addptr %b, %c64 : !tile.ptr<f32>, i32
      scf.yield %next : !tile.ptr<f32>
    }
    ```

    Offsets are sign-extended before they are added to addresses, so a narrow sum `v + splat(s)` is split only if it is
    known not to wrap: by its `nsw` flag, or by the ranges of axis analysis (for example, a multiple of 64 plus a number
    below 64). The pass uses no declared facts of arguments. The sum of two narrow offsets is computed in 64 bits unless
    it is known to fit. The pass does nothing to pointers that do not come from one base, such as loaded pointers.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect"];
}

def SplitK : Pass<"tile-split-k", "::mlir::ModuleOp"> {
  let summary = "split-K: divides the iterations of a summing loop among several programs";
  let description = [{
    For kernels with `tile.depth_splits`, which is the option of that name. For each program that the caller asks for,
    the grid has several programs along axis 0 (`tile.grid_factor`), called splits: one for each part of the depth. Each
    split executes its part of the loop's iterations, stores its partial sums in memory that the launch supplies
    (`tile.workspace`), and increments the counter of its block. The last split to arrive adds the partial sums, in the
    order of the parts whichever split is last, so that a result does not change from launch to launch. It then executes
    the ops after the loop. No program waits for another.

    Before:
    ```mlir
    %program = tile.program_id 0
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %a = tile.load ...                                 // of %program and %k
      %d = tile.dot %a, %b, %c : ...
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %p, %sum : tensor<64x64x!tile.ptr<f32>>
    ```
    After, with two parts:
    ```mlir
    %launched = tile.program_id 0
    %program = arith.divsi %launched, %c2 : i32
    %part = arith.remsi %launched, %c2 : i32
    %sum = scf.for %i = %c0 to %iterations step %c1 iter_args(%c = %zero) -> (tensor<64x64xf32>) : i32 {
      %k = arith.addi %i, %start : i32                   // %iterations and %start of %part and %n
      ...
    }
    tile.store %own, %sum : tensor<64x64x!tile.ptr<f32>>
    %arrived = tile.atomic_rmw add acq_rel device %counter, %c1 : !tile.ptr<i32>
    %last = arith.cmpi eq, %arrived, %c1 : i32
    scf.if %last {
      tile.store %counter, %c0 : !tile.ptr<i32>
      %first = tile.load ...
      %second = tile.load ...
      %total = arith.addf %first, %second : tensor<64x64xf32>
      tile.store %p, %total : tensor<64x64x!tile.ptr<f32>>
    }
    ```

    The loop must be in the kernel's body, have a constant step, and be the only loop whose results are used. Each
    loop-carried value must either be a sum, to which the loop only adds by `tile.dot` or an addition, or change by the
    same amount in each iteration, as pointers do. Before and in the loop the kernel may only read. For other kernels
    the pass reports an error at the op that violates these rules.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def SubstituteArguments : Pass<"tile-substitute-arguments", "::mlir::func::FuncOp"> {
  let summary = "replaces arguments whose value is declared by constants";
  let description = [{
    Code for a stride of 1 accesses consecutive elements, so it pays to compile a separate variant. The compilation for
    a launch whose argument is 1 declares `tile.equals`. This pass replaces the argument's uses by the constant and
    keeps the declaration, which becomes a guard.

    Before:
    ```mlir
    func.func @f(%stride: i32 {tile.equals = 1 : i64}, %n: i32 {tile.equals = 1 : i64}) attributes {tile.kernel} {
      %strides = tile.splat %stride : i32 -> tensor<64xi32>
    ```
    After:
    ```mlir
    func.func @f(%stride: i32 {tile.equals = 1 : i64}, %n: i32) attributes {tile.kernel} {
      %c1 = arith.constant 1 : i32
      %strides = tile.splat %c1 : i32 -> tensor<64xi32>
    ```
    An argument without uses loses its declaration: the code does not depend on the value, so it needs no guard.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerDescriptors : Pass<"tile-lower-descriptors"> {
  let summary = "replaces accesses through descriptors by accesses through pointers and masks";
  let description = [{
    Results are the same bit for bit. Loads with the mark `tile.copied` are not changed.

    Before:
    ```mlir
    %d = tile.make_desc %p, [%m, %k], [%stride, %one] : !tile.ptr<f16> -> !tile.desc<64x32xf16>
    %a = tile.desc_load %d[%i, %j] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
    ```
    After, for each axis: an offset in 64 bits, uniform parts added to the scalar base, and `low <= i < high` on the
    block's own indices, with `low = clamp(-offset, 0, 64)` and `high = clamp(extent - offset, 0, 64)` as scalars:
    ```mlir
    %base = tile.addptr %p, (%i * %stride + %j) : !tile.ptr<f16>, i64
    %rows = tile.addptr (splat %base), (range * %stride) : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi64>
    %ps = tile.addptr (broadcast %rows), (range) : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %a = tile.load %ps mask %in : tensor<64x32x!tile.ptr<f16>>
    ```
    `low` is omitted if the offset is known not to be negative. With padding `nan` the load gets `other`. Gathers and
    scatters test each row. The parts of a descriptor that is an argument of the kernel are read with `tile.desc_base`,
    `tile.desc_extent`, `tile.desc_stride` and `tile.desc_pads_nan`; branches and loops carry the parts instead of the
    descriptor. The pass does nothing to functions without descriptors.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect"];
}

#endif
