// Matrix products: on register tiles, asynchronous ones (at the level of threads and of tiles), and on opaque
// fragments.
#ifndef TEGULA_SIMT_MATRIX_OPS
#define TEGULA_SIMT_MATRIX_OPS

include "core/ir/simt/SimtInstruction.td"
include "core/ir/simt/SimtSchedule.td"
include "core/ir/simt/SimtOpBase.td"

def Simt_MmaOp : Simt_CollectiveOp<"mma", 1, [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "matrix products of a warp on register tiles";
  let description = [{
    `result = a * b + c`. `instruction` names a matrix instruction of the backends' tables, which give its shape and the
    layouts of A (m x k), B (k x n) and C (m x n). `tiles [M, N, K]` repeats it: `a` holds M*K fragments, `b` N*K, `c`
    M*N, the last index fastest: `c[i][j] += a[i][0] * b[j][0] + ... + a[i][K-1] * b[j][K-1]`.

    ```mlir
    %d = simt.mma %a, %b, %c instruction "mma.m16n8k16.f32.f16" tiles [4, 8, 1]
      : vector<32xf16>, vector<32xf16>, vector<128xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$a, AnyVectorOfAnyRank:$b, AnyVectorOfAnyRank:$c, StrAttr:$instruction,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{1, 1, 1}">:$tiles);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c `instruction` $instruction (`tiles` $tiles^)? attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
}

def Simt_MatmulAsyncOp : Simt_CollectiveOp<"matmul_async", 4,
    [MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>,
     Simt_AsyncMatmul]> {
  let summary = "starts a matrix product of four warps";
  let description = [{
    `result = accumulator + a * b`, or `a * b` if `accumulate` is given and false. `b` (k x n) is in shared memory; `a`
    (m x k) is in shared memory, or in registers in the layout of the matrix instruction `instruction`. k may be a
    multiple of the instruction's, and m too: the accumulator then holds the fragments of the m-tiles one after another.
    The result is *in flight*: only another `matmul_async` or `simt.matmul_wait` may take it. The shared memory that `a`
    and `b` view may not be written before the wait.

    ```mlir
    %1 = simt.matmul_async %a, %b, %0 instruction "m64n256k16.f32.f16"
      : !simt.shared<64x64xf16, #sa>, !simt.shared<64x256xf16, #sb>, vector<128xf32>
    ```
  }];
  let arguments = (ins AnyType:$a, Simt_SharedType:$b, AnyVectorOfAnyRank:$accumulator, Optional<I1>:$accumulate,
                       StrAttr:$instruction);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`accumulate` $accumulate^)? `instruction` $instruction attr-dict
    `:` type($a) `,` type($b) `,` type($accumulator)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getCollectiveWarps() { return 4; }
    ::mlir::Value getAccumulatorIn() { return getAccumulator(); }
    ::mlir::Value getAccumulatorOut() { return getResult(); }
  }];
}

def Simt_MatmulWaitOp : Simt_CollectiveOp<"matmul_wait", 4, [Simt_BarrierLike, InferTypeOpAdaptor]> {
  let summary = "waits for matrix products and returns their accumulators";
  let description = [{
    Waits until at most `pending` of the products that these four warps have started are in flight; products end in
    order. The results are the operands, no longer in flight. Each operand must be the accumulator of a product that has
    ended after the wait.

    ```mlir
    %2 = simt.matmul_wait 0 %1 : vector<128xf32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending, Variadic<AnyVectorOfAnyRank>:$accumulators);
  let results = (outs Variadic<AnyVectorOfAnyRank>:$results);
  let assemblyFormat = "$pending attr-dict custom<Accumulators>($accumulators, type($accumulators))";
  let extraClassDeclaration = [{
    int64_t getCollectiveWarps() { return 4; }
    bool mayBlock() { return false; }
  }];
}

// --- products at the planned level ---

def Simt_ProductOp : Simt_Op<"product", [MemoryEffects<[MemRead]>, AllTypesMatch<["c", "result"]>,
                                        Simt_AsyncMatmul]> {
  let summary = "starts a product of tiles whose instruction reads shared memory, at the planned level";
  let description = [{
    `result = a * b + c`, by a matrix instruction that several warps start and do not wait for. `b` (k x n) is in shared
    memory; `a` (m x k) is there too, or a tensor in registers. The result is *in flight*: only another product may take
    it, as its `c`, or a `simt.wait_products`; loops and branches may carry it. The shared memory that `a` and `b` view
    may not be written before such a wait.

    ```mlir
    %r = simt.product %a, %b, %c instruction #group
      : !simt.shared<128x64xf16, #sa>, !simt.shared<64x128xf16, #sb>, tensor<128x128xf32, #c>
    %d = simt.wait_products %r : tensor<128x128xf32, #c>
    ```
  }];
  let arguments = (ins AnyType:$a, Simt_SharedType:$b, AnyRankedTensor:$c, Simt_InstructionAttr:$instruction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c `instruction` $instruction attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getAccumulatorIn() { return getC(); }
    ::mlir::Value getAccumulatorOut() { return getResult(); }
  }];
}

def Simt_WaitProductsOp : Simt_Op<"wait_products", [MemoryEffects<[MemRead, MemWrite]>,
                                                   AllTypesMatch<["product", "result"]>]> {
  let summary = "waits until the named product, and all that were started before it, have ended";
  let description = [{
    The operand names the product by its result in flight. If a later product has already taken that result as its
    accumulator, the op only waits, and its own result must not be used. Otherwise its result is the finished product.

    ```mlir
    %d = simt.wait_products %r : tensor<128x128xf32, #c>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$product);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$product attr-dict `:` type($product)";
}

// --- opaque fragments ---

def Simt_FragmentFillOp : Simt_CollectiveOp<"fragment_fill", 1, [Pure]> {
  let summary = "a fragment of one value";
  let description = [{
    ```mlir
    %c = simt.fragment_fill %zero : f32 -> !simt.fragment<16x16xf32, acc>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyInteger, AnyFloat]>:$value);
  let results = (outs Simt_FragmentType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_FragmentLoadOp : Simt_CollectiveOp<"fragment_load", 1, [MemoryEffects<[MemRead]>]> {
  let summary = "loads a fragment from shared or global memory";
  let description = [{
    `element(i, j) = memory[offset + i*stride + j]` (row) or `memory[offset + j*stride + i]` (column); offset and stride
    in elements, uniform in the warp. A shared source is row-major or padded, not swizzled: an offset and a stride
    cannot describe a swizzle.

    ```mlir
    %a = simt.fragment_load row %t[%o] stride %s : !simt.shared<64x32xf16, #padded> -> !simt.fragment<16x16xf16, a>
    %b = simt.fragment_load column %x[%o] stride %s : !tile.ptr<f16> -> !simt.fragment<16x16xf16, b>
    ```
  }];
  let arguments = (ins Simt_FragmentOrder:$order, AnyTypeOf<[Simt_SharedType, Tile_PtrType]>:$src, I32:$offset,
                       I32:$stride);
  let results = (outs Simt_FragmentType:$result);
  let assemblyFormat = "$order $src `[` $offset `]` `stride` $stride attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_FragmentStoreOp : Simt_CollectiveOp<"fragment_store", 1, [MemoryEffects<[MemWrite]>]> {
  let summary = "stores a fragment to shared or global memory";
  let description = [{
    The counterpart of `simt.fragment_load`.

    ```mlir
    simt.fragment_store row %c, %y[%o] stride %n : !simt.fragment<16x16xf32, acc>, !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Simt_FragmentOrder:$order, Simt_FragmentType:$value,
                       AnyTypeOf<[Simt_SharedType, Tile_PtrType]>:$dst, I32:$offset, I32:$stride);
  let assemblyFormat = [{
    $order $value `,` $dst `[` $offset `]` `stride` $stride attr-dict `:` type($value) `,` type($dst)
  }];
  let hasVerifier = 1;
}

def Simt_FragmentMmaOp : Simt_CollectiveOp<"fragment_mma", 1, [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "matrix product of fragments";
  let description = [{
    `result = a * b + c`.

    ```mlir
    %d = simt.fragment_mma %a, %b, %c
      : !simt.fragment<16x16xf16, a>, !simt.fragment<16x16xf16, b>, !simt.fragment<16x16xf32, acc>
    ```
  }];
  let arguments = (ins Simt_FragmentType:$a, Simt_FragmentType:$b, Simt_FragmentType:$c);
  let results = (outs Simt_FragmentType:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c)";
  let hasVerifier = 1;
}

def Simt_FragmentElementsOp : Simt_CollectiveOp<"fragment_elements", 1, [Pure]> {
  let summary = "this lane's elements of a fragment, in an order that the target keeps to itself";
  let description = [{
    For elementwise ops; `simt.fragment_from_elements` makes a fragment of them again. The vector has
    `rows * columns / warp size` elements.

    ```mlir
    %v = simt.fragment_elements %c : !simt.fragment<16x16xf32, acc> -> vector<8xf32>
    ```
  }];
  let arguments = (ins Simt_FragmentType:$src);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_FragmentFromElementsOp : Simt_CollectiveOp<"fragment_from_elements", 1, [Pure]> {
  let summary = "a fragment from each lane's elements";
  let description = [{
    The inverse of `simt.fragment_elements` for the same fragment type. For another type the order may be another.

    ```mlir
    %h = simt.fragment_from_elements %v : vector<8xf32> -> !simt.fragment<16x16xf32, acc>
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$src);
  let results = (outs Simt_FragmentType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_FragmentReduceRowsOp : Simt_CollectiveOp<"fragment_reduce_rows", 1, [Pure, AllTypesMatch<["src", "result"]>]> {
  let summary = "each row of an accumulator combined to one value, which all its elements become";
  let description = [{
    `result(i, j) = src(i, 0) combined with src(i, 1), src(i, 2), ...`, in an order that the target keeps to itself.

    ```mlir
    %m = simt.fragment_reduce_rows maxnumf %s : !simt.fragment<16x16xf32, acc>
    ```
  }];
  let arguments = (ins Simt_CombineKind:$kind, Simt_FragmentType:$src);
  let results = (outs Simt_FragmentType:$result);
  let assemblyFormat = "$kind $src attr-dict `:` type($src)";
  let hasVerifier = 1;
}

def Simt_FragmentConvertOp : Simt_CollectiveOp<"fragment_convert", 1, [Pure]> {
  let summary = "an accumulator as an operand of the next product";
  let description = [{
    The same matrix of floats as an operand of a product. The result's element type must hold each value exactly: values
    for a narrower type must have been rounded to it before.

    ```mlir
    %a = simt.fragment_convert %p : !simt.fragment<16x16xf32, acc> -> !simt.fragment<16x16xf16, a>
    ```
  }];
  let arguments = (ins Simt_FragmentType:$src);
  let results = (outs Simt_FragmentType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_FragmentCoordinatesOp : Simt_CollectiveOp<"fragment_coordinates", 1, [Pure]> {
  let summary = "where in the fragment this lane's elements are";
  let description = [{
    The row and the column of each element that `simt.fragment_elements` returns for a fragment of type `of`.

    ```mlir
    %row, %column = simt.fragment_coordinates of !simt.fragment<16x16xf32, acc> : vector<8xi32>, vector<8xi32>
    ```
  }];
  let arguments = (ins TypeAttrOf<Simt_FragmentType>:$of);
  let results = (outs VectorOfAnyRankOf<[I32]>:$rows, VectorOfAnyRankOf<[I32]>:$columns);
  let assemblyFormat = "`of` $of attr-dict `:` type($rows) `,` type($columns)";
  let hasVerifier = 1;
}

#endif
