#include "backends/cuda/codegen/PtxLines.h"
#include "core/support/Diagnostic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"

#include <charconv>
#include <set>

namespace tegula::cuda {
namespace {

constexpr unsigned kNumbered =
    1; // column of a numbered location; LLVM's own directives without a location have column 0
constexpr std::string_view kDirective = "\t.loc\t";

/// Writes .loc directives, and declares the files and functions that they refer to.
class Writer {
public:
  Writer(std::string &text, llvm::StringRef kernelFile) : text_(text) { files_.insert(kernelFile); }

  /// Writes the .loc directive of a location and, for an instruction of an inlined function, its call site
  /// (`inlined_at`). PTX requires that a .loc directive for the call site itself precedes; calls() writes it.
  void place(const llvm::DILocation *at) {
    text_ += kDirective;
    text_ += position(at);
    llvm::StringRef callee = at->getScope()->getSubprogram()->getName();
    if (const llvm::DILocation *call = at->getInlinedAt(); call && !callee.empty()) {
      functions_.insert(callee);
      size_t number = size_t(llvm::find(functions_, callee) - functions_.begin());
      text_ += ", function_name " + label(number) + ", inlined_at " + position(call);
    }
    text_ += '\n';
  }
  void calls(const llvm::DILocation *of) {
    const llvm::DILocation *call = of->getInlinedAt();
    if (!call || !named_.insert(call).second)
      return;
    calls(call);
    place(call);
  }

  void declare() {
    if (!functions_.empty())
      text_ += "\t.section\t.debug_str\n\t{\n";
    for (size_t i = 0; i < functions_.size(); ++i) {
      text_ += label(i) + ":\n\t.b8 ";
      for (unsigned char c : functions_[i])
        text_ += std::to_string(c) + ",";
      text_ += "0\n";
    }
    if (!functions_.empty())
      text_ += "\t}\n";
    for (size_t i = 1; i < files_.size(); ++i) { // LLVM has declared file 0, the kernel's
      text_ += "\t.file\t" + std::to_string(i + 1) + " \"";
      for (char c : files_[i])
        text_ += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
      text_ += "\"\n";
    }
  }

private:
  static std::string label(size_t function) { return "$L__callee" + std::to_string(function); }
  std::string position(const llvm::DILocation *at) {
    files_.insert(at->getFilename());
    size_t file = size_t(llvm::find(files_, at->getFilename()) - files_.begin()) + 1;
    return std::to_string(file) + " " + std::to_string(at->getLine()) + " " + std::to_string(at->getColumn());
  }

  std::string &text_;
  llvm::SmallSetVector<llvm::StringRef, 4> files_, functions_;
  std::set<const llvm::DILocation *> named_;
};

/// The NUMBER of a line "\t.loc\t1 NUMBER 1"; 0 for any other line.
unsigned numberIn(std::string_view line) {
  std::string first = std::string(kDirective) + "1 ", behind = " " + std::to_string(kNumbered);
  if (!line.starts_with(first))
    return 0;
  line.remove_prefix(first.size());
  unsigned number = 0;
  size_t digits = size_t(std::from_chars(line.data(), line.data() + line.size(), number).ptr - line.data());
  line.remove_prefix(digits);
  if (!line.starts_with(behind))
    return 0;
  line.remove_prefix(behind.size());
  return line.empty() || !llvm::isDigit(line.front()) ? number : 0;
}

} // namespace

PtxLines::PtxLines(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::DISubprogram *kernel = function.getSubprogram();
    if (!kernel)
      continue;
    kernelFile_ = kernel->getFilename();
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      llvm::DILocation *place = instruction.getDebugLoc();
      if (!place || !place->getLine())
        continue;
      unsigned number = places_.insert({place, unsigned(places_.size()) + 1}).first->second;
      instruction.setDebugLoc(llvm::DILocation::get(module.getContext(), number, kNumbered, kernel));
    }
  }
}

std::string PtxLines::write(const std::string &text) const {
  std::string result;
  result.reserve(text.size());
  Writer writer(result, kernelFile_);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end;
    unsigned number = numberIn(line);
    if (number > places_.size())
      throw InternalError("LLVM wrote a place that no instruction has: " + std::string(line));
    if (!number) {
      result += line;
      continue;
    }
    const llvm::DILocation *place = places_.begin()[number - 1].first;
    writer.calls(place);
    writer.place(place);
  }
  writer.declare();
  return result;
}

} // namespace tegula::cuda
