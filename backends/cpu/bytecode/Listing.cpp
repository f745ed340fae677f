// The text of `--emit=bytecode`:
//
//   kernel add(r0 x: ptr<f32>, r1 n: i32)
//        0  r2: i32 = ProgramId 0                             ; 12:9
//        1  r3: tile<64xi32> = MakeRange 0
//        2  r4: tile<64xi1> = CmpI lts r3!, r2
#include "backends/cpu/bytecode/OpcodeInfo.h"

#include <bit>
#include <set>
#include <sstream>

namespace tegula::cpu {

namespace {

constexpr const char *kIntPredicates[] = {"eq", "ne", "lts", "les", "gts", "ges", "ltu", "leu", "gtu", "geu"};
constexpr const char *kFloatPredicates[] = {"oeq", "one", "olt", "ole", "ogt", "oge", "ord",
                                            "ueq", "une", "ult", "ule", "ugt", "uge", "uno"};
constexpr const char *kAtomics[] = {"add",  "fadd", "min", "max", "umin", "umax",
                                    "fmin", "fmax", "and", "or",  "xor",  "exchange"};
constexpr const char *kFunctions[] = {"acosh", "asinh",  "atanh",  "cbrt",   "cospi",  "erfc",    "erfcinv",
                                      "erfcx", "erfinv", "exp10",  "hypot",  "lgamma", "normcdf", "normcdfinv",
                                      "sinpi", "tgamma", "fma_rd", "fma_ru", "fma_rz"};

std::string text(const TileType &type) {
  std::string element(name(type.element));
  if (type.element == ElementKind::Pointer || type.element == ElementKind::Descriptor)
    element += "<" + std::string(name(type.pointee)) + ">";
  if (type.shape.empty())
    return element;
  std::string shape;
  for (int64_t extent : type.shape)
    shape += std::to_string(extent) + "x";
  return "tile<" + shape + element + ">";
}

std::string text(uint32_t use) { return "r" + std::to_string(use & ~kLastUse) + (use & kLastUse ? "!" : ""); }

std::string quoted(const std::string &s) {
  std::ostringstream out;
  out << '"';
  for (char c : s) {
    if (c == '"' || c == '\\')
      out << '\\' << c;
    else if (c == '\n')
      out << "\\n";
    else
      out << c;
  }
  out << '"';
  return out.str();
}

/// The attributes as text: enumerators by name, others as numbers.
std::string attributes(const Module &m, const Function &f, const Instruction &i) {
  const int64_t *a = f.integers.data() + i.attributes;
  switch (i.opcode) {
  case Opcode::CmpI: return kIntPredicates[a[0]];
  case Opcode::CmpF: return kFloatPredicates[a[0]];
  case Opcode::ConstFloat: {
    std::ostringstream out;
    out.precision(17);
    out << std::bit_cast<double>(a[0]);
    return out.str();
  }
  case Opcode::AtomicRmw:
  case Opcode::DescAtomic: return kAtomics[a[0]];
  case Opcode::Function: return kFunctions[a[0]];
  case Opcode::ConvertF: return a[0] ? "rtz" : "rtne";
  case Opcode::Reduce:
  case Opcode::Scan:
    return "axis " + std::to_string(a[0]) + " by " + m.functions[static_cast<size_t>(a[1])].name +
           (i.opcode == Opcode::Scan && a[2] ? " reverse" : "");
  case Opcode::MapElements: return "by " + m.functions[static_cast<size_t>(a[0])].name;
  case Opcode::Print:
  case Opcode::Assert: return quoted(m.strings[static_cast<size_t>(a[0])]);
  case Opcode::Jump:
  case Opcode::BranchIfFalse:
  case Opcode::ForTest: return "-> " + std::to_string(a[0]);
  default: {
    std::string list;
    for (size_t k = 0, n = attributeCount(f, i); k < n; ++k)
      list += (k ? " " : "") + std::to_string(a[k]);
    return list;
  }
  }
}

void print(std::ostringstream &out, const Module &m, const Function &f, const Instruction &i) {
  for (uint32_t k = 0; k < i.resultCount; ++k) {
    const Register r = f.registersUsed[i.results + k];
    out << (k ? ", " : "") << (r == kNoRegister ? "_" : text(r) + ": " + text(f.type(r)));
  }
  out << (i.resultCount ? " = " : "") << name(i.opcode);
  const std::string words = attributes(m, f, i);
  if (!words.empty())
    out << ' ' << words;
  for (uint32_t k = 0; k < i.operandCount; ++k)
    out << (k ? ", " : " ") << text(f.registersUsed[i.operands + k]);
}

void print(std::ostringstream &out, const Module &m, const Function &f, bool kernel) {
  std::set<int64_t> targets;
  for (const Instruction &i : f.code)
    if (i.opcode == Opcode::Jump || i.opcode == Opcode::BranchIfFalse || i.opcode == Opcode::ForTest)
      targets.insert(f.integers[i.attributes]);
  out << (kernel ? "kernel " : "region ") << f.name << "(";
  for (size_t k = 0; k < f.params.size(); ++k) {
    out << (k ? ", " : "") << text(f.params[k]);
    if (kernel && k < m.paramNames.size())
      out << ' ' << m.paramNames[k];
    out << ": " << text(f.type(f.params[k]));
  }
  out << ")\n";
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    const std::string number = std::to_string(pc);
    out << (targets.contains(static_cast<int64_t>(pc)) ? "  > " : "    ")
        << std::string(number.size() < 4 ? 4 - number.size() : 0, ' ') << number << "  ";
    std::ostringstream line;
    print(line, m, f, f.code[pc]);
    const Location &l = m.locations[f.code[pc].location];
    std::string body = line.str();
    if (l.line) {
      body.resize(std::max<size_t>(body.size(), 64), ' ');
      body += "  ; " + std::to_string(l.line) + ":" + std::to_string(l.column);
    }
    out << body << '\n';
  }
}

} // namespace

std::string print(const Module &module) {
  std::ostringstream out;
  out << "bytecode version " << kBytecodeVersion << "\n";
  for (size_t i = 0; i < module.functions.size(); ++i) {
    out << "\n";
    print(out, module, module.functions[i], i == 0);
  }
  return out.str();
}

} // namespace tegula::cpu
