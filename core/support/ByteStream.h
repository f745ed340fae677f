// Little-endian encoding of metadata in files: artifacts and cache entries. The reader is safe for damaged input: it
// reads only the given bytes, and allocates no more memory than they could describe.
#pragma once

#include "core/support/Diagnostic.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tegula {

class ByteWriter {
public:
  template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void put(T value) {
    auto bits = static_cast<uint64_t>(value);
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  }
  void put(double value) { put(std::bit_cast<uint64_t>(value)); }
  void put(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  void put(const std::string &text) { put(std::string_view(text)); }
  void put(const char *text) { put(std::string_view(text)); }
  void putBytes(std::span<const uint8_t> bytes) {
    put(static_cast<uint64_t>(bytes.size()));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void putRaw(std::span<const uint8_t> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  const std::vector<uint8_t> &bytes() const { return bytes_; }
  std::vector<uint8_t> take() { return std::move(bytes_); }

private:
  std::vector<uint8_t> bytes_;
};

/// Reads values. Throws tegula::Error "truncated" if the bytes end early.
class ByteReader {
public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  T get() {
    std::span<const uint8_t> raw = getRaw(sizeof(T));
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      bits |= static_cast<uint64_t>(raw[i]) << (8 * i);
    if constexpr (std::is_same_v<T, bool>)
      return bits != 0;
    else
      return static_cast<T>(bits);
  }
  double getDouble() { return std::bit_cast<double>(get<uint64_t>()); }
  std::string getString() {
    std::span<const uint8_t> raw = getRaw(get<uint32_t>());
    return std::string(raw.begin(), raw.end());
  }
  std::span<const uint8_t> getBytes() { return getRaw(get<uint64_t>()); }
  std::span<const uint8_t> getRaw(uint64_t size) {
    if (size > bytes_.size())
      throw Error("truncated: " + std::to_string(size) + " more bytes expected, " + std::to_string(bytes_.size()) +
                  " left");
    std::span<const uint8_t> result = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return result;
  }
  /// Reads a count of items that take at least `minimumBytes` bytes each.
  uint32_t getCount(size_t minimumBytes) {
    auto count = get<uint32_t>();
    if (count > bytes_.size() / minimumBytes)
      throw Error("damaged: " + std::to_string(count) + " entries announced, " + std::to_string(bytes_.size()) +
                  " bytes left");
    return count;
  }
  /// Reads an enumerator, which must not exceed `last`.
  template <class E>
    requires std::is_enum_v<E>
  E getEnum(E last) {
    E value = get<E>();
    if (value > last)
      throw Error("damaged: unknown value " + std::to_string(static_cast<uint64_t>(value)) + " where at most " +
                  std::to_string(static_cast<uint64_t>(last)) + " is known");
    return value;
  }
  size_t left() const { return bytes_.size(); }

private:
  std::span<const uint8_t> bytes_;
};

} // namespace tegula
