// The shared memory through which operands of matrix instructions go from the layout that they are computed in to the
// instruction's, where threads load fragments themselves.
#pragma once

#include "core/ir/layout/LayoutRules.h"
#include "core/layout/Conversion.h"

#include <optional>

namespace tegula::tile {

/// The layout of the memory of a conversion from one layout to another, if it moves elements between threads: each
/// thread's stores and loads are as wide as its registers allow, without bank conflicts if possible. `pads`: padded and
/// not swizzled, if that is as good.
std::optional<layout::SharedLayout> memoryOf(layout_ir::DistributedAttr from, layout_ir::DistributedAttr to,
                                             llvm::ArrayRef<int64_t> shape, int64_t elementBytes, bool exchangesPairs,
                                             bool pads);

/// The attribute of a buffer with this layout.
layout_ir::SharedAttr attributeOf(mlir::MLIRContext *context, const layout::SharedLayout &memory);

/// The layout of each part of this extent along an axis, if every thread holds equally many registers of each: bits of
/// the register's number, and nothing else, tell parts apart.
std::optional<layout_ir::DistributedAttr> layoutOfPart(layout_ir::DistributedAttr layout, unsigned axis,
                                                       int64_t extent);

} // namespace tegula::tile
