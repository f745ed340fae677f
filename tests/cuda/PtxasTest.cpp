// The assembler as a process: how it is found, its results and messages, and that nothing of it stays behind.
#include "backends/cuda/Ptxas.h"
#include "core/support/Diagnostic.h"
#include "core/support/process/Fork.h"
#include "tests/cuda/CudaFixture.h"
#include "tests/cuda/PtxTexts.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tegula::test {
namespace {

using namespace tegula::cuda;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// The first lines of a script in the assembler's place: it finds its input as $last and its output as $2.
const std::string kFindFiles = R"(
for last; do :; done
while [ "$1" != -o ]; do shift; done
)";

/// A directory for files of a test, also used as the directory of temporary files.
class Ptxas : public ::testing::Test {
protected:
  Ptxas() {
    std::string path = (std::filesystem::temp_directory_path() / "tegula-ptxas-test-XXXXXX").string();
    directory_ = mkdtemp(path.data());
    temporary_ = std::make_unique<ScopedEnvironment>("TMPDIR", directory_.c_str());
  }
  ~Ptxas() override {
    for (const auto &entry : std::filesystem::directory_iterator(directory_))
      EXPECT_FALSE(entry.path().filename().string().starts_with("tegula-ptxas-")) << entry.path() << " was left behind";
    std::filesystem::remove_all(directory_);
  }
  /// Whether a process has ended and waits to be asked for its status.
  static bool isZombie(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    size_t state = text.rfind(')');
    return state != std::string::npos && text.compare(state, 3, ") Z") == 0;
  }
  /// A shell script in the assembler's place.
  std::string script(const std::string &name, const std::string &body) {
    std::string path = directory_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    chmod(path.c_str(), 0755);
    return path;
  }
  std::filesystem::path directory_;
  std::unique_ptr<ScopedEnvironment> temporary_;
};

class RealPtxas : public Ptxas {
protected:
  void SetUp() override {
    std::optional<std::string> found = findPtxas();
    if (!found)
      GTEST_SKIP() << "ptxas is not installed here";
    ptxas_ = *found;
  }
  Assembled assembleText(const std::string &text, const std::string &target, uint32_t cap = 0) {
    return assemble(ptxas_, {text, "kernel.ptx", target, cap});
  }
  std::string ptxas_;
};

bool isElf(const std::vector<uint8_t> &bytes) {
  return bytes.size() > 64 && bytes[0] == 0x7f && bytes[1] == 'E' && bytes[2] == 'L' && bytes[3] == 'F';
}

TEST_F(RealPtxas, AssemblesAndCounts) {
  for (const char *target : {"sm_80", "sm_90a"}) {
    Assembled made = assembleText(vectorAddText(target), target);
    EXPECT_TRUE(isElf(made.binary));
    const PtxasReport::Kernel *kernel = made.report.find("add");
    ASSERT_NE(kernel, nullptr) << target;
    EXPECT_GE(kernel->registers, 6u);
    EXPECT_LE(kernel->registers, 32u);
    EXPECT_EQ(kernel->spillStoreBytes + kernel->spillLoadBytes + kernel->stackBytes + kernel->sharedBytes, 0u);
    EXPECT_TRUE(made.report.remarks.empty());
    EXPECT_EQ(made.report.find("other"), nullptr);
  }
}

TEST_F(RealPtxas, EveryTextOfTheDeviceTestsAssembles) {
  for (const std::string &text : {copyBoxText(), clusterText()})
    EXPECT_TRUE(isElf(assembleText(text, "sm_90a").binary));
  for (const std::string &text : {sharedText(), gridText(), faultText()})
    EXPECT_TRUE(isElf(assembleText(text, "sm_90").binary));
  const Assembled made = assembleText(copyBoxText(), "sm_90a");
  EXPECT_EQ(made.report.find("copy_box")->sharedBytes, 4096u + 8);
  EXPECT_EQ(made.report.find("copy_box")->barriers, 1u);
}

TEST_F(RealPtxas, ACapForcesSpillsThatAreCounted) {
  // 64 values live at once do not fit 32 registers.
  std::string body, sum;
  for (int i = 0; i < 64; ++i) {
    body += "  ld.global.volatile.f32 %f" + std::to_string(i) + ", [%a0+" + std::to_string(4 * i) + "];\n";
    sum += "  st.global.volatile.f32 [%a0+" + std::to_string(4 * i) + "], %f" + std::to_string(63 - i) + ";\n";
  }
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry many(.param .u64 x)\n{\n  .reg .f32 %f<64>;\n"
      "  .reg .b64 %a<1>;\n  ld.param.u64 %a0, [x];\n" +
      body + sum + "  ret;\n}\n";
  const Assembled free = assembleText(text, "sm_90"), capped = assembleText(text, "sm_90", 32);
  EXPECT_GT(free.report.find("many")->registers, 64u);
  EXPECT_EQ(free.report.find("many")->spillStoreBytes, 0u);
  EXPECT_LE(capped.report.find("many")->registers, 32u);
  EXPECT_GT(capped.report.find("many")->spillStoreBytes, 64u);
  EXPECT_GT(capped.report.find("many")->spillLoadBytes, 64u);
  EXPECT_GT(capped.report.find("many")->stackBytes, 64u);
}

TEST_F(RealPtxas, SerialisedMultipliesAreRemarked) {
  Assembled made = assembleText(serializedText(), "sm_90a");
  ASSERT_TRUE(made.report.serializesMatmul());
  const PtxasReport::Remark &remark = made.report.remarks.at(0);
  EXPECT_THAT(remark.code, ::testing::StartsWith("C75"));
  EXPECT_THAT(remark.text, HasSubstr("wgmma.mma_async instructions are serialized"));
}

TEST_F(RealPtxas, ErrorsPointIntoTheText) {
  std::string text = vectorAddText("sm_80");
  size_t at = text.find("  add.f32 %f2");
  text.replace(at, 9, "  addd.f32");
  auto line = static_cast<uint32_t>(1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
  try {
    assembleText(text, "sm_80");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error &e) {
    const Diagnostic &d = e.diagnostic();
    EXPECT_EQ(d.location, (SourceLocation{"kernel.ptx", line, 3}));
    EXPECT_THAT(d.sourceLine, HasSubstr("addd.f32"));
    EXPECT_THAT(d.message, AllOf(HasSubstr("ptxas refuses this for sm_80: "), HasSubstr("addd")));
    EXPECT_FALSE(d.notes.empty());
  }
}

/// An asynchronous product whose accumulator has 128 registers, in a kernel of 512 threads, which have 128 each.
std::string tooManyRegistersText() {
  std::string list, text = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p) .maxntid "
                           "512,1,1 {\n.reg .b64 %d<2>;\n.reg .f32 %f<128>;\nld.param.u64 %d0, [p];\nmov.u64 %d1, 0;\n";
  for (int i = 0; i < 128; ++i) {
    std::string place = "[%d0+" + std::to_string(4 * i) + "]", name = "%f" + std::to_string(i);
    text += "ld.global.f32 " + name + ", " + place + ";\n";
    list += (i ? "," : "") + name;
  }
  text += "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" + list +
          "}, %d1, %d1, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  for (int i = 0; i < 128; ++i)
    text += "st.global.f32 [%d0+" + std::to_string(4 * i) + "], %f" + std::to_string(i) + ";\n";
  return text + "ret;\n}\n";
}

TEST_F(RealPtxas, TooFewRegistersAreAShortage) {
  std::optional<Shortage> shortage = shortageOf([&] { assembleText(tooManyRegistersText(), "sm_90a"); });
  ASSERT_TRUE(shortage);
  EXPECT_EQ(shortage->resource, "registers");
  EXPECT_EQ(shortage->limit, 128u);
  EXPECT_GT(shortage->required, 128u);
  EXPECT_FALSE(shortageOf([&] { assembleText(vectorAddText("sm_90a"), "sm_80"); }));
}

TEST_F(RealPtxas, RefusalsWithoutAPlaceAreWhole) {
  EXPECT_THAT(messageOf([&] { assembleText(vectorAddText("sm_80"), "sm_1"); }), HasSubstr("sm_1"));
  EXPECT_THAT(messageOf([&] { assembleText(vectorAddText("sm_90a"), "sm_80"); }),
              HasSubstr("ptxas refuses this for sm_80"));
}

TEST_F(RealPtxas, ArtifactsGetABinary) {
  Artifact artifact;
  artifact.entry = "add";
  artifact.target = "sm_90a";
  std::optional<PtxasReport> report = setCode(artifact, vectorAddText("sm_90a"));
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("add"), nullptr);
  EXPECT_TRUE(isElf(artifact.binary));
}

// The assembler is a script: it reports the registers that a test wants for one and for two programs, and writes which
// of them it was asked for.
TEST_F(Ptxas, TwoProgramsAreAskedForWhereRegistersAllowOnlyOne) {
  Artifact artifact;
  artifact.entry = "k";
  artifact.target = "sm_90a";
  artifact.threads = 256;
  auto chosen = [&](int forOne, int forTwo, int spilled, int spilledFirst = 0) {
    std::string report = kFindFiles + R"(one() { echo "ptxas info    : Compiling entry function 'k' for 'sm_90a'"
  echo "0 bytes stack frame, $2 bytes spill stores"
  echo "ptxas info    : Used $1 registers"; }
if grep -q 'minnctapersm 2' "$last"; then printf two > "$2"; one )" +
                         std::to_string(forTwo) + " " + std::to_string(spilled) + "; else printf one > \"$2\"; one " +
                         std::to_string(forOne) + " " + std::to_string(spilledFirst) + "; fi";
    setCode(artifact, ".minnctapersm 1\n", script("ptxas", report), 64 << 10);
    return std::string(artifact.binary.begin(), artifact.binary.end());
  };
  EXPECT_EQ(chosen(128, 128, 0), "one") << "two fit already";
  EXPECT_EQ(chosen(166, 127, 0), "two");
  EXPECT_EQ(chosen(166, 128, 64), "two");
  EXPECT_EQ(chosen(166, 128, 68), "one") << "too much is spilled";
  EXPECT_EQ(chosen(166, 136, 0), "one") << "two do not fit";
  EXPECT_EQ(chosen(166, 127, 0, 64), "two");
  EXPECT_EQ(chosen(166, 127, 0, 68), "one") << "with all registers too much is spilled already: not tried";
  artifact.products.served = 1;
  EXPECT_EQ(chosen(166, 127, 0), "one") << "matrix instructions";
  artifact.products.served = 0;
  artifact.sharedBytes = 40 << 10;
  EXPECT_EQ(chosen(166, 127, 0), "one") << "shared memory allows only one";
}

// The script spills `with` bytes if it is asked for one program, and `without` bytes if it may choose.
TEST_F(Ptxas, ProductsOfWhichSeveralFitLetTheAssemblerChoose) {
  Artifact artifact;
  artifact.entry = "k";
  artifact.target = "sm_90a";
  artifact.threads = 128;
  artifact.products.served = 1;
  artifact.sharedBytes = 113 << 10;
  std::string rest = ""; // of the text
  auto chosen = [&](int with, int without) {
    std::string report = kFindFiles + R"(if grep -q minnctapersm "$last"; then printf with > "$2"; spilled=)" +
                         std::to_string(with) + "; else printf without > \"$2\"; spilled=" + std::to_string(without) +
                         R"(; fi
echo "ptxas info    : Compiling entry function 'k' for 'sm_90a'"
echo "0 bytes stack frame, $spilled bytes spill stores"
echo "ptxas info    : Used 96 registers")";
    setCode(artifact, ".minnctapersm 1\n" + rest, script("ptxas", report));
    return std::string(artifact.binary.begin(), artifact.binary.end());
  };
  EXPECT_EQ(chosen(0, 0), "without");
  EXPECT_EQ(chosen(8, 0), "without");
  EXPECT_EQ(chosen(8, 16), "with") << "it spills less";
  EXPECT_EQ(chosen(16, 8), "with") << "both spill";
  rest = std::string(1 << 19, '\n');
  EXPECT_EQ(chosen(0, 0), "without") << "a long text";
  EXPECT_EQ(chosen(8, 0), "with") << "a long text that spills is assembled once";
  rest.clear();
  artifact.sharedBytes += 1;
  EXPECT_EQ(chosen(0, 0), "with") << "shared memory allows only one";
  artifact.sharedBytes = 0;
  artifact.threads = 1024 + 32;
  EXPECT_EQ(chosen(0, 0), "with") << "threads allow only one";
  artifact.threads = 128;
  artifact.registerCap = 200;
  EXPECT_EQ(chosen(0, 0), "with") << "the user's own limit";
  artifact.registerCap = 0;
  artifact.target = "sm_100a";
  EXPECT_EQ(chosen(0, 0), "with") << "a target of which nothing is known";
}

// The script writes how many programs it was asked for. With 174 registers, held as 176, 5 programs of 64 threads run
// on a multiprocessor, and a third more are 7.
TEST_F(Ptxas, ProductsAreAssembledAgainForAThirdMorePrograms) {
  Artifact artifact;
  artifact.entry = "k";
  artifact.target = "sm_90a";
  artifact.threads = 64;
  artifact.products.served = 1;
  auto chosen = [&](int registers, int spilled, const std::string &directives = "") {
    std::string report = kFindFiles + R"(asked=$(sed -n 's/.minnctapersm //p' "$last"); printf "${asked:-free}" > "$2"
echo "ptxas info    : Compiling entry function 'k' for 'sm_90a'"
echo "0 bytes stack frame, $(test -z "$asked" && echo 0 || echo )" +
                         std::to_string(spilled) + R"() bytes spill stores"
echo "ptxas info    : Used )" +
                         std::to_string(registers) + " registers\"";
    setCode(artifact, directives + ".minnctapersm 1\n", script("ptxas", report));
    return std::string(artifact.binary.begin(), artifact.binary.end());
  };
  EXPECT_EQ(chosen(174, 0), "7");
  EXPECT_EQ(chosen(174, 4), "free") << "the second assembly spills";
  EXPECT_EQ(chosen(174, 0, ".maxnreg 168\n"), "free") << "the kernel distributes its registers itself";
  artifact.sharedBytes = 32 << 10;
  EXPECT_EQ(chosen(174, 0), "free") << "shared memory allows 6";
  artifact.sharedBytes = 0;
  artifact.threads = 256;
  EXPECT_EQ(chosen(174, 0), "free") << "twice as many would take half of the registers";
}

// The script has the registers that it is asked to leave to a thread, and spills what a test says. 65 registers are
// held as 72: 14 programs of 64 threads. 64 registers would allow 16, 56 registers 18.
TEST_F(Ptxas, MoreProgramsAreAskedForWhereRegistersLimitThem) {
  Artifact artifact;
  artifact.entry = "k";
  artifact.target = "sm_90a";
  artifact.threads = 64;
  uint64_t loadedBytes = 0;
  auto chosen = [&](const std::string &registers, int spilledFor16, int spilledFor18) {
    std::string report = kFindFiles + R"(asked=$(sed -n 's/.minnctapersm //p' "$last"); printf $asked > "$2"
case $asked in 21) registers=48 spilled=4;; 16) registers=64 spilled=)" +
                         std::to_string(spilledFor16) + ";; 18) registers=56 spilled=" + std::to_string(spilledFor18) +
                         ";; *) spilled=0 registers=" + registers + R"(;; esac
echo "ptxas info    : Compiling entry function 'k' for 'sm_90a'"
echo "0 bytes stack frame, $spilled bytes spill stores"
echo "ptxas info    : Used $registers registers")";
    setCode(artifact, ".minnctapersm 1\n", script("ptxas", report), loadedBytes);
    return std::string(artifact.binary.begin(), artifact.binary.end());
  };
  EXPECT_EQ(chosen("65", 0, 32), "18");
  loadedBytes = 16 << 10;
  EXPECT_EQ(chosen("65", 0, 32), "1") << "14 programs keep memory busy";
  loadedBytes = (16 << 10) - 1;
  EXPECT_EQ(chosen("65", 0, 36), "16") << "too much is spilled for 18";
  EXPECT_EQ(chosen("65", 36, 36), "1");
  EXPECT_EQ(chosen("56", 0, 0), "1") << "more than 18 are not worth spilled registers";
  artifact.registerCap = 100;
  EXPECT_EQ(chosen("65", 0, 0), "1") << "the user's own limit";
  artifact.registerCap = 0;
  artifact.sharedBytes = 7 << 10;
  EXPECT_EQ(chosen("65", 0, 0), "1") << "shared memory allows eight";
}

TEST_F(Ptxas, ArtifactsKeepTheTextWhereThereIsNoAssembler) {
  Artifact artifact;
  artifact.entry = "add";
  artifact.target = "sm_90a";
  EXPECT_FALSE(setCode(artifact, "text", std::nullopt));
  EXPECT_EQ(artifact.binary, (std::vector<uint8_t>{'t', 'e', 'x', 't'}));
}

TEST_F(Ptxas, TheVariableAndThePathChoose) {
  std::string first = script("ptxas", "exit 0");
  {
    ScopedEnvironment unset("TRITON_PTXAS_PATH", nullptr);
    ScopedEnvironment path("PATH", ("relative::/nowhere:" + directory_.string()).c_str());
    EXPECT_EQ(findPtxas(), first);
    ScopedEnvironment chosen("TRITON_PTXAS_PATH", "/bin/sh");
    EXPECT_EQ(findPtxas(), "/bin/sh");
  }
  ScopedEnvironment wrong("TRITON_PTXAS_PATH", directory_.c_str());
  EXPECT_EQ(messageOf([] { findPtxas(); }),
            "TRITON_PTXAS_PATH names '" + directory_.string() + "', which is no program that can be run");
}

TEST_F(Ptxas, IsRunWithoutAShell) {
  // The arguments arrive unchanged; the output is the program's.
  std::string echo = script("echo", "for a in \"$@\"; do echo \"[$a]\" >> " + (directory_ / "seen").string() +
                                        "; done\nfor last; do :; done\ncat \"$last\" > \"$7\"");
  Assembled made = assemble(echo, {"the text", "t.ptx", "sm_90a; touch /tmp/never", 40});
  EXPECT_EQ(std::string(made.binary.begin(), made.binary.end()), "the text");
  std::ifstream file(directory_ / "seen");
  std::string seen((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(seen,
              HasSubstr("[-O3]\n[-lineinfo]\n[-v]\n[-arch=sm_90a; touch /tmp/never]\n[-maxrregcount=40]\n[-o]\n["));
}

TEST_F(Ptxas, DoesNotOutliveItsCaller) {
  std::string slow = script("slow", "echo $$ > " + (directory_ / "pid").string() + "; exec sleep 60");
  pid_t caller = fork();
  if (caller == 0) {
    assemble(slow, {"x", "t.ptx", "sm_90a", 0});
    _exit(0);
  }
  pid_t assembler = 0;
  auto waitFor = [](auto condition) {
    for (int i = 0; i < 1000 && !condition(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return condition();
  };
  EXPECT_TRUE(waitFor([&] { return bool(std::ifstream(directory_ / "pid") >> assembler); }));
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  EXPECT_TRUE(waitFor([&] { return kill(assembler, 0) != 0 || isZombie(assembler); })) << "process " << assembler;
}

TEST_F(Ptxas, IsStartedWhileAnotherThreadCompiles) {
  // As for a further assembly, which a second thread starts while the one that compiles waits for it: a fork would wait
  // for the latter.
  std::string quick = script("quick", "echo x > \"$6\"");
  ForkBlocker compiles;
  auto made = std::async(std::launch::async, [&] { return assemble(quick, {"x", "t.ptx", "sm_90a", 0}); });
  EXPECT_EQ(made.wait_for(std::chrono::seconds(5)), std::future_status::ready);
}

TEST_F(Ptxas, RunsWhereStandardInputOutputAndErrorAreClosed) {
  // The result's file is the fifth argument, the text's the sixth; the log is what the program prints.
  std::string copy = script("copy", "echo \"ptxas info    : Used 7 registers\"; cat > /dev/null; cat \"$7\" > \"$6\"");
  for (int closed = 0; closed < 8; ++closed) {
    pid_t caller = fork();
    if (caller == 0) {
      for (int i = 0; i < 3; ++i)
        if (closed >> i & 1)
          close(i);
      bool isRight = false;
      try {
        Assembled made = assemble(copy, {"the text", "t.ptx", "sm_90a", 0});
        isRight = std::string(made.binary.begin(), made.binary.end()) == "the text";
        assemble((directory_ / "none").string(), {"x", "t.ptx", "sm_90a", 0});
        isRight = false;
      } catch (const Error &e) {
        isRight = isRight && e.diagnostic().message.find("No such file") != std::string::npos;
      }
      _exit(isRight ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(caller, &status, 0), caller);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "closed: " << closed;
  }
}

TEST_F(Ptxas, EveryEndIsAMessage) {
  AssembleRequest request = {"x", "t.ptx", "sm_90a", 0};
  EXPECT_EQ(messageOf([&] { assemble(script("a", "echo something odd; exit 3"), request); }),
            "ptxas cannot assemble t.ptx for sm_90a: it ended with status 3\nsomething odd\n");
  EXPECT_EQ(messageOf([&] { assemble(script("b", "kill -9 $$"), request); }),
            "ptxas cannot assemble t.ptx for sm_90a: it was ended by signal 9");
  EXPECT_EQ(messageOf([&] { assemble(script("c", "exit 0"), request); }),
            "ptxas cannot assemble t.ptx for sm_90a: it wrote no code");
  EXPECT_THAT(messageOf([&] { assemble((directory_ / "none").string(), request); }),
              AllOf(HasSubstr("cannot run "), HasSubstr("No such file")));
  EXPECT_EQ(messageOf([&] {
              assemble(script("d", "echo 'ptxas /x, line 9, line 1; error   : bad thing'; exit 255"), request);
            }),
            "ptxas refuses this for sm_90a: bad thing");
}

TEST(PtxasReports, AreReadLineByLine) {
  PtxasReport report =
      parsePtxasReport("ptxas warning : Unresolved extern variable 'x'\n"
                       "ptxas info    : 0 bytes gmem, 16 bytes cmem[3]\n"
                       "ptxas info    : Compiling entry function 'first' for 'sm_80'\n"
                       "ptxas info    : Function properties for first\n"
                       "    24 bytes stack frame, 12 bytes spill stores, 36 bytes spill loads\n"
                       "ptxas info    : Used 255 registers, used 3 barriers, 24 bytes cumulative stack size, "
                       "1024 bytes smem, 376 bytes cmem[0]\n"
                       "ptxas info    : Compiling entry function 'second' for 'sm_80'\n"
                       "ptxas info    : Used 8 registers\n"
                       "nonsense\n");
  ASSERT_EQ(report.kernels.size(), 2u);
  const PtxasReport::Kernel &first = *report.find("first");
  EXPECT_EQ(first.registers, 255u);
  EXPECT_EQ(first.barriers, 3u);
  EXPECT_EQ(first.stackBytes, 24u);
  EXPECT_EQ(first.spillStoreBytes, 12u);
  EXPECT_EQ(first.spillLoadBytes, 36u);
  EXPECT_EQ(first.sharedBytes, 1024u);
  EXPECT_EQ(report.find("second")->registers, 8u);
  ASSERT_EQ(report.remarks.size(), 1u);
  EXPECT_EQ(report.remarks[0].text, "Unresolved extern variable 'x'");
  EXPECT_FALSE(report.serializesMatmul());
  EXPECT_TRUE(parsePtxasReport("").kernels.empty());
}

} // namespace
} // namespace tegula::test
