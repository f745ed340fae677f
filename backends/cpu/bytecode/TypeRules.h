// The type rules of all opcodes, which verifyTypes applies.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"
#include "backends/cpu/bytecode/OpcodeInfo.h"
#include "core/support/Diagnostic.h"

#include <string>
#include <vector>

namespace tegula::cpu {

using TileShape = std::vector<int64_t>; // extent along each axis

/// An instruction, with short names for its parts, and the tests from which rules are composed. A test that fails
/// throws its reason.
class TypeRules {
public:
  TypeRules(const Module &module, const Function &function, const Instruction &instruction)
      : m_(module), f_(function), i_(instruction) {}

  const TileType &in(unsigned k) const { return f_.type(f_.registersUsed[i_.operands + k] & ~kLastUse); }
  bool hasOut(unsigned k = 0) const { return k < i_.resultCount && f_.registersUsed[i_.results + k] != kNoRegister; }
  const TileType &out(unsigned k = 0) const { return f_.type(f_.registersUsed[i_.results + k]); }
  int64_t attribute(unsigned k) const { return f_.integers[i_.attributes + k]; }
  unsigned count() const { return i_.operandCount; }

  static void require(bool holds, const std::string &reason) {
    if (!holds)
      throw Error(reason);
  }
  void attributeBelow(unsigned k, int64_t limit) const {
    require(attribute(k) >= 0 && attribute(k) < limit, "attribute " + std::to_string(k) + " is " +
                                                           std::to_string(attribute(k)) + ", expected 0 to " +
                                                           std::to_string(limit - 1));
  }
  static void sameShape(const TileType &a, const TileType &b) { require(a.shape == b.shape, "shapes differ"); }
  static void sameElement(const TileType &a, const TileType &b) {
    require(a.element == b.element,
            "element types differ: " + std::string(name(a.element)) + " and " + std::string(name(b.element)));
  }
  static void same(const TileType &a, const TileType &b) {
    sameShape(a, b);
    sameElement(a, b);
  }
  static void plain(const TileType &t) {
    require(t.element != ElementKind::Descriptor, "a descriptor where a tile is expected");
  }
  static void integer(const TileType &t) {
    require(isInteger(t.element), std::string(name(t.element)) + " where an integer is expected");
  }
  static void floating(const TileType &t) {
    require(isFloat(t.element), std::string(name(t.element)) + " where a float is expected");
  }
  static void pointer(const TileType &t) {
    require(t.element == ElementKind::Pointer, std::string(name(t.element)) + " where a pointer is expected");
  }
  static void mask(const TileType &t) {
    require(t.element == ElementKind::I1, std::string(name(t.element)) + " where i1 is expected");
  }
  static void scalar(const TileType &t) { require(t.shape.empty(), "a tile where a scalar is expected"); }
  static void scalarInteger(const TileType &t) {
    scalar(t);
    integer(t);
  }
  static void descriptor(const TileType &t) {
    require(t.element == ElementKind::Descriptor, std::string(name(t.element)) + " where a descriptor is expected");
    require(!t.shape.empty(), "a descriptor without axes");
    require(t.pointee != ElementKind::Pointer, "a descriptor of pointers");
  }
  /// Tests that the pointer's pointee is the value's element type.
  static void pointsTo(const TileType &p, const TileType &value) {
    pointer(p);
    sameShape(p, value);
    require(p.pointee == value.element,
            "a pointer to " + std::string(name(p.pointee)) + " with a value of " + std::string(name(value.element)));
  }
  void target(unsigned k) const { attributeBelow(k, static_cast<int64_t>(f_.code.size())); }
  void axis(unsigned k, const TileType &t) const { attributeBelow(k, static_cast<int64_t>(t.shape.size())); }
  void string(unsigned k) const { attributeBelow(k, static_cast<int64_t>(m_.strings.size())); }

  // --- TypeRulesData.cpp ---
  void constants() const;
  void shapes() const;
  void casts() const;
  void memory() const;
  void atomics() const;
  // --- TypeRulesOperations.cpp ---
  void descriptors() const;
  void tiles() const;
  void dot() const;
  void elementwise() const;
  void control() const;

private:
  const Module &m_;
  const Function &f_;
  const Instruction &i_;
};

} // namespace tegula::cpu
