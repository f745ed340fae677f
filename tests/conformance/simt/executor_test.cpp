// Conformance cases of every kernel of the suite, in the simt executor: right results, and nothing to report.
#include "tests/conformance/simt/CaseRun.h"
#include "tests/conformance/simt/CaseText.h"

#include "backends/rocm/instructions/MatrixInstructions.h"
#include "core/support/Diagnostic.h"
#include "tests/support/Turn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <regex>
#include <set>

namespace tegula::conformance {
namespace {

/// Of each kernel its cheapest case and the one in the middle, of another type or shape.
std::vector<const Case *> chosenCases(const Cases &cases) {
  std::map<std::string, std::vector<const Case *>> kernels;
  for (const Case &made : cases.all())
    if (made.numWarps > 0 && !made.fault && made.family() != "debug")
      kernels[made.file + "::" + made.kernel].push_back(&made);
  std::vector<const Case *> chosen;
  for (auto &[kernel, all] : kernels) {
    std::stable_sort(all.begin(), all.end(), [](auto *a, auto *b) { return costOf(*a) < costOf(*b); });
    std::erase_if(all, [](const Case *made) { return costOf(*made) > 100000; });
    if (all.empty() || !isSelfContained(*all[0]))
      continue;
    chosen.push_back(all[0]);
    if (all.size() > 1)
      chosen.push_back(all[all.size() / 2]);
  }
  return chosen;
}

simt_test::RunOptions optionsOf(uint64_t seed) {
  return {.seed = seed, .maxReports = 4, .maxSteps = uint64_t(1) << 26};
}

std::string runText(const Case &made, const std::string &text, uint64_t seed) {
  HostCase host = materialise(made);
  return judge(runInExecutor(text, made, host, optionsOf(seed)), host, expectedOf(made, host));
}

/// Runs the code for a target that a launch with these arguments takes; `text` is that code.
std::string runLaunched(const Case &made, const std::string &target, uint64_t seed, std::string &text) {
  HostCase host = materialise(made);
  auto textFor = [&](bool forLaunch) {
    std::string simt = textOfKernel(made, {target, "simt", forLaunch});
    return target.starts_with("sm_") ? withLastPasses(target, simt) : simt;
  };
  text = textFor(/*forLaunch=*/true);
  SimtOutcome outcome = runInExecutor(text, made, host, optionsOf(seed));
  if (outcome.isRefused) {
    text = textFor(false); // better code for these facts does not matter here
    outcome = runInExecutor(text, made, host, optionsOf(seed));
  }
  return judge(outcome, host, expectedOf(made, host));
}

/// How many cases were right, and how many of them had code of some kinds.
struct Tally {
  std::map<std::string, size_t> families;
  size_t copyingAhead = 0;  // threads copy operands of later iterations
  size_t byHardware = 0;    // hardware copies them
  size_t inRegisters = 0;   // products of one warp's registers
  size_t asyncProducts = 0; // products of several warps, started by one op and waited for by another
  size_t atEdges = 0;       // accesses that are narrow at the edges of rows only
  size_t runningOn = 0;     // of these, under way while the next iteration begins
  size_t delayed = 0;       // of these, started by the iteration after their own
  size_t withProducer = 0;  // warps of their own start copies
  size_t derived = 0;       // take descriptors that the launch derives
  size_t multicast = 0;     // of these, in clusters whose programs copy blocks to each other
  size_t inPairs = 0;       // of these, a launched program executes two of the grid
  size_t wideAtomics = 0;   // atomics of several neighbours
};

/// Whether an atomic has fewer offsets than values.
bool hasWideAtomics(const std::string &text) {
  static const std::regex kTypes(R"(simt\.atomic_rmw .* : <\w+>, (?:vector<(\d+)x)?i\d+>?, vector<(\d+)x)");
  for (std::sregex_iterator at(text.begin(), text.end(), kTypes), end; at != end; ++at)
    if (!(*at)[1].matched || std::stoi((*at)[1]) < std::stoi((*at)[2]))
      return true;
  return false;
}

/// Whether a product's left operand, in registers, is carried by a loop: a delayed product's.
bool carriesLeftOperand(std::string_view text) {
  constexpr std::string_view kProduct = "simt.matmul_async %arg";
  for (size_t at = text.find(kProduct); at != std::string_view::npos; at = text.find(kProduct, at + 1))
    if (text.substr(at, text.find('\n', at) - at).find(" : vector<") != std::string_view::npos)
      return true;
  return false;
}

std::string runOne(const Case &made, const std::string &target, uint64_t seed, Tally &tally) {
  try {
    std::string text, wrong = runLaunched(made, target, seed, text);
    auto has = [&](const char *op) { return size_t(wrong.empty() && text.find(op) != std::string::npos); };
    tally.copyingAhead += has("simt.async_load");
    tally.byHardware += has("simt.load_tile");
    tally.atEdges += has("simt.part");
    tally.inRegisters += has("simt.mma ");
    tally.asyncProducts += has("simt.matmul_async");
    tally.runningOn += has("simt.matmul_wait 1 \n"); // the result is not taken
    tally.delayed += wrong.empty() && carriesLeftOperand(text);
    tally.withProducer += has("simt.warp_groups");
    tally.derived += has("tile.tensor");
    tally.multicast += has(" multicast ");
    tally.inPairs += has("simt.pairs");
    tally.wideAtomics += wrong.empty() && hasWideAtomics(text);
    return wrong;
  } catch (const Error &error) {
    return error.what();
  }
}

/// Runs every `every`-th of the cases, from the one whose turn it is; returns how many were right.
size_t run(const std::vector<const Case *> &chosen, const std::string &target, size_t every, Tally &tally) {
  size_t passed = 0;
  for (size_t i = turnOf(every); i < chosen.size(); i += every) {
    auto start = std::chrono::steady_clock::now();
    std::string wrong = runOne(*chosen[i], target, i, tally);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds > 1)
      std::printf("%s for %s took %.1f s\n", chosen[i]->name.c_str(), target.c_str(), seconds);
    EXPECT_EQ(wrong, "") << chosen[i]->name << " for " << target;
    passed += wrong.empty();
    tally.families[chosen[i]->family()] += wrong.empty();
  }
  std::printf(
      "%s: %zu cases right, %zu with copies ahead, %zu with copies by hardware, %zu with asynchronous products, "
      "%zu of them running on, %zu delayed, %zu with a producer, %zu with derived descriptors, %zu of them multicast\n",
      target.c_str(), passed, tally.copyingAhead, tally.byHardware, tally.asyncProducts, tally.runningOn, tally.delayed,
      tally.withProducer, tally.derived, tally.multicast);
  return passed;
}

size_t runAll(const std::string &target, size_t every, Tally &tally) {
  Cases cases = allCases();
  return run(chosenCases(cases), target, every, tally);
}

TEST(SimtExecutor, RunsConformanceCasesOfEightLanes) {
  Tally tally;
  EXPECT_GE(runAll("spirv:sg8", 2, tally), 200u);
  for (const char *family : {"atomics", "calls", "casts", "control", "descriptors", "dot", "elementwise", "functions",
                             "grid", "layouts", "memory", "order", "programs", "reduce", "scan", "shapes"})
    EXPECT_GT(tally.families[family], 0u) << family;
}

TEST(SimtExecutor, RunsConformanceCasesWithoutSubgroups) {
  Tally tally;
  EXPECT_GE(runAll("spirv:generic", 5, tally), 50u);
}

/// Whatever goes through shared memory goes in parts where that is small, and narrow values in words.
TEST(SimtExecutor, RunsConformanceCasesInLittleSharedMemory) {
  TargetDescription target{.features = {.warpSize = 1, .sharesWidths = false, .sharedElementBytes = 4}}, large = target;
  large.features.sharedBytes = 1 << 20;
  auto bytesOf = [](const Case &made) {
    int64_t bytes = 0;
    for (const BufferSpec *buffer : made.buffers())
      bytes += buffer->count * int64_t(byteSize(buffer->type));
    return bytes / made.numWarps;
  };
  Cases cases = allCases();
  std::map<std::string, const Case *> largest; // of each kernel
  for (const Case &made : cases.all()) {
    std::string family = made.family();
    bool exchanges =
        family == "reduce" || family == "scan" || family == "order" || family == "layouts" || family == "dot";
    if (!exchanges || made.numWarps == 0 || made.fault || costOf(made) > 50000 || !isSelfContained(made))
      continue;
    const Case *&best = largest[made.kernel];
    if (!best || bytesOf(*best) < bytesOf(made))
      best = &made;
  }
  size_t split = 0;
  std::set<std::string> families;
  for (auto [kernel, made] : largest) {
    std::string wrong;
    try {
      target.features.sharedBytes = std::max(2048, made->numWarps * 512); // two registers of 64 bits a thread
      std::string planned = textOfKernel(*made, {"spirv:generic", "planned"}), text = simtFor(target, planned);
      if (text == simtFor(large, planned))
        continue;
      ++split;
      families.insert(made->family());
      wrong = runText(*made, text, split);
    } catch (const Error &error) {
      wrong = error.what();
    }
    EXPECT_EQ(wrong, "") << made->name;
  }
  std::printf("%zu of %zu kernels in parts\n", split, largest.size());
  EXPECT_GE(split, 30u);
  EXPECT_EQ(families, (std::set<std::string>{"dot", "layouts", "order", "reduce", "scan"}));
}

TEST(SimtExecutor, RunsConformanceCasesOfThirtyTwoLanes) {
  Tally tally;
  EXPECT_GE(runAll("sm_90a", 5, tally), 50u);
}

/// Wide inside and narrow at edges: the executor reports each access that is not aligned or leaves its buffer.
TEST(SimtExecutor, RunsRowsThatBeginAnywhere) {
  Cases cases = allCases();
  std::vector<const Case *> chosen;
  for (const Case &made : cases.all())
    if (made.family() == "rows")
      chosen.push_back(&made);
  Tally tally;
  size_t right = run(chosen, "sm_90a", 2, tally);
  EXPECT_GE(right, 80u);
  EXPECT_GE(tally.atEdges, right / 3); // rows with weights that all share are accessed element by element
}

/// Loops whose index may exceed its type, pointers that hold any bits, accesses in place through pointers that move.
TEST(SimtExecutor, RunsLoopsNearLimitsAndPointers) {
  Cases cases = allCases();
  std::vector<const Case *> chosen;
  for (const Case &made : cases.all())
    if (made.family() == "limits" || made.kernel.starts_with("pointer_") || made.kernel.starts_with("moving"))
      chosen.push_back(&made);
  for (const char *target : {"sm_80", "sm_90a"}) {
    Tally tally;
    EXPECT_GE(run(chosen, target, 2, tally), 40u);
  }
}

/// Additions to neighbours by one atomic: the executor reports one that is not aligned or leaves its buffer.
TEST(SimtExecutor, RunsAtomicsOfNeighbours) {
  Cases cases = allCases();
  std::vector<const Case *> chosen;
  for (const Case &made : cases.all())
    if (made.family() == "atomics" && (made.kernel == "add_rows" || made.kernel == "add_runs") &&
        (uses(made, DType::F32) || uses(made, DType::F16) || uses(made, DType::BF16)))
      chosen.push_back(&made);
  for (auto [target, wide] : {std::pair("sm_90a", 27u), {"sm_80", 18u}, {"gfx1100", 18u}}) {
    Tally tally;
    EXPECT_EQ(run(chosen, target, 1, tally), chosen.size());
    EXPECT_EQ(tally.wideAtomics, wide) << target;
  }
}

/// Threads' copies whose addresses depend on loads of the loop, and copies of what ops change before a product.
TEST(SimtExecutor, RunsCopiesByLoadedIndices) {
  Cases cases = allCases();
  std::vector<const Case *> chosen;
  for (const Case &made : cases.all())
    if (made.file == "ahead.py" && made.name.find("wide,n=") != std::string::npos)
      chosen.push_back(&made);
  for (const char *target : {"sm_80", "sm_90a"}) {
    Tally tally;
    EXPECT_EQ(run(chosen, target, 1, tally), chosen.size());
    EXPECT_GE(tally.copyingAhead * 2, chosen.size()) << target;
  }
}

/// Operands that are computed from what is loaded, and butterflies; products in while loops and in branches.
TEST(SimtExecutor, RunsComputedOperandsAndProductsInBranches) {
  Cases cases = allCases();
  std::set<std::string> families = {"unpacked", "counted", "skipped"};
  std::vector<const Case *> chosen;
  for (const Case &made : cases.all())
    if (families.contains(made.family()) && made.kernel != "fields")
      chosen.push_back(&made);
  Tally tally;
  for (const char *target : {"sm_80", "sm_90a"})
    EXPECT_EQ(run(chosen, target, 1, tally), chosen.size());
}

/// Cases with products of matrices of these types.
std::vector<const Case *> productCases(const Cases &cases, std::initializer_list<DType> types,
                                       int64_t mostCost = 60000) {
  std::vector<const Case *> chosen;
  for (const Case &made : cases.all())
    if ((made.family() == "dot" || made.family() == "matmul" || made.kernel.starts_with("attention")) &&
        made.numWarps > 0 && std::ranges::any_of(types, [&](DType type) { return uses(made, type); }) &&
        costOf(made) < mostCost)
      chosen.push_back(&made);
  return chosen;
}

/// Products of matrices, on fragments whose elements lie in lanes as the seed has it.
TEST(SimtExecutor, RunsProductsInFragments) {
  Cases cases = allCases();
  Tally tally;
  EXPECT_GE(run(productCases(cases, {DType::F16, DType::I8}), "spirv:lavapipe-cm", 2, tally), 50u);
  EXPECT_GT(tally.families["dot"], 0u);
  EXPECT_GT(tally.families["matmul"], 0u);
}

/// Products in registers, by instructions whose element mapping is known.
TEST(SimtExecutor, RunsProductsInRegisters) {
  Cases cases = allCases();
  Tally tally;
  EXPECT_GE(run(productCases(
                    cases, {DType::F16, DType::BF16, DType::I8, DType::F32, DType::F64, DType::F8E4M3, DType::F8E5M2}),
                "sm_80", 2, tally),
            100u);
  EXPECT_GE(tally.copyingAhead, 30u);
  EXPECT_GT(tally.families["dot"], 0u);
  EXPECT_GT(tally.families["matmul"], 0u);
}

/// The same by the instructions of a device without asynchronous copies, of half the depth.
TEST(SimtExecutor, RunsProductsInRegistersWithoutCopies) {
  Cases cases = allCases();
  Tally tally;
  EXPECT_GE(run(productCases(cases, {DType::F16, DType::I8, DType::F8E4M3}), "sm_75", 5, tally), 40u);
  EXPECT_GE(tally.inRegisters, 40u);
  EXPECT_EQ(tally.copyingAhead, 0u);
}

/// Products by instructions of four warps, with operands in shared memory.
TEST(SimtExecutor, RunsProductsFromSharedMemory) {
  Cases cases = allCases();
  std::vector<const Case *> chosen = productCases(cases, {DType::F16, DType::BF16, DType::F8E4M3}, 300000);
  std::erase_if(chosen, [](const Case *made) { return made->numWarps < 4; });
  Tally tally;
  EXPECT_GE(run(chosen, "sm_90a", 1, tally), 100u);
  EXPECT_GE(tally.asyncProducts, 60u);
  EXPECT_GE(tally.runningOn, 20u);
  EXPECT_GE(tally.delayed, 15u);
}

/// The backward pass of an attention: products that start beside others, in four loops one after another.
TEST(SimtExecutor, RunsGradients) {
  Cases cases = allCases();
  std::vector<const Case *> chosen;
  for (const Case &made : cases.all())
    if (made.kernel == "attention_gradients" && made.numWarps >= 4)
      chosen.push_back(&made);
  Tally tally;
  EXPECT_EQ(run(chosen, "sm_90a", 1, tally), chosen.size());
  EXPECT_GE(tally.asyncProducts, 6u);
}

/// Rings and blocks that hardware fills, through the host's descriptors: in nested loops, in two loops, beside delayed
/// products, with groups of warps that take turns, and without a loop, too. (In `loaded_behind` of one descriptor only:
/// copies of the other would pass a store.)
TEST(SimtExecutor, RunsCopiesByHardware) {
  Cases cases = allCases();
  std::vector<const Case *> chosen;
  for (const Case &made : cases.all())
    if (made.kernel.starts_with("described") || made.kernel == "loaded_behind" || made.kernel == "single_product" ||
        made.kernel == "decaying")
      chosen.push_back(&made);
  Tally tally;
  EXPECT_EQ(run(chosen, "sm_90a", 1, tally), chosen.size());
  EXPECT_EQ(tally.byHardware, chosen.size());
  EXPECT_GE(tally.runningOn, 10u);
  EXPECT_GE(tally.delayed, 4u);
  EXPECT_GE(tally.withProducer, 10u);
}

/// Descriptors that launches derive, and code for arguments from which they cannot be derived.
TEST(SimtExecutor, RunsDerivedDescriptors) {
  Cases cases = allCases();
  std::vector<const Case *> chosen;
  for (const Case &made : cases.all())
    // Many programs are for devices, which execute pairs only in large grids; the executor does in any.
    if (made.family() == "derived" && made.programs[1] < 100)
      chosen.push_back(&made);
  Tally tally;
  size_t right = run(chosen, "sm_90a", 2, tally);
  EXPECT_GE(right, chosen.size() / 2);
  EXPECT_GE(tally.derived, 20u);
  EXPECT_LE(tally.derived, right - 8); // launches that break a condition
  EXPECT_GE(tally.withProducer, 14u);
  EXPECT_GE(tally.multicast, 20u);
  EXPECT_GE(tally.inPairs, 2u);
}

/// Loops whose iterations several programs share: these have the copies, products and producers of others.
TEST(SimtExecutor, RunsSplitK) {
  Cases cases = allCases();
  std::vector<const Case *> chosen;
  for (const Case &made : cases.all())
    if (made.family() == "splits")
      chosen.push_back(&made);
  Tally tally;
  EXPECT_EQ(run(chosen, "sm_90a", 1, tally), chosen.size());
  EXPECT_GE(tally.asyncProducts, 20u);
  EXPECT_GE(tally.withProducer, 10u);
  EXPECT_GE(tally.derived, 8u);
}

/// Where rows do not stay in fragments.
TEST(SimtExecutor, RunsProductsThatLeaveFragments) {
  Cases cases = allCases();
  Tally tally;
  EXPECT_GE(run(productCases(cases, {DType::F16, DType::I8}), "spirv:lavapipe-cm-khr", 3, tally), 30u);
}

/// The planned level for the least shared memory that there is a kernel for; rather, for the least with which a product
/// has an instruction and its depth goes in parts.
std::optional<std::string> plannedInLeast(const std::string &target, const std::string &tile,
                                          const std::string &planned) {
  std::optional<std::string> least;
  for (int64_t bytes = 1024; bytes <= 12 << 10; bytes += 1024)
    try {
      std::string text = plannedWith(bytes, target, tile, planned);
      bool isInParts = text.find(" part 1 ") != std::string::npos;
      if (least && !isInParts)
        continue;
      simtFor(target, text);
      least = text;
      if (isInParts)
        break;
    } catch (const Error &) {
      continue; // too little
    }
  return least;
}

/// Operands in parts through shared memory, beside others from global memory.
TEST(SimtExecutor, RunsProductsInFragmentsInLittleSharedMemory) {
  size_t split = 0, deep = 0, mixed = 0;
  Cases cases = allCases();
  std::vector<const Case *> chosen = productCases(cases, {DType::F16, DType::I8});
  for (size_t i = turnOf(4); i < chosen.size(); i += 4) {
    const Case &made = *chosen[i];
    const std::string target = "spirv:lavapipe-cm", planned = textOfKernel(made, {target, "planned"});
    std::optional<std::string> least = plannedInLeast(target, textOfKernel(made, {target, "tile"}), planned);
    if (!least)
      continue;
    std::string text = simtFor(target, *least);
    if (text == simtFor(target, planned))
      continue;
    EXPECT_EQ(runText(made, text, ++split), "") << made.name;
    deep += least->find(" part 1 ") != std::string::npos;
    auto comesFromMemory = [&](const std::string &use) {
      return text.find("!tile.ptr<f16> -> <8x8xf16, " + use + ">") != std::string::npos;
    };
    mixed += comesFromMemory("a") != comesFromMemory("b");
  }
  std::printf("%zu kernels in parts, %zu of them with the depth of a product in parts, %zu mixed\n", split, deep,
              mixed);
  EXPECT_GE(split, 10u);
  EXPECT_GE(deep, 5u);
  EXPECT_GE(mixed, 1u);
}

/// Products for machines that have rows of instructions and no backend yet: what stands between layouts and threads
/// needs no change for them.
struct Machine {
  const char *name;
  int64_t warpSize;
  const char *instructions; // a part of the names of its instructions
};

class ProductsOfOtherMachines : public ::testing::TestWithParam<Machine> {};

TEST_P(ProductsOfOtherMachines, AreRight) {
  const Machine &machine = GetParam();
  TargetDescription target{.features = {.warpSize = machine.warpSize,
                                        .threadsPerWarp = machine.warpSize,
                                        .sharedBytes = 64 << 10,
                                        .registerBytes = 512 << 10}};
  for (const MatrixInstruction &each : rocm::matrixInstructions())
    if (each.name.find(machine.instructions) != std::string::npos)
      target.instructions.push_back(each);
  ASSERT_FALSE(target.instructions.empty());
  Cases cases = allCases();
  std::vector<const Case *> chosen = productCases(cases, {DType::F16, DType::BF16, DType::I8});
  size_t right = 0, served = 0, attention = 0;
  for (size_t i = turnOf(4); i < chosen.size(); i += 4) {
    const Case &made = *chosen[i];
    std::string text, wrong;
    try {
      text = simtFor(target, plannedFor(target, textOfKernel(made, {"spirv:generic", "tile"})));
      wrong = runText(made, text, i);
    } catch (const Error &error) {
      wrong = error.what();
    }
    EXPECT_EQ(wrong, "") << made.name;
    right += wrong.empty();
    bool isServed = text.find("simt.mma ") != std::string::npos;
    served += wrong.empty() && isServed;
    attention += wrong.empty() && isServed && made.name.find("attention") != std::string::npos;
  }
  std::printf("%s: %zu cases right, %zu of them by matrix instructions, %zu of attention\n", machine.name, right,
              served, attention);
  EXPECT_GE(served, 20u);
  EXPECT_GE(attention, 1u);
}

INSTANTIATE_TEST_SUITE_P(Machines, ProductsOfOtherMachines,
                         ::testing::Values(Machine{"gfx942", 64, "mfma"}, Machine{"gfx1100", 32, ".gfx11"},
                                           Machine{"gfx1201", 32, ".gfx12"}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace tegula::conformance
