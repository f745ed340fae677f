// The passes of the tile and planned levels. Each has a description with IR before and after.
#ifndef TEGULA_PASSES
#define TEGULA_PASSES

include "core/passes/LoopPasses.td"
include "mlir/Pass/PassBase.td"

def FuseDot : Pass<"tile-fuse-dot"> {
  let summary = "lets tile.dot accumulate what is added to its result";
  let description = [{
    `c + dot(a, b, 0)` becomes `dot(a, b, c)`: a product adds its accumulator for free, and a loop with
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

def PlanProducts : Pass<"tile-plan-products", "::mlir::ModuleOp"> {
  let summary = "puts operands that matrix instructions read from shared memory into buffers";
  let description = [{
    For dots whose matrix instruction reads B, or A and B, from shared memory. Such an operand is stored to a shared
    buffer, in the order that it has in global memory; a transposed operand is a view. Where the left operand comes from
    another product, through ops on single elements, it stays in registers; where its elements have 8 or 32 bits and lie
    across the depth, it is loaded into registers from its buffer (`simt.shared_load`). The dot becomes `simt.product`,
    which the warps start and do not wait for, and the wait right after it; tile-pipeline-copies may move the wait.

    Before:
    ```mlir
    %a = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %bt = tile.trans %b [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tile.dot %a, %bt, %c {simt.instruction = #group} : ...
    ```
    After:
    ```mlir
    #sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0)>
    %sa = simt.shared_alloc : !simt.shared<64x64xf16, #sw>
    simt.shared_store %sa, %a : !simt.shared<64x64xf16, #sw>, tensor<64x64xf16>
    simt.fence async                    // asynchronous products see the stores
    %sb = ... the same for %b ...
    %vb = simt.transpose %sb : ...
    %r = simt.product %sa, %vb, %c instruction #group : ...
    %d = simt.wait_products %r : tensor<64x128xf32>
    ```

    An operand that is made in another block, such as before a loop, is stored there, once.

    A store through a descriptor that tile-mark-tile-copies has marked goes through a buffer, too, from which hardware
    copies it (`simt.copy_out`).
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def SelectProducts : Pass<"tile-select-products"> {
  let summary = "chooses the matrix instruction that computes a tile.dot";
  let description = [{
    A dot whose types one of the target's matrix instructions takes is marked with it. If the dot's result is narrower
    than the instruction's accumulator, the dot gets the accumulator's type, and its result is rounded once. Operands of
    8-bit floats become f16, which holds each of their values, if no instruction takes them as they are. A dot of f32
    whose precision is not `ieee` may get an instruction for tf32 or bf16; tile-to-simt then rounds or divides its
    operands.

    Before:
    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf16>
    ```
    After:
    ```mlir
    #instruction = #simt.instruction<"16x16x16.f16.f32", 16x16x16, a <f16 fragment>, b <f16 fragment>, c <f32 fragment>>
    %wide = tile.fp_cast %c : tensor<64x64xf16> -> tensor<64x64xf32>
    %sum = tile.dot %a, %b, %wide {simt.instruction = #instruction}
      : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %d = tile.fp_cast %sum : tensor<64x64xf32> -> tensor<64x64xf16>
    ```

    A dot whose right operand has 8 or 32 bits and lies across the depth in global memory is replaced by the dot of the
    transposed operands, if an instruction that reads shared memory then takes it, and a loop carries the sum for this
    dot alone; the loop then carries the transposed sum.

    It does nothing to dots whose types no matrix instruction takes, such as f64 sums of f16 operands.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::tegula::simt::SimtDialect"];
}

def LoadFragments : Pass<"tile-load-fragments"> {
  let summary = "lets matrix instructions load their operands straight from global memory";
  let description = [{
    For dots that tile-select-products marked. An operand is a matrix in memory if it is loaded right before the dot
    from addresses that are a base plus one step along each axis, one of the steps 1. If its mask is true for all
    elements, the dot loads fragments of this matrix itself. A scalar condition, evaluated once for the tile, tests
    whether the mask is true everywhere and no 32-bit sum wraps; otherwise the original load is executed.

    Before:
    ```mlir
    %a = tile.load %p mask %m : tensor<64x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %c {simt.instruction = #instruction} : ...
    ```
    After:
    ```mlir
    %whole = ... // the last row and column of %m
    %d = scf.if %whole -> (tensor<64x64xf32>) {
      %a = tile.load_strided %base stride %s : !tile.ptr<f16> -> tensor<64x32xf16>
      %x = tile.dot %a, %b, %c {simt.instruction = #instruction} : ...
      scf.yield %x : tensor<64x64xf32>
    } else {
      %a = tile.load %p mask %m : tensor<64x32x!tile.ptr<f16>>
      ...
    }
    ```

    It does nothing to an operand that is loaded in another block, used twice, converted before the dot, batched, or
    smaller than a fragment; nor if an op between load and dot may write memory, or the matrix's lines are not known to
    begin at multiples of 16 bytes. Remarks of the topic `dot` list the operands, and give the reason for the others.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PlaceFragments : Pass<"tile-place-fragments"> {
  let summary = "keeps accumulators of matrix instructions in fragments";
  let description = [{
    At the planned level. Results of the dots that tile-select-products marked get a `#layout.fragments`, and so do the
    values on a path from a dot's result to a dot's accumulator: values that loops carry, results of branches, and
    elementwise ops of one type whose other operands are splats or broadcasts of a row or a column. Values that enter or
    leave fragments elsewhere are converted.

    Before:
    ```mlir
    %r = scf.for ... iter_args(%c = %zero) -> (tensor<64x64xf32, #l>) {
      %d = tile.dot %a, %b, %c {simt.instruction = #instruction} : ..., tensor<64x64xf32, #l>
      scf.yield %d : tensor<64x64xf32, #l>
    }
    ```
    After, with 4 warps:
    ```mlir
    #acc = #layout.fragments<16x16xf32, warps [2, 2]>
    %s = scf.for ... iter_args(%c = %zeros) -> (tensor<64x64xf32, #acc>) {
      %d = tile.dot %a, %b, %c {simt.instruction = #instruction} : ..., tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    %r = simt.convert_layout %s : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #l>
    ```

    If the target's `rows_in_fragments` is set, and each warp can have whole rows of all results, more values stay in
    fragments: results of elementwise ops of any type, reductions of rows, columns that loops carry, and broadcasts of
    columns. Splats and values computed from ranges are recomputed in fragments, and a value that becomes a left operand
    is converted from fragments to fragments:

    ```mlir
    #acc = #layout.fragments<16x16xf32, warps [4, 1]>
    #column = #layout.fragments<16x16xf32, warps [4, 1], column>
    #left = #layout.fragments<16x16xf16, warps [4, 1], operand>
    %s = tile.dot %q, %k, %zeros {simt.instruction = #instruction} : ..., tensor<64x64xf32, #acc>
    %m = tile.reduce(%s) axis 1 : (tensor<64x64xf32, #acc>) -> tensor<64xf32, #column> { ... }
    %p = tile.fp_cast %e : tensor<64x64xf32, #acc> -> tensor<64x64xf16, #acc>
    %a = simt.convert_layout %p : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #left>
    ```
    A left operand that a loop does not change is converted before the loop, if it is small.

    It does nothing in kernels without marked dots.
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::tegula::layout_ir::LayoutDialect"];
}

def RelaxNarrowed : Pass<"tile-relax-narrowed", "::mlir::ModuleOp"> {
  let summary = "allows faster f32 arithmetic where its results only show rounded to 16 bits";
  let description = [{
    For targets with `relaxes_narrowed`. A result of f32 that is only used rounded to f16, bf16 or 8 bits need not be
    right to its last bits. The uses of each exponential, sum and difference of f32 are followed, through ops that move,
    choose, negate, multiply, divide or add, until all end in such a rounding.

    - `math.exp` gets the flag `afn` if its relative error cannot grow: it is added only where no summand is negative,
      and multiplied or divided at most three times.
    - `arith.divf` gets the flag `arcp` under the same condition, unless both operands were widened from 16 bits or
      fewer: then the rounded result is the language's quotient of that type.
    - Sums and differences, and the products of a single use that they add, get the flag `contract`: the product need
      not be rounded before it is added, so the error's bound becomes smaller. Sums and differences of two products are
      left alone, because equal products must cancel, and so are ops to be rounded by themselves (`tile.rounded`, of
      libdevice's `mul_rn` and the like).

    - A difference that is only the argument of `math.exp` or `math.exp2`, from a product with one number for all
      elements, gets that flag with its product, whatever the results are used for and although maxima of the product
      are taken, too: `exp2(score * scale - largest)`. All exponents of a row then have the same error, that of
      `largest`, which their quotients do not show. `simt-fold-scales` makes use of it.

    A `tile.reduce` by addition adds products in this way whatever its sum is used for, as a `tile.dot` does; the order
    of its additions is not fixed either.

    Before:
    ```mlir
    %e = math.exp %x : tensor<64xf32>
    %s = tile.reduce(%e) axis 0 : (tensor<64xf32>) -> f32 { ... arith.addf ... }
    %q = arith.divf %e, (splat %s) : tensor<64xf32>
    %y = tile.fp_cast %q : tensor<64xf32> -> tensor<64xf16>
    ```
    After:
    ```mlir
    %e = math.exp %x fastmath<afn> : tensor<64xf32>
    ...
    ```

    Values that a loop carries or a branch yields are not followed.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def WholeMasks : Pass<"tile-whole-masks", "::mlir::ModuleOp"> {
  let summary = "adds to masks beside products the condition that they are true as a whole";
  let description = [{
    For targets with `skips_masks`. The masks of scores in an attention are true for all elements, except in blocks at
    the diagonal or at an edge. Where a mask of a `arith.select` in a loop with one or two products is made of limits
    along its axes (core/passes/analysis/LinearForm.h), the scalar condition that it is true at the block's corners is
    computed, and added by `or`, which changes no element. `simt-branch-on-masks` makes a branch of it; until then the
    select is an elementwise op like others.

    Before:
    ```mlir
    %s = arith.select %visible, %score, %low : tensor<128x128xi1>, tensor<128x128xf32>
    ```
    After:
    ```mlir
    %whole = tile.splat %all : i1 -> tensor<128x128xi1>
    %either = arith.ori %visible, %whole : tensor<128x128xi1>
    %s = arith.select %either, %score, %low : tensor<128x128xi1>, tensor<128x128xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UnsignedRemainders : Pass<"tile-unsigned-remainders", "::mlir::ModuleOp"> {
  let summary = "lets rows that wrap around stay rows of neighbours, where the launch can tell that they do";
  let description = [{
    For targets with `conditional`. The range `(start + range) % n`, in which products wrap rows beyond the last one,
    counts up within aligned groups whose size divides `n`, so that accesses can be wide; but not where `start` is
    negative. A start behind a quotient, as of programs in groups of rows, is not known not to be. If it follows from
    arguments and the program's place alone, the kernel's code becomes conditional (`tile.conditions`): the launch
    checks that in no program the range is negative, or leaves 32 bits, and that the divisor is positive
    (core/contracts/ProgramExpression.h). The remainder becomes unsigned, which tells later passes that the sign is
    known. Nothing is done where axis analysis knows no group, or knows the sign, or where no access becomes wider.

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

def RotateRanges : Pass<"tile-rotate-ranges", "::mlir::ModuleOp"> {
  let summary = "lets accesses to rows that begin anywhere begin at aligned addresses";
  let description = [{
    For targets with `rotated_bytes`. A row that begins at a multiple of its element only has no aligned accesses of
    several elements: each thread's elements begin at an unknown address. Which thread has which element does not matter
    to elementwise ops, loads, stores and reductions of the whole row, so the range that numbers the elements may be
    rotated, by as many elements as the row begins behind a multiple of `rotated_bytes`. The elements of a thread then
    begin at an aligned address, except in the one group where the range wraps. Loads and stores stay wide; the groups
    that wrap, or that a mask divides, are accessed element by element (docs/passes.md, "Rows that begin anywhere").

    Before (%row: a scalar address of unknown alignment):
    ```mlir
    %r = tile.make_range 0 to 1024
    %p = tile.addptr (splat %row), %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
    ```
    After, with `rotated_bytes` of 128:
    ```mlir
    %address = tile.ptr_to_int %row : !tile.ptr<f16> -> i64
    %behind = arith.andi (trunci %address), 127 : i32
    %shift = arith.shrui %behind, 1 : i32                       // in elements
    %moved = arith.subi %r, (splat %shift) : tensor<1024xi32>
    %rotated = arith.andi %moved, dense<1023> : tensor<1024xi32>
    %p = tile.addptr (splat %row), %rotated : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
    ```

    All uses of the range change. With the same range, a kernel may load a row at an aligned argument, which is the same
    for all programs, such as weights. Then no access can be wide, and the range is rotated by what a warp accesses at
    once, one element a lane, in place of `rotated_bytes` if that is less.

    It does nothing if a value computed from the range meets an op for which the order of elements matters (a scan, a
    sort, a change of shape, a reduction with an operation that is not commutative, an atomic, a hint), if another row
    is accessed with the same range whose address is known to be aligned, or if threads have one element each. Sums of
    floats are added in another order, which depends on the address.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def AssignLayouts : Pass<"tile-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "chooses the thread and register that hold each element of every tensor";
  let description = [{
    From the tile to the planned level: each tensor type of a kernel gets a `#layout.distributed`, elements move between
    threads in `simt.convert_layout` only, and a kernel has the number of its warps as an attribute. Layouts are chosen
    so that a thread's accesses are wide and a warp's accesses cover consecutive memory. On targets that load no
    matrices from shared memory, a thread that loads an operand of a matrix instruction across its depth also takes
    neighbours along the depth, which it can put side by side in registers. Ranges, splats and values
    computed from them are not converted but recomputed in each layout that an op needs. Branches and loops are marked.
    A condition at the tile level is one scalar for the program, so it is uniform; a condition within a
    `tile.map_elementwise`, `tile.reduce` or `tile.scan` may differ between threads, so it is divergent.

    Before (2 warps of 4 lanes):
    ```mlir
    %r = tile.make_range 0 to 32
    %p = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    %v = tile.load %p : tensor<32x!tile.ptr<f32>>
    ```
    After, where %base is aligned:
    ```mlir
    #l = #layout.distributed<register (1) (2), lane (4) (8), warp (16)>
    %r = tile.make_range 0 to 32 : tensor<32xi32, #l>
    %p = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #l>
    %v = tile.load %p : tensor<32x!tile.ptr<f32>, #l>
    ```

    It does nothing with functions that are not kernels, and with kernels that have layouts already.
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::tegula::layout_ir::LayoutDialect"];
}

def StageOperands : Pass<"tile-stage-operands", "::mlir::ModuleOp"> {
  let summary = "brings operands of matrix instructions from one layout to another through planned shared buffers";
  let description = [{
    For dots whose matrix instruction takes its operands from registers in a known layout: a conversion of such an
    operand that moves elements between threads becomes a shared buffer, a store and a load, right before the dot. An
    operand from outside of the dot's loop is stored there; it is loaded in the loop if more than `held_bytes` of
    registers would hold it otherwise. The buffer's lines run along the axis of the source's widest stores, and pieces
    of 16 bytes are swizzled so that neither the stores nor loads of 8x8 matrices have bank conflicts. A conversion that
    only renames registers stays.

    On targets that load no matrices from shared memory, threads load fragments themselves: the buffer has the layout
    that a conversion through shared memory would have (layout::planConversion), for which stores and loads are wide and
    have no conflicts. If the results of the function's dots take more than half of a thread's registers, it is padded
    where it would be swizzled (layout::paddedInstead): all offsets of a thread are then one register and immediates.

    If `stores_carried_first`, an operand that the loop carries is stored at the top of the body. An operand that stays
    in memory is loaded after the dot's other one, behind the barrier that the latter needs.

    Before:
    ```mlir
    %x = simt.convert_layout %a : tensor<128x32xf16, #l> -> tensor<128x32xf16, #left>
    %d = tile.dot %x, %b, %c {simt.instruction = #mma} : ...
    ```
    After:
    ```mlir
    #sw = #layout.shared<(0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,8) (4,16) (8,0) (16,0) (32,0) (64,0)>
    %t = simt.shared_alloc : !simt.shared<128x32xf16, #sw>
    simt.shared_store %t, %a : !simt.shared<128x32xf16, #sw>, tensor<128x32xf16, #l>
    %x = simt.shared_load %t : !simt.shared<128x32xf16, #sw> -> tensor<128x32xf16, #left>
    %d = tile.dot %x, %b, %c {simt.instruction = #mma} : ...
    ```

    Operands that do not fit shared memory together keep their conversions, which tile-to-simt divides into parts.

    For dots on opaque fragments: an operand that is neither in fragments nor in global memory (`tile.load_strided`) is
    stored to a buffer of padded lines, at least as large as the instruction's fragment, and loaded without a layout:
    the dot loads its fragments. If the buffers of both operands do not fit shared memory, the depth is halved until
    they do, and the dot becomes one for each part of the depth.

    Before:
    ```mlir
    %d = tile.dot %a, %b, %c {simt.instruction = #fragments}
        : tensor<16x128xf16, #a>, tensor<128x16xf16, #b>, tensor<16x16xf32, #acc>
    ```
    After, in two parts:
    ```mlir
    %t = simt.shared_alloc : !simt.shared<16x64xf16, #padded>
    simt.shared_store %t, %a part 0 : !simt.shared<16x64xf16, #padded>, tensor<16x128xf16, #a>
    %x = simt.shared_load %t : !simt.shared<16x64xf16, #padded> -> tensor<16x64xf16>
    ...
    %s = tile.dot %x, %y, %c {simt.instruction = #fragments} : ...
    ... // part 1
    %d = tile.dot %z, %w, %s {simt.instruction = #fragments} : ...
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def TileToSimt : Pass<"tile-to-simt", "::mlir::ModuleOp"> {
  let summary = "turns a program on tensors into the code of one thread";
  let description = [{
    From the planned to the simt level. A tensor becomes the vector of registers that its layout gives a thread, a
    tensor of pointers a base address and offsets. Threads exchange elements by shuffles within a warp, and through
    shared buffers between warps; the buffers have no place yet, and no barriers stand between accesses.

    Before (2 warps of 4 lanes, #l as in tile-assign-layouts):
    ```mlir
    %v = tile.load %p : tensor<32x!tile.ptr<f32>, #l>
    %s = tile.reduce(%v) axis 0 : (tensor<32xf32, #l>) -> f32 { ... }
    ```
    After:
    ```mlir
    %v = simt.load %base[%offset] : !tile.ptr<f32>, vector<1xi32> -> vector<4xf32>
    %a = arith.addf ...                              // registers: 4, 2, 1
    %b = simt.shuffle xor %a, %c1 : vector<1xf32>    // lanes
    simt.shared_store %t[%thread], %c : ...          // warps
    %d = simt.shared_load %t[%peer] : ...
    ```

    An exchange that needs more shared memory than is left for it is divided into parts: some registers, or some of the
    tensor's elements, at a time. Planned buffers that are alive around it reduce what it may use; where buffers of
    different element widths cannot share storage, the exchanges of each width have an equal share.

    It does nothing with functions that have no layouts.
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def ScalarizeUniform : Pass<"tile-scalarize-uniform"> {
  let summary = "computes uniform values as scalars, and keeps pointers as one base and offsets";
  let description = [{
    Three steps, each of which enables the next:

    1. A pure elementwise op whose tensor operands are all splats becomes the scalar op and one splat.
    2. A loop that carries a tensor of pointers or integers, and adds a uniform amount to it in each iteration, carries
       a scalar instead. The tensor is recomputed in the loop from the scalar and from offsets that the loop does not
       change, and after the loop if it is used there. Nested loops that pass the tensor on are changed together.
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
    it is known to fit. It does nothing to pointers that do not come from one base, such as loaded pointers.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect"];
}

def SubstituteArguments : Pass<"tile-substitute-arguments", "::mlir::func::FuncOp"> {
  let summary = "replaces arguments whose value is declared by constants";
  let description = [{
    Code for a stride of 1 accesses consecutive elements, so it is worth a variant of its own. The compilation for a
    launch whose argument is 1 declares `tile.equals`. This pass replaces the argument's uses by the constant and keeps
    the declaration, which becomes a guard.

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
  let summary = "replaces accesses through descriptors by pointers and masks";
  let description = [{
    Results are the same bit for bit. Loads with the mark `tile.copied` stay.

    Before:
    ```mlir
    %d = tile.make_desc %p, [%m, %k], [%stride, %one] : !tile.ptr<f16> -> !tile.desc<64x32xf16>
    %a = tile.desc_load %d[%i, %j] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
    ```
    After, for each axis: an offset in 64 bits, uniform parts on the scalar base, and `low <= i < high` on the block's
    own indices, with `low = clamp(-offset, 0, 64)` and `high = clamp(extent - offset, 0, 64)` as scalars:
    ```mlir
    %base = tile.addptr %p, (%i * %stride + %j) : !tile.ptr<f16>, i64
    %rows = tile.addptr (splat %base), (range * %stride) : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi64>
    %ps = tile.addptr (broadcast %rows), (range) : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %a = tile.load %ps mask %in : tensor<64x32x!tile.ptr<f16>>
    ```
    `low` is omitted if the offset is known not to be negative. With padding `nan` the load gets `other`. Gathers and
    scatters test each row. The parts of a descriptor that is an argument of the kernel are read with `tile.desc_base`,
    `tile.desc_extent`, `tile.desc_stride` and `tile.desc_pads_nan`; branches and loops carry the parts instead of the
    descriptor. It does nothing to functions without descriptors.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect"];
}

#endif
