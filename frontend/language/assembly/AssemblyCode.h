// Emits the instructions of an inline assembly as ordinary operations, so that they run on every target. A register is
// a tensor of unsigned integers of its width, or of truth values; an instruction reads it as the type of its suffix.
#pragma once

#include "frontend/language/assembly/Assembly.h"
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

class AssemblyCode {
public:
  AssemblyCode(Emitter &e, Loc loc, Shape shape) : e_(e), loc_(loc), shape_(std::move(shape)) {}

  /// Declares a register of `bits` bits: an operand of the assembly, with its value if it is an input.
  void declare(const std::string &name, unsigned bits);
  void set(const std::string &name, const Tensor &bits);
  void run(const AssemblyProgram &program);
  /// The register's value; fails where nothing was written to it.
  Tensor value(const std::string &name);
  /// The value of a result; 0 where nothing was written to it, as where the assembly is a barrier.
  Tensor result(const std::string &name) {
    return values_.contains(name) ? value(name) : constant(0, widths_[name] == 64 ? ScalarType::U64 : ScalarType::U32);
  }

private:
  [[noreturn]] void fail(const std::string &message) const;
  void execute(const AssemblyInstruction &i);
  /// Fails where a modifier is unknown: it may change the result.
  void checkModifiers(const AssemblyInstruction &i) const;

  // AssemblyOperands.cpp
  /// The type of a suffix: f32, s16, b64; nothing for another word.
  static std::optional<ElementType> typeNamed(std::string_view suffix);
  /// The type that an instruction's last suffix names.
  ElementType typeOf(const AssemblyInstruction &i) const;
  Tensor read(const AssemblyOperand &operand, ElementType type);
  Tensor readPredicate(const AssemblyOperand &operand);
  void write(const AssemblyOperand &operand, const Tensor &value);
  Tensor constant(uint64_t bits, ElementType type);
  /// Unsigned, of the same bits, and resized to `bits`: cut off, or extended with zeros.
  Tensor asBits(const Tensor &value, unsigned bits);
  /// The two halves of a register as values of a 16-bit type, and back.
  std::pair<Tensor, Tensor> halves(const Tensor &word, ElementType type);
  Tensor joined(const Tensor &low, const Tensor &high);

  // AssemblyOperations.cpp
  /// Instructions whose operands all have the suffix's type; false for others.
  bool arithmetic(const AssemblyInstruction &i);
  Tensor compute(const AssemblyInstruction &i, ElementType type, std::vector<Tensor> x);
  std::optional<Tensor> computeFloat(const AssemblyInstruction &i, const std::vector<Tensor> &x);
  std::optional<Tensor> computeInteger(const AssemblyInstruction &i, const std::vector<Tensor> &x);
  Tensor binary(BinaryOp op, const Tensor &x, const Tensor &y) { return *e_.binary(loc_, op, x, y).as<Tensor>(); }
  Tensor prelude(const std::string &name, std::vector<Value> args);
  /// Calls a builtin of the language or of libdevice.
  Tensor function(std::string_view name, std::vector<Value> args);

  // AssemblyBits.cpp
  /// Moves, shifts, fields, permutations and what AssemblyPredicates.cpp has; false for others.
  bool bits(const AssemblyInstruction &i);
  void move(const AssemblyInstruction &i);
  void shift(const AssemblyInstruction &i);
  Tensor shifted(BinaryOp op, const Tensor &x, const Tensor &amount);
  void wideProduct(const AssemblyInstruction &i);
  void field(const AssemblyInstruction &i);
  void logic(const AssemblyInstruction &i);

  // AssemblyPredicates.cpp
  void compare(const AssemblyInstruction &i);
  void combinePredicates(const AssemblyInstruction &i);

  // AssemblyConversions.cpp
  bool convert(const AssemblyInstruction &i);
  Tensor converted(const AssemblyInstruction &i, Tensor x, ElementType to);
  Tensor rounded(const AssemblyInstruction &i, const Tensor &x);
  Tensor toTf32(const AssemblyInstruction &i, const Tensor &bits);
  /// Beyond the largest number of an 8-bit or 16-bit float: that number.
  Tensor saturated(const Tensor &x, ElementType to);

  Emitter &e_;
  Loc loc_;
  Shape shape_;
  std::map<std::string, unsigned, std::less<>> widths_; // in bits; 1: a predicate
  std::map<std::string, Tensor, std::less<>> values_;
  std::optional<Tensor> predicate_; // of the instruction that runs
};

} // namespace tegula::lang
