// Warp groups, barriers, fences, and copies that end later than they start.
#ifndef TEGULA_SIMT_ASYNC_OPS
#define TEGULA_SIMT_ASYNC_OPS

include "core/ir/SimtOpBase.td"


def Simt_WarpGroupsOp : Simt_Op<"warp_groups", [IsolatedFromAbove, SingleBlock,
                                               SingleBlockImplicitTerminator<"EndGroupOp">]> {
  let summary = "splits the workgroup into groups of warps that do different things";
  let description = [{
    Each region is run by as many consecutive warps as it says, beginning with warp 0, and ends for all of them together.
    A region sees only what it is given: the operands are the arguments of every region. Ids, barriers and collectives
    count within the region. `registers` is the region's budget of 32-bit registers a thread, a multiple of 8; where the
    hardware can, registers move between the groups. The warps of all regions together are the kernel's.

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

def Simt_EndGroupOp : Simt_Op<"end_group", [Terminator, Pure, HasParent<"WarpGroupsOp">]> {
  let summary = "the end of a group's region";
  let description = "Written for you.";
  let assemblyFormat = "attr-dict";
}

def Simt_BarrierOp : Simt_CollectiveOp<"barrier", 0, [MemoryEffects<[MemRead, MemWrite]>,
                                                     Simt_BarrierLike]> {
  let summary = "waits until all threads of the region are here";
  let description = [{
    What a thread wrote to shared or global memory before the barrier, the others see after it. `warps N` lets each
    aligned set of N warps of the region wait for itself.

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

def Simt_FenceOp : Simt_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "puts this thread's accesses in order";
  let description = [{
    - `workgroup`, `device`: accesses before it are seen before those after it, by threads of the workgroup or device;
    - `async`: what the thread wrote to shared memory is seen by asynchronous copies and matrix products that other
      threads start after the next barrier;
    - `barrier_init`: initialised barrier objects are seen by the other threads and the asynchronous units.

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
    One thread does it; then come `simt.fence barrier_init` and `simt.barrier` before anyone uses the object. `count`
    arrivals complete each phase.

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
    The executing thread's accesses before it are seen by who waits for the phase.

    ```mlir
    simt.barrier_arrive %empty[%s] : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index);
  let assemblyFormat = "$barriers `[` $index `]` attr-dict `:` type($barriers)";
}

def Simt_BarrierExpectOp : Simt_BarrierObjectOp<"barrier_expect"> {
  let summary = "one arrival that also announces bytes";
  let description = [{
    The phase does not end before asynchronous copies have brought so many bytes more.

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
    Goes on once the object's current phase has not the parity `phase` (0 or 1): the phase with that parity has ended.
    A wait for phase 1 of a fresh object goes on at once.

    ```mlir
    simt.barrier_wait %full[%s], %phase : !simt.barriers<4>
    ```
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index, I32:$phase);
  let assemblyFormat = "$barriers `[` $index `]` `,` $phase attr-dict `:` type($barriers)";
}

def Simt_LoadTileOp : Simt_Op<"load_tile", [MemoryEffects<[MemRead, MemWrite]>,
                                           Simt_AsyncCopy]> {
  let summary = "starts to copy a block of a described tensor to shared memory";
  let description = [{
    One thread does it for all. The block begins at the element `position` of the tensor, along the last axis at a
    multiple of 16 bytes: elsewhere the copy unit faults. Elements outside the tensor arrive as the descriptor's padding.
    When the bytes have arrived they count towards the barrier object's phase.

    ```mlir
    simt.load_tile %d[%row, %k] to %t on %full[%s]
      : !tile.desc<128x64xf16>, !simt.shared<128x64xf16, #sw>, !simt.barriers<4>
    ```
  }];
  let arguments = (ins Tile_DescType:$descriptor, Variadic<I32>:$position, Simt_SharedType:$dst,
                       Simt_BarriersType:$barriers, I32:$index);
  let assemblyFormat = [{
    $descriptor `[` $position `]` `to` $dst `on` $barriers `[` $index `]` attr-dict
    `:` type($descriptor) `,` type($dst) `,` type($barriers)
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
    One thread does it for all, and the same thread commits and waits. The block begins as that of `simt.load_tile`.
    Elements outside the tensor are not written.

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
    Then the others' data is there only after a barrier.

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
    With `reads` it waits only until their shared memory has been read and may be written again.

    ```mlir
    simt.wait_stores reads 0
    ```
  }];
  let arguments = (ins UnitAttr:$reads, ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "(`reads` $reads^)? $pending attr-dict";
  let extraClassDeclaration = "bool mayBlock() { return false; }";
}

#endif
