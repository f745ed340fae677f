// The names of a layout's input and output dimensions. They are constants, not strings, so that a misspelt name does
// not compile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::layout {

/// Input dimensions of distributed layouts are kRegister, kLane, kWarp, kBlock; of shared-memory layouts kOffset, in
/// elements. Output dimensions are those of the tensor, tensorDim(0), tensorDim(1), ..., or kOffset.
enum class Dim : uint8_t { Register, Lane, Warp, Block, Offset, Tensor };

inline constexpr Dim kRegister = Dim::Register;
inline constexpr Dim kLane = Dim::Lane;
inline constexpr Dim kWarp = Dim::Warp;
inline constexpr Dim kBlock = Dim::Block;
inline constexpr Dim kOffset = Dim::Offset;

inline constexpr unsigned kMaxTensorRank = 16;

/// Dimension `index` of a tensor: 0 is the slowest in a row-major array.
constexpr Dim tensorDim(unsigned index) { return static_cast<Dim>(static_cast<unsigned>(Dim::Tensor) + index); }
constexpr bool isTensorDim(Dim dim) { return dim >= Dim::Tensor; }
constexpr unsigned tensorIndex(Dim dim) { return static_cast<unsigned>(dim) - static_cast<unsigned>(Dim::Tensor); }
inline constexpr Dim kDim0 = tensorDim(0);
inline constexpr Dim kDim1 = tensorDim(1);
inline constexpr Dim kDim2 = tensorDim(2);

/// `register`, `lane`, `warp`, `block`, `offset`, `dim0`, `dim1`, ...
std::string name(Dim dim);
std::optional<Dim> parseDim(std::string_view text);

/// A dimension and its size, a power of two.
struct Extent {
  Dim dim;
  uint32_t size;
  bool operator==(const Extent &) const = default;
};

/// The extents dim0, dim1, ... with these sizes.
std::vector<Extent> tensorExtents(const std::vector<uint32_t> &shape);

} // namespace tegula::layout
