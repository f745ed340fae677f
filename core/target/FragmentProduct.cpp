#include "core/target/FragmentProduct.h"

#include <array>
#include <charconv>

namespace tegula {

std::string name(const FragmentProduct &product) {
  return std::to_string(product.m) + "x" + std::to_string(product.n) + "x" + std::to_string(product.k) + "." +
         std::string(name(product.operand)) + "." + std::string(name(product.accumulator));
}

std::optional<FragmentProduct> parseFragmentProduct(std::string_view text) {
  FragmentProduct product;
  std::array<int64_t *, 3> extents = {&product.m, &product.n, &product.k};
  for (size_t i = 0; i < extents.size(); ++i) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *extents[i]);
    auto used = static_cast<size_t>(end - text.data());
    char expected = i + 1 < extents.size() ? 'x' : '.';
    if (error != std::errc() || used >= text.size() || text[used] != expected || *extents[i] <= 0)
      return std::nullopt;
    text.remove_prefix(used + 1);
  }
  size_t dot = text.find('.');
  if (dot == std::string_view::npos)
    return std::nullopt;
  std::optional<ScalarType> operand = parseScalarType(text.substr(0, dot));
  std::optional<ScalarType> accumulator = parseScalarType(text.substr(dot + 1));
  if (!operand || !accumulator)
    return std::nullopt;
  product.operand = *operand;
  product.accumulator = *accumulator;
  return product;
}

} // namespace tegula
