// The argument of `tegula layout`: the text form of a layout, or a constructor call.
#pragma once

#include "core/layout/SharedLayout.h"

#include <string>
#include <string_view>

namespace tegula::cli {

/// A parsed layout: distributed (inputs register, lane, warp, block) or of shared memory (input offset).
struct LayoutValue {
  layout::LinearLayout map;
  std::vector<layout::Padding> paddings; // of a shared-memory layout
  uint32_t elementBytes = 4;
  /// The tensor's extents: smaller than the sizes of the outputs for instructions whose n is no power of two.
  std::vector<uint32_t> extent;

  bool isShared() const { return map.hasInput(layout::kOffset); }
};

/// The constructors, one line each, for help and messages.
std::string_view layoutConstructors();

/// Throws tegula::Error located in `text`.
LayoutValue parseLayoutExpression(std::string_view text);

/// `16x8`: powers of two.
std::vector<uint32_t> parseLayoutShape(std::string_view text);

/// A distributed layout extended (or wrapped) to a shape by its registers; throws for a shared-memory layout.
LayoutValue withShape(const LayoutValue &value, const std::vector<uint32_t> &shape);

} // namespace tegula::cli
