// The `layout` dialect: the attributes that say where elements are. It has no ops.
#ifndef TEGULA_LAYOUT_DIALECT
#define TEGULA_LAYOUT_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Layout_Dialect : Dialect {
  let name = "layout";
  let cppNamespace = "::tegula::layout_ir";
  let summary = "where the elements of a tensor are: in registers of threads, or in shared memory";
  let description = [{
    Bases are kept one after another, `rank` numbers each; `padding` holds pairs of interval and padding. The first two attributes hold a linear map over GF(2): each input bit has a basis, the coordinate that it adds (by XOR). A
    coordinate is a tuple, one entry for each dimension of the tensor, slowest first. docs/layouts.md teaches them.
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
    `element(register, lane, warp) = XOR of the bases of the set bits`. The order of the inputs is fixed; one without
    bits may be left out. As the encoding of a tensor it is the planned level's layout.

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
    Bit i of the offset, in elements, has basis i: the coordinate of the element there. After the bases, `pad P every I`
    inserts P unused elements after each I of them; padding is not linear and stands outside the map. A basis of zeros is
    a hole: parts of larger tiles have them.

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
    /// Coordinate of offset bit `bit`, one number a dimension.
    ::llvm::ArrayRef<int64_t> getBasis(unsigned bit) const { return getBases().slice(bit * getRank(), getRank()); }
    unsigned getBits() const { return getBases().size() / getRank(); }
    /// Elements of storage from the first to the last, padding within included.
    int64_t getStorageElements() const;
    /// Where the element at offset `offset` (a number of the linear map) is in padded storage.
    int64_t getPadded(int64_t offset) const;
    /// The same as core/layout has it.
    ::tegula::layout::SharedLayout getLayout() const;
    /// The extents of the tile: the span of the bases.
    ::llvm::SmallVector<int64_t> getShape() const;
  }];
}

def Layout_FragmentsAttr : Layout_Attr<"Fragments", "fragments"> {
  let summary = "a tensor in opaque fragments of warps";
  let description = [{
    The last two axes, padded up to multiples of `rows` and `columns`, are cut into fragments of that shape, accumulators of
    a matrix instruction. `warps` has one number for each axis: as many blocks the grid of fragments is divided into along
    it. The warp with number `((b * W1) + r) * W2 + c` in its lowest bits, of `warps [W0, W1, W2]`, holds block (b, r, c);
    warps beyond hold copies. Where a lane has which element of a fragment nobody knows. Elements of other types than the
    fragments' lie where those of the fragments' type would. docs/matrix.md.

    Three kinds are of matrices: `operand` holds the left operand of a product, all columns in each warp; and `column` and
    `row` hold one column of a matrix, repeated in all columns of its fragments, or one row. A column is a tensor of rank 1,
    or one with an extent of 1 along the columns.

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
    /// The same, of a kind.
    FragmentsAttr as(FragmentsKind kind) const;
    /// How many fragments there are along each axis of a tensor of this shape; an entry of a batch is one each. One along
    /// the axis that a row or a column lacks.
    ::llvm::SmallVector<int64_t, 3> getGrid(::llvm::ArrayRef<int64_t> shape) const;
    /// How many of them each warp holds.
    ::llvm::SmallVector<int64_t, 3> getGridOfWarp(::llvm::ArrayRef<int64_t> shape) const;
    /// The warps that hold different fragments.
    int64_t getWarpCount() const;
    /// Whether a tensor of this shape can be so.
    bool covers(::llvm::ArrayRef<int64_t> shape) const;
  }];
}

#endif
