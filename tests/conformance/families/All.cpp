#include "tests/conformance/families/Families.h"

#include <array>

namespace tegula::conformance {

Extent extent(size_t turn) {
  static constexpr std::array<Extent, 8> kExtents = {{
      {1000, 256, 4},
      {512, 512, 4},
      {777, 1024, 8},
      {300, 64, 2},
      {257, 128, 1},
      {2048, 1024, 4},
      {4100, 2048, 8},
      {1, 32, 1},
  }};
  return kExtents[turn % kExtents.size()];
}

Cases allCases(bool withSeeds) {
  Cases cases;
  addArithmetic(cases);
  addBits(cases);
  addComparisons(cases);
  addFunctions(cases);
  addLibdevice(cases);
  addLibdeviceBessel(cases);
  addLibdeviceFunctions(cases);
  addLibdeviceDirections(cases);
  addLibdeviceExtern(cases);
  addLibdeviceIntegers(cases);
  addCasts(cases);
  addMemory(cases);
  addPointers(cases);
  addShapes(cases);
  addLayouts(cases);
  addReductions(cases);
  addUnalignedRows(cases);
  addScans(cases);
  addAxisOrder(cases);
  addOrder(cases);
  addEffects(cases);
  addAtomics(cases);
  addControl(cases);
  addLimits(cases);
  addCalls(cases);
  addUndefined(cases);
  addAssembly(cases);
  addTypes(cases);
  addGrids(cases);
  addDescriptors(cases);
  addDerived(cases);
  addDot(cases);
  addDotScaled(cases);
  addAhead(cases);
  addGroups(cases);
  addMatmul(cases);
  addSplits(cases);
  addUnpacked(cases);
  addDebug(cases);
  addPrograms(cases);
  addRandomNumbers(cases);
  addSamples(cases);
  addCounted(cases);
  addSkipped(cases);
  if (withSeeds)
    addSeeds(cases);
  return cases;
}

} // namespace tegula::conformance
