// The `layout` dialect: attributes that describe which thread and register holds each element of a tensor. It has no
// ops.
#ifndef TEGULA_LAYOUT_DIALECT
#define TEGULA_LAYOUT_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Layout_Dialect : Dialect {
  let name = "layout";
  let cppNamespace = "::tegula::layout_ir";
  let summary = "where the elements of a tensor are: in registers of threads, in shared memory, or in fragments";
  let description = [{
    `distributed` and `shared` hold a linear map over GF(2) from numbers (of a register, lane, warp and block; or an
    offset) to coordinates. Each bit of a number has a *basis*: the coordinate that it adds, by XOR, if it is set. A
    coordinate has one entry for each dimension of the tensor, slowest first; `(0,1)` is one column to the right.
    `fragments` has no such map, because the device does not state which elements a lane holds. docs/layouts.md teaches
    layouts with worked tables.

    The parameters store bases one after another, `rank` numbers each. `padding` stores pairs: interval, padding.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Layout_Attr<string name, string attrMnemonic> : AttrDef<Layout_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Layout_DistributedAttr : Layout_Attr<"Distributed", "distributed"> {
  let summary = "which thread holds which element, in which register";
  let description = [{
    `element(register, lane, warp) = XOR of the bases of the set bits`. The order of the inputs is fixed; an input
    without bits may be left out. This attribute is the encoding of a tensor at the planned level.

    ```mlir
    // The accumulator of a 16x8 matrix instruction: each lane holds two neighbours in two rows.
    #acc = #layout.distributed<register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0)>
    tensor<16x8xf32, #acc>
    ```
  }];
  let parameters = (ins "unsigned":$rank, ArrayRefParameter<"int64_t">:$registers, ArrayRefParameter<"int64_t">:$lanes,
                        ArrayRefParameter<"int64_t">:$warps, ArrayRefParameter<"int64_t">:$blocks);
  let builders = [AttrBuilder<(ins "const ::tegula::layout::LinearLayout &":$layout)>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The map from register, lane, warp, block to the dimensions of a tensor of this shape.
    ::tegula::layout::LinearLayout getLayout(::llvm::ArrayRef<int64_t> shape) const;
  }];
}

def Layout_SharedAttr : Layout_Attr<"Shared", "shared"> {
  let summary = "where an element of a tile is in shared memory";
  let description = [{
    The element at an offset (counted in elements) has the coordinate `XOR of the bases of the offset's set bits`. After
    the bases, `pad P every I` inserts P unused elements after every I elements; padding is not linear, so it is not
    part of the map. A basis of zeros is a *hole*, offsets that the tile does not use: a part of a larger tile has
    holes.

    ```mlir
    // 8 rows of 8, row-major; the same with a row's position XORed by its number; the same with 2 elements of padding.
    #rows = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0) (4,0)>
    #swizzled = #layout.shared<(0,1) (0,2) (0,4) (1,1) (2,2) (4,4)>
    #padded = #layout.shared<(0,1) (0,2) (0,4) (1,0) (2,0) (4,0), pad 2 every 8>
    ```
  }];
  let parameters = (ins "unsigned":$rank, ArrayRefParameter<"int64_t">:$bases, ArrayRefParameter<"int64_t">:$padding);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The basis of an offset's bit: one number for each dimension.
    ::llvm::ArrayRef<int64_t> getBasis(unsigned bit) const { return getBases().slice(bit * getRank(), getRank()); }
    unsigned getBits() const { return getBases().size() / getRank(); }
    /// The number of elements of storage from the first to the last, including the padding between them.
    int64_t getStorageElements() const;
    /// The offset in storage, including padding, of the element at `offset` of the linear map.
    int64_t getPadded(int64_t offset) const;
    /// This layout as a value of core/layout.
    ::tegula::layout::SharedLayout getLayout() const;
    /// The extents of the tile: the span of the bases.
    ::llvm::SmallVector<int64_t> getShape() const;
  }];
}

def Layout_FragmentsAttr : Layout_Attr<"Fragments", "fragments"> {
  let summary = "a tensor in opaque fragments of warps";
  let description = [{
    The last two axes, padded up to multiples of `rows` and `columns`, are cut into fragments of that shape, which are
    accumulators of a matrix instruction. `warps` has one number for each axis: into how many blocks the grid of
    fragments is divided along it. With `warps [W0, W1, W2]`, the warp whose number modulo `W0 * W1 * W2` is
    `(b * W1 + r) * W2 + c` holds block (b, r, c); so warps from `W0 * W1 * W2` on hold copies. Which lane holds which
    element of a fragment is not known. A tensor whose elements have another type than the fragments has its elements in
    the same lanes as a tensor of the fragments' type. See docs/matrix/fragments.md.

    Besides matrices there are three kinds:

    - `operand`: the left operand of a product; each warp holds all columns of its rows.
    - `column`: one column of a matrix, repeated in all columns of its fragments. The tensor has rank 1, or extent 1
      along the columns.
    - `row`: one row of a matrix, repeated in all rows of its fragments.

    ```mlir
    // 8 x 8 fragments of 16 x 16: each of 8 warps holds 4 x 2 of them.
    tensor<128x128xf32, #layout.fragments<16x16xf32, warps [2, 4]>>
    tensor<64x128xf16, #layout.fragments<16x16xf16, warps [4, 1], operand>>
    tensor<64xf32, #layout.fragments<16x16xf32, warps [4, 1], column>>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                        ArrayRefParameter<"int64_t">:$warps, "::tegula::layout_ir::FragmentsKind":$kind);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// This attribute with another kind.
    FragmentsAttr as(FragmentsKind kind) const;
    /// The number of fragments along each axis of a tensor of this shape; along a batch axis its extent, along the axis
    /// that a `row` or `column` does not have, 1.
    ::llvm::SmallVector<int64_t, 3> getGrid(::llvm::ArrayRef<int64_t> shape) const;
    /// The number of fragments that each warp holds along each axis.
    ::llvm::SmallVector<int64_t, 3> getGridOfWarp(::llvm::ArrayRef<int64_t> shape) const;
    /// The number of warps that hold different fragments.
    int64_t getWarpCount() const;
    /// True if a tensor of this shape can have this encoding.
    bool covers(::llvm::ArrayRef<int64_t> shape) const;
  }];
}

#endif
