// One thread's accesses to global and shared memory.
#ifndef TEGULA_SIMT_MEMORY_OPS
#define TEGULA_SIMT_MEMORY_OPS

include "core/ir/simt/SimtOpBase.td"

def Simt_LoadOp : Simt_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "reads global memory";
  let description = [{
    One access for each offset, of `w = elements(result) / elements(offset)` consecutive elements, a power of two:
    `result[i*w + j] = mask[i] ? base[offset[i] + j] : other[i*w + j]`; without `other`, masked-off elements are zero.
    Offsets count elements and are signed. An access is aligned to its size. A masked-off access touches no memory.

    ```mlir
    %v = simt.load %x[%o] : !tile.ptr<f16>, vector<4xi32> -> vector<32xf16>
    %s = simt.load %x[%i] mask %m other %z cache(cg) eviction(first) : !tile.ptr<f32>, i32, i1, f32 -> f32
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Simt_IntValue:$offset, Optional<Simt_Mask>:$mask,
                       Optional<Simt_Value>:$other,
                       DefaultValuedAttr<Tile_CacheModifier, "::tegula::tile::CacheModifier::None">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicy, "::tegula::tile::EvictionPolicy::Normal">:$eviction,
                       UnitAttr:$is_volatile);
  let results = (outs Simt_Value:$result);
  let assemblyFormat = [{
    $base `[` $offset `]` (`mask` $mask^)? (`other` $other^)? (`cache` `(` $cache^ `)`)?
    (`eviction` `(` $eviction^ `)`)? (`volatile` $is_volatile^)? attr-dict
    `:` type($base) `,` type($offset) (`,` type($mask)^)? (`,` `other` type($other)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Simt_StoreOp : Simt_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes global memory";
  let description = [{
    The counterpart of `simt.load`: `base[offset[i] + j] = value[i*w + j]` where `mask[i]`.

    ```mlir
    simt.store %y[%o], %v mask %m : !tile.ptr<f32>, vector<2xi32>, vector<8xf32>, vector<2xi1>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Simt_IntValue:$offset, Simt_Value:$value, Optional<Simt_Mask>:$mask,
                       DefaultValuedAttr<Tile_CacheModifier, "::tegula::tile::CacheModifier::None">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicy, "::tegula::tile::EvictionPolicy::Normal">:$eviction);
  let assemblyFormat = [{
    $base `[` $offset `]` `,` $value (`mask` $mask^)? (`cache` `(` $cache^ `)`)? (`eviction` `(` $eviction^ `)`)?
    attr-dict `:` type($base) `,` type($offset) `,` type($value) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def Simt_AtomicRmwOp : Simt_Op<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "reads, combines and writes elements of global memory in one step each";
  let description = [{
    One access for each offset, of `w = elements(result) / elements(offset)` neighbours, a power of two, aligned to
    its size: `place = base + offset[i] + j; result[i*w + j] = *place; *place = kind(*place, value[i*w + j])` where
    `mask[i]`; elsewhere the result is zero. Each element is changed atomically, but the elements of one access are
    changed in any order, and other threads may change some of them in between. `vectorAtomics` of the target
    description lists the possible widths.

    ```mlir
    %old = simt.atomic_rmw fadd relaxed device %x[%o], %v mask %m
      : !tile.ptr<f32>, vector<2xi32>, vector<2xf32>, vector<2xi1>
    %all = simt.atomic_rmw fadd relaxed device %x[%i], %w : !tile.ptr<f32>, i32, vector<4xf32>
    ```
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_MemoryOrder:$order, Tile_Scope:$scope, Tile_PtrType:$base,
                       Simt_IntValue:$offset, Simt_Value:$value, Optional<Simt_Mask>:$mask);
  let results = (outs Simt_Value:$result);
  let assemblyFormat = [{
    $kind $order $scope $base `[` $offset `]` `,` $value (`mask` $mask^)? attr-dict
    `:` type($base) `,` type($offset) `,` type($value) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def Simt_AtomicCasOp : Simt_Op<"atomic_cas",
    [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["expected", "value", "result"]>]> {
  let summary = "writes elements of global memory where they have an expected value";
  let description = [{
    `result[i] = base[offset[i]]; if (result[i] == expected[i]) base[offset[i]] = value[i]`, compared bit by bit.

    ```mlir
    %old = simt.atomic_cas acq_rel device %x[%i], %e, %v : !tile.ptr<i32>, i32, i32
    ```
  }];
  let arguments = (ins Tile_MemoryOrder:$order, Tile_Scope:$scope, Tile_PtrType:$base, Simt_IntValue:$offset,
                       Simt_Value:$expected, Simt_Value:$value);
  let results = (outs Simt_Value:$result);
  let assemblyFormat = [{
    $order $scope $base `[` $offset `]` `,` $expected `,` $value attr-dict
    `:` type($base) `,` type($offset) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Simt_SharedAllocOp : Simt_Op<"shared_alloc"> {
  let summary = "a buffer in the workgroup's shared memory";
  let description = [{
    `at` is the buffer's place: its offset in bytes, a multiple of 16. Buffers whose places overlap share storage. With
    a place the op stands at the top of the kernel. Without a place (before `simt-allocate-shared`) it may also stand in
    branches and loops, but not in warp groups: it is then a new buffer in each execution, and lives for one iteration.

    ```mlir
    %a = simt.shared_alloc at 0 : !simt.shared<4x128x64xf16, #sw>
    ```
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$offset);
  let results = (outs Simt_SharedType:$result);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Simt_StageOp : Simt_Op<"stage", [Pure]> {
  let summary = "one stage of a shared buffer";
  let description = [{
    ```mlir
    %a0 = simt.stage %a[%s] : !simt.shared<4x128x64xf16, #sw> -> !simt.shared<128x64xf16, #sw>
    ```
  }];
  let arguments = (ins Simt_SharedType:$src, I32:$index);
  let results = (outs Simt_SharedType:$result);
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_PartOp : Simt_Op<"part", [Pure]> {
  let summary = "a part of a tile in shared memory";
  let description = [{
    The tile is a grid of parts, each with the extents of the result; `position` is a part's coordinate in that grid.
    The part's layout is the tile's layout restricted to the part. The verifier requires that the layouts of all parts
    differ from the first one's only by a constant offset.

    ```mlir
    // The second 64 rows.
    %h = simt.part %t[%c1, %c0] : !simt.shared<128x64xf16, #sw> -> !simt.shared<64x64xf16, #half>
    ```
  }];
  let arguments = (ins Simt_SharedType:$src, Variadic<I32>:$position);
  let results = (outs Simt_SharedType:$result);
  let assemblyFormat = "$src `[` $position `]` attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_TransposeOp : Simt_Op<"transpose", [Pure]> {
  let summary = "a tile in shared memory with its two dimensions exchanged";
  let description = [{
    `result(i, j) = src(j, i)`, the same storage.

    ```mlir
    %t = simt.transpose %b : !simt.shared<256x64xf16, #sw> -> !simt.shared<64x256xf16, #swt>
    ```
  }];
  let arguments = (ins Simt_SharedType:$src);
  let results = (outs Simt_SharedType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_SharedLoadOp : Simt_Op<"shared_load", [MemoryEffects<[MemRead]>]> {
  let summary = "reads shared memory";
  let description = [{
    One access for each offset, of `w = elements(result) / elements(offset)` consecutive elements of one stage's
    storage, a power of two and aligned to its size. Offsets are positions in storage, after swizzle and padding. At the
    planned level there are no offsets: they follow from the layouts of the view and of the result. Before
    tile-assign-layouts the result has no layout. After it, a result without layout is an operand of products on opaque
    fragments, and these products load the fragments from the view.

    ```mlir
    %v = simt.shared_load %t[%o] : !simt.shared<128x64xf16, #sw>, vector<4xi32> -> vector<32xf16>
    %p = simt.shared_load %t : !simt.shared<128x64xf16, #sw> -> tensor<128x64xf16, #l>
    ```
  }];
  let arguments = (ins Simt_SharedType:$src, Optional<Simt_SharedOffset>:$offset);
  let results = (outs Simt_SharedValue:$result);
  let assemblyFormat = "$src (`[` $offset^ `]`)? attr-dict `:` type($src) (`,` type($offset)^)? `->` type($result)";
  let hasVerifier = 1;
}

def Simt_SharedStoreOp : Simt_Op<"shared_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes shared memory";
  let description = [{
    The counterpart of `simt.shared_load`.

    At the planned level the tensor may have other extents than the view. If the view is larger, the rest of it becomes
    zeros. If the tensor is larger along one axis, it is divided into parts of the view's extent, and `part` is the
    number of the part that is stored. With `tf32`, each f32 is rounded to the nearest tf32, ties away from zero; bits
    that tf32 does not have are undefined, and NaN stays NaN.

    ```mlir
    simt.shared_store %t[%o], %v : !simt.shared<128xf32>, vector<2xi32>, vector<8xf32>
    simt.shared_store %t, %p : !simt.shared<128x64xf16, #sw>, tensor<128x64xf16, #l>
    // Columns 64 to 127.
    simt.shared_store %t, %q part 1 : !simt.shared<128x64xf16, #sw>, tensor<128x256xf16, #l>
    ```
  }];
  let arguments = (ins Simt_SharedType:$dst, Optional<Simt_SharedOffset>:$offset, Simt_SharedValue:$value,
                       OptionalAttr<I32Attr>:$part, UnitAttr:$tf32);
  let assemblyFormat = [{
    $dst (`[` $offset^ `]`)? `,` $value (`part` $part^)? (`tf32` $tf32^)? attr-dict `:`
    custom<StoreTypes>(type($dst), type($offset), type($value))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$dst, "::mlir::Value":$offset, "::mlir::Value":$value), [{
    build($_builder, $_state, dst, offset, value, ::mlir::IntegerAttr(), ::mlir::UnitAttr());
  }]>];
  let hasVerifier = 1;
}

def Simt_LoadMatrixOp : Simt_CollectiveOp<"load_matrix", 1, [MemoryEffects<[MemRead]>]> {
  let summary = "loads 8x8 matrices of 16-bit elements from shared memory, spread over a warp of 32";
  let description = [{
    The result has `2*c` elements for c = 1, 2 or 4 matrices. Lane `8*i + r` gives the offset of row r of matrix i,
    which is eight consecutive elements, aligned to 16 bytes; with c < 4 only the offsets of the first `8*c` lanes are
    used. Lane l receives two elements of each matrix: `(l / 4, 2 * (l mod 4))` and its right neighbour; with
    `transpose`, `(2 * (l mod 4), l / 4)` and the element below it.

    Elements of 8 bits move in pairs of neighbours in a row, each pair as one element of 16 bits. A row then has 16
    elements, and the result `4*c`, in which the two of a pair follow each other.

    ```mlir
    %a = simt.load_matrix %t[%o] : !simt.shared<128x32xf16, #sw> -> vector<8xf16>
    %b = simt.load_matrix %t[%o] transpose : !simt.shared<32x128xf16, #sw> -> vector<8xf16>
    ```
  }];
  let arguments = (ins Simt_SharedType:$src, I32:$offset, UnitAttr:$transpose);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$src `[` $offset `]` (`transpose` $transpose^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_StoreMatrixOp : Simt_CollectiveOp<"store_matrix", 1, [MemoryEffects<[MemWrite]>]> {
  let summary = "stores 8x8 matrices of 16-bit elements, spread over a warp of 32, to shared memory";
  let description = [{
    The counterpart of `simt.load_matrix`, with the same roles of lanes.

    ```mlir
    simt.store_matrix %t[%o], %v : !simt.shared<64x64xf16, #sw>, vector<8xf16>
    ```
  }];
  let arguments = (ins Simt_SharedType:$dst, I32:$offset, AnyVectorOfAnyRank:$value, UnitAttr:$transpose);
  let assemblyFormat = [{
    $dst `[` $offset `]` `,` $value (`transpose` $transpose^)? attr-dict `:` type($dst) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif
