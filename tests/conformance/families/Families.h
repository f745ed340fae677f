// Each function adds one family of cases; families/<Name>.cpp.
#pragma once

#include "tests/conformance/Case.h"
#include "tests/conformance/Fills.h"
#include "tests/conformance/Policies.h"

namespace tegula::conformance {

void addArithmetic(Cases &cases);
void addBits(Cases &cases);
void addComparisons(Cases &cases);
void addFunctions(Cases &cases);
void addLibdevice(Cases &cases);
void addLibdeviceBessel(Cases &cases);
void addLibdeviceFunctions(Cases &cases);
void addLibdeviceDirections(Cases &cases);
void addLibdeviceExtern(Cases &cases);
void addLibdeviceIntegers(Cases &cases);
void addCasts(Cases &cases);
void addMemory(Cases &cases);
void addPointers(Cases &cases);
void addShapes(Cases &cases);
void addLayouts(Cases &cases);
void addReductions(Cases &cases);
void addUnalignedRows(Cases &cases);
void addAxisOrder(Cases &cases);
void addScans(Cases &cases);
void addOrder(Cases &cases);
void addEffects(Cases &cases);
void addAtomics(Cases &cases);
void addControl(Cases &cases);
void addLimits(Cases &cases);
void addCalls(Cases &cases);
void addUndefined(Cases &cases);
void addAssembly(Cases &cases);
void addTypes(Cases &cases);
void addGrids(Cases &cases);
void addDescriptors(Cases &cases);
void addDerived(Cases &cases);
void addDot(Cases &cases);
void addDotScaled(Cases &cases);
void addAhead(Cases &cases);
void addGroups(Cases &cases);
void addMatmul(Cases &cases);
void addSplits(Cases &cases);
void addUnpacked(Cases &cases);
void addCounted(Cases &cases);
void addSkipped(Cases &cases);
void addDebug(Cases &cases);
void addPrograms(Cases &cases);
void addRandomNumbers(Cases &cases);
void addSamples(Cases &cases);
/// Needs the specification's kernel files.
void addSeeds(Cases &cases);

/// Extents in a case's name.
inline std::string by(int64_t m, int64_t n) { return std::to_string(m) + "x" + std::to_string(n); }

/// Attention of one head, queries and keys alike: one program for each `block` of queries.
struct Attention {
  int64_t length, width, block;
  int warps;
  bool causal;
  double scale;
};
/// Its case in a family; `error` is what a result may differ by.
void addAttention(Cases &cases, const std::string &family, DType type, const Attention &attention, double error);

inline constexpr DType kFloats[] = {DType::F16, DType::BF16, DType::F32, DType::F64};
inline constexpr DType kIntegers[] = {DType::I8, DType::I16, DType::I32, DType::I64,
                                      DType::U8, DType::U16, DType::U32, DType::U64};
inline constexpr DType kNumbers[] = {DType::I8,  DType::I16, DType::I32, DType::I64,  DType::U8,  DType::U16,
                                     DType::U32, DType::U64, DType::F16, DType::BF16, DType::F32, DType::F64};

inline constexpr DType kFp8[] = {DType::F8E4M3, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ};
inline constexpr DType kAllFloats[] = {DType::F16,    DType::BF16,   DType::F32,        DType::F64,
                                       DType::F8E4M3, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ};
inline constexpr DType kAllNumbers[] = {DType::I8,     DType::I16,    DType::I32,        DType::I64,
                                        DType::U8,     DType::U16,    DType::U32,        DType::U64,
                                        DType::F16,    DType::BF16,   DType::F32,        DType::F64,
                                        DType::F8E4M3, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ};

/// A vector kernel's length, block and warps; cases of a kernel take these in turn, so that each kernel meets several.
struct Extent {
  int64_t n, block;
  int warps;
  std::string text() const {
    return "n=" + std::to_string(n) + ",b=" + std::to_string(block) + ",w=" + std::to_string(warps);
  }
  int64_t programs() const { return cdiv(n, block); }
};
/// Powers of two and not, one program and several, a block larger and smaller than the threads.
Extent extent(size_t turn);

/// A two-operand result as the type's own arithmetic rounds it: once, in f64 for f64, in f32 for f32; floats of 16 bits
/// are computed in f32 and rounded; those of 8 bits, whose sums and products f64 holds exactly, are rounded once and
/// saturate; integers wrap.
template <class F> Number inType(DType type, F function, auto... values) {
  if (type == DType::F64)
    return static_cast<Number>(function(static_cast<double>(values)...));
  if (isFp8(type))
    return rounded(type, static_cast<Number>(function(static_cast<double>(values)...)));
  if (isFloat(type))
    return static_cast<Number>(function(static_cast<float>(values)...));
  return function(static_cast<Number>(values)...);
}

inline std::string named(DType type) { return std::string(name(type)); }

} // namespace tegula::conformance
