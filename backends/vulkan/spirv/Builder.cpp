#include "backends/vulkan/spirv/Builder.h"
#include "backends/vulkan/spirv/UseOrder.h"
#include "core/support/Diagnostic.h"

namespace tegula::spirv {

Id Builder::beginFunction(Id resultType, std::span<const Id> paramTypes, Ids *params) {
  if (function_)
    throw InternalError("a SPIR-V function inside another");
  Id type = module_.functionType(resultType, paramTypes);
  function_ = module_.newId();
  uint32_t operands[] = {resultType, function_, 0, type};
  append(head_, spv::Op::OpFunction, operands);
  for (Id paramType : paramTypes) {
    Id param = module_.newId(paramType);
    uint32_t words[] = {paramType, param};
    append(head_, spv::Op::OpFunctionParameter, words);
    if (params)
      params->push_back(param);
  }
  // Variables must follow the function's first label. Its block holds the variables; the body starts after them.
  block_ = module_.newId();
  uint32_t label[] = {block_};
  append(head_, spv::Op::OpLabel, label);
  return function_;
}

void Builder::endFunction() {
  if (block_)
    throw InternalError("the last block of a SPIR-V function has no end");
  body_ = orderedByUse(body_, module_);
  append(body_, spv::Op::OpFunctionEnd, {});
  for (auto *part : {&head_, &variables_, &body_}) {
    module_.functionWords_.insert(module_.functionWords_.end(), part->begin(), part->end());
    part->clear();
  }
  function_ = 0;
}

Id Builder::local(Id pointee) {
  Id pointer = module_.pointerType(spv::StorageClass::Function, pointee), id = module_.newId(pointer);
  uint32_t operands[] = {pointer, id, static_cast<uint32_t>(spv::StorageClass::Function)};
  append(variables_, spv::Op::OpVariable, operands);
  return id;
}

void Builder::begin(Id label) {
  if (block_)
    throw InternalError("a SPIR-V block begins before the last one ended");
  uint32_t operands[] = {label};
  append(body_, spv::Op::OpLabel, operands);
  block_ = label;
  written_ = {}; // OpLine applies to the end of its block only
}

void Builder::effect(spv::Op op, std::span<const uint32_t> operands) {
  if (!block_)
    throw InternalError("a SPIR-V instruction outside any block");
  writeLine(op);
  append(body_, op, operands);
}

void Builder::effect(spv::Op op, std::initializer_list<uint32_t> operands) {
  effect(op, std::span(operands.begin(), operands.size()));
}

void Builder::branch(Id label) {
  effect(spv::Op::OpBranch, {label});
  block_ = 0;
}

void Builder::ret() {
  effect(spv::Op::OpReturn, {});
  block_ = 0;
}

void Builder::ret(Id value) {
  effect(spv::Op::OpReturnValue, {value});
  block_ = 0;
}

void Builder::unreachable() {
  effect(spv::Op::OpUnreachable, {});
  block_ = 0;
}

void Builder::writeLine(spv::Op before) {
  if (!takesLine(before))
    return;
  if (line_ == written_)
    return;
  written_ = line_;
  uint32_t operands[] = {line_.file, line_.line, line_.column};
  if (line_.file)
    append(body_, spv::Op::OpLine, operands);
  else
    append(body_, spv::Op::OpNoLine, {});
}

Id Builder::op(spv::Op op, Id resultType, std::span<const Id> operands) {
  if (!block_)
    throw InternalError("a SPIR-V instruction outside any block");
  writeLine(op);
  Id id = module_.newId(resultType);
  std::vector<uint32_t> words = {resultType, id};
  words.insert(words.end(), operands.begin(), operands.end());
  append(body_, op, words);
  return id;
}

Id Builder::op(spv::Op op, Id resultType, std::initializer_list<Id> operands) {
  return this->op(op, resultType, std::span(operands.begin(), operands.size()));
}

Id Builder::compare(spv::Op op, Id a, Id b) {
  const TypeInfo operand = module_.infoOf(a);
  Id type = module_.boolType();
  if (operand.op == spv::Op::OpTypeVector)
    type = module_.vectorType(type, operand.count);
  return this->op(op, type, {a, b});
}

Id Builder::extended(uint32_t instruction, Id type, std::initializer_list<Id> operands) {
  std::vector<uint32_t> words = {module_.import("GLSL.std.450"), instruction};
  words.insert(words.end(), operands);
  return op(spv::Op::OpExtInst, type, words);
}

Id Builder::exact(Id value) {
  module_.decorate(value, spv::Decoration::NoContraction);
  return value;
}

Id Builder::extract(Id composite, uint32_t index) {
  return op(spv::Op::OpCompositeExtract, module_.infoOf(composite).element, {composite, index});
}

Id Builder::insert(Id composite, Id part, uint32_t index) {
  return op(spv::Op::OpCompositeInsert, module_.typeOf(composite), {part, composite, index});
}

Id Builder::splat(Id type, Id component) {
  const TypeInfo &info = module_.info(type);
  size_t parts = info.op == newer::OpTypeCooperativeMatrixKHR ? 1 : info.count;
  return construct(type, Ids(parts, component));
}

} // namespace tegula::spirv
