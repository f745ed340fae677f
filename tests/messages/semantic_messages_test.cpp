// Golden texts of the messages for kernels that parse but are invalid. Each file in semantic/ holds cases:
//
//   # === name
//   # signature: *f32, i32          types of the parameters that are not constants
//   # const: BLOCK=64               repeated for each constant
//   # expect: 9:17: error: ...      repeated: the message and its notes, without the path
//   import triton ...               the source; lines count from the case's first line
//
// Set TEGULA_UPDATE_MESSAGES=1 to print the found messages instead of comparing them.
#include "core/ir/Register.h"
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/names/Inspect.h"
#include "frontend/language/syntax/Parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace tegula {
namespace {

struct Case {
  std::string name, source, signature;
  std::vector<std::string> constants, expected;
};

std::string after(const std::string &line, const std::string &prefix) {
  return line.starts_with(prefix) ? line.substr(prefix.size()) : std::string();
}

std::vector<Case> readCases(const std::filesystem::path &path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# === "))
      cases.push_back({path.stem().string() + "/" + line.substr(6), "", "", {}, {}});
    if (cases.empty())
      continue;
    Case &c = cases.back();
    c.source += line + "\n";
    if (auto text = after(line, "# signature: "); !text.empty())
      c.signature = text;
    if (auto text = after(line, "# const: "); !text.empty())
      c.constants.push_back(text);
    if (auto text = after(line, "# expect: "); !text.empty())
      c.expected.push_back(text);
  }
  return cases;
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(" "));
  text.erase(text.find_last_not_of(" ") + 1);
  return text;
}

ParamType parseParam(std::string text) {
  ParamType type;
  if (text.starts_with("desc<")) { // desc<64x64 f16>
    type.kind = ParamType::Kind::Descriptor;
    size_t space = text.find(' ');
    std::stringstream extents(text.substr(5, space - 5));
    for (std::string extent; std::getline(extents, extent, 'x');)
      type.block.push_back(std::stoll(extent));
    type.type = *parseScalarType(text.substr(space + 1, text.size() - space - 2));
    return type;
  }
  if (text.starts_with("*")) {
    type.kind = ParamType::Kind::Pointer;
    text.erase(0, 1);
  }
  type.type = *parseScalarType(text);
  return type;
}

/// The kernel's first message and its notes, one line each, without paths.
std::vector<std::string> messages(const Case &c) {
  try {
    lang::ModuleScope scope(lang::parseModule("kernel.py", c.source));
    auto kernels = lang::inspect(*scope.module);
    CompileRequest request;
    request.path = "kernel.py";
    request.kernel = kernels.back().name;
    std::stringstream signature(c.signature);
    for (std::string part; std::getline(signature, part, ',');)
      request.signature.push_back(parseParam(trimmed(part)));
    for (const std::string &constant : c.constants) {
      size_t equals = constant.find('=');
      request.constants[constant.substr(0, equals)] = int64_t(std::stoll(constant.substr(equals + 1)));
    }
    mlir::DialectRegistry registry;
    tile::registerTileDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    lang::Emitter(context, scope, request).emit();
    return {"no message"};
  } catch (const Error &error) {
    std::vector<std::string> lines;
    auto add = [&](const Diagnostic &d, const char *label) {
      lines.push_back(
          (d.location.line ? std::to_string(d.location.line) + ":" + std::to_string(d.location.column) + ": " : "") +
          label + ": " + d.message);
    };
    add(error.diagnostic(), "error");
    for (const Diagnostic &note : error.diagnostic().notes)
      add(note, "note");
    return lines;
  }
}

std::vector<Case> allCases() {
  std::vector<Case> all;
  std::set<std::filesystem::path> files;
  for (auto &entry : std::filesystem::directory_iterator(TEGULA_SOURCE_DIR "/tests/messages/semantic"))
    files.insert(entry.path());
  for (auto &file : files)
    for (Case &c : readCases(file))
      all.push_back(std::move(c));
  return all;
}

TEST(SemanticMessages, AreAsWritten) {
  bool update = std::getenv("TEGULA_UPDATE_MESSAGES") != nullptr;
  for (const Case &c : allCases()) {
    SCOPED_TRACE(c.name);
    auto found = messages(c);
    if (!update)
      EXPECT_EQ(found, c.expected);
    else if (found != c.expected)
      for (const std::string &line : found)
        std::cout << c.name << "|# expect: " << line << "\n";
  }
}

TEST(SemanticMessages, AreManyAndDistinct) {
  std::set<std::string> texts;
  size_t cases = 0;
  for (const Case &c : allCases()) {
    ++cases;
    ASSERT_FALSE(c.expected.empty()) << c.name;
    texts.insert(c.expected[0].substr(c.expected[0].find("error")));
  }
  EXPECT_GE(cases, 60u);
  EXPECT_GE(texts.size(), 40u);
}

} // namespace
} // namespace tegula
