// Warp groups, barriers, fences and barrier objects.
#ifndef TEGULA_SIMT_BARRIER_OPS
#define TEGULA_SIMT_BARRIER_OPS

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
    The kernel has `warps` producer warps in addition to its `simt.warps`. One of their threads executes the region,
    while the kernel's own warps continue after the op. Barriers and ids of the kernel do not count the producer warps.
    The region uses no values from outside: the operands are its arguments. `registers` is its budget of 32-bit
    registers for each thread, a multiple of 8. The op stands in the kernel's body; before it are only buffers, barrier
    objects, their `simt.start_barriers`, and ops without effects. A kernel has at most one. `simt-specialize-warps`
    makes a `simt.warp_groups` of it.

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
    It stands in the kernel's body, outside of warp groups. Barrier objects that were initialised before it, followed by
    a `simt.fence barrier_init`, can be used by all programs of the cluster after it. It orders no other accesses: data
    moves between programs only by `simt.load_tile ... multicast`, and barrier objects order these copies.

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
      writes to shared memory, and overwrite nothing that this thread has not read yet;
    - `async_device`: like `async`, for writes to shared and to global memory, including writes of other programs that
      this thread has acquired;
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
    Threads that wait for the end of the phase see this thread's accesses before the arrival. With `of`, the object
    belongs to the program of the cluster with this `simt.cluster_rank`, which may be the thread's own program. A thread
    of that program must wait for the end of the phase, so that the program does not end earlier.

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

def Simt_StartBarriersOp : Simt_Op<"start_barriers", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "makes all barrier objects of an array, at the planned level";
  let description = [{
    All threads of the region execute it. Afterwards each object is in phase 0, and `count` arrivals complete each of
    its phases: arrivals of copies (`simt.copy_tile`) or of warps (`simt.arrive_warps`). The copies may overwrite shared
    memory that threads wrote before, and they see the threads' earlier writes to global memory.

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
    elements that threads of these warps have loaded: each thread executes an `async` fence behind its loads, and the
    threads of each warp wait for each other, before the arrival.
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

#endif
