// device_print and device_assert. A print writes one line for each element, in Triton's form:
//   pid (0, 0, 0) idx ( 3) prefix: 1.500000
#include "backends/cpu/executor/Machine.h"
#include "backends/cpu/executor/Slices.h"
#include "backends/cpu/executor/Symbolic.h"

#include <bit>
#include <cinttypes>
#include <cstdio>

namespace tegula::cpu {

namespace {

template <class... Arguments> void append(std::string &text, const char *format, Arguments... arguments) {
  char buffer[512]; // the longest number, -DBL_MAX in %f, has 317 characters
  std::snprintf(buffer, sizeof buffer, format, arguments...);
  text += buffer;
}

unsigned digits(int64_t number) { return static_cast<unsigned>(std::to_string(number).size()); }

void appendValue(std::string &text, const Value &element, double number, bool hex, bool isSigned) {
  const uint64_t bits = element.uniformElement();
  const unsigned width = bitWidth(element.element);
  const uint64_t low = width >= 64 ? bits : bits & ((uint64_t{1} << width) - 1);
  if (element.element == ElementKind::Pointer)
    append(text, "0x%" PRIx64, bits);
  else if (hex)
    append(text, "0x%0*" PRIx64, static_cast<int>(std::max(1u, width / 4)), low);
  else if (isFloat(element.element))
    append(text, "%f", number);
  else if (isSigned && width > 1)
    append(text, "%" PRId64, element.integer());
  else
    append(text, "%" PRIu64, low);
}

} // namespace

void Machine::print(const Context &c) {
  const std::string &prefix = module_.strings[static_cast<size_t>(c.attribute(0))];
  const bool hex = c.attribute(1) != 0;
  std::string program;
  append(program, "pid (%u, %u, %u)", program_[0], program_[1], program_[2]);
  std::string text;
  if (c.operands.empty())
    text = program + prefix + "\n";
  for (size_t k = 0; k < c.operands.size(); ++k) {
    Value tile = *c.operands[k];
    if (tile.element == ElementKind::Pointer)
      tile = fromPointer({&tile, true}, ElementKind::I64);
    tile = toStrided(tile);
    if (c.operands[k]->element == ElementKind::Pointer)
      tile.element = ElementKind::Pointer;
    Value numbers;
    if (isFloat(tile.element)) {
      numbers = tile;
      numbers = convertFloat({&numbers, true}, ElementKind::F64, RoundingMode::NearestEven);
    }
    forEachElement(tile.shape, [&](const Extents &index) {
      text += program + " idx (";
      for (unsigned d = 0; d < tile.shape.rank; ++d)
        append(text, d ? ", %*" PRId64 : "%*" PRId64, static_cast<int>(digits(tile.shape.extent[d] - 1)), index[d]);
      text += ")" + prefix;
      if (c.operands.size() > 1)
        text += "(operand " + std::to_string(k) + ") ";
      const double number =
          isFloat(tile.element) ? std::bit_cast<double>(elementAt(numbers, index).uniformElement()) : 0;
      appendValue(text, elementAt(tile, index), number, hex, c.attribute(2 + static_cast<unsigned>(k)) != 0);
      text += '\n';
    });
  }
  std::lock_guard lock(launch_.printing);
  if (launch_.options.print) {
    const CrashScope callback(nullptr);
    launch_.options.print(text);
  } else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void Machine::assertion(const Context &c) {
  const bool assume = c.instruction.opcode == Opcode::Assume;
  if (assume && !checked())
    return;
  const Value &condition = *c.operand(0);
  if (condition.isUniform() && condition.integer())
    return;
  // The message names the failing element's index only if the assertion is in the kernel itself. In a region function,
  // the elements are those of one step of a reduction or scan, whose indices mean nothing to the user.
  const bool hasIndex = &c.function == &module_.functions[0];
  const Value bits = toRowMajor(condition);
  for (int64_t i = 0, n = bits.shape.count(); i < n; ++i) {
    if (bits.as<uint8_t>()[i])
      continue;
    const std::string index = hasIndex ? indexText(bits.shape, i) : "";
    const std::string where = index.empty() ? "" : " for element " + index;
    if (assume)
      fault("assumption does not hold" + where);
    const std::string &message = module_.strings[static_cast<size_t>(c.attribute(0))];
    fault("device_assert failed" + where + (message.empty() ? "" : ": " + message));
  }
}

} // namespace tegula::cpu
