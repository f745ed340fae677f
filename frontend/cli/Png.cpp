#include "frontend/cli/Png.h"

#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"
#include "core/support/Files.h"
#include "core/support/TemporaryDirectory.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tegula::cli {

namespace {

std::string renderer(const std::string &file) {
  if (std::optional<std::string> program = findProgram("rsvg-convert"))
    return *program;
  throw Error("'" + file + "' cannot be drawn: pictures as PNG need rsvg-convert (Debian: librsvg2-bin); SVG does not");
}

} // namespace

void checkPng(const std::string &file) { renderer(file); }

void writePng(const std::string &file, const std::string &svg) {
  std::string program = renderer(file);
  TemporaryDirectory folder("tegula-picture");
  std::string drawing = folder.file("picture.svg");
  writeFile(drawing, svg);
  const char *arguments[] = {"rsvg-convert", "--zoom=2", "--output", file.c_str(), drawing.c_str(), nullptr};
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, const_cast<char **>(arguments), environ) != 0 ||
      waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error("rsvg-convert cannot write '" + file + "'");
}

} // namespace tegula::cli
