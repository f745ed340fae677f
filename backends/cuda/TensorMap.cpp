// Encodes tensor descriptors for copies by hardware (TMA). The rules of cuTensorMapEncodeTiled (NVIDIA's driver API
// reference) are checked here, so that messages can name the parameter. DescriptorRecipe's rule that boxes begin at
// multiples of 16 bytes was measured: on an H100 (driver 580) a copy from another address ended in an illegal
// instruction.
#include "backends/cuda/CudaPlatform.h"
#include "core/support/Diagnostic.h"

#include <array>

namespace tegula::cuda {
namespace {

constexpr size_t kMaxRank = 5;
constexpr uint64_t kAlignment = 16;                // bytes: address, strides, and the box along the fastest axis
constexpr uint32_t kMaxBox = 256;                  // elements along an axis
constexpr uint64_t kMaxExtent = uint64_t(1) << 32; // elements
constexpr uint64_t kMaxStride = uint64_t(1) << 40; // bytes, exclusive

TensorMapType typeOf(ScalarType type) {
  switch (type) {
  case ScalarType::I16:
  case ScalarType::U16: return TensorMapType::U16;
  case ScalarType::U32: return TensorMapType::U32;
  case ScalarType::I32: return TensorMapType::I32;
  case ScalarType::U64: return TensorMapType::U64;
  case ScalarType::I64: return TensorMapType::I64;
  case ScalarType::F16: return TensorMapType::F16;
  case ScalarType::BF16: return TensorMapType::BF16;
  case ScalarType::F32: return TensorMapType::F32;
  case ScalarType::F64: return TensorMapType::F64;
  default: return TensorMapType::U8; // i1, 8-bit integers and floats
  }
}

TensorMapSwizzle swizzleOf(uint32_t bytes) {
  switch (bytes) {
  case 0: return TensorMapSwizzle::None;
  case 32: return TensorMapSwizzle::Bytes32;
  case 64: return TensorMapSwizzle::Bytes64;
  case 128: return TensorMapSwizzle::Bytes128;
  default: throw InternalError("a swizzle of " + std::to_string(bytes) + " bytes");
  }
}

/// Checks one descriptor; if it breaks a rule, throws an error that names the parameter.
class Rules {
public:
  Rules(const DescriptorRecipe &recipe, const ArtifactParam &param) : recipe_(recipe), param_(param) {}

  [[noreturn]] void fail(const std::string &what) const {
    throw Error("tensor descriptor '" + param_.name + "': " + what);
  }

  void checkRecipe() const {
    if (recipe_.box.empty() || recipe_.box.size() > kMaxRank)
      fail("rank " + std::to_string(recipe_.box.size()) + "; ranks 1 to 5 are supported");
    for (size_t i = 0; i < recipe_.box.size(); ++i)
      if (recipe_.box[i] == 0 || recipe_.box[i] > kMaxBox)
        fail("the box has " + std::to_string(recipe_.box[i]) + " elements along axis " + std::to_string(i) +
             "; 1 to 256 are supported");
    uint64_t row = uint64_t(recipe_.box.back()) * byteSize(recipe_.type);
    if (row % kAlignment)
      fail("a row of the box takes " + std::to_string(row) + " bytes; it must be a multiple of 16");
    if (recipe_.swizzleBytes && row > recipe_.swizzleBytes)
      fail("a row of the box takes " + std::to_string(row) + " bytes, more than the swizzle of " +
           std::to_string(recipe_.swizzleBytes));
  }

  void checkAddress(uint64_t address) const {
    if (address % kAlignment)
      fail("the tensor's address is " + std::to_string(address % kAlignment) +
           " bytes beyond a multiple of 16; it must be one, so a view must begin at such an element");
  }

  uint64_t extent(int64_t extent, size_t axis) const {
    if (extent < 1 || static_cast<uint64_t>(extent) > kMaxExtent)
      fail("the tensor's extent along axis " + std::to_string(axis) + " is " + std::to_string(extent) +
           "; 1 to 2^32 are supported");
    return static_cast<uint64_t>(extent);
  }

  /// Returns the stride in bytes, or throws if it breaks a rule. For an axis of extent 1, whose stride is never used,
  /// any given stride is accepted and a valid one is returned.
  uint64_t stride(int64_t stride, uint64_t extent, size_t axis) const {
    if (extent == 1)
      return kAlignment;
    __int128 bytes = static_cast<__int128>(stride) * byteSize(recipe_.type);
    if (bytes < 0 || bytes >= kMaxStride)
      fail("the tensor's stride along axis " + std::to_string(axis) + " is " + std::to_string(stride) +
           " elements; 0 to 2^40 bytes are supported");
    if (bytes % kAlignment)
      fail("the tensor's stride along axis " + std::to_string(axis) + " is " + std::to_string(stride) + " elements, " +
           std::to_string(static_cast<uint64_t>(bytes)) + " bytes; it must be a multiple of 16 bytes, so pad the rows");
    return static_cast<uint64_t>(bytes);
  }

  TensorMapFill fill(bool passedNaN) const {
    bool isNaN =
        recipe_.fill == DescriptorRecipe::Fill::AsPassed ? passedNaN : recipe_.fill == DescriptorRecipe::Fill::NaN;
    if (isNaN && (!isFloat(recipe_.type) || byteSize(recipe_.type) == 1))
      fail("elements of " + std::string(name(recipe_.type)) + " cannot be padded with NaN; f16, bf16, f32 and f64 can");
    return isNaN ? TensorMapFill::NaN : TensorMapFill::Zero;
  }

private:
  const DescriptorRecipe &recipe_;
  const ArtifactParam &param_;
};

} // namespace

void CudaPlatform::encodeDescriptor(const DescriptorRecipe &recipe, const ArtifactParam &param,
                                    const DescriptorValue &value, gpu::EncodedDescriptor &out) const {
  Rules rules(recipe, param);
  rules.checkRecipe();
  rules.checkAddress(value.address);
  size_t rank = recipe.box.size();
  if (value.strides[rank - 1] != 1 && value.shape[rank - 1] != 1)
    rules.fail("the tensor's last stride is " + std::to_string(value.strides[rank - 1]) + "; it must be 1");
  // cuTensorMapEncodeTiled counts axes from the contiguous (last) one; `strides` omits this axis, whose stride is
  // always one element.
  std::array<uint64_t, kMaxRank> extents = {}, strides = {};
  std::array<uint32_t, kMaxRank> box = {}, steps = {};
  for (size_t i = 0; i < rank; ++i) {
    size_t axis = rank - 1 - i;
    extents[i] = rules.extent(value.shape[axis], axis);
    box[i] = recipe.box[axis];
    steps[i] = 1;
    if (i > 0)
      strides[i - 1] = rules.stride(value.strides[axis], extents[i], axis);
  }
  call(
      encodeTiled_, [&] { return "encode the tensor descriptor '" + param.name + "'"; },
      static_cast<void *>(out.words.data()), recipe.roundsToTf32 ? TensorMapType::TF32 : typeOf(recipe.type),
      static_cast<uint32_t>(rank), reinterpret_cast<void *>(value.address),
      static_cast<const uint64_t *>(extents.data()), static_cast<const uint64_t *>(strides.data()),
      static_cast<const uint32_t *>(box.data()), static_cast<const uint32_t *>(steps.data()),
      static_cast<int>(kTensorMapInterleaveNone), swizzleOf(recipe.swizzleBytes),
      static_cast<int>(kTensorMapPromoteL2Bytes128), rules.fill(value.paddingNaN));
}

} // namespace tegula::cuda
