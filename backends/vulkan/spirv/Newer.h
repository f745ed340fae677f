// The SPIR-V enumerants that are newer than Debian 12's spirv-headers (1.3.239). Their numbers are facts of the Khronos
// SPIR-V registry. Tests validate modules that use them by a newer spirv-val.
#pragma once

#include <cstdint>
#include <spirv/unified1/spirv.hpp11>

namespace tegula::spirv::newer {

// SPV_KHR_cooperative_matrix
inline constexpr auto CooperativeMatrixKHR = spv::Capability(6022);
inline constexpr auto OpTypeCooperativeMatrixKHR = spv::Op(4456);
inline constexpr auto OpCooperativeMatrixLoadKHR = spv::Op(4457);
inline constexpr auto OpCooperativeMatrixStoreKHR = spv::Op(4458);
inline constexpr auto OpCooperativeMatrixMulAddKHR = spv::Op(4459);
inline constexpr auto OpCooperativeMatrixLengthKHR = spv::Op(4460);

// SPV_NV_cooperative_matrix2
inline constexpr auto CooperativeMatrixReductionsNV = spv::Capability(5430);
inline constexpr auto CooperativeMatrixConversionsNV = spv::Capability(5431);
inline constexpr auto CooperativeMatrixPerElementOperationsNV = spv::Capability(5432);
inline constexpr auto CooperativeMatrixTensorAddressingNV = spv::Capability(5433);
inline constexpr auto CooperativeMatrixBlockLoadsNV = spv::Capability(5434);
inline constexpr auto OpCooperativeMatrixConvertNV = spv::Op(5293);
inline constexpr auto OpCooperativeMatrixReduceNV = spv::Op(5366);
inline constexpr auto OpCooperativeMatrixLoadTensorNV = spv::Op(5367);
inline constexpr auto OpCooperativeMatrixStoreTensorNV = spv::Op(5368);
inline constexpr auto OpCooperativeMatrixPerElementOpNV = spv::Op(5369);
inline constexpr auto OpCooperativeMatrixTransposeNV = spv::Op(5390);
inline constexpr uint32_t kReduceRow = 1; // Cooperative Matrix Reduce operand

// SPV_NV_tensor_addressing
inline constexpr auto TensorAddressingNV = spv::Capability(5439);
inline constexpr auto OpTypeTensorLayoutNV = spv::Op(5370);
inline constexpr auto OpTypeTensorViewNV = spv::Op(5371);
inline constexpr auto OpCreateTensorLayoutNV = spv::Op(5372);
inline constexpr auto OpTensorLayoutSetDimensionNV = spv::Op(5373);
inline constexpr auto OpTensorLayoutSetStrideNV = spv::Op(5374);
inline constexpr auto OpTensorLayoutSliceNV = spv::Op(5375);
inline constexpr auto OpTensorLayoutSetClampValueNV = spv::Op(5376);

// SPV_KHR_bfloat16
inline constexpr auto BFloat16TypeKHR = spv::Capability(5116);
inline constexpr auto BFloat16DotProductKHR = spv::Capability(5117);
inline constexpr auto BFloat16CooperativeMatrixKHR = spv::Capability(5118);
inline constexpr uint32_t kEncodingBFloat16 = 0; // FP encoding operand of OpTypeFloat

// SPV_EXT_float8
inline constexpr auto Float8EXT = spv::Capability(4212);
inline constexpr auto Float8CooperativeMatrixEXT = spv::Capability(4213);
inline constexpr uint32_t kEncodingFloat8E4M3 = 4214;
inline constexpr uint32_t kEncodingFloat8E5M2 = 4215;

} // namespace tegula::spirv::newer
