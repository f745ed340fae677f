// Asynchronous copies.
#ifndef TEGULA_SIMT_ASYNC_OPS
#define TEGULA_SIMT_ASYNC_OPS

include "core/ir/simt/SimtOpBase.td"

def Simt_LoadTileOp : Simt_Op<"load_tile", [MemoryEffects<[MemRead, MemWrite]>,
                                           Simt_AsyncCopy]> {
  let summary = "starts to copy a block of a described tensor to shared memory";
  let description = [{
    Executed by one thread of the program. The block begins at the element `position` of the tensor; along the last axis
    the position must be a multiple of 16 bytes, or the copy unit faults. Elements outside of the tensor become the
    descriptor's padding. When the bytes have arrived, they count towards the barrier object's phase. With `tf32`, the
    unit rounds each f32 to tf32; either all copies of the descriptor have `tf32` or none. `once` is a hint that no
    other op reads the block, so that caches may evict its lines first.

    With `multicast`, one thread of each program of the cluster executes the op for the same block. The program of rank
    r copies the r-th of equal shares of the columns (elements along the last axis), to the same place in the shared
    memory of all programs. In each program the bytes count towards the barrier object at the same place. The stage must
    be free in all programs. Bytes may arrive before a program has announced them (`simt.barrier_expect`).

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
    Executed by one thread of the program; the same thread commits and waits. The rules for the block's position are
    those of `simt.load_tile`. Elements outside of the tensor are not written. `src` may be a part of the block: then
    the copy has the part's extents, and so must all other copies of the descriptor.

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
    `dst[i, j] = mask[i, j] ? *src[i, j] : 0`, at any time before a `simt.wait_copies` ends that names this copy or a
    later one. Each thread copies the elements that the layout of `src` assigns to it, in pieces of 4 to 16 bytes. If
    the layouts or the target do not allow such pieces, tile-to-simt copies synchronously through registers.

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

def Simt_CopyTileOp : Simt_Op<"copy_tile", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "starts a copy of a described tensor's block by hardware, at the planned level";
  let description = [{
    All threads of the region execute it. If `condition` is true, one of them starts a `simt.load_tile`, with the rules
    of that op. The copy counts towards phase `phase` (0 or 1) of object `index`. The copies of a phase must not be
    started before all threads have waited for the object's previous phase. In a `simt.producer`, its single thread
    starts the copy. If `once` is true, the `simt.load_tile` has this hint. If `multicast` is true, the `simt.load_tile`
    has `multicast`; it must be true in all programs of the cluster or in none.

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
    All threads of the region execute it. One of them, or one thread of each four warps for a part of the rows, starts a
    `simt.store_tile`, with the rules of that op, and waits until the copy has read the buffer. With `later` it does not
    wait, and a `simt.wait_copy_out` must follow. The copy sees the threads' writes to the buffer that precede a
    `simt.fence async`. The buffer may be a part of the block, as in `simt.store_tile`.

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
    All threads of the region execute it. It waits until the copies of all preceding `simt.copy_out ... later`, except
    the last `pending` ones, have read their buffers.

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
