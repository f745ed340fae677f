// Faults planted in the simt level of conformance cases: the suite must find each of them, and find it as what it is.
// A fault is a replacement in the kernel's text; one that no longer applies, or that no longer parses, fails the test.
#include "tests/conformance/Compare.h"
#include "tests/conformance/Runner.h"
#include "tests/conformance/simt/CaseRun.h"
#include "tests/conformance/simt/CaseText.h"

#include "core/support/Diagnostic.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>

namespace tegula::conformance {
namespace {

struct Fault {
  const char *name;
  const char *made;        // the case
  const char *pattern;     // a regular expression within one line, or of lines
  const char *replacement; // $1 ... are its groups
  int occurrence;          // which match is replaced, from 0; negative: from the last, -1
  const char *found;       // what the suite says about it, among others
};

constexpr const char *kExchange = "memory/masked_store/f16,n=1024,w=4", *kSort = "order/sort_rows/i32,4x32",
                     *kSum = "reduce/sum_2d/bf16,16x16,axis=0,w=2", *kMax = "reduce/max_2d/f16,16x16,axis=1,w=2",
                     *kProduct = "dot/k_loop/bf16,64x64x64,w=0 by 32x32x16,w=4", *kTicket = "atomics/scalar_ticket/i32",
                     *kWiden = "casts/convert/i8->i32,n=257,b=128,w=1", *kCopy = "memory/copy/u8,programs=3,n=2048,w=8",
                     *kOutside = "descriptors/outside/f32,at -16,0,nan", *kHalves = "shapes/swap_halves/f16,n=512",
                     *kScan = "scan/linear_recurrence/i32,8x32,axis=1", *kWrong = "elements of";

const Fault kFaults[] = {
    // Barriers.
    {"BarrierOfAnExchangeDropped", kExchange, "    simt\\.barrier\n", "", 0, "race"},
    {"BarrierBeforeReuseDropped", kSort, "    simt\\.barrier\n", "", 1, "race"},
    {"BarrierOfAReductionDropped", kSum, "    simt\\.barrier\n", "", 0, "race"},
    {"BarrierBetweenRoundsOfALoopDropped", kProduct, "      simt\\.barrier\n", "", 0, "race"},
    {"BarrierBeforeTheProductDropped", kProduct, "      simt\\.barrier\n", "", 1, "race"},
    {"BarrierBeforeABroadcastDropped", kTicket, "    simt\\.barrier\n", "", 0, "race"},
    {"BarrierInADivergentBranch", kSum, "    simt\\.barrier\n",
     "    %me = simt.thread_id : i32\n    %few = arith.cmpi slt, %me, %c8_i32 : i32\n    scf.if %few {\n"
     "      simt.barrier\n    } {simt.uniform}\n",
     0, "wrong-uniform"},
    // Layouts and exchanges.
    {"WrongSwizzle", kExchange, "arith\\.muli (%\\d+), %c144_i32", "arith.muli $1, %c72_i32", 0, kWrong},
    {"WrongPlaceOfRegisters", kExchange, "dense<\\[0, 8, 16, 24, 32, 40, 48, 56\\]>",
     "dense<[0, 8, 16, 24, 32, 40, 56, 48]>", 0, kWrong},
    {"WrongWarpBit", kExchange, "arith\\.shli (%\\d+), %c9_i32", "arith.shli $1, %c8_i32", 0, kWrong},
    {"WrongPartnerOfAnExchange", kSort, "arith\\.xori (%\\d+), %c16_i32", "arith.xori $1, %c8_i32", 0, kWrong},
    {"BuffersOverlap", kProduct, "shared_alloc at 1024", "shared_alloc at 0", 0, "race"},
    {"WrongOrderOfRegisters", kHalves, "\\[0, 4, 1, 5, 2, 6, 3, 7\\]", "[0, 4, 1, 5, 2, 6, 7, 3]", 0, kWrong},
    {"HalvesOfAJoinSwapped", kHalves, "simt\\.concat (%\\d+), (%\\d+)", "simt.concat $2, $1", 0, kWrong},
    {"ThreadsAtTheWrongElements", kCopy, "arith\\.shli (%\\d+), %c6_i32", "arith.shli $1, %c3_i32", 0, kWrong},
    // Lanes.
    {"WrongLaneOfAShuffle", kMax, "simt\\.shuffle xor (%\\d+), %c2_i32", "simt.shuffle xor $1, %c1_i32", 0, kWrong},
    {"ShuffleOfTheWrongDirection", kSort, "simt\\.shuffle xor", "simt.shuffle down", 0, kWrong},
    {"ReductionMissesLanes", kMax, "arith\\.maxnumf (%\\d+), (%\\d+) : vector<1xf32>",
     "arith.maxnumf $1, $1 : vector<1xf32>", -1, kWrong},
    {"ReductionMissesAWarp", kSum, "arith\\.addi (%\\d+), %c56_i32", "arith.addi $1, %c48_i32", 0, kWrong},
    {"WrongComparisonOfASort", kSort, "arith\\.cmpi slt", "arith.cmpi sgt", -1, kWrong},
    {"ScanTakesTheWrongLane", kScan, "arith\\.ori (%\\d+), %c1_i32", "arith.ori $1, %c2_i32", 0, kWrong},
    {"ScanGivesItsSumToTheWrongHalf", kScan, "arith\\.select (%\\d+), (%\\d+), (%\\d+) : vector<2xi1>, vector<2xi32>",
     "arith.select $1, $3, $2 : vector<2xi1>, vector<2xi32>", 1, kWrong},
    {"ScanOfRegistersSwapped", kScan, "\\[0, 2\\]", "[2, 0]", 1, kWrong},
    // Masks, addresses, widths.
    {"MaskOneTooFar", kWiden, "arith\\.cmpi slt", "arith.cmpi sle", 0, kWrong},
    {"MaskOfALoadDropped", kWiden, "(simt\\.load .*) mask %\\d+( .*|) : (.*), vector<4xi1>", "$1$2 : $3", 0,
     "out-of-bounds"},
    {"MaskOfAStoreDropped", kWiden, "(simt\\.store .*) mask %\\d+ : (.*), vector<4xi1>", "$1 : $2", 0, kWrong},
    {"MisalignedWideAccess", kCopy, "dense<\\[0, 1, 2, 3, 4, 5, 6, 7\\]>", "dense<[1, 2, 3, 4, 5, 6, 7, 8]>", 0,
     "misaligned"},
    {"StrideOneTooLong", kSum, "dense<16> : vector<1xi32>", "dense<17> : vector<1xi32>", 0, "misaligned"},
    {"WrongAxisOfPrograms", kProduct, "tile\\.program_id 0", "tile.program_id 1", 0, kWrong},
    // Descriptors.
    {"WrongPadding", "descriptors/nan_padding/f32", "dense<0x7FC00000>", "dense<0.000000e+00>", 0, kWrong},
    {"PaddingsSwapped", kOutside, "arith\\.select (%\\d+), (%\\w+), (%\\w+) : f32", "arith.select $1, $3, $2 : f32", 0,
     kWrong},
    {"LowerBoundOneTooFar", "descriptors/outside/f32,at -5,-3,nan", "arith\\.cmpi sge", "arith.cmpi sgt", 0, kWrong},
    // Loops.
    {"LoopBeginsOneTooLate", kProduct, "%c0_i32 to %c16_i32 step %c1_i32", "%c1_i32 to %c16_i32 step %c1_i32", 0,
     kWrong},
    {"LoopSkipsRounds", kProduct, "step %c16_i32 iter_args", "step %c32_i32 iter_args", 0, kWrong},
    // Atomics.
    {"AtomicByAllCopies", kTicket, "(simt\\.atomic_rmw .*) mask %\\d+ : (.*), vector<1xi1>", "$1 : $2", 0, kWrong},
    {"AtomicOfTheWrongKind", kTicket, "atomic_rmw add", "atomic_rmw xchg", 0, kWrong},
    // Elements.
    {"NaNsOfAMaximum", "elementwise/maximum/f32,n=777,b=1024,w=8", "arith\\.maxnumf", "arith.maximumf", 0, kWrong},
    {"SignedForUnsigned", "elementwise/greater/u32->i1,n=1000,b=256,w=4", "arith\\.cmpi ugt", "arith.cmpi sgt", 0,
     kWrong},
    {"SignNotExtended", kWiden, "arith\\.extsi", "arith.extui", 0, kWrong},
    {"WrongRounding", "casts/convert/f32->f16,n=257,b=128,w=1",
     "arith\\.truncf (%\\d+) :", "arith.truncf $1 toward_zero :", 0, kWrong},
};

/// Faults in the planned level after the schedules of loops are expanded: the suite must find what lowering makes of
/// them. The cases have rings of buffers.
constexpr const char *kRing = "dot/trips/f16,0..5 by 1,stages=4,w=1", *kCarried = "dot/changing_places/n=5,w=1",
                     *kTwoRings = "dot/one_after_the_other/n=5,w=1", *kEarly = "missing-wait";

const Fault kPlannedFaults[] = {
    // Waits.
    {"WaitDropped", kRing, "      simt\\.wait_copies .*\n", "", 0, kEarly},
    {"WaitForOneOfTwoCopies", kRing, "      simt\\.wait_copies (%arg\\d+), (%arg\\d+)", "      simt.wait_copies $1", 0,
     kEarly},
    {"WaitBeforeTheLoopOnly", kRing, "(\n.*scf\\.for(.*\n)*?)      simt\\.wait_copies .*\n", "$1", 0, kEarly},
    {"LoadBeforeTheWait", kRing, "(      simt\\.wait_copies .*\n)((.*\n)*?)(.*= simt.shared_load .*\n)", "$2$4$1", 0,
     kEarly},
    // Stages.
    {"StageReadTooEarly", kRing, "(\n +)(%\\d+ = simt\\.stage %\\d+)\\[%arg\\d+\\]",
     "$1%early = arith.constant 3 : i32$1$2[%early]", 0, kEarly},
    {"StageAlwaysTheFirst", kRing, "simt\\.stage (%\\d+)\\[%arg(\\d+)\\]", "simt.stage $1[%c0_i32]", 0, kEarly},
    {"StageWrittenTooEarly", kRing, "arith\\.addi (%arg\\d+), %c3_i32", "arith.addi $1, %c2_i32", 0, kEarly},
    {"StageOfTheOtherRing", kTwoRings,
     "simt\\.stage (%\\d+)\\[(%arg\\d+)\\](.*\n(.*\n)*?.*simt\\.stage) (%\\d+)\\[%arg", "simt.stage $5[$2]$3 $5[%arg",
     0, kWrong},
    {"StageNeverAdvances", kRing, "arith\\.addi (%arg\\d+), %c1_i32", "arith.addi $1, %c0_i32", 0, kEarly},
    // Copies.
    {"CopyWithoutMask", kCarried, "(= simt\\.copy %\\w+ to %\\d+) mask %\\d+ (.*), tensor<.*", "$1 $2", -1,
     "out-of-bounds"},
    {"CopyMaskedOff", kRing, "(%\\d+ = simt\\.copy %\\d+ to %\\d+ mask) %\\d+ (.*, )(tensor<16x16xi1, #\\w+>)",
     "%never = arith.constant dense<false> : $3\n$1 %never $2$3", -1, kWrong},
    {"CopyOfAnotherIteration", kRing, "(%arg\\d+ = %\\w+, %arg\\d+ = %\\w+, %arg\\d+ =) %\\d+,", "$1 %arg3,", 0,
     kWrong},
    // Accumulators.
    {"SumNotCarried", kRing, "(tile\\.dot %\\d+, %\\d+,) %arg\\d+ (.*, tensor<16x16xf32, #\\w+>)", "$1 %cst_1 $2", 0,
     kWrong},
};

/// The same where products read shared memory and are under way while others begin.
constexpr const char *kSums = "dot/sums/f16,64x64x32,w=4,trips=5,stages=3",
                     *kChain = "dot/chain/f16,64x64x32,w=4,trips=5,scales";

const Fault kProductFaults[] = {
    {"FenceDropped", kSums, "      simt\\.fence async\n", "", 0, "missing-fence"},
    {"WaitForTheCopiesDropped", kSums, "      simt\\.wait_copies .*\n", "", 0, kEarly},
    {"WaitForTheProductDropped", kSums, "      %\\d+ = simt\\.wait_products %arg5 .*\n", "", 0, kEarly},
    {"StageOfAProductUnderWayWritten", kSums, "arith\\.subi (%arg\\d+), %c2_i32", "arith.subi $1, %c1_i32", 0, kEarly},
    {"StageReadTooEarly", kSums, "(\n +)(%\\d+ = simt\\.stage %\\d+)\\[%arg\\d+\\]",
     "$1%early = arith.constant 2 : i32$1$2[%early]", 0, kEarly},
    {"SumNotTaken", kSums, "(simt\\.product %\\d+, %\\d+,) %arg5", "$1 %cst_2", 0, kWrong},
    {"LeftProductReadsThisStage", kChain, "(simt\\.stage %\\d+)\\[%\\d+\\](.*\n.*simt\\.product %arg)", "$1[%arg9]$2",
     0, kWrong},
    {"LeftProductNotScaled", kChain, "(simt\\.product %arg\\d+, %\\d+,) %\\d+ ", "$1 %arg6 ", 0, kWrong},
    {"LastProductOfAnotherStage", kChain, "(simt\\.stage %\\d+)\\[%\\d+\\](.*\n.*simt\\.product %\\d+#)",
     "$1[%c0_i32]$2", 0, kWrong},
};

/// The same where hardware copies to the rings. Programs of the case take several tiles in turns.
constexpr const char *kTiles = "matmul/described/f16,100x40x72,persistent";

const Fault kTileFaults[] = {
    {"WaitForTilesDropped", kTiles, "      +simt\\.wait_tiles .*\n", "", 0, kEarly},
    {"PhaseNeverChanges", kTiles, "arith\\.xori (%arg\\d+), %c1_i32", "arith.xori $1, %c0_i32", 0, kEarly},
    {"CopyBesideTheProductThatReads", kTiles, "(\n +%\\d+ = simt\\.wait_products %arg.*)((\n.*)*?)(\n +scf\\.yield)",
     "$2$1$4", 0, kEarly},
    {"StageReadTooEarly", kTiles, "(\n +)(%\\d+ = simt\\.stage %\\d+)\\[%arg\\d+\\]",
     "$1%early = arith.constant 2 : i32$1$2[%early]", 0, kEarly},
    {"CopyOfOneOperandNeverStarted", kTiles, "(\n +)(%\\d+ = simt\\.copy_tile %arg1.*) if %\\w+ :",
     "$1%never = arith.constant false$1$2 if %never :", 0, "deadlock"},
    {"ObjectsNotEnded", kTiles, " +simt\\.end_barriers .*\n", "", 0, "barrier-misuse"},
    {"TooFewCopiesExpected", kTiles, "count 2", "count 1", 0, "barrier-misuse"},
};

/// The same where a producer starts the copies, and in an attention, of which one product is delayed.
constexpr const char *kProduced = "matmul/described_once/f16,100x72x304,w=8,stages=4",
                     *kProducedChain = "matmul/described_attention/f16,300x64";

const Fault kProducerFaults[] = {
    {"WaitForFullDropped", kProduced, "      simt\\.barrier_wait %\\d+\\[.*\n", "", 0, kEarly},
    {"WaitForEmptyDropped", kProduced, "        simt\\.barrier_wait %arg.*\n", "", 0, "barrier-misuse"},
    {"LastStageEmptyFromTheStart", kProduced, "arith\\.select (%\\d+), (%arg\\d+), (%\\d+)", "arith.select $1, $3, $3",
     0, kEarly},
    {"PhaseOfTheProducerNeverChanges", kProduced, "arith\\.xori (%arg\\d+), %(\\w+)", "arith.ori $1, $1", 0,
     "deadlock"},
    {"ArrivalDropped", kProduced, "      simt\\.arrive_warps .*\n", "", 0, "deadlock"},
    {"ArrivalBeforeTheProductHasEnded", kProduced,
     "( +%\\d+ = simt\\.wait_products %arg\\d+.*\n)((.*\n)*?)( +simt\\.arrive_warps .*\n)", "$2$4$1", 0, kEarly},
    {"PlacesOfTheNextProgramFromTheStart", kProduced, "\n      scf\\.yield %\\d+#1, %\\d+#2 : i32, i32",
     "\n      scf.yield %c0_i32, %c0_i32 : i32, i32", 0, "deadlock"},
    {"AnotherStageHandedBack", kProduced, "(simt\\.arrive_warps %\\d+)\\[%\\d+\\]", "$1[%arg6]", 0, "deadlock"},
    {"TooFewWarpsExpected", kProduced, "count 8", "count 7", 0, kEarly},
    {"ObjectsEndedTooEarly", kProduced,
     "(\n    simt\\.producer(.*\n)*?    \\}\n)((.*\n)*?)(    simt\\.end_barriers .*\n)", "$1$5$3", 0, "barrier-misuse"},
    {"DelayedProductOfThisStage", kProducedChain, "arith\\.subi (%arg\\d+), %c1_i32", "arith.subi $1, %c0_i32", 0,
     kWrong},
    {"OperandsWithoutFence", kProducedChain, "    simt\\.fence async\n", "", -1, "missing-fence"},
};

/// The same in clusters, whose two programs copy halves of blocks to each other: of 2 x 3 tiles, where some programs
/// read the same block and some do not, and of 3 tiles, the last of which has no peer.
constexpr const char *kShared = "derived/product/bf16,shared,192x200,groups of 2,depth=32,masked",
                     *kOdd = "derived/product/f16,shared,192x120,one column,masked";

const Fault kClusterFaults[] = {
    {"ArrivalAtThePeerDropped", kShared, " also of %\\d+", "", 0, "deadlock"},
    {"WarpsOfOneProgramExpected", kShared, "count 8", "count 4", 0, "barrier-misuse"},
    {"ClusterDoesNotWaitAtItsBeginning", kShared, "    simt\\.cluster_barrier\n", "", 0, "barrier-misuse"},
    {"ProducerDoesNotWaitForLastArrivals", kShared, "      simt\\.barrier_wait %arg.*\n", "", -1, "missing-wait"},
    {"DifferentBlocksShared", kShared, "arith\\.andi (%\\d+), (%\\d+) : i1", "arith.andi $1, $1 : i1", -1, kWrong},
    {"PeerBeyondTheGridCopies", kOdd, "arith\\.cmpi ult, (%\\d+), %\\d+", "arith.cmpi eq, $1, $1", 0, "deadlock"},
    {"PeerBeyondTheGridIsTold", kOdd, "arith\\.cmpi ult, (%\\d+), %\\d+", "arith.cmpi eq, $1, $1", -1, "deadlock"},
};

const Case &caseNamed(const std::string &name) {
  static const Cases cases = allCases();
  for (const Case &made : cases.all())
    if (made.name == name)
      return made;
  throw Error("no case '" + name + "' in the suite");
}

/// What a test's name says; otherwise the bytes would be printed.
void PrintTo(const Fault &fault, std::ostream *out) { *out << fault.name << " in " << fault.made; }

/// The text with one match replaced; throws Error where there is none.
std::string planted(const std::string &text, const Fault &fault) {
  std::regex pattern(fault.pattern);
  std::vector<std::smatch> matches(std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator());
  int count = static_cast<int>(matches.size());
  int wanted = fault.occurrence < 0 ? count + fault.occurrence : fault.occurrence;
  if (wanted < 0 || wanted >= count)
    throw Error("match " + std::to_string(fault.occurrence) + " of '" + fault.pattern + "' is not among " +
                std::to_string(count) + " in\n" + text);
  const std::smatch &match = matches[static_cast<size_t>(wanted)];
  std::string changed = text.substr(0, static_cast<size_t>(match.position())) + match.format(fault.replacement) +
                        text.substr(static_cast<size_t>(match.position() + match.length()));
  if (changed == text)
    throw Error("the fault changes nothing");
  return changed;
}

bool hasVulkan() {
  for (const Device::Info &info : Device::list())
    if (info.name == "vulkan:0")
      return true;
  return false;
}

/// Runs a text of the simt level through the launch API.
std::string differencesOnDevice(const std::string &text, Case made, const HostCase &host,
                                const std::vector<std::vector<uint8_t>> &expected) {
  static const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("faults." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  made.folder = Folder::Suite;
  made.file = made.kernel + ".mlir";
  made.constants.clear();
  std::ofstream(folder / made.file) << text;
  Runner runner(Device::open("vulkan:0"), {folder.string(), "", ""});
  Outcome outcome = runner.run(made, host);
  std::filesystem::remove_all(folder);
  if (outcome.error)
    throw Error(outcome.error->what());
  std::string problems;
  for (size_t k = 0; k < host.buffers.size(); ++k)
    problems += differences(*host.buffers[k].spec, outcome.buffers[k], expected[k]).value_or("");
  return problems;
}

/// Plants the fault in the case's text at a level and runs both texts in the executor; `toSimt` lowers such a text.
void expectFound(const Fault &fault, const Configured &configured,
                 const std::function<std::string(const std::string &)> &toSimt) {
  const Case &made = caseNamed(fault.made);
  std::string text = textOfKernel(made, configured), changed = planted(text, fault);
  HostCase host = materialise(made);
  std::vector<std::vector<uint8_t>> expected = expectedOf(made, host);
  for (uint64_t seed : {1, 2}) {
    simt_test::RunOptions options{.seed = seed, .maxReports = 64, .maxSteps = uint64_t(1) << 24};
    ASSERT_EQ(judge(runInExecutor(toSimt(text), made, host, options), host, expected), "") << "without the fault";
    std::string found = judge(runInExecutor(toSimt(changed), made, host, options), host, expected);
    EXPECT_NE(found.find(fault.found), std::string::npos) << "found: '" << found << "' in\n" << changed;
  }
}

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, AreFound) {
  expectFound(GetParam(), {"spirv:sg8", "simt"}, [](const std::string &text) { return text; });
}

/// The same on a device, where nothing is reported: faults that make a result wrong in any order of threads.
TEST_P(Faults, MakeDevicesWrong) {
  const Fault &fault = GetParam();
  if (fault.found != std::string_view(kWrong))
    GTEST_SKIP() << "depends on the order of threads, or leaves the buffers";
  if (!hasVulkan())
    GTEST_SKIP() << "there is no Vulkan device here";
  const Case &made = caseNamed(fault.made);
  HostCase host = materialise(made);
  std::vector<std::vector<uint8_t>> expected = expectedOf(made, host);
  std::string text = textOfKernel(made, {"spirv:sg8", "simt"});
  EXPECT_EQ(differencesOnDevice(text, made, host, expected), "") << "without the fault";
  EXPECT_NE(differencesOnDevice(planted(text, fault), made, host, expected), "");
}

class PlannedFaults : public testing::TestWithParam<Fault> {};

TEST_P(PlannedFaults, AreFound) {
  expectFound(GetParam(), {"sm_80", "expanded"}, [](const std::string &text) { return simtFor("sm_80", text); });
}

INSTANTIATE_TEST_SUITE_P(Planted, PlannedFaults, testing::ValuesIn(kPlannedFaults),
                         [](const testing::TestParamInfo<Fault> &info) { return std::string(info.param.name); });

class ProductFaults : public testing::TestWithParam<Fault> {};

TEST_P(ProductFaults, AreFound) {
  expectFound(GetParam(), {"sm_90a", "expanded"}, [](const std::string &text) { return simtFor("sm_90a", text); });
}

INSTANTIATE_TEST_SUITE_P(Planted, ProductFaults, testing::ValuesIn(kProductFaults),
                         [](const testing::TestParamInfo<Fault> &info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(PlantedInTileCopies, ProductFaults, testing::ValuesIn(kTileFaults),
                         [](const testing::TestParamInfo<Fault> &info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(PlantedBesideProducers, ProductFaults, testing::ValuesIn(kProducerFaults),
                         [](const testing::TestParamInfo<Fault> &info) { return std::string(info.param.name); });

class ClusterFaults : public testing::TestWithParam<Fault> {};

TEST_P(ClusterFaults, AreFound) {
  expectFound(GetParam(), {"sm_90a", "expanded", /*forLaunch=*/true},
              [](const std::string &text) { return simtFor("sm_90a", text); });
}

INSTANTIATE_TEST_SUITE_P(Planted, ClusterFaults, testing::ValuesIn(kClusterFaults),
                         [](const testing::TestParamInfo<Fault> &info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Planted, Faults, testing::ValuesIn(kFaults),
                         [](const testing::TestParamInfo<Fault> &info) { return std::string(info.param.name); });

} // namespace
} // namespace tegula::conformance
