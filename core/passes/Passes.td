// The passes of the tile and planned levels. Each has a description with IR before and after.
#ifndef TEGULA_PASSES
#define TEGULA_PASSES

include "core/passes/LoopPasses.td"
include "core/passes/SchedulePasses.td"
include "core/passes/TilePasses.td"
include "mlir/Pass/PassBase.td"

def PlanProducts : Pass<"tile-plan-products", "::mlir::ModuleOp"> {
  let summary = "stores the operands that matrix instructions read from shared memory to buffers";
  let description = [{
    For dots whose matrix instruction reads B, or A and B, from shared memory. Such an operand is stored to a shared
    buffer, in the order of its elements in global memory; a transposed operand is a view of the buffer. A left operand
    that is computed from another product's result by elementwise ops stays in registers. A left operand that lies
    across the depth (MN-major) and has elements of 8 or 32 bits is loaded into registers from its buffer
    (`simt.shared_load`). The dot becomes a `simt.product`, an asynchronous product that the warps start, and a wait
    right after it; tile-pipeline-copies may move the wait.

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

    An operand that is defined in another block, such as before a loop, is stored there, once.

    A store through a descriptor that tile-mark-tile-copies has marked also goes through a buffer, from which hardware
    copies it (`simt.copy_out`).
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def SelectProducts : Pass<"tile-select-products"> {
  let summary = "chooses the matrix instruction of each tile.dot";
  let description = [{
    Marks a dot with one of the target's matrix instructions, if one takes the dot's types. If the dot's result is
    narrower than the instruction's accumulator, the dot gets the accumulator's type, and its result is rounded once. If
    no instruction takes operands of 8-bit floats, they become f16, which represents each of their values. A dot of f32
    whose precision is not `ieee` may get an instruction for tf32 or bf16; tile-to-simt then rounds its operands or
    splits them into parts.

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

    A dot whose right operand lies across the depth (MN-major) in global memory and has elements of 8 or 32 bits is
    replaced by the dot of the transposed operands. Conditions: an instruction that reads shared memory takes the
    transposed dot, and a loop carries the sum for this dot alone; the loop then carries the transposed sum.

    It does nothing to dots whose types no matrix instruction takes, such as f64 sums of f16 operands.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect", "::tegula::simt::SimtDialect"];
}

def PlaceFragments : Pass<"tile-place-fragments"> {
  let summary = "holds accumulators of matrix instructions in fragments";
  let description = [{
    At the planned level. Results of the dots that tile-select-products marked get a `#layout.fragments`. So do the
    values on a path from a dot's result to a dot's accumulator: loop-carried values, results of branches, and
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

    If the target's `rows_in_fragments` is set, and each warp can have whole rows of all results, more values are held
    in fragments: results of elementwise ops of any type, reductions of rows, loop-carried columns, and broadcasts of
    columns. Splats and values computed from ranges are rematerialized in fragments, and a value that becomes a left
    operand is converted from fragments to fragments:

    ```mlir
    #acc = #layout.fragments<16x16xf32, warps [4, 1]>
    #column = #layout.fragments<16x16xf32, warps [4, 1], column>
    #left = #layout.fragments<16x16xf16, warps [4, 1], operand>
    %s = tile.dot %q, %k, %zeros {simt.instruction = #instruction} : ..., tensor<64x64xf32, #acc>
    %m = tile.reduce(%s) axis 1 : (tensor<64x64xf32, #acc>) -> tensor<64xf32, #column> { ... }
    %p = tile.fp_cast %e : tensor<64x64xf32, #acc> -> tensor<64x64xf16, #acc>
    %a = simt.convert_layout %p : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #left>
    ```
    A loop-invariant left operand is converted before the loop, if it is small.

    It does nothing in kernels without marked dots.
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::tegula::layout_ir::LayoutDialect"];
}

def AssignLayouts : Pass<"tile-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "chooses a layout for every tensor: which thread and register hold each element";
  let description = [{
    From the tile to the planned level: each tensor type of a kernel gets a `#layout.distributed`, only
    `simt.convert_layout` moves elements between threads, and the number of warps becomes an attribute of the kernel.
    Layouts are chosen so that a thread's accesses are wide and a warp's accesses cover consecutive memory. On targets
    that load no matrices from shared memory, a thread that loads an operand of a matrix instruction across its depth
    (MN-major) also takes neighbours along the depth, which it can reorder in its registers. Operands of a reduction
    whose function may not commute are converted to a layout in which registers hold the lowest bits of the axis, lanes
    the next and warps the highest. Ranges, splats and values computed from them are rematerialized, not converted, in
    each layout that an op needs. Branches and loops are marked. A condition at the tile level is one scalar for the
    program, so it is uniform; a condition within a `tile.map_elementwise`, `tile.reduce` or `tile.scan` may differ
    between threads, so it is divergent.

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

    It does nothing to functions that are not kernels, and to kernels that already have layouts.
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::tegula::layout_ir::LayoutDialect"];
}

def StageOperands : Pass<"tile-stage-operands", "::mlir::ModuleOp"> {
  let summary = "stages operands of matrix instructions through shared buffers that are planned in advance";
  let description = [{
    For dots whose matrix instruction reads its operands from registers in a known layout. A conversion of such an
    operand that moves elements between threads becomes a shared buffer, a store and a load, right before the dot. An
    operand from outside of the dot's loop is stored outside; it is loaded in the loop if it would otherwise occupy more
    than `held_bytes` of registers. The buffer's lines run along the axis of the source's widest stores, and pieces of
    16 bytes are swizzled so that neither the stores nor loads of 8x8 matrices have bank conflicts. A conversion that
    only renames registers stays.

    On targets that load no matrices from shared memory, threads load fragments themselves. The buffer then has the
    layout that a conversion through shared memory would have (layout::planConversion): stores and loads are wide and
    have no conflicts. If results of dots that are alive at the same time take more than half of a thread's registers,
    the buffer is padded instead of swizzled (layout::paddedInstead): all offsets of a thread are then one register plus
    immediates, which lowers register pressure. On these targets the operands of a dot outside of loops leave half of
    shared memory to a second workgroup. If both operands together do not fit that half, and the register number alone
    determines the part of the depth, the dot is divided into one dot for each part of the depth.

    If the target has `stores_carried_first`, a loop-carried operand is stored at the top of the body. An operand that
    stays in memory is loaded after the dot's other operand, behind the barrier that the latter needs.

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

    Other operands that do not fit together keep their conversions, one after the other, which tile-to-simt divides into
    parts.

    For dots on opaque fragments: an operand that is neither in fragments nor in global memory (`tile.load_strided`) is
    stored to a buffer of padded lines, at least as large as the instruction's fragment, and loaded without a layout:
    the dot loads its fragments. If the buffers of both operands do not fit shared memory, the depth is halved until
    they do, and the dot is divided into one dot for each part of the depth.

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
  let summary = "lowers a program on tensors to the code of one thread";
  let description = [{
    From the planned to the simt level. A tensor becomes the vector of registers that its layout gives a thread; a
    tensor of pointers becomes a base address and offsets. Threads exchange elements by shuffles within a warp, and
    through shared buffers between warps. The buffers have no place yet, and there are no barriers between accesses.

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

    An exchange that needs more shared memory than is available is divided into parts: some registers, or some of the
    tensor's elements, at a time. Planned buffers that are alive at the exchange reduce the available memory; if buffers
    of different element widths cannot share storage, the exchanges of each width have an equal share.

    It is an error if a thread would hold more than 4,096 values of one tensor, or if a kernel's code has more than
    524,288 operations for each thread: compilers of devices take minutes to hours for such code
    (core/passes/analysis/CodeSize.h).

    It does nothing to functions without layouts.
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def SinkExchanges : Pass<"tile-sink-exchanges"> {
  let summary = "moves conversions of layouts and loads from rings to their uses";
  let description = [{
    Moves each `simt.convert_layout`, and each `simt.shared_load` of a part of a buffer, such as a stage of a ring, down
    in its block, towards the first use of its result.

    A conversion whose result only becomes a narrower tensor, by elementwise ops with constants and scalars and by
    changes of shape, moves behind them first: it then exchanges fewer bytes.

    A conversion through shared memory waits for its operand in all threads. Right after a load it would hold up what
    follows for the load's latency, such as the start of a product. What was loaded earlier is converted while a product
    runs, not after the wait for it. A tile that is loaded from a ring long before its use would occupy registers.

    Before:
    ```mlir
    %s = tile.load %p : tensor<64x!tile.ptr<f32>, #rows>
    %c = simt.convert_layout %s : tensor<64xf32, #rows> -> tensor<64xf32, #slice>
    %d = simt.product %a, %b, %zero ...
    %w = simt.wait_products %d
    %e = tile.expand_dims %c axis 1
    ```
    After:
    ```mlir
    %s = tile.load %p : tensor<64x!tile.ptr<f32>, #rows>
    %d = simt.product %a, %b, %zero ...
    %w = simt.wait_products %d
    %c = simt.convert_layout %s : tensor<64xf32, #rows> -> tensor<64xf32, #slice>
    %e = tile.expand_dims %c axis 1
    ```

    An op passes computation, loads and allocations. A conversion also passes other accesses of shared memory, copies by
    threads with their waits and fences, and the start of products. It passes no wait or arrival at a barrier object and
    no copy by hardware: all warps meet in a conversion (see obstacleToTurns), and hardware may copy to the memory that
    it used. (`simt.start_barriers`, which it does not pass either, fences again.) A load from shared memory passes
    stores to other buffers.
  }];
}

#endif
