// What `tegula layout` takes: the text form of a layout, or a constructor call.
#pragma once

#include "core/layout/SharedLayout.h"

#include <string>
#include <string_view>

namespace tegula::cli {

/// A layout to look at: distributed (inputs register, lane, warp, block) or of shared memory (input offset).
struct LayoutValue {
  layout::LinearLayout map;
  std::vector<layout::Padding> paddings; // of shared memory
  uint32_t elementBytes = 4;
  /// The part of the outputs that exists: less than their sizes for instructions with an n that is no power of two.
  std::vector<uint32_t> extent;

  bool isShared() const { return map.hasInput(layout::kOffset); }
};

/// The constructors, one line each, for help and messages.
std::string_view layoutConstructors();

/// Throws tegula::Error located in `text`.
LayoutValue parseLayoutExpression(std::string_view text);

/// `16x8`: powers of two.
std::vector<uint32_t> parseLayoutShape(std::string_view text);

/// A distributed layout grown (or wrapped) to a shape by registers; throws for one of shared memory.
LayoutValue withShape(const LayoutValue &value, const std::vector<uint32_t> &shape);

} // namespace tegula::cli
