// Pointers, and the ops that access memory through them.
#ifndef TEGULA_TILE_MEMORY_OPS
#define TEGULA_TILE_MEMORY_OPS

include "core/ir/tile/TileOpBase.td"

def Tile_AddPtrOp : Tile_InferredOp<"addptr", [Pure]> {
  let summary = "moves pointers by elements";
  let description = [{
    `result = ptr + offset * bytes(pointee)`; the offset is signed, and both have the same shape.

    ```mlir
    %p = tile.addptr %base, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [Pure]> {
  let summary = "a pointer's address";
  let description = [{
    `result = address in bytes` as i64.

    ```mlir
    %i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_PtrLike:$src);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", [Pure]> {
  let summary = "a pointer from an address";
  let description = [{
    `result = pointer to the byte address 'src'`, an i64.

    ```mlir
    %p = tile.int_to_ptr %i : tensor<64xi64> -> tensor<64x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_IntLike:$src);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PtrCastOp : Tile_Op<"ptr_cast", [Pure]> {
  let summary = "the same address with another pointee";
  let description = [{
    `address(result) = address(src)`.

    ```mlir
    %q = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$src);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_InferredOp<"load",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "reads global memory";
  let description = [{
    `result[i] = mask[i] ? *ptr[i] : other[i]`. Without a mask every element is read; without `other` masked-off
    elements are zero. Memory behind a masked-off pointer is not touched.

    Two equal loads with no write between them may become one, unless they are volatile. A load may not be executed
    speculatively: its pointer need not be valid on other paths.

    ```mlir
    %v = tile.load %p : tensor<64x!tile.ptr<f32>>
    %v = tile.load %p mask %m other %o cache(cg) eviction(first) volatile : tensor<64x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Optional<Tile_BoolLike>:$mask, Optional<Tile_Value>:$other,
                       DefaultValuedAttr<Tile_CacheModifier, "CacheModifier::None">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicy, "EvictionPolicy::Normal">:$eviction,
                       UnitAttr:$is_volatile);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $ptr (`mask` $mask^)? (`other` $other^)? (`cache` `(` $cache^ `)`)? (`eviction` `(` $eviction^ `)`)?
    (`volatile` $is_volatile^)? attr-dict `:`
    custom<LoadTypes>(ref($mask), ref($other), type($ptr), type($mask), type($other))
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_LoadStridedOp : Tile_Op<"load_strided", [MemoryEffects<[MemRead]>]> {
  let summary = "reads a matrix of global memory whose lines are a stride apart";
  let description = [{
    `result[i, j] = base[i*stride + j]`, or with `columns` `base[j*stride + i]`; the stride is in elements, from 1 to
    2^27. Base and stride are multiples of 16 bytes, or of the bytes of a line if a line is shorter.

    tile-load-fragments creates it for operands of products that use matrix instructions; only such products may use it.
    The product loads fragments from this memory when it multiplies them.

    ```mlir
    %a = tile.load_strided %p stride %s : !tile.ptr<f16> -> tensor<64x32xf16>
    %b = tile.load_strided %q stride %t columns : !tile.ptr<f16> -> tensor<32x64xf16>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, I64:$stride, UnitAttr:$columns);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$base `stride` $stride (`columns` $columns^)? attr-dict `:` type($base) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes global memory";
  let description = [{
    `*ptr[i] = value[i]` where `mask[i]`, or everywhere without a mask. If several elements have the same address, any
    one of them is stored.

    ```mlir
    tile.store %p, %v mask %m cache(wt) : tensor<64x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_Value:$value, Optional<Tile_BoolLike>:$mask,
                       DefaultValuedAttr<Tile_CacheModifier, "CacheModifier::None">:$cache,
                       DefaultValuedAttr<Tile_EvictionPolicy, "EvictionPolicy::Normal">:$eviction);
  let assemblyFormat = [{
    $ptr `,` $value (`mask` $mask^)? (`cache` `(` $cache^ `)`)? (`eviction` `(` $eviction^ `)`)? attr-dict `:`
    custom<StoreTypes>(ref($mask), type($ptr), type($value), type($mask))
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_AtomicRmwOp : Tile_InferredOp<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "read, combine and write as one step";
  let description = [{
    `result[i] = *ptr[i]; *ptr[i] = kind(*ptr[i], value[i])` where `mask[i]`, each element atomically; the result is
    zero where the mask is false. Integer kinds take integers (`umin`, `umax` unsigned), `fadd`, `fmin`,
    `fmax` floats, and `xchg` anything.

    ```mlir
    %old = tile.atomic_rmw fadd acq_rel device %p, %v mask %m : tensor<64x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_MemoryOrder:$order, Tile_Scope:$scope,
                       Tile_PtrLike:$ptr, Tile_Value:$value, Optional<Tile_BoolLike>:$mask);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $kind $order $scope $ptr `,` $value (`mask` $mask^)? attr-dict `:`
    custom<StoreTypes>(ref($mask), type($ptr), type($value), type($mask))
  }];
  let hasVerifier = 1;
}

def Tile_AtomicCasOp : Tile_InferredOp<"atomic_cas", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "compare and swap as one step";
  let description = [{
    `result[i] = *ptr[i]; if (result[i] == compare[i]) *ptr[i] = value[i]`, each element atomically. Floats are
    compared by their bits.

    ```mlir
    %old = tile.atomic_cas acq_rel device %p, %expected, %desired : !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_MemoryOrder:$order, Tile_Scope:$scope, Tile_PtrLike:$ptr,
                       Tile_Value:$compare, Tile_Value:$value);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $order $scope $ptr `,` $compare `,` $value attr-dict `:` custom<CasTypes>(type($ptr), type($compare), type($value))
  }];
  let hasVerifier = 1;
}

#endif
