// Our own passes. Each is a page: what it does with IR before and after.
#ifndef TEGULA_PASSES
#define TEGULA_PASSES

include "mlir/Pass/PassBase.td"

def FuseDot : Pass<"tile-fuse-dot"> {
  let summary = "lets tile.dot accumulate what is added to its result";
  let description = [{
    `c + dot(a, b, 0)` becomes `dot(a, b, c)`: matrix units accumulate for free, and a loop's `acc += tl.dot(a, b)` then
    carries its accumulator through the unit.

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

    It does nothing where the product has another use, where its accumulator is not zero, and where the accumulator's
    type is narrower than f32, because the sum would then be rounded once instead of twice. Integer sums (`arith.addi`)
    are exact either way.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect"];
}

def PipelineLoads : Pass<"tile-pipeline-loads"> {
  let summary = "loads what a loop's next iteration multiplies before the products of this one";
  let description = [{
    In innermost loops with `tile.num_stages` of 2 and more (the loop's own, else the module's), loads whose values reach
    an operand of a `tile.dot` through casts, changes of shape and elementwise work are issued one iteration ahead. Their
    values wait in registers: the loop carries them.

    Before:
    ```mlir
    %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %p = tile.addptr %rows, (splat %i) : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
      %a = tile.load %p : tensor<64x32x!tile.ptr<f16>>
      %sum = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %sum : tensor<64x64xf32>
    }
    ```
    After:
    ```mlir
    %runs = arith.cmpi slt, %c0, %n : i32
    %first = scf.if %runs -> (tensor<64x32xf16>) { ... load at %c0 ... } else { zeros }
    %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %a = %first) -> (...) : i32 {
      %left = arith.subi %n, %i : i32
      %more = arith.cmpi ugt, %left, %c32 : i32        // %i + %c32 < %n, without a wrap
      %j = arith.select %more, (%i + %c32), %i : i32
      %next = ... load at %j, masked by %more ...
      %sum = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %sum, %next : tensor<64x64xf32>, tensor<64x32xf16>
    }
    ```
    Nothing is read that the loop would not have read.

    Loads are taken in the order of the text while a thread holds no more than `ahead-bytes` of them. What does not fit is
    issued as its own iteration begins, up to `early-bytes`. It does nothing to a
    load that is volatile or names a cache, that stands in a branch, whose address or mask depends on another load of the
    loop, on a product, on what a branch with effects yields or on a division by what the loop changes, or that reads what the
    loop may write. It does nothing to loops with loops, barriers, assertions or ordering atomics inside. Remarks of the topic
    `pipeline` say which loads were taken, and why others were not.
  }];
  let options = [
    Option<"aheadBytes", "ahead-bytes", "int64_t", "192", "bytes of the next iteration's tiles that a thread may hold">,
    Option<"earlyBytes", "early-bytes", "int64_t", "0",
           "bytes of its own tiles that a thread may hold as an iteration begins">,
    Option<"threadsPerWarp", "threads-per-warp", "int64_t", "32", "threads for each of the module's tile.num_warps">,
  ];
  let dependentDialects = ["::tegula::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SelectProducts : Pass<"tile-select-products"> {
  let summary = "says which matrix instruction does a tile.dot";
  let description = [{
    `products` are the instructions that the target offers, by name (core/target/FragmentProduct.h). A dot that one of them
    serves is marked with it. Where its result is narrower than the instruction's accumulator, the dot gets the
    accumulator's type, and the result is rounded once.

    Before:
    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf16>
    ```
    After, with `products=16x16x16.f16.f32`:
    ```mlir
    %wide = tile.fp_cast %c : tensor<64x64xf16> -> tensor<64x64xf32>
    %sum = tile.dot %a, %b, %wide {simt.instruction = "16x16x16.f16.f32"}
      : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %d = tile.fp_cast %sum : tensor<64x64xf32> -> tensor<64x64xf16>
    ```

    It does nothing to dots that no product serves: of f32 operands, or with a result of f64.
  }];
  let options = [
    ListOption<"products", "products", "std::string",
               "matrix instructions of the target, as MxNxK.operand.accumulator">,
    Option<"sharedBytes", "shared-bytes", "int64_t", "49152", "shared memory that the operands of one dot may use">,
  ];
  let dependentDialects = ["::tegula::tile::TileDialect", "::tegula::simt::SimtDialect"];
}

def LoadFragments : Pass<"tile-load-fragments"> {
  let summary = "lets matrix instructions load their operands straight from global memory";
  let description = [{
    Of the dots that tile-select-products marked. An operand that is loaded right before, from addresses that are a base and
    a step along each axis, one of them 1, is a matrix in memory; where its mask leaves nothing out, fragments of it are
    loaded where they are multiplied. What the mask leaves out, and whether sums of 32 bits wrap, is asked once for the tile.

    Before:
    ```mlir
    %a = tile.load %p mask %m : tensor<64x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %c {simt.instruction = "16x16x16.f16.f32"} : ...
    ```
    After:
    ```mlir
    %whole = ... // the last row and column of %m
    %d = scf.if %whole -> (tensor<64x64xf32>) {
      %a = tile.load_strided %base stride %s : !tile.ptr<f16> -> tensor<64x32xf16>
      %x = tile.dot %a, %b, %c {simt.instruction = "16x16x16.f16.f32"} : ...
      scf.yield %x : tensor<64x64xf32>
    } else {
      %a = tile.load %p mask %m : tensor<64x32x!tile.ptr<f16>>
      ...
    }
    ```

    It does nothing to operands that are loaded in another block, or before something that may write memory, used twice,
    converted on the way, batched, smaller than a fragment, or whose lines are not known to begin at multiples of 16 bytes.
    Remarks of the topic `dot` say which operands, and why others not.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PlaceFragments : Pass<"tile-place-fragments"> {
  let summary = "keeps accumulators of matrix instructions in fragments";
  let description = [{
    At the planned level. Results of the dots that tile-select-products marked get a `#layout.fragments`, and so does what lies
    between a dot's result and a dot's accumulator: values of loops, results of branches, elementwise work of one type
    whose other operands are splats or broadcasts of a row or a column. What goes in and out is converted.

    Before:
    ```mlir
    %r = scf.for ... iter_args(%c = %zero) -> (tensor<64x64xf32, #l>) {
      %d = tile.dot %a, %b, %c {simt.instruction = "16x16x16.f16.f32"} : ..., tensor<64x64xf32, #l>
      scf.yield %d : tensor<64x64xf32, #l>
    }
    ```
    After, with 4 warps:
    ```mlir
    #acc = #layout.fragments<16x16xf32, warps [2, 2]>
    %s = scf.for ... iter_args(%c = %zeros) -> (tensor<64x64xf32, #acc>) {
      %d = tile.dot %a, %b, %c {simt.instruction = "16x16x16.f16.f32"} : ..., tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    %r = simt.convert_layout %s : tensor<64x64xf32, #acc> -> tensor<64x64xf32, #l>
    ```

    With `rows`, where warps can have whole rows of all results, more stays in fragments: elementwise work of any type,
    reductions of rows, columns that loops carry and broadcasts of them. What is uniform or made of ranges is made again, and
    what becomes a left operand is converted from fragments to fragments:

    ```mlir
    #acc = #layout.fragments<16x16xf32, warps [4, 1]>
    #column = #layout.fragments<16x16xf32, warps [4, 1], column>
    #left = #layout.fragments<16x16xf16, warps [4, 1], operand>
    %s = tile.dot %q, %k, %zeros {simt.instruction = "16x16x16.f16.f32"} : ..., tensor<64x64xf32, #acc>
    %m = tile.reduce(%s) axis 1 : (tensor<64x64xf32, #acc>) -> tensor<64xf32, #column> { ... }
    %p = tile.fp_cast %e : tensor<64x64xf32, #acc> -> tensor<64x64xf16, #acc>
    %a = simt.convert_layout %p : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #left>
    ```
    Left operands that a loop does not change are converted before it, if they are small.

    It does nothing in kernels without such dots.
  }];
  let options = [
    Option<"rows", "rows", "bool", "false", "whether fragments hold what rows of products lead to">,
  ];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::tegula::layout_ir::LayoutDialect"];
}

def AssignLayouts : Pass<"tile-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "says for every tensor which thread holds which element";
  let description = [{
    From the tile to the planned level: each tensor type of a kernel gets a `#layout.distributed`, an element that changes
    hands goes through `simt.convert_layout`, and kernels say how many threads run them. Loads and stores move full
    vectors, a warp's accesses whole lines. Ranges, splats and what is computed of them is not converted but made again in
    each layout that is asked for. Branches and loops are marked: conditions of the tile level are one scalar for the
    program, so all threads agree; those within a `tile.map_elementwise`, `tile.reduce` or `tile.scan` are each thread's.

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

    It does nothing with functions that are no kernels, and with kernels that have layouts already.
  }];
  let options = [
    Option<"warpSize", "warp-size", "int64_t", "32", "lanes of a warp, a power of two">,
    Option<"threadsPerWarp", "threads-per-warp", "int64_t", "32", "threads for each of the module's tile.num_warps">,
  ];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::tegula::layout_ir::LayoutDialect"];
}

def TileToSimt : Pass<"tile-to-simt", "::mlir::ModuleOp"> {
  let summary = "says what one thread does";
  let description = [{
    From the planned to the simt level. A tensor becomes the vector of registers that its layout gives a thread, a tensor of
    pointers a base address and offsets. Threads exchange elements by shuffles within a warp and through shared buffers
    beyond; the buffers have no place yet and no barriers stand between accesses.

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

    An exchange that needs more shared memory than `shared-bytes` goes in parts: some registers at a time, or some of the
    tensor's elements. So do those of a kernel whose buffers together need more, as buffers whose elements differ in width
    may where they cannot share storage.

    It does nothing with functions that have no layouts.
  }];
  let options = [
    Option<"sharedBytes", "shared-bytes", "int64_t", "49152", "shared memory of a program">,
    Option<"shareWidths", "share-widths", "bool", "true", "whether buffers of different element widths may overlap">,
    Option<"sharedElementBytes", "shared-element-bytes", "int64_t", "1",
           "narrower values are kept in integers of so many bytes">,
  ];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def ScalarizeUniform : Pass<"tile-scalarize-uniform"> {
  let summary = "computes once what is the same for all elements, and keeps pointers as one base and offsets";
  let description = [{
    Three steps, each making work for the next:

    1. Pure elementwise ops all of whose tensors are splats become the scalar op and one splat.
    2. A loop that carries a tensor of pointers or integers, and moves it by a uniform amount each time, carries a scalar.
       The tensor is made again inside, from the scalar and offsets that the loop does not change, and behind the loop where
       it is used there. Nested loops that pass the tensor on are changed together.
    3. What is uniform in a chain of `tile.addptr` on a splat, or in the offsets of one, is added to the scalar base.

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

    Offsets are extended with their sign before they are added to addresses, so a narrow sum `v + splat(s)` is taken apart
    only where it is known not to wrap: by its `nsw` flag, or by the ranges of axis analysis (a multiple of 64 and what is
    less than 64). No declared facts of arguments are used. Sums of two narrow offsets that are not known to fit are made
    in 64 bits. It does nothing to pointers that do not come from one base, such as loaded ones.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect"];
}

def SubstituteArguments : Pass<"tile-substitute-arguments", "::mlir::func::FuncOp"> {
  let summary = "puts known values in the place of a kernel's arguments";
  let description = [{
    A launch whose arguments are strides of 1 wants code for strides of 1: elements that lie side by side. The compilation
    for such a launch declares `tile.equals`; this pass replaces the argument's uses and leaves the declaration for the
    launch to check.

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
    An argument without uses loses its declaration: code that does not depend on the value serves all of them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerDescriptors : Pass<"tile-lower-descriptors"> {
  let summary = "replaces accesses through descriptors by pointers and masks";
  let description = [{
    For targets, and accesses, without copies of whole boxes. Results are the same bit for bit.

    Before:
    ```mlir
    %d = tile.make_desc %p, [%m, %k], [%stride, %one] : !tile.ptr<f16> -> !tile.desc<64x32xf16>
    %a = tile.desc_load %d[%i, %j] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
    ```
    After, for each axis: an offset in 64 bits, uniform parts on the scalar base, and `low <= i < high` on the block's own
    indices, with `low = clamp(-offset, 0, 64)` and `high = clamp(extent - offset, 0, 64)` as scalars:
    ```mlir
    %base = tile.addptr %p, (%i * %stride + %j) : !tile.ptr<f16>, i64
    %rows = tile.addptr (splat %base), (range * %stride) : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi64>
    %ps = tile.addptr (broadcast %rows), (range) : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %a = tile.load %ps mask %in : tensor<64x32x!tile.ptr<f16>>
    ```
    `low` is left out where the offset is known not to be negative. With padding `nan` the load gets `other`. Gathers and
    scatters test each row. Descriptors that are arguments of the kernel are read with `tile.desc_base`, `desc_extent`,
    `desc_stride` and `desc_pads_nan`; those that branches and loops carry become their parts. It does nothing to functions
    without descriptors.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect"];
}

#endif
