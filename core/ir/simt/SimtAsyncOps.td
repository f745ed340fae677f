// Warp groups, barriers, fences, and asynchronous copies.
#ifndef TEGULA_SIMT_ASYNC_OPS
#define TEGULA_SIMT_ASYNC_OPS

include "core/ir/simt/SimtOpBase.td"


def Simt_WarpGroupsOp : Simt_Op<"warp_groups", [IsolatedFromAbove, SingleBlock,
                                               SingleBlockImplicitTerminator<"EndGroupOp">]> {
  let summary = "splits the workgroup into groups of warps that execute different code";
  let description = [{
    Each region is executed by the next `warps` warps, beginning with warp 0; the op ends when all regions have ended.
    A region uses no values from outside: the op's operands are the arguments of every region. Ids, barriers and
    collectives count within the region. `registers` is the region's budget of 32-bit registers for each thread, a
    multiple of 8; registers move between the groups if the hardware can do that. The regions' warps add up to the
    kernel's.

    ```mlir
    simt.warp_groups(%x, %t) : !tile.ptr<f32>, !simt.shared<64x64xf16>
    group warps 4 registers 40 (%x0: !tile.ptr<f32>, %t0: !simt.shared<64x64xf16>) {
      ...
    }
    group warps 8 registers 232 (%x1: !tile.ptr<f32>, %t1: !simt.shared<64x64xf16>) {
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$captures, DenseI32ArrayAttr:$warps, DenseI32ArrayAttr:$registers);
  let regions = (region VariadicRegion<SizedRegion<1>>:$groups);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The first warp of a region, counted in the workgroup.
    int64_t getFirstWarp(unsigned region);
  }];
}

def Simt_ProducerOp : Simt_Op<"producer", [IsolatedFromAbove, SingleBlock,
                                          SingleBlockImplicitTerminator<"EndGroupOp">]> {
  let summary = "copies that a thread of further warps starts, beside the rest of the kernel";
  let description = [{
    One thread of `warps` warps, which the kernel has beside its own `simt.warps`, executes the region, while the
    kernel's own warps go on behind the op. Barriers and ids of the kernel do not count these warps. The region uses no
    values from outside: the operands are its arguments. `registers` is its budget of 32-bit registers for each thread,
    a multiple of 8. The op stands in the kernel's body; before it are only buffers, barrier objects, their
    `simt.start_barriers`, and ops without effects. A kernel has at most one. `simt-split-producer` makes a
    `simt.warp_groups` of it.

    ```mlir
    simt.producer(%d, %full, %empty) : !tile.desc<128x64xf16>, !simt.barriers<4>, !simt.barriers<4>
    group warps 4 registers 40 (%d0: !tile.desc<128x64xf16>, %full0: !simt.barriers<4>, %empty0: !simt.barriers<4>) {
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$captures, ConfinedAttr<I32Attr, [IntPositive]>:$warps,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$registers);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Simt_EndGroupOp : Simt_Op<"end_group", [Terminator, Pure, ParentOneOf<["WarpGroupsOp", "ProducerOp"]>]> {
  let summary = "the end of a group's region";
  let description = "The region's implicit terminator; it is not written.";
  let assemblyFormat = "attr-dict";
}

def Simt_BarrierOp : Simt_CollectiveOp<"barrier", 0, [MemoryEffects<[MemRead, MemWrite]>,
                                                     Simt_BarrierLike]> {
  let summary = "waits until all threads of the region have reached it";
  let description = [{
    Writes of a thread to shared or global memory before the barrier are visible to the other threads after it. With
    `warps N`, each aligned set of N warps of the region has a barrier of its own.

    ```mlir
    simt.barrier
    simt.barrier warps 4
    ```
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I32Attr, [IntPositive]>>:$warps);
  let assemblyFormat = "(`warps` $warps^)? attr-dict";
  let extraClassDeclaration = [{
    int64_t getCollectiveWarps() { return getWarps().value_or(0); }
    bool mayBlock() { return true; }
  }];
}

def Simt_ClusterBarrierOp : Simt_Op<"cluster_barrier", [MemoryEffects<[MemRead, MemWrite]>, Simt_BarrierLike]> {
  let summary = "waits until all threads of all programs of the cluster have reached it";
  let description = [{
    It stands in the kernel's body, outside of warp groups. Barrier objects that were initialised before it, and a
    `simt.fence barrier_init`, can be used by all programs of the cluster after it. It orders nothing else: data goes
    from one program to another by `simt.load_tile ... multicast`, whose barrier objects order it.

    ```mlir
    simt.cluster_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = "bool mayBlock() { return true; }";
}

def Simt_FenceOp : Simt_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders this thread's accesses";
  let description = [{
    - `workgroup`, `device`: threads of the workgroup or device see the accesses before the fence before those after it;
    - `async`: asynchronous copies and matrix products that threads start after the next barrier see this thread's
      writes to shared memory;
    - `async_device`: the same for writes to shared and to global memory, other programs' included that this thread has
      acquired;
    - `barrier_init`: the other threads and the asynchronous units see the barrier objects that this thread initialised.

    ```mlir
    simt.fence async
    ```
  }];
  let arguments = (ins Simt_FenceKind:$kind);
  let assemblyFormat = "$kind attr-dict";
}

def Simt_BarrierAllocOp : Simt_Op<"barrier_alloc"> {
  let summary = "barrier objects in shared memory";
  let description = [{
    Stands at the top of a kernel; `at` as in `simt.shared_alloc`, a multiple of 8.

    ```mlir
    %full = simt.barrier_alloc at 196608 : !simt.barriers<4>
    ```
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$offset);
  let results = (outs Simt_BarriersType:$result);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($result)";
}

class Simt_BarrierObjectOp<string mnemonic, bit blocks = 0> : Simt_Op<mnemonic,
    [MemoryEffects<[MemRead, MemWrite]>, Simt_BarrierLike]> {
  let extraClassDeclaration = "bool mayBlock() { return " # !if(blocks, "true", "false") # "; }";
}

def Simt_BarrierInitOp : Simt_BarrierObjectOp<"barrier_init"> {
  let summary = "makes a barrier object, in phase 0";
  let description = [{
    One thread executes it; `simt.fence barrier_init` and `simt.barrier`, or `simt.cluster_barrier`, must follow before
    any thread uses the object. `count` arrivals complete each phase.

    ```mlir
    simt.barrier_init %full[%i] count 1 : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index, ConfinedAttr<I32Attr, [IntPositive]>:$count);
  let assemblyFormat = "$barriers `[` $index `]` `count` $count attr-dict `:` type($barriers)";
}

def Simt_BarrierArriveOp : Simt_BarrierObjectOp<"barrier_arrive"> {
  let summary = "one arrival at a barrier object";
  let description = [{
    Threads that wait for the end of the phase see this thread's accesses before the arrival. With `of`, the object is
    that of another program of the cluster, named by its `simt.cluster_rank`, or the thread's own program. A thread of
    the other program waits for the end of the phase, so that the program does not end before.

    ```mlir
    simt.barrier_arrive %empty[%s] : !simt.barriers<4>
    simt.barrier_arrive %empty[%s] of %rank : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index, Optional<I32>:$rank);
  let assemblyFormat = "$barriers `[` $index `]` (`of` $rank^)? attr-dict `:` type($barriers)";
  let builders = [OpBuilder<(ins "::mlir::Value":$barriers, "::mlir::Value":$index), [{
    build($_builder, $_state, barriers, index, ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def Simt_BarrierExpectOp : Simt_BarrierObjectOp<"barrier_expect"> {
  let summary = "one arrival that also announces bytes";
  let description = [{
    The phase does not end before asynchronous copies have brought `bytes` more bytes.

    ```mlir
    simt.barrier_expect %full[%s] bytes 32768 : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index, ConfinedAttr<I32Attr, [IntPositive]>:$bytes);
  let assemblyFormat = "$barriers `[` $index `]` `bytes` $bytes attr-dict `:` type($barriers)";
}

def Simt_BarrierWaitOp : Simt_BarrierObjectOp<"barrier_wait", 1> {
  let summary = "waits for the end of a phase";
  let description = [{
    Waits until the phase with parity `phase` (0 or 1) has ended, that is, while the object's current phase has this
    parity. A wait for phase 1 of a new object, which is in phase 0, does not block.

    ```mlir
    simt.barrier_wait %full[%s], %phase : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index, I32:$phase);
  let assemblyFormat = "$barriers `[` $index `]` `,` $phase attr-dict `:` type($barriers)";
}

def Simt_BarrierInvalidateOp : Simt_BarrierObjectOp<"barrier_invalidate"> {
  let summary = "ends the use of a barrier object";
  let description = [{
    One thread executes it, after a `simt.barrier` that follows the last use. The object may be made again.

    ```mlir
    simt.barrier_invalidate %full[%i] : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index);
  let assemblyFormat = "$barriers `[` $index `]` attr-dict `:` type($barriers)";
}

def Simt_LoadTileOp : Simt_Op<"load_tile", [MemoryEffects<[MemRead, MemWrite]>,
                                           Simt_AsyncCopy]> {
  let summary = "starts to copy a block of a described tensor to shared memory";
  let description = [{
    One thread executes it for all. The block begins at the element `position` of the tensor; along the last axis this
    must be a multiple of 16 bytes, else the copy unit faults. Elements outside the tensor become the descriptor's
    padding. The bytes count towards the barrier object's phase when they have arrived. With `tf32`, the unit rounds
    each f32 to tf32; all copies of the descriptor must agree in that. With `once`, a hint, nothing else is going to
    read the block, and its lines may be the first to leave caches.

    With `multicast`, a thread of each program of the cluster executes it for the same block. Each copies an equal share
    of the columns (elements along the last axis), the program of rank r the r-th one, to the same place in the shared
    memory of all programs. There the bytes count towards the object with the same place. The stage must be free in all
    programs; bytes may arrive before they are announced.

    ```mlir
    simt.load_tile %d[%row, %k] to %t on %full[%s]
      : !tile.desc<128x64xf16>, !simt.shared<128x64xf16, #sw>, !simt.barriers<4>
    simt.load_tile %e[%k, %column] to %u on %full[%s] multicast
      : !tile.desc<64x128xf16>, !simt.shared<64x128xf16, #sw>, !simt.barriers<4>
    ```
  }];
  let arguments = (ins Tile_DescType:$descriptor, Variadic<I32>:$position, Simt_SharedType:$dst,
                       Simt_BarriersType:$barriers, I32:$index, UnitAttr:$tf32, UnitAttr:$once,
                       UnitAttr:$multicast);
  let assemblyFormat = [{
    $descriptor `[` $position `]` `to` $dst `on` $barriers `[` $index `]` (`tf32` $tf32^)? (`once` $once^)?
    (`multicast` $multicast^)? attr-dict `:` type($descriptor) `,` type($dst) `,` type($barriers)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getSharedSide() { return getDst(); }
    bool writesShared() { return true; }
    ::mlir::Value getCompletionBarriers() { return getBarriers(); }
  }];
}

def Simt_StoreTileOp : Simt_Op<"store_tile", [MemoryEffects<[MemRead, MemWrite]>,
                                             Simt_AsyncCopy]> {
  let summary = "starts to copy a tile in shared memory to a block of a described tensor";
  let description = [{
    One thread executes it for all, and the same thread commits and waits. The block's position has the rules of
    `simt.load_tile`. Elements outside the tensor are not written. `src` may be a part of the block: then the copy
    has its extents, and all copies of the descriptor must agree in that.

    ```mlir
    simt.store_tile %t to %d[%row, %col] : !simt.shared<64x64xf16, #sw>, !tile.desc<64x64xf16>
    simt.commit_stores
    simt.wait_stores reads 0
    ```
  }];
  let arguments = (ins Simt_SharedType:$src, Tile_DescType:$descriptor, Variadic<I32>:$position);
  let assemblyFormat = "$src `to` $descriptor `[` $position `]` attr-dict `:` type($src) `,` type($descriptor)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getSharedSide() { return getSrc(); }
    bool writesShared() { return false; }
    ::mlir::Value getCompletionBarriers() { return {}; }
  }];
}

def Simt_AsyncLoadOp : Simt_Op<"async_load", [MemoryEffects<[MemRead, MemWrite]>,
                                             Simt_AsyncCopy]> {
  let summary = "starts this thread's copies from global to shared memory";
  let description = [{
    `dst[to[i] + j] = mask[i] ? base[from[i] + j] : 0` for `j < width`; each copy is 4, 8 or 16 bytes, aligned on both
    sides. The thread's copies since its last commit form a group.

    ```mlir
    simt.async_load %a[%from] to %t[%to] width 8 mask %m
      : !tile.ptr<f16>, vector<4xi32>, !simt.shared<128x32xf16, #sw>, vector<4xi32>, vector<4xi1>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Simt_IntValue:$from, Simt_SharedType:$dst, Simt_SharedOffset:$to,
                       ConfinedAttr<I32Attr, [IntPositive]>:$width, Optional<Simt_Mask>:$mask);
  let assemblyFormat = [{
    $base `[` $from `]` `to` $dst `[` $to `]` `width` $width (`mask` $mask^)? attr-dict
    `:` type($base) `,` type($from) `,` type($dst) `,` type($to) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getSharedSide() { return getDst(); }
    bool writesShared() { return true; }
    ::mlir::Value getCompletionBarriers() { return {}; }
  }];
}

def Simt_CopyOp : Simt_Op<"copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "starts to copy a tile from global to shared memory, at the planned level";
  let description = [{
    `dst[i, j] = mask[i, j] ? *src[i, j] : 0` at any time until a `simt.wait_copies` that names the copy, or a later
    one. Each thread copies the elements that the layout of `src` gives it, in pieces of 4 to 16 bytes; where the
    layouts or the target allow no such pieces, tile-to-simt copies through registers, at once.

    ```mlir
    %t = simt.copy %p to %a0 mask %m
      : tensor<128x64x!tile.ptr<f16>, #l>, !simt.shared<128x64xf16, #sw>, tensor<128x64xi1, #l>
    simt.wait_copies %t
    ```
  }];
  let arguments = (ins AnyRankedTensor:$src, Simt_SharedType:$dst, Optional<AnyRankedTensor>:$mask);
  let results = (outs Simt_TokenType:$token);
  let assemblyFormat = [{
    $src `to` $dst (`mask` $mask^)? attr-dict `:` type($src) `,` qualified(type($dst)) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def Simt_WaitCopiesOp : Simt_Op<"wait_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the named copies, and all that were started before them, have arrived";
  let description = [{
    After it, a load of the whole tile sees the copied elements.

    ```mlir
    simt.wait_copies %t, %u
    ```
  }];
  let arguments = (ins Variadic<Simt_TokenType>:$copies);
  let assemblyFormat = "$copies attr-dict";
  let hasVerifier = 1;
}

def Simt_StartBarriersOp : Simt_Op<"start_barriers", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "makes all barrier objects of an array, at the planned level";
  let description = [{
    All threads of the region execute it. Afterwards each object is in phase 0, and `count` arrivals complete each of
    its phases: copies (`simt.copy_tile`), or warps (`simt.arrive_warps`). The copies may overwrite what threads wrote
    to shared memory before, and see what they stored to global memory.

    ```mlir
    %full = simt.barrier_alloc : !simt.barriers<4>
    simt.start_barriers %full count 2 : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_BarriersType:$barriers, ConfinedAttr<I32Attr, [IntPositive]>:$count);
  let assemblyFormat = "$barriers `count` $count attr-dict `:` type($barriers)";
}

def Simt_EndBarriersOp : Simt_Op<"end_barriers", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "ends the use of an array's barrier objects, at the planned level";
  let description = [{
    All threads of the region execute it, and each copy that was started on an object has been waited for. The objects
    may be started again.

    ```mlir
    simt.end_barriers %full : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_BarriersType:$barriers);
  let assemblyFormat = "$barriers attr-dict `:` type($barriers)";
}

def Simt_ArriveWarpsOp : Simt_Op<"arrive_warps", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "one arrival of each warp of the region at a barrier object, at the planned level";
  let description = [{
    All threads of the region execute it. A thread that waits for the end of the phase (`simt.barrier_wait`) may
    overwrite the operands of products that the arriving warps have waited for. With `loaded`, it may also overwrite
    elements that threads of these warps have loaded: the threads of each warp wait for each other before the arrival.
    With `also of`, each warp arrives a second time, at the object of the cluster's program of that rank, which may be
    its own. In a `simt.producer`, its one thread arrives once.

    ```mlir
    simt.arrive_warps %empty[%stage] : !simt.barriers<4>
    simt.arrive_warps %empty[%stage] loaded also of %rank : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index, UnitAttr:$loaded, Optional<I32>:$rank);
  let assemblyFormat = [{
    $barriers `[` $index `]` (`loaded` $loaded^)? (`also` `of` $rank^)? attr-dict `:` type($barriers)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$barriers, "::mlir::Value":$index), [{
    build($_builder, $_state, barriers, index, ::mlir::UnitAttr(), ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def Simt_MoveRingOp : Simt_Op<"move_ring", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "says where a ring goes on after ops behind its loop have used it, at the planned level";
  let description = [{
    `stage` and `phase` are the place that the ring's loop ends with, its results; `next_stage` and `next_phase` the
    place after all that the kernel does with the ring. Computes nothing: tile-loop-programs reads it.

    ```mlir
    simt.move_ring %loop#0, %loop#1 to %stage, %phase
    ```
  }];
  let arguments = (ins I32:$stage, I32:$phase, I32:$next_stage, I32:$next_phase);
  let assemblyFormat = "$stage `,` $phase `to` $next_stage `,` $next_phase attr-dict";
}

def Simt_CopyTileOp : Simt_Op<"copy_tile", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "starts a copy of a described tensor's block by hardware, at the planned level";
  let description = [{
    All threads of the region execute it, and where `condition` is true one of them starts a `simt.load_tile`, whose
    rules it has. The copy counts towards phase `phase` (0 or 1) of object `index`. An object's phases follow one
    another: the copies of the next one are started after all threads have waited for the last. In a `simt.producer`,
    its one thread starts the copy. Where `once` is true, the `simt.load_tile` has that hint. Where `multicast` is true,
    which it is in all programs of the cluster or in none, it is one that each of them executes.

    ```mlir
    %t = simt.copy_tile %d[%row, %k] to %a0 on %full[%stage] phase %p if %more
      : !tile.desc<128x64xf16>, !simt.shared<128x64xf16, #sw>, !simt.barriers<4>
    simt.wait_tiles %t on %full : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Tile_DescType:$descriptor, Variadic<I32>:$position, Simt_SharedType:$dst,
                       Simt_BarriersType:$barriers, I32:$index, I32:$phase, I1:$condition, UnitAttr:$tf32,
                       Optional<I1>:$once, Optional<I1>:$multicast);
  let results = (outs Simt_ArrivalType:$arrival);
  let assemblyFormat = [{
    $descriptor `[` $position `]` `to` $dst `on` $barriers `[` $index `]` `phase` $phase `if` $condition
    (`tf32` $tf32^)? (`once` $once^)? (`multicast` $multicast^)? attr-dict
    `:` qualified(type($descriptor)) `,` qualified(type($dst)) `,` qualified(type($barriers))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$descriptor, "::mlir::ValueRange":$position, "::mlir::Value":$dst,
                                 "::mlir::Value":$barriers, "::mlir::Value":$index, "::mlir::Value":$phase,
                                 "::mlir::Value":$condition, "bool":$tf32, "::mlir::Value":$once), [{
    build($_builder, $_state, descriptor, position, dst, barriers, index, phase, condition, tf32, once,
          /*multicast=*/::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def Simt_WaitTilesOp : Simt_Op<"wait_tiles", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until all copies of a phase have arrived, at the planned level";
  let description = [{
    It names one of the phase's copies, which must have been started. All threads of the region execute it.

    ```mlir
    simt.wait_tiles %t on %full : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_ArrivalType:$arrival, Simt_BarriersType:$barriers);
  let assemblyFormat = "$arrival `on` $barriers attr-dict `:` qualified(type($barriers))";
}

def Simt_CopyOutOp : Simt_Op<"copy_out", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copies a buffer to a block of a described tensor by hardware, at the planned level";
  let description = [{
    All threads of the region execute it. One of them, or one of each four warps for a part of the rows, starts a
    `simt.store_tile`, whose rules it has, and waits until it has read the buffer; with `later` it does not wait, and a
    `simt.wait_copy_out` must follow. The copy sees what threads wrote to the buffer before a `simt.fence async`. The
    buffer may be a part of the block, as in `simt.store_tile`.

    ```mlir
    simt.copy_out %t to %d[%row, %column] : !simt.shared<128x64xf16, #sw>, !tile.desc<128x64xf16>
    simt.copy_out %u to %d[%row, %column] later : !simt.shared<128x64xf16, #sw>, !tile.desc<128x64xf16>
    ```
  }];
  let arguments = (ins Simt_SharedType:$src, Tile_DescType:$descriptor, Variadic<I32>:$position, UnitAttr:$later);
  let assemblyFormat = [{
    $src `to` $descriptor `[` $position `]` (`later` $later^)? attr-dict
    `:` qualified(type($src)) `,` qualified(type($descriptor))
  }];
  let hasVerifier = 1;
}

def Simt_WaitCopyOutOp : Simt_Op<"wait_copy_out", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until copies out have read their buffers, at the planned level";
  let description = [{
    All threads of the region execute it. It waits until the copies of all `simt.copy_out ... later` before it, but the
    `pending` youngest, have read their buffers.

    ```mlir
    simt.wait_copy_out pending 1
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
}

class Simt_CommitOp<string mnemonic, string what> : Simt_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "closes the group of this thread's " # what;
  let description = "    ```mlir\n    simt." # mnemonic # "\n    ```\n";
  let assemblyFormat = "attr-dict";
}
def Simt_CommitLoadsOp : Simt_CommitOp<"commit_loads", "async_loads">;
def Simt_CommitStoresOp : Simt_CommitOp<"commit_stores", "store_tiles">;

def Simt_WaitLoadsOp : Simt_Op<"wait_loads", [MemoryEffects<[MemRead, MemWrite]>,
                                             Simt_BarrierLike]> {
  let summary = "waits until at most so many groups of this thread's async_loads are under way";
  let description = [{
    Other threads' copies have arrived only after each of them has waited and a barrier has followed.

    ```mlir
    simt.wait_loads 2
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
  let extraClassDeclaration = "bool mayBlock() { return false; }";
}

def Simt_WaitStoresOp : Simt_Op<"wait_stores", [MemoryEffects<[MemRead, MemWrite]>,
                                               Simt_BarrierLike]> {
  let summary = "waits until at most so many groups of this thread's store_tiles are under way";
  let description = [{
    With `reads` it waits only until these copies have read their shared memory, which may then be written again.

    ```mlir
    simt.wait_stores reads 0
    ```
  }];
  let arguments = (ins UnitAttr:$reads, ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "(`reads` $reads^)? $pending attr-dict";
  let extraClassDeclaration = "bool mayBlock() { return false; }";
}

#endif
