// Ids of threads, register tiles, shuffles and votes within a warp, prints and assertions.
#ifndef TEGULA_SIMT_THREAD_OPS
#define TEGULA_SIMT_THREAD_OPS

include "core/ir/simt/SimtOpBase.td"

class Simt_IdOp<string mnemonic> : Simt_Op<mnemonic, [Pure]> {
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Simt_ThreadIdOp : Simt_IdOp<"thread_id"> {
  let summary = "number of the thread within its region";
  let description = [{
    `result = warp_id * warp_size + lane_id`, from 0, counted within the enclosing region of `simt.warp_groups` or,
    outside one, within the workgroup.

    ```mlir
    %t = simt.thread_id : i32
    ```
  }];
}

def Simt_WarpIdOp : Simt_IdOp<"warp_id"> {
  let summary = "number of the warp within its region";
  let description = [{
    `result = thread_id / warp_size`. The compiler treats it as uniform in a warp.

    ```mlir
    %w = simt.warp_id : i32
    ```
  }];
}

def Simt_LaneIdOp : Simt_IdOp<"lane_id"> {
  let summary = "number of the thread within its warp";
  let description = [{
    `result = thread_id mod warp_size`.

    ```mlir
    %l = simt.lane_id : i32
    ```
  }];
}

def Simt_WarpSizeOp : Simt_IdOp<"warp_size"> {
  let summary = "lanes of a warp";
  let description = [{
    The kernel's `simt.warp_size`, for code that is written for any warp size.

    ```mlir
    %n = simt.warp_size : i32
    ```
  }];
}

def Simt_ResidentIdOp : Simt_IdOp<"resident_id"> {
  let summary = "number of the launched program, in a kernel with `simt.resident`";
  let description = [{
    A kernel with the attribute `simt.resident`, and without `simt.pairs`, is launched with as many programs as the
    device has multiprocessors, numbered from 0. Each executes the programs of the grid with the numbers `resident_id`,
    `resident_id + residents`, ...; the kernel's code decides how the grid, of `tile.num_programs` along each axis, is
    numbered.

    With `simt.pairs`, the launch chooses between as many programs as the grid has, and half as many, rounded up. If
    `residents` is less than the number of the grid's programs, each launched program executes the programs with the
    numbers `2 * resident_id` and `2 * resident_id + 1`; otherwise it executes the one with its own number.

    ```mlir
    %r = simt.resident_id : i32
    ```
  }];
}

def Simt_ResidentsOp : Simt_IdOp<"residents"> {
  let summary = "how many programs are launched, in a kernel with `simt.resident`";
  let description = [{
    ```mlir
    %n = simt.residents : i32
    ```
  }];
}

def Simt_ClusterRankOp : Simt_IdOp<"cluster_rank"> {
  let summary = "the program's number in its cluster, from 0";
  let description = [{
    Programs of a cluster (`simt.cluster`) are neighbours along axis 0 of the launched grid; the place of the first one
    there is a multiple of the cluster's size. In a kernel with `simt.resident` their numbers (`simt.resident_id`) are
    consecutive, too, from a multiple of that size, and `simt.residents` is a multiple of it.

    ```mlir
    %r = simt.cluster_rank : i32
    ```
  }];
}

def Simt_ElectOp : Simt_CollectiveOp<"elect", 1> {
  let summary = "true in one lane of the warp";
  let description = [{
    `result` is true in exactly one lane of each warp, always the same one.

    ```mlir
    %first = simt.elect : i1
    ```
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Simt_SplatOp : Simt_Op<"splat", [Pure]> {
  let summary = "a register tile of one value";
  let description = [{
    `result[i] = src`.

    ```mlir
    %v = simt.splat %x : f32 -> vector<8xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyInteger, AnyFloat]>:$src);
  let results = (outs Simt_RegisterTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_PickOp : Simt_Op<"pick", [Pure]> {
  let summary = "registers by number";
  let description = [{
    `result[i] = src[registers[i]]`. With a single number the result may be a scalar.

    ```mlir
    %x = simt.pick %v [5] : vector<8xf32> -> f32
    %low = simt.pick %v [0, 1, 4, 5] : vector<8xf32> -> vector<4xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$src, DenseI32ArrayAttr:$registers);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src $registers attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_SliceOp : Simt_Op<"slice", [Pure]> {
  let summary = "registers that follow each other";
  let description = [{
    `result[i] = src[from + i]`.

    ```mlir
    %upper = simt.slice %v from 4 : vector<8xf32> -> vector<4xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$src, ConfinedAttr<I32Attr, [IntNonNegative]>:$start);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$src `from` $start attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_ConcatOp : Simt_Op<"concat", [Pure]> {
  let summary = "register tiles one after another";
  let description = [{
    `result` holds the elements of all parts (scalars or vectors of one element type) in order.

    ```mlir
    %v = simt.concat %a, %b : vector<4xf32>, vector<4xf32> -> vector<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$parts);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$parts attr-dict `:` type($parts) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_ReduceRegistersOp : Simt_Op<"reduce_registers", [Pure]> {
  let summary = "combines registers of one thread";
  let description = [{
    Combines all registers whose numbers agree in the bits of the mask `keep`. The result's index is these bits, without
    gaps; `keep = 0` combines all registers to one element. Pairs are combined from the highest bit down:
    `r[i] = combine(r[i], r[i + 2^b])`.

    ```mlir
    // Even registers, and odd registers: result[j] = v[j] + v[j+2] + v[j+4] + v[j+6].
    %s = simt.reduce_registers addf %v keep 1 : vector<8xf32> -> vector<2xf32>
    ```
  }];
  let arguments = (ins Simt_CombineKind:$kind, AnyVectorOfAnyRank:$src, ConfinedAttr<I32Attr, [IntNonNegative]>:$keep);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$kind $src `keep` $keep attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_SpreadRegistersOp : Simt_Op<"spread_registers", [Pure]> {
  let summary = "gives each register the value that simt.reduce_registers made of its group";
  let description = [{
    `result[i] = src[the bits of i that are set in keep, without gaps]`.

    ```mlir
    %m = simt.spread_registers %s keep 1 : vector<2xf32> -> vector<8xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$src, ConfinedAttr<I32Attr, [IntNonNegative]>:$keep);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$src `keep` $keep attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_ConvertLayoutOp : Simt_Op<"convert_layout", [Pure]> {
  let summary = "the same tensor in another layout";
  let description = [{
    Planned level only. Lowered by a conversion plan of core/layout; through shared memory if one of the two is in
    fragments.

    ```mlir
    %y = simt.convert_layout %x : tensor<64x64xf16, #a> -> tensor<64x64xf16, #b>
    ```
  }];
  let arguments = (ins Simt_PlannedTile:$src);
  let results = (outs Simt_PlannedTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_JoinPartsOp : Simt_Op<"join_parts", [Pure]> {
  let summary = "a tensor from parts of its columns";
  let description = [{
    At the planned level. The parts have equal extents along the last axis and follow one another along it. Before
    tile-assign-layouts the tensors have no layouts. With layouts, each part has the layout that `layout_ir::part`
    computes from the result's, and every element stays in its thread.

    ```mlir
    %w = simt.join_parts %x, %y : tensor<64x32xf16, #half>, tensor<64x32xf16, #half> -> tensor<64x64xf16, #whole>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$parts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$parts attr-dict `:` type($parts) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_ShuffleOp : Simt_CollectiveOp<"shuffle", 1, [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "reads a register tile of another lane";
  let description = [{
    `result` is the `value` of lane `s`, with `s = lane` (index), `lane_id ^ lane` (xor), `lane_id - lane` (up) or
    `lane_id + lane` (down). If `s` is no lane of the warp, `result` is the thread's own value.

    ```mlir
    %o = simt.shuffle xor %v, %c16 : vector<2xf32>
    ```
  }];
  let arguments = (ins Simt_ShuffleMode:$mode, Simt_Value:$value, I32:$lane);
  let results = (outs Simt_Value:$result);
  let assemblyFormat = "$mode $value `,` $lane attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Simt_VoteOp : Simt_CollectiveOp<"vote", 1, [Pure]> {
  let summary = "whether a predicate holds in any or in all lanes of the warp";
  let description = [{
    ```mlir
    %some = simt.vote any %p : i1
    ```
  }];
  let arguments = (ins Simt_VoteKind:$kind, I1:$predicate);
  let results = (outs I1:$result);
  let assemblyFormat = "$kind $predicate attr-dict `:` type($result)";
}

def Simt_PrintOp : Simt_Op<"print", [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "a line on the device's output for each element that the thread holds";
  let description = [{
    Each line has the program's ids, the element's index, `prefix` and `value[i]`, which is element number `elements[i]`
    (row-major) of a tensor of `shape`. Without elements the value is a scalar; without a value the line ends with the
    prefix. A thread whose `where` is false prints nothing: it selects one of the threads that hold the same elements.
    `hex` prints bits; `signed` says that integers are signed; `address` says that an i64 is an address. Lines come in
    the order of the program's prints, and within a print in the order of the elements. The thread that holds element 0
    prints in every execution of the op.

    ```mlir
    simt.print " x: " signed shape [64] where %first elements %e : vector<4xi32> (%v) : vector<4xi32>
    simt.print " n: " where %zero (%n) : i32
    simt.print " here" where %zero
    ```
  }];
  let arguments = (ins StrAttr:$prefix, Optional<Simt_Value>:$value, Optional<Simt_IntValue>:$elements,
                       Optional<I1>:$mask, OptionalAttr<DenseI64ArrayAttr>:$shape, UnitAttr:$hex, UnitAttr:$is_signed,
                       UnitAttr:$is_address);
  let assemblyFormat = [{
    $prefix (`hex` $hex^)? (`signed` $is_signed^)? (`address` $is_address^)? (`shape` $shape^)? (`where` $mask^)?
    (`elements` $elements^ `:` type($elements))? (`(` $value^ `)` `:` type($value))? attr-dict
  }];
  let hasVerifier = 1;
}

def Simt_AssertOp : Simt_Op<"assert", [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "the launch fails where a condition is false";
  let description = [{
    If a condition is false, the launch fails with the message and the element: `condition[i]` belongs to element number
    `elements[i]` of a tensor of `shape`. Without `elements` the failure names no element. A thread whose `where` is
    false tests nothing. After a failure the program and its threads go on.

    With `limit`, the condition does not come from the kernel's author: if it is false, the device has reached one of
    its limits, and the launch's results are invalid. The message is then the whole text of the failure and says what to
    do. A launch reports a limit before any failed assertion. The condition is a scalar.

    ```mlir
    simt.assert %ok, "index in range" shape [64] where %first elements %e : vector<4xi32> : vector<4xi1>
    simt.assert %positive, "n must be positive" : i1
    simt.assert %went_on, "this loop goes round more often than the device lets it" limit : i1
    ```
  }];
  let arguments = (ins Simt_Mask:$condition, Optional<Simt_IntValue>:$elements, Optional<I1>:$mask, StrAttr:$message,
                       OptionalAttr<DenseI64ArrayAttr>:$shape, UnitAttr:$limit);
  let assemblyFormat = [{
    $condition `,` $message (`limit` $limit^)? (`shape` $shape^)? (`where` $mask^)?
    (`elements` $elements^ `:` type($elements))? attr-dict
    `:` type($condition)
  }];
  let hasVerifier = 1;
}

def Simt_HiddenArgumentOp : Simt_Op<"hidden_argument", [Pure]> {
  let summary = "the address of memory that the launch supplies and the kernel's author never sees";
  let description = [{
    `print_buffer`: the buffer that prints and assertions write to; docs/simt.md describes it.

    ```mlir
    %b = simt.hidden_argument print_buffer : !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Simt_HiddenKind:$kind);
  let results = (outs Tile_PtrType:$result);
  let assemblyFormat = "$kind attr-dict `:` type($result)";
}

#endif
