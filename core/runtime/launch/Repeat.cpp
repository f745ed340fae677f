#include "core/runtime/launch/Repeat.h"

namespace tegula {

void Repeat::remember(const Kernel::Impl &kernel, const Binding &binding, const Selection &selection) {
  const Prototype &prototype = kernel.prototype;
  const Specialization &specialization = *selection.specialization;
  const Deciding &deciding = specialization.deciding;
  if (!selection.pick || specialization.isTunable || !deciding.bucketed.empty() || !deciding.exact.empty() ||
      binding.positionalConstants)
    return;
  expected_.clear();
  for (size_t i = 0; i < binding.arguments.size(); ++i) {
    const BoundArgument &bound = binding.arguments[i];
    uint32_t param = prototype.runtime[i];
    const Argument *given = binding.given[param];
    if (!given)
      return;
    Kind kind = Kind::Other;
    if (std::holds_alternative<Buffer>(given->value()) && !prototype.info.params[param].annotatedType)
      kind = Kind::Buffer;
    else if (std::holds_alternative<int64_t>(given->value()) && bound.type == ScalarType::I32)
      kind = Kind::I32;
    else if (std::holds_alternative<TensorDescriptor>(given->value()) && bound.kind == ParamType::Kind::Descriptor)
      kind = Kind::Descriptor;
    ArgumentFacts mask = deciding.masks[i];
    expected_.push_back({kind, mask, ArgumentFacts(factsOf(bound.bits) & mask), param});
  }
  selection_ = selection;
  kernel_ = kernel.serial;
}

const Variant *Repeat::bindAll(const Kernel::Impl &kernel, const Device::Impl &device, Binding &binding,
                               const std::vector<Argument> &values) const {
  BoundArgument *bound = binding.arguments.data();
  const Expected *expected = expected_.data();
  const ParamType *type = selection_.specialization->types.data();
  for (const Argument &argument : values) {
    const Argument::Value &value = argument.value();
    binding.given[expected->param] = &argument;
    switch (expected->kind) {
    case Kind::Buffer: {
      auto *buffer = std::get_if<Buffer>(&value);
      if (!buffer || &buffer->impl()->device() != &device || toScalarType(buffer->impl()->type) != bound->type)
        return nullptr;
      bound->set(*buffer->impl());
      break;
    }
    case Kind::I32: {
      auto *integer = std::get_if<int64_t>(&value);
      if (!integer || *integer != static_cast<int32_t>(*integer))
        return nullptr;
      bound->bits = static_cast<uint32_t>(*integer);
      break;
    }
    case Kind::Descriptor: {
      auto *descriptor = std::get_if<TensorDescriptor>(&value);
      const Buffer::Impl *tensor = descriptor ? descriptor->tensor.impl().get() : nullptr;
      if (!tensor || &tensor->device() != &device || toScalarType(tensor->type) != bound->type ||
          descriptor->block != type->block)
        return nullptr;
      bound->set(*descriptor);
      break;
    }
    case Kind::Other:
      binding.resolve(kernel.prototype, device, *bound, expected->param);
      if (!bound->matches(*type))
        return nullptr;
    }
    if ((factsOf(bound->bits) & expected->mask) != expected->facts)
      return nullptr;
    ++bound, ++expected, ++type;
  }
  return selection_.pick->find(binding.arguments);
}

const Selection *Repeat::rebind(const Kernel::Impl &kernel, const Device::Impl &device, Binding &binding,
                                const std::vector<Argument> &values, const LaunchOptions &options) const {
  if (kernel_ != kernel.serial || values.size() != expected_.size() ||
      !selection_.specialization->takes(device, binding, options))
    return nullptr;
  const Variant *variant = bindAll(kernel, device, binding, values);
  if (!variant)
    return nullptr;
  Selection &trace = launchTrace();
  trace = {selection_.specialization, selection_.pick->configured, variant, /*fromMemory=*/true, selection_.pick};
  return &trace;
}

} // namespace tegula
