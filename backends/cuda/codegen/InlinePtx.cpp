#include "backends/cuda/codegen/InlinePtx.h"
#include "core/support/Diagnostic.h"

namespace tegula::cuda {
namespace {

const char *constraintOf(llvm::IRBuilderBase &b, llvm::Type *type) {
  if (auto *pointer = llvm::dyn_cast<llvm::PointerType>(type))
    return pointer->getAddressSpace() == 3 ? "r" : "l"; // shared-memory addresses have 32 bits
  if (type->isFloatTy())
    return "f";
  if (type->isDoubleTy())
    return "d";
  if (type->isIntegerTy(1))
    return "b";
  if (type->isIntegerTy(16))
    return "h";
  if (type->isIntegerTy(32))
    return "r";
  if (type->isIntegerTy(64))
    return "l";
  throw InternalError("inline PTX takes no operand of this type");
}

} // namespace

std::string InlinePtx::output(llvm::Type *type) {
  if (!inputs_.empty())
    throw InternalError("an output of inline PTX after an input");
  outputConstraints_ += std::string(outputs_.empty() ? "" : ",") + "=" + constraintOf(b, type);
  outputs_.push_back(type);
  return "$" + std::to_string(outputs_.size() - 1);
}

std::string InlinePtx::input(llvm::Value *value) {
  if (auto *pointer = llvm::dyn_cast<llvm::PointerType>(value->getType()))
    value = b.CreatePtrToInt(value, pointer->getAddressSpace() == 3 ? b.getInt32Ty() : b.getInt64Ty());
  inputConstraints_ += std::string(",") + constraintOf(b, value->getType());
  inputs_.push_back(value);
  return "$" + std::to_string(outputs_.size() + inputs_.size() - 1);
}

void InlinePtx::tie(unsigned number, llvm::Value *value) {
  inputConstraints_ += "," + std::to_string(number);
  inputs_.push_back(value);
}

llvm::SmallVector<llvm::Value *, 4> InlinePtx::emit(const std::string &text, Kind kind) {
  std::string constraints = outputConstraints_ + inputConstraints_;
  if (!constraints.empty() && constraints.front() == ',')
    constraints.erase(0, 1);
  bool stays = kind == Effect || kind == Collective;
  if (stays)
    constraints += std::string(constraints.empty() ? "" : ",") + "~{memory}";
  llvm::Type *result = outputs_.empty()       ? b.getVoidTy()
                       : outputs_.size() == 1 ? outputs_.front()
                                              : llvm::StructType::get(b.getContext(), outputs_);
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *value : inputs_)
    types.push_back(value->getType());
  auto *function = llvm::FunctionType::get(result, types, false);
  llvm::CallInst *call = b.CreateCall(function, llvm::InlineAsm::get(function, text, constraints, stays), inputs_);
  call->setDoesNotThrow();
  if (!stays)
    call->setMemoryEffects(llvm::MemoryEffects::none());
  if (kind == Collective || kind == PureCollective)
    call->setConvergent();
  llvm::SmallVector<llvm::Value *, 4> values;
  if (outputs_.size() == 1)
    values.push_back(call);
  else
    for (unsigned i = 0; i < outputs_.size(); ++i)
      values.push_back(b.CreateExtractValue(call, i));
  return values;
}

std::string registerList(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

std::string operandList(unsigned first, unsigned count) {
  return count == 1 ? "$" + std::to_string(first) : registerList(first, count);
}

} // namespace tegula::cuda
