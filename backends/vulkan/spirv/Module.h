// backends/vulkan/spirv writes SPIR-V modules: binary words from calls, in the order that the specification demands. It
// depends on SPIR-V only: not on MLIR, the Vulkan API or kernels. It adds what an instruction implies: the capability
// of a type, the extension of a capability, the alignment operand of a physical pointer. The caller decides everything
// else. `Module` holds the sections outside of functions, `Builder` writes function bodies.
//
//   Module module;                                   // SPIR-V 1.5, physical addressing, Vulkan memory model
//   Builder b(module);
//   b.beginFunction(module.voidType(), {});
//   Id i = b.extract(b.load(module.builtin(spv::BuiltIn::GlobalInvocationId, uvec3)), 0);
//   ...
//   b.ret(); Id main = b.endFunction();
//   module.kernel(main, "main", {64, 1, 1});
//   std::vector<uint32_t> words = module.words();
//
// Source: the SPIR-V specification, 1.6 unified; section numbers below refer to it.
#pragma once

#include "backends/vulkan/spirv/Newer.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tegula::spirv {

/// The id of an instruction's result; 0 is none.
using Id = uint32_t;

enum class FloatFormat : uint8_t { Ieee, BFloat16, F8E4M3, F8E5M2 };

/// The role of a cooperative matrix in a matrix instruction.
enum class MatrixUse : uint32_t { A = 0, B = 1, Accumulator = 2 };

/// Describes a type.
struct TypeInfo {
  spv::Op op = spv::Op::OpTypeVoid;
  uint32_t bits = 0; // width of an integer or a float
  FloatFormat format = FloatFormat::Ieee;
  Id element = 0;                                          // of a vector, array or matrix; the pointee of a pointer
  uint32_t count = 0;                                      // elements of a vector or array; columns of a matrix
  uint32_t rows = 0;                                       // rows of a matrix
  spv::StorageClass storage = spv::StorageClass::Function; // storage class of a pointer
  std::vector<Id> members;                                 // member types of a struct
};

/// A member of a struct with explicit offsets, in bytes.
struct Member {
  Id type = 0;
  uint32_t offset = 0;
};

/// Appends one instruction to `to`: word count and opcode, then the operands.
void append(std::vector<uint32_t> &to, spv::Op op, std::span<const uint32_t> operands);
/// Appends a literal string: UTF-8, zero-terminated, padded to four bytes.
void appendString(std::vector<uint32_t> &to, std::string_view text);

class Module {
public:
  static constexpr uint32_t kVersion15 = 0x00010500; // the version for Vulkan 1.2
  static constexpr uint32_t kVersion16 = 0x00010600; // for Vulkan 1.3; capabilities may raise a module to it

  explicit Module(uint32_t version = kVersion15);
  Module(const Module &) = delete;

  Id newId(Id type = 0);
  /// The type of a value. Throws InternalError for an id without a type.
  Id typeOf(Id value) const;
  bool isOfType(Id value, Id type) const { return type && value < types_.size() && types_[value] == type; }
  const TypeInfo &info(Id type) const;
  const TypeInfo &infoOf(Id value) const { return info(typeOf(value)); }

  /// Declares a capability once, together with the extension that it needs in SPIR-V 1.5.
  void capability(spv::Capability capability);
  void extension(std::string_view name);
  const std::set<spv::Capability> &capabilities() const { return capabilities_; }

  // Types. Each is declared once, together with the capabilities that it needs. Integers are signless: instructions
  // choose signedness.
  Id voidType();
  Id boolType();
  Id intType(uint32_t bits);
  Id floatType(uint32_t bits, FloatFormat format = FloatFormat::Ieee);
  Id vectorType(Id element, uint32_t count);
  /// `stride`: in bytes, for a storage class with explicit layout; otherwise 0.
  Id arrayType(Id element, uint32_t count, uint32_t stride = 0);
  /// A struct with explicit offsets. `block`: the struct is the type of push constants or of explicitly laid out
  /// workgroup memory.
  Id structType(std::span<const Member> members, bool block);
  Id pointerType(spv::StorageClass storage, Id pointee);
  Id functionType(Id result, std::span<const Id> params);
  /// A matrix type of SPV_KHR_cooperative_matrix; `scope`: the group of invocations that together hold the matrix.
  Id matrixType(Id component, spv::Scope scope, uint32_t rows, uint32_t columns, MatrixUse use);

  // Constants, each declared once. Bits of `bits` beyond the type's width must be zeros or copies of the sign bit.
  Id constant(Id type, uint64_t bits);
  Id constantU32(uint32_t value) { return constant(intType(32), value); }
  Id constantU64(uint64_t value) { return constant(intType(64), value); }
  Id constantF32(float value);
  Id constantBool(bool value);
  Id constantNull(Id type);
  Id constantComposite(Id type, std::span<const Id> parts);
  /// A vector or a cooperative matrix with equal components.
  Id constantSplat(Id type, Id component);
  Id undef(Id type);

  // Globals. The entry point's interface lists all of them, as SPIR-V 1.4 and later require.
  Id variable(spv::StorageClass storage, Id pointee);
  /// An input variable, declared at its first use.
  Id builtin(spv::BuiltIn builtIn, Id type);
  /// Declares the only push constant block and returns its variable. Builder::accessMember makes pointers to its
  /// members.
  Id pushConstants(std::span<const Member> members);
  /// Workgroup memory of `count` elements of one type. Different variables do not overlap.
  Id workgroupArray(Id element, uint32_t count);
  /// Workgroup memory as a block (WorkgroupMemoryExplicitLayoutKHR). All such blocks of a module share their storage.
  Id workgroupBlock(Id element, uint32_t count);

  // Decorations and names.
  void decorate(Id target, spv::Decoration decoration, std::initializer_list<uint32_t> operands = {});
  void decorateMember(Id type, uint32_t member, spv::Decoration decoration, std::initializer_list<uint32_t> operands);
  void name(Id target, std::string_view name);
  void nameMember(Id type, uint32_t member, std::string_view name);
  /// Declares a file's name, for Builder::setLine.
  Id file(std::string_view path);
  /// An extended instruction set, e.g. "GLSL.std.450".
  Id import(std::string_view set);

  /// Makes a function the compute entry point with workgroups of `localSize`. Must be called once, after all globals
  /// are declared.
  void kernel(Id function, std::string_view name, std::array<uint32_t, 3> localSize);

  /// The whole module as words. Throws InternalError if it has no entry point.
  std::vector<uint32_t> words() const;

private:
  friend class Builder;
  struct WordsHash {
    size_t operator()(const std::vector<uint32_t> &words) const;
  };
  Id unique(spv::Op op, Id resultType, std::vector<uint32_t> operands, const std::vector<uint32_t> &more = {});
  Id type(const TypeInfo &info, std::vector<uint32_t> operands, const std::vector<uint32_t> &more = {});
  void layoutCapabilities(spv::StorageClass storage, Id pointee);

  uint32_t version_;
  std::vector<Id> types_ = {0}; // id -> type of its value; 0: the id is no value
  std::unordered_map<Id, TypeInfo> infos_;
  std::set<spv::Capability> capabilities_;
  std::set<std::string, std::less<>> extensions_;
  std::unordered_map<std::vector<uint32_t>, Id, WordsHash> uniqued_;
  std::unordered_map<std::string, Id> files_, imports_;
  std::unordered_map<uint32_t, Id> builtins_;
  std::vector<Id> interface_;
  // Sections in the order of 2.4 "Logical Layout of a Module".
  std::vector<uint32_t> importWords_, entryWords_, modeWords_, stringWords_, nameWords_, decorationWords_, globalWords_,
      functionWords_;
};

} // namespace tegula::spirv
