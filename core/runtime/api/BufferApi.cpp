#include "core/runtime/Memory.h"
#include "core/runtime/Translate.h"

#include <algorithm>

namespace tegula {
namespace {

constexpr size_t kMaxRank = 8;

void checkShape(const std::vector<int64_t> &shape) {
  if (shape.size() > kMaxRank)
    throw Error("a buffer of rank " + std::to_string(shape.size()) + "; at most " + std::to_string(kMaxRank) +
                " axes are supported");
  for (int64_t extent : shape)
    if (extent < 0)
      throw Error("negative extent " + std::to_string(extent) + " in the shape " + describeShape(shape));
}

/// The product of the extents. Throws if the number of elements or of bytes exceeds 63 bits.
int64_t countElements(const std::vector<int64_t> &shape, DType type) {
  int64_t count = 1, bytes = 0;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return 0;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count))
      throw Error("shape " + describeShape(shape) + " has more than 2^63 elements");
  if (__builtin_mul_overflow(count, static_cast<int64_t>(byteSize(type)), &bytes))
    throw Error("shape " + describeShape(shape) + " of " + std::string(name(type)) + " takes more than 2^63 bytes");
  return count;
}

std::vector<int64_t> rowMajor(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(shape[i], 1); // overflow is impossible unless the shape is empty, and then step is unused
  }
  return strides;
}

/// Offsets of a view's elements with the lowest and the highest address, in elements from the element with index 0 on
/// all axes.
struct Reach {
  __int128 low = 0, high = 0;
};
Reach reach(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
  Reach result;
  for (size_t i = 0; i < shape.size(); ++i) {
    __int128 span = static_cast<__int128>(shape[i] - 1) * strides[i];
    (span < 0 ? result.low : result.high) += span;
  }
  return result;
}

} // namespace

Buffer::Buffer(const Device &device, DType type, std::vector<int64_t> shape) {
  translated(ApiError::Kind::BadUse, [&] {
    checkShape(shape);
    auto impl = std::make_shared<Impl>();
    impl->type = type;
    impl->elements = countElements(shape, type);
    impl->bytes = static_cast<size_t>(impl->elements) * byteSize(type);
    impl->strides = impl->elements ? rowMajor(shape) : std::vector<int64_t>(shape.size(), 1);
    impl->shape = std::move(shape);
    const std::shared_ptr<Device::Impl> &owner = device.impl();
    if (owner->info.memoryBytes && impl->bytes > owner->info.memoryBytes)
      throw ApiError(ApiError::Kind::Device, "a buffer of " + describeShape(impl->shape) + " " +
                                                 std::string(name(type)) + " takes " + std::to_string(impl->bytes) +
                                                 " bytes, device " + owner->info.name + " has " +
                                                 std::to_string(owner->info.memoryBytes));
    translated(ApiError::Kind::Device, [&] { impl->allocation = std::make_shared<Allocation>(owner, impl->bytes); });
    owner->add(impl->allocation);
    impl_ = std::move(impl);
  });
}

Buffer Buffer::wrap(const Device &device, const ForeignMemory &memory) {
  return translated(ApiError::Kind::BadUse, [&] {
    checkShape(memory.shape);
    Buffer result;
    result.impl_ = std::make_shared<Impl>();
    Impl &impl = *result.impl_;
    impl.type = memory.type;
    impl.shape = memory.shape;
    impl.elements = countElements(impl.shape, impl.type);
    impl.strides = !memory.strides.empty() ? memory.strides
                   : impl.elements         ? rowMajor(impl.shape)
                                           : std::vector<int64_t>(impl.shape.size(), 1);
    if (impl.strides.size() != impl.shape.size())
      throw Error("memory of shape " + describeShape(impl.shape) + " with " + std::to_string(impl.strides.size()) +
                  " strides");
    Reach span = impl.elements ? reach(impl.shape, impl.strides) : Reach{};
    if (span.low < 0)
      throw Error("memory of shape " + describeShape(impl.shape) + " has the strides " + describeShape(impl.strides) +
                  "; negative ones are not supported");
    __int128 needed = impl.elements ? (span.high + 1) * static_cast<__int128>(byteSize(impl.type)) : 0;
    if (needed > static_cast<__int128>(memory.bytes))
      throw Error("memory of " + std::to_string(memory.bytes) + " bytes is too small for the shape " +
                  describeShape(impl.shape) + " and the strides " + describeShape(impl.strides) + " of " +
                  std::string(name(impl.type)));
    if (memory.bytes && !memory.address)
      throw Error("memory of " + std::to_string(memory.bytes) + " bytes at a null address");
    if (memory.address % byteSize(impl.type))
      throw Error("memory at address " + std::to_string(memory.address) + ", which the " +
                  std::to_string(byteSize(impl.type)) + " bytes of " + std::string(name(impl.type)) + " do not divide");
    impl.bytes = static_cast<size_t>(needed);
    impl.dense = impl.elements == 0 || impl.strides == rowMajor(impl.shape);
    impl.allocation = translated(ApiError::Kind::Device, [&] {
      NativeMemory native = {memory.address, memory.bytes, memory.handle, memory.handleOffset};
      return std::make_shared<Allocation>(device.impl(), native, memory.release);
    });
    device.impl()->add(impl.allocation);
    return result;
  });
}

Buffer Buffer::view(std::vector<int64_t> shape, std::vector<int64_t> strides, int64_t offset) const {
  return translated(ApiError::Kind::BadUse, [&] {
    checkShape(shape);
    if (shape.size() != strides.size())
      throw Error("a view of shape " + describeShape(shape) + " needs " + std::to_string(shape.size()) + " strides, " +
                  std::to_string(strides.size()) + " were given");
    auto impl = std::make_shared<Impl>(*impl_);
    impl->elements = countElements(shape, impl_->type);
    __int128 first = static_cast<__int128>(impl_->offset) + offset;
    auto capacity = static_cast<__int128>(impl_->allocation->bytes() / byteSize(impl_->type));
    Reach span = impl->elements ? reach(shape, strides) : Reach{};
    if (first + span.low < 0 || (impl->elements ? first + span.high >= capacity : first > capacity))
      throw Error("a view of shape " + describeShape(shape) + " at element " + std::to_string(offset) +
                  " reaches outside of its buffer, which holds " + std::to_string(static_cast<int64_t>(capacity)) +
                  " elements");
    impl->bytes = impl->elements ? static_cast<size_t>(span.high - span.low + 1) * byteSize(impl_->type) : 0;
    impl->low = static_cast<int64_t>(span.low);
    impl->dense = impl->elements == 0 || strides == rowMajor(shape);
    impl->offset = static_cast<int64_t>(first);
    impl->shape = std::move(shape);
    impl->strides = std::move(strides);
    Buffer result;
    result.impl_ = std::move(impl);
    return result;
  });
}

Buffer Buffer::readOnly() const {
  Buffer result;
  result.impl_ = std::make_shared<Impl>(*impl_);
  result.impl_->isReadOnly = true;
  return result;
}

Buffer Buffer::transposed(int axis0, int axis1) const {
  auto rank = static_cast<int>(impl_->shape.size());
  for (int *axis : {&axis0, &axis1}) {
    if (*axis < -rank || *axis >= rank)
      throw ApiError(ApiError::Kind::BadUse,
                     "axis " + std::to_string(*axis) + " of a buffer of rank " + std::to_string(rank));
    *axis += *axis < 0 ? rank : 0;
  }
  std::vector<int64_t> shape = impl_->shape, strides = impl_->strides;
  std::swap(shape[static_cast<size_t>(axis0)], shape[static_cast<size_t>(axis1)]);
  std::swap(strides[static_cast<size_t>(axis0)], strides[static_cast<size_t>(axis1)]);
  return view(std::move(shape), std::move(strides));
}

DType Buffer::type() const { return impl_->type; }
const std::vector<int64_t> &Buffer::shape() const { return impl_->shape; }
const std::vector<int64_t> &Buffer::strides() const { return impl_->strides; }

int64_t Buffer::stride(int axis) const {
  auto rank = static_cast<int>(impl_->shape.size());
  if (axis < -rank || axis >= rank)
    throw ApiError(ApiError::Kind::BadUse,
                   "stride of axis " + std::to_string(axis) + " of a buffer of rank " + std::to_string(rank));
  return impl_->strides[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
}

int64_t Buffer::elements() const { return impl_->elements; }
size_t Buffer::bytes() const { return impl_->bytes; }
uint64_t Buffer::address() const { return impl_->address(); }

TensorDescriptor::TensorDescriptor(Buffer tensor, std::vector<int64_t> block, bool paddingNaN)
    : tensor(std::move(tensor)), block(std::move(block)), paddingNaN(paddingNaN) {
  auto fail = [](const std::string &message) { throw ApiError(ApiError::Kind::BadUse, message); };
  const std::vector<int64_t> &shape = this->tensor.shape();
  if (shape.empty() || shape.size() > 5)
    fail("a tensor descriptor over a buffer of rank " + std::to_string(shape.size()) + "; ranks 1 to 5 are supported");
  if (this->block.size() != shape.size())
    fail("a descriptor block of rank " + std::to_string(this->block.size()) + " (" + describeShape(this->block) +
         ") over a tensor of rank " + std::to_string(shape.size()) + " (" + describeShape(shape) + ")");
  for (int64_t extent : this->block)
    if (extent < 1 || extent > (1 << 20) || (extent & (extent - 1)))
      fail("a descriptor block of " + describeShape(this->block) + "; each extent must be a power of two up to 2^20");
  if (this->tensor.elements() > 0 && this->tensor.strides().back() != 1)
    fail("a tensor descriptor over a buffer whose last stride is " + std::to_string(this->tensor.strides().back()) +
         "; it must be 1");
  bool isReal = static_cast<int>(this->tensor.type()) >= static_cast<int>(DType::F16);
  if (paddingNaN && !isReal)
    fail("NaN padding of a tensor of " + std::string(name(this->tensor.type())) + "; only floats have NaN");
}

PointerArray::PointerArray(const Stream &stream, std::vector<Buffer> targets)
    : targets(std::move(targets)),
      addresses(stream.device(), DType::U64, {static_cast<int64_t>(this->targets.size())}) {
  auto fail = [](const std::string &message) { throw ApiError(ApiError::Kind::BadUse, message); };
  if (this->targets.empty())
    fail("an array of no pointers; its type comes from the buffers");
  std::vector<uint64_t> values;
  for (const Buffer &target : this->targets) {
    if (target.type() != this->targets[0].type())
      fail("pointers to " + std::string(name(this->targets[0].type())) + " and to " + std::string(name(target.type())) +
           " in one array");
    if (&target.impl()->device() != stream.device().impl().get())
      fail("an array of pointers on " + stream.device().info().name + " to a buffer on " +
           target.impl()->device().info.name);
    values.push_back(target.address());
  }
  Stream(stream).write(addresses, values.data());
}

} // namespace tegula
