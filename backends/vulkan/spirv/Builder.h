// Writes function bodies: instructions, memory accesses, structured control flow, subgroup and cooperative-matrix
// operations. Every call appends to the current block. A value's type is known from its id, so `binary(FAdd, a, b)`
// needs no type.
#pragma once

#include "backends/vulkan/spirv/Module.h"

#include <functional>
#include <utility>

namespace tegula::spirv {

/// Options of a memory access. In the Vulkan memory model only a non-private access takes part in synchronisation with
/// other invocations.
struct Access {
  uint32_t alignment = 0; // bytes; required for physical storage buffers, 0 for all other storage
  bool nonPrivate = true;
  bool isVolatile = false;
  bool nontemporal = false;
};

/// The source location of instructions.
struct SourceLine {
  Id file = 0; // from Module::file; 0: no location
  uint32_t line = 0, column = 0;
  bool operator==(const SourceLine &) const = default;
};

/// The order of a cooperative matrix's elements in memory.
enum class MatrixLayout : uint32_t { RowMajor = 0, ColumnMajor = 1 };

/// Flags of matrixMulAdd for integers; without a flag, components are unsigned.
enum MatrixOperands : uint32_t {
  kMatrixNone = 0,
  kSignedA = 1,
  kSignedB = 2,
  kSignedC = 4,
  kSignedResult = 8,
  kSaturating = 16
};

class Builder {
public:
  using Ids = std::vector<Id>;

  explicit Builder(Module &module) : module_(module) {}
  Builder(const Builder &) = delete;
  Module &module() { return module_; }

  /// Returns the function's id; its first block is open afterwards.
  Id beginFunction(Id resultType, std::span<const Id> paramTypes, Ids *params = nullptr);
  void endFunction();
  /// A variable of the function. It is declared at the function's start, wherever this is called.
  Id local(Id pointee);
  void ret();
  void ret(Id value);
  void unreachable();

  /// Sets the source location of the following instructions, and returns the previous one. An OpLine is written before
  /// an instruction only if its location differs from the preceding instruction's.
  SourceLine setLine(const SourceLine &line) { return std::exchange(line_, line); }

  /// Appends any instruction; `resultType` 0: without a result.
  Id op(spv::Op op, Id resultType, std::span<const Id> operands);
  Id op(spv::Op op, Id resultType, std::initializer_list<Id> operands);
  void effect(spv::Op op, std::span<const uint32_t> operands);
  void effect(spv::Op op, std::initializer_list<uint32_t> operands);

  // Arithmetic. The result has the first operand's type.
  Id unary(spv::Op op, Id a) { return this->op(op, module_.typeOf(a), {a}); }
  Id binary(spv::Op op, Id a, Id b) { return this->op(op, module_.typeOf(a), {a, b}); }
  /// Compares by `op`, such as OpIEqual. The result is a bool, or for vectors a vector of bools.
  Id compare(spv::Op op, Id a, Id b);
  Id select(Id condition, Id yes, Id no) { return op(spv::Op::OpSelect, module_.typeOf(yes), {condition, yes, no}); }
  Id cast(spv::Op op, Id value, Id type) { return this->op(op, type, {value}); }
  /// Converts between float types. Mesa's compiler removes a conversion to a narrow type and back unless it is marked
  /// NoContraction.
  Id convertFloat(Id value, Id type) { return exact(cast(spv::Op::OpFConvert, value, type)); }
  Id bitcast(Id value, Id type) {
    return module_.typeOf(value) == type ? value : cast(spv::Op::OpBitcast, value, type);
  }
  /// An instruction of GLSL.std.450; `instruction` is an enumerator of GLSLstd450.
  Id extended(uint32_t instruction, Id type, std::initializer_list<Id> operands);
  /// Marks the result NoContraction: the device must compute it as written, without fusing or reassociation.
  Id exact(Id value);

  // Composites.
  Id extract(Id composite, uint32_t index);
  Id insert(Id composite, Id part, uint32_t index);
  Id construct(Id type, std::span<const Id> parts) { return op(spv::Op::OpCompositeConstruct, type, parts); }
  /// A vector or a cooperative matrix with equal components.
  Id splat(Id type, Id component);

  // Memory.
  /// A pointer to an element of the array, vector or matrix that `base` points to.
  Id access(Id base, std::initializer_list<Id> indices);
  /// A pointer to a member of a struct, or to an element of it.
  Id accessMember(Id base, uint32_t member, std::initializer_list<Id> indices = {});
  /// Converts a 64-bit address to a pointer to `pointee` in a physical storage buffer.
  Id physicalPointer(Id address, Id pointee);
  Id load(Id pointer, const Access &access = {});
  void store(Id pointer, Id value, const Access &access = {});
  /// OpAtomicIAdd, OpAtomicExchange, OpAtomicFAddEXT, ...; returns the old value.
  Id atomic(spv::Op op, Id pointer, spv::Scope scope, spv::MemorySemanticsMask semantics, Id value);
  /// Returns the old value. `desired` was stored if the old value equals `expected`.
  Id atomicCompareExchange(Id pointer, spv::Scope scope, spv::MemorySemanticsMask semantics, Id expected, Id desired);

  // Barriers.
  /// All invocations of the workgroup wait for each other, and see each other's earlier non-private accesses to these
  /// storage classes (WorkgroupMemory, UniformMemory: physical storage buffers).
  void workgroupBarrier(spv::MemorySemanticsMask storage = spv::MemorySemanticsMask::WorkgroupMemory);
  void subgroupBarrier(spv::MemorySemanticsMask storage = spv::MemorySemanticsMask::WorkgroupMemory);
  /// Orders this invocation's memory accesses with respect to other invocations of the scope.
  void fence(spv::Scope scope, spv::MemorySemanticsMask semantics);

  // Structured control flow. The callbacks write the blocks of the construct and return the values that it yields.
  void ifThen(Id condition, const std::function<void()> &then, const std::function<void()> &otherwise = nullptr);
  Ids ifThenElse(Id condition, const std::function<Ids()> &then, const std::function<Ids()> &otherwise);
  /// A loop in the form of scf.while. `before` takes the carried values, returns the condition and sets `forwarded`;
  /// these values enter `body`, or leave the loop if the condition is false. `body` returns the next carried values.
  Ids loop(std::span<const Id> initial, const std::function<Id(const Ids &carried, Ids &forwarded)> &before,
           const std::function<Ids(const Ids &forwarded)> &body,
           spv::LoopControlMask control = spv::LoopControlMask::MaskNone);
  /// A loop for index = lower, lower + step, ... while index < `upper`; all are signed integers of one type. `mayWrap`:
  /// the last index plus `step` may overflow the type.
  Ids forLoop(Id lower, Id upper, Id step, std::span<const Id> initial,
              const std::function<Ids(Id index, const Ids &carried)> &body, bool mayWrap = true,
              spv::LoopControlMask control = spv::LoopControlMask::MaskNone);

  // Operations of a subgroup. `operation`, such as OpGroupNonUniformIAdd or OpGroupNonUniformFMax, combines the values
  // of all active invocations.
  Id subgroupReduce(spv::Op operation, Id value);
  Id subgroupInclusiveScan(spv::Op operation, Id value);
  Id subgroupExclusiveScan(spv::Op operation, Id value);
  /// Reduces the values of each group of `size` consecutive invocations separately, by an operation as in
  /// subgroupReduce; `size` is a power of two.
  Id subgroupClusteredReduce(spv::Op operation, Id value, uint32_t size);
  Id shuffle(Id value, Id lane);
  Id shuffleXor(Id value, Id mask);
  Id shuffleUp(Id value, Id delta);
  Id shuffleDown(Id value, Id delta);
  Id broadcastFirst(Id value);
  Id subgroupAll(Id condition);
  Id subgroupAny(Id condition);
  Id ballot(Id condition);

  // Cooperative matrices (SPV_KHR_cooperative_matrix); all invocations of the matrix's scope must execute these
  // together.
  /// `stride`: distance of rows (of columns, if column-major), in elements of the pointer's pointee.
  Id matrixLoad(Id type, Id pointer, MatrixLayout layout, Id stride, const Access &access = {});
  void matrixStore(Id pointer, Id matrix, MatrixLayout layout, Id stride, const Access &access = {});
  /// a · b + c
  Id matrixMulAdd(Id a, Id b, Id c, uint32_t operands = kMatrixNone);
  // SPV_NV_cooperative_matrix2. `combine` and `function` are the ids of functions of the same module.
  /// Replaces each component of an accumulator by the reduction of its row; combine(component, component) reduces two
  /// components to one.
  Id matrixReduceRows(Id matrix, Id combine);
  /// Replaces each component of an accumulator by function(row, column, component); row and column are 32-bit integers.
  Id matrixPerElement(Id matrix, Id function);
  /// Converts an accumulator of floats to another use or component type.
  Id matrixConvert(Id matrix, Id type);
  /// The number of components that this invocation holds; a local variable gives access to them by index.
  Id matrixLength(Id type);

private:
  void begin(Id label);
  void branch(Id label);
  void writeLine(spv::Op before);
  void memoryOperands(std::vector<uint32_t> &words, Id pointer, const Access &access);
  Id group(spv::Op operation, Id value, spv::GroupOperation kind, std::initializer_list<Id> more = {});
  Id scopeConstant(spv::Scope scope) { return module_.constantU32(static_cast<uint32_t>(scope)); }
  void barrier(spv::Scope scope, spv::MemorySemanticsMask storage);
  Id semanticsConstant(spv::MemorySemanticsMask semantics) {
    return module_.constantU32(static_cast<uint32_t>(semantics));
  }
  /// A phi whose second incoming pair is filled in later; returns the index of this pair in body_.
  size_t openPhi(Id result, Id type, Id value, Id from);

  Module &module_;
  Id function_ = 0;
  Id block_ = 0;              // the current block; 0 if a terminator ended it and no label follows yet
  SourceLine line_, written_; // of the next instruction; and the last one that OpLine set in this block
  std::vector<uint32_t> head_, variables_, body_;
};

} // namespace tegula::spirv
