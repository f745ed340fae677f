// Writes subgroup operations and cooperative-matrix operations, and declares the capabilities that each needs.
#include "backends/vulkan/spirv/Builder.h"

namespace tegula::spirv {

Id Builder::group(spv::Op operation, Id value, spv::GroupOperation kind, std::initializer_list<Id> more) {
  module_.capability(kind == spv::GroupOperation::ClusteredReduce ? spv::Capability::GroupNonUniformClustered
                                                                  : spv::Capability::GroupNonUniformArithmetic);
  std::vector<uint32_t> words = {scopeConstant(spv::Scope::Subgroup), static_cast<uint32_t>(kind), value};
  words.insert(words.end(), more);
  return op(operation, module_.typeOf(value), words);
}

Id Builder::subgroupReduce(spv::Op operation, Id value) { return group(operation, value, spv::GroupOperation::Reduce); }

Id Builder::subgroupInclusiveScan(spv::Op operation, Id value) {
  return group(operation, value, spv::GroupOperation::InclusiveScan);
}

Id Builder::subgroupExclusiveScan(spv::Op operation, Id value) {
  return group(operation, value, spv::GroupOperation::ExclusiveScan);
}

Id Builder::subgroupClusteredReduce(spv::Op operation, Id value, uint32_t size) {
  return group(operation, value, spv::GroupOperation::ClusteredReduce, {module_.constantU32(size)});
}

Id Builder::shuffle(Id value, Id lane) {
  module_.capability(spv::Capability::GroupNonUniformShuffle);
  return op(spv::Op::OpGroupNonUniformShuffle, module_.typeOf(value),
            {scopeConstant(spv::Scope::Subgroup), value, lane});
}

Id Builder::shuffleXor(Id value, Id mask) {
  module_.capability(spv::Capability::GroupNonUniformShuffle);
  return op(spv::Op::OpGroupNonUniformShuffleXor, module_.typeOf(value),
            {scopeConstant(spv::Scope::Subgroup), value, mask});
}

Id Builder::shuffleUp(Id value, Id delta) {
  module_.capability(spv::Capability::GroupNonUniformShuffleRelative);
  return op(spv::Op::OpGroupNonUniformShuffleUp, module_.typeOf(value),
            {scopeConstant(spv::Scope::Subgroup), value, delta});
}

Id Builder::shuffleDown(Id value, Id delta) {
  module_.capability(spv::Capability::GroupNonUniformShuffleRelative);
  return op(spv::Op::OpGroupNonUniformShuffleDown, module_.typeOf(value),
            {scopeConstant(spv::Scope::Subgroup), value, delta});
}

Id Builder::broadcastFirst(Id value) {
  module_.capability(spv::Capability::GroupNonUniformBallot);
  return op(spv::Op::OpGroupNonUniformBroadcastFirst, module_.typeOf(value),
            {scopeConstant(spv::Scope::Subgroup), value});
}

Id Builder::subgroupAll(Id condition) {
  module_.capability(spv::Capability::GroupNonUniformVote);
  return op(spv::Op::OpGroupNonUniformAll, module_.boolType(), {scopeConstant(spv::Scope::Subgroup), condition});
}

Id Builder::subgroupAny(Id condition) {
  module_.capability(spv::Capability::GroupNonUniformVote);
  return op(spv::Op::OpGroupNonUniformAny, module_.boolType(), {scopeConstant(spv::Scope::Subgroup), condition});
}

Id Builder::ballot(Id condition) {
  module_.capability(spv::Capability::GroupNonUniformBallot);
  return op(spv::Op::OpGroupNonUniformBallot, module_.vectorType(module_.intType(32), 4),
            {scopeConstant(spv::Scope::Subgroup), condition});
}

Id Builder::matrixLoad(Id type, Id pointer, MatrixLayout layout, Id stride, const Access &access) {
  std::vector<uint32_t> words = {pointer, module_.constantU32(static_cast<uint32_t>(layout)), stride};
  memoryOperands(words, pointer, access);
  return op(newer::OpCooperativeMatrixLoadKHR, type, words);
}

void Builder::matrixStore(Id pointer, Id matrix, MatrixLayout layout, Id stride, const Access &access) {
  std::vector<uint32_t> words = {pointer, matrix, module_.constantU32(static_cast<uint32_t>(layout)), stride};
  memoryOperands(words, pointer, access);
  effect(newer::OpCooperativeMatrixStoreKHR, words);
}

Id Builder::matrixMulAdd(Id a, Id b, Id c, uint32_t operands) {
  std::vector<uint32_t> words = {a, b, c};
  if (operands != kMatrixNone)
    words.push_back(operands);
  return op(newer::OpCooperativeMatrixMulAddKHR, module_.typeOf(c), words);
}

Id Builder::matrixReduceRows(Id matrix, Id combine) {
  module_.capability(newer::CooperativeMatrixReductionsNV);
  return op(newer::OpCooperativeMatrixReduceNV, module_.typeOf(matrix), {matrix, newer::kReduceRow, combine});
}

Id Builder::matrixPerElement(Id matrix, Id function) {
  module_.capability(newer::CooperativeMatrixPerElementOperationsNV);
  return op(newer::OpCooperativeMatrixPerElementOpNV, module_.typeOf(matrix), {matrix, function});
}

Id Builder::matrixConvert(Id matrix, Id type) {
  module_.capability(newer::CooperativeMatrixConversionsNV);
  bool isSameComponent = module_.infoOf(matrix).element == module_.info(type).element;
  return op(isSameComponent ? newer::OpCooperativeMatrixConvertNV : spv::Op::OpFConvert, type, {matrix});
}

Id Builder::matrixLength(Id type) { return op(newer::OpCooperativeMatrixLengthKHR, module_.intType(32), {type}); }

} // namespace tegula::spirv
