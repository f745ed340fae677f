#include "tests/cli/CliFixture.h"
#include "core/support/Files.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tegula::test {

CliTest::CliTest() {
  std::string name = (std::filesystem::temp_directory_path() / "tegula-cli-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error("no temporary directory");
  directory_ = name;
}

CliTest::~CliTest() { std::filesystem::remove_all(directory_); }

Outcome CliTest::tegula(const std::vector<std::string> &arguments,
                        const std::map<std::string, std::string> &environment, unsigned seconds) const {
  std::string out = path("stdout"), err = path("stderr");
  pid_t child = fork();
  if (child == 0) {
    for (const char *name : {"TEGULA_DEVICE", "TEGULA_DUMP", "TEGULA_LOG", "TRITON_INTERPRET", "TRITON_ALWAYS_COMPILE",
                             "TRITON_PRINT_AUTOTUNING"})
      unsetenv(name);
    setenv("TEGULA_CACHE_DIR", path("cache").c_str(), 1);
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    std::vector<char *> argv = {const_cast<char *>(TEGULA_COMMAND)};
    for (const std::string &argument : arguments)
      argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    const rlimit limit{seconds, seconds + 1};
    if (seconds)
      setrlimit(RLIMIT_CPU, &limit);
    if (chdir(directory_.c_str()) == 0)
      execv(argv[0], argv.data());
    _exit(126);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = readTextFile(out);
  outcome.err = readTextFile(err);
  return outcome;
}

Outcome CliTest::run(const std::string &kernel, std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"run", std::string(TEGULA_KERNELS) + "::" + kernel});
  return tegula(arguments);
}

void expectMessage(const Outcome &outcome, int status, const std::string &text) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, ::testing::HasSubstr(text));
  size_t first = outcome.err.find("error: ");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(outcome.err.find("error: ", first + 1), std::string::npos) << "one message: " << outcome.err;
}

} // namespace tegula::test
