#include "core/runtime/launch/PreparedLaunch.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/LaunchFrame.h"
#include "core/runtime/launch/Variants.h"

#include <algorithm>
#include <cstring>

namespace tegula {

template <class Values>
PreparedLaunch::PreparedLaunch(const Kernel &kernel, const Device &device, const Values &arguments,
                               LaunchOptions options)
    : kernel_(kernel), device_(device), options_(std::move(options)) {
  options_.checked = isChecked(options_); // fixed here, because code has assertions or has none
  if (std::optional<LaunchOptions> asserting = withAssertions(kernel.impl()->prototype.info, options_))
    options_ = std::move(*asserting);
  Binding binding;
  translated(ApiError::Kind::BadUse, [&] {
    for (const KernelHeuristic &heuristic : kernel.impl()->prototype.info.heuristics)
      if (!options_.constants.contains(heuristic.name))
        throw Error("kernel '" + kernel.name() + "' has a heuristic for '" + heuristic.name +
                    "', which may depend on the arguments of each launch; give the constant, or do not prepare the "
                    "launch");
    binding.assign(kernel.impl()->prototype, arguments);
    binding.resolve(kernel.impl()->prototype, *device.impl());
  });
  chosen_ = select(*kernel.impl(), device.impl(), binding, options_, nullptr);
  prepare(binding);
}
template PreparedLaunch::PreparedLaunch(const Kernel &, const Device &, const std::vector<Argument> &, LaunchOptions);
template PreparedLaunch::PreparedLaunch(const Kernel &, const Device &, const std::map<std::string, Argument> &,
                                        LaunchOptions);

void PreparedLaunch::prepare(const Binding &binding) {
  const Prototype &prototype = kernel_.impl()->prototype;
  for (uint32_t i = 0; i < binding.arguments.size(); ++i) {
    BoundArgument argument = binding.arguments[i];
    // A parameter whose argument is None, or a default that is not a number, has no slot: its value is compiled into
    // the code.
    if (argument.kind != ParamType::Kind::Constant)
      slots_.push_back({i, prototype.runtime[i], argument.kind, argument.type});
    if (argument.kind != ParamType::Kind::Constant && argument.kind != ParamType::Kind::Scalar) {
      argument.isAddress = true;
      argument.buffer = nullptr;
      argument.pointers = nullptr;
    }
    if (argument.block)
      argument.block = blocks_.emplace_back(std::make_unique<const std::vector<int64_t>>(*argument.block)).get();
    arguments_.push_back(argument);
  }
}

/// Checks that a descriptor's last stride is 1, as kernels assume, unless the tensor is empty. Throws ApiError.
static void checkLastStride(const BoundArgument &argument, const Kernel &kernel, uint32_t param) {
  if (argument.strides.back() == 1 || std::ranges::find(argument.shape, 0) != argument.shape.end())
    return;
  throw ApiError(ApiError::Kind::BadUse, "parameter '" + kernel.impl()->prototype.info.params[param].name +
                                             "' of kernel '" + kernel.name() + "': the last stride of a tensor is " +
                                             std::to_string(argument.strides.back()) + "; it must be 1");
}

/// Copies the SlotTensor that the slot's value points to. Throws ApiError if that pointer, or the tensor's pointer to
/// its shape or strides, is null.
static SlotTensor tensorOf(uint64_t slot, const Kernel &kernel, uint32_t param) {
  auto fail = [&](const char *what) {
    throw ApiError(ApiError::Kind::BadUse, "parameter '" + kernel.impl()->prototype.info.params[param].name +
                                               "' of kernel '" + kernel.name() + "': " + what + " null");
  };
  if (!slot)
    fail("the slot's tensor is");
  SlotTensor tensor;
  std::memcpy(&tensor, reinterpret_cast<const void *>(slot), sizeof tensor);
  if (!tensor.shape)
    fail("the tensor's shape is");
  if (!tensor.strides)
    fail("the tensor's strides are");
  return tensor;
}

void PreparedLaunch::bind(Binding &binding, const uint64_t *values, const uint64_t *extents) const {
  binding.given.clear();
  binding.arguments = arguments_;
  for (const Slot &slot : slots_) {
    BoundArgument &argument = binding.arguments[slot.argument];
    uint64_t value = *values++, extent = extents ? *extents++ : 0;
    switch (slot.kind) {
    case ParamType::Kind::Scalar: {
      unsigned unused = 64 - (slot.type == ScalarType::I1 ? 1 : bitWidth(slot.type));
      argument.bits = value << unused >> unused;
      break;
    }
    case ParamType::Kind::Descriptor: {
      SlotTensor tensor = tensorOf(value, kernel_, slot.param);
      argument.bits = tensor.address;
      argument.shape = {tensor.shape, argument.block->size()};
      argument.strides = {tensor.strides, argument.block->size()};
      checkLastStride(argument, kernel_, slot.param);
      break;
    }
    default: argument.bits = value; argument.extent = extent;
    }
  }
}

const Variant &PreparedLaunch::variantFor(const uint64_t *values, const uint64_t *extents) const {
  LaunchFrame frame(*kernel_.impl());
  bind(frame.startBinding(), values, extents);
  return *selectVariant(*kernel_.impl(), chosen_, frame.binding(), !options_.background);
}

CompileRequest PreparedLaunch::requestFor(const Variant &variant) const {
  CompileRequest request =
      tegula::requestFor({*kernel_.impl(), *chosen_.specialization, *chosen_.configured}, variant.facts);
  request.conditional = variant.conditional;
  return request;
}

void PreparedLaunch::launch(const Stream &stream, const Grid &grid, const uint64_t *values,
                            const uint64_t *extents) const {
  if (stream.device().impl() != device_.impl())
    throw ApiError(ApiError::Kind::BadUse, "kernel '" + kernel_.name() + "' was prepared for device " +
                                               device_.info().name + ", the stream is of device " +
                                               stream.device().info().name);
  LaunchFrame frame(*kernel_.impl());
  bind(frame.startBinding(), values, extents);
  const Variant *variant = selectVariant(*kernel_.impl(), chosen_, frame.binding(), !options_.background);
  frame.launch(*kernel_.impl(), stream, *variant, grid, *options_.checked, options_.print);
}

} // namespace tegula
