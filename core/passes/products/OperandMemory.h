// The shared memory layouts by which operands of matrix instructions change from the layout in which they are computed
// to the instruction's layout, on targets where threads load fragments themselves.
#pragma once

#include "core/ir/layout/LayoutRules.h"
#include "core/layout/Conversion.h"

#include <optional>

namespace tegula::tile {

/// The shared memory layout of a conversion from one layout to another, if the conversion moves elements between
/// threads: each thread's stores and loads are as wide as its registers allow, without bank conflicts if possible.
/// `pads`: use padding instead of a swizzle if that is as good.
std::optional<layout::SharedLayout> memoryOf(layout_ir::DistributedAttr from, layout_ir::DistributedAttr to,
                                             llvm::ArrayRef<int64_t> shape, int64_t elementBytes, bool exchangesPairs,
                                             bool pads);

/// Makes the attribute that represents a shared memory layout.
layout_ir::SharedAttr attributeOf(mlir::MLIRContext *context, const layout::SharedLayout &memory);

/// The layout of each part of this extent along an axis, if every thread holds equally many registers of each part.
/// That requires that the part of an element depends on bits of the register number alone.
std::optional<layout_ir::DistributedAttr> layoutOfPart(layout_ir::DistributedAttr layout, unsigned axis,
                                                       int64_t extent);

} // namespace tegula::tile
