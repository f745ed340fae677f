#include "frontend/cli/Values.h"
#include "core/support/Diagnostic.h"
#include "core/support/Npy.h"
#include "core/support/Suggest.h"

#include <algorithm>
#include <charconv>

namespace tegula::cli {
namespace {

const std::vector<std::string> kForms = {"zeros", "empty", "rand", "desc", "ptrs"};

struct Split {
  std::string head, tail;
};
/// Splits at the first colon.
std::optional<Split> splitAtColon(const std::string &text) {
  size_t at = text.find(':');
  if (at == std::string::npos)
    return std::nullopt;
  return Split{text.substr(0, at), text.substr(at + 1)};
}

/// The context shared by all arrays of one value.
struct Context {
  std::string text; // starts every message
  uint64_t seed, maxBytes;
};

uint64_t byteCount(const HostArray &array, const Context &context) {
  uint64_t bytes = byteSize(array.type);
  if (std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end())
    return 0;
  for (int64_t extent : array.shape)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes) || bytes > context.maxBytes)
      throw Error(context.text + ": an array of more than " + std::to_string(context.maxBytes) + " bytes does not fit");
  return bytes;
}

HostArray readArray(const std::string &path, const std::string &typeName, const Context &context) {
  if (path.empty())
    throw Error(context.text + ": a file name is expected after '@'");
  NpyArray file = readNpy(path);
  HostArray array;
  std::optional<ScalarType> own = scalarType(file);
  if (!typeName.empty()) {
    array.type = parseType(typeName, context.text);
    if (byteSize(array.type) != file.itemSize)
      throw Error(context.text + ": '" + path + "' holds items of " + std::to_string(file.itemSize) + " bytes, " +
                  std::string(name(array.type)) + " takes " + std::to_string(byteSize(array.type)));
  } else if (own) {
    array.type = *own;
  } else {
    throw Error(context.text + ": '" + path + "' holds raw items of " + std::to_string(file.itemSize) +
                " bytes; name their type, e.g. " + (file.itemSize == 2 ? "bf16" : "f8e4m3") + ":@" + path);
  }
  array.shape = std::move(file.shape);
  array.fortranOrder = file.fortranOrder;
  array.data = std::move(file.data);
  return array;
}

/// Makes a zeros:, empty: or rand: array.
HostArray makeArray(const std::string &form, const std::string &rest, const Context &context) {
  std::optional<Split> type = splitAtColon(rest);
  if (!type)
    throw Error(context.text + ": expected " + form + ":TYPE:SHAPE, e.g. " + form + ":f32:64x128");
  HostArray array;
  array.type = parseType(type->head, context.text);
  std::string shape = type->tail;
  uint64_t seed = context.seed;
  if (std::optional<Split> seeded = splitAtColon(shape)) {
    auto [end, failed] = std::from_chars(seeded->tail.data(), seeded->tail.data() + seeded->tail.size(), seed);
    if (form != "rand" || failed != std::errc() || end != seeded->tail.data() + seeded->tail.size())
      throw Error(context.text + ": '" + seeded->tail + "' after the shape" +
                  (form == "rand" ? " is not a seed, a natural number" : ""));
    shape = seeded->head;
  }
  array.shape = parseShape(shape, context.text);
  uint64_t bytes = byteCount(array, context);
  array.defined = form != "empty";
  if (form == "zeros")
    array.data.resize(bytes);
  else if (form == "rand")
    array.data = randomBytes(array.type, bytes / byteSize(array.type), seed);
  return array;
}

std::optional<HostArray> parseArray(const std::string &text, const Context &context) {
  if (text.starts_with('@'))
    return readArray(text.substr(1), {}, context);
  std::optional<Split> split = splitAtColon(text);
  if (!split)
    return std::nullopt;
  if (split->tail.starts_with('@'))
    return readArray(split->tail.substr(1), split->head, context);
  if (split->head == "zeros" || split->head == "empty" || split->head == "rand")
    return makeArray(split->head, split->tail, context);
  return std::nullopt;
}

HostArray requireArray(const std::string &text, const Context &context) {
  if (std::optional<HostArray> array = parseArray(text, context))
    return std::move(*array);
  throw Error(context.text + ": '" + text +
              "' is not an array; expected @FILE.npy, zeros:TYPE:SHAPE, empty:TYPE:SHAPE or rand:TYPE:SHAPE");
}

} // namespace

Value parseValue(const std::string &parameter, const std::string &text, uint64_t defaultSeed, uint64_t maxBytes) {
  Context context{parameter + "=" + text, defaultSeed, maxBytes};
  Value value;
  std::optional<Split> split = splitAtColon(text);
  if (split && split->head == "desc") {
    std::optional<Split> parts = splitAtColon(split->tail);
    if (!parts)
      throw Error(context.text + ": expected desc:BLOCK:ARRAY, e.g. desc:64x64:@a.npy");
    value.kind = Value::Kind::Descriptor;
    value.block = parseShape(parts->head, context.text);
    value.arrays.push_back(requireArray(parts->tail, context));
    return value;
  }
  if (split && split->head == "ptrs") {
    value.kind = Value::Kind::Pointers;
    for (size_t start = 0; start <= split->tail.size();) {
      size_t comma = std::min(split->tail.find(',', start), split->tail.size());
      value.arrays.push_back(requireArray(split->tail.substr(start, comma - start), context));
      ++context.seed;
      start = comma + 1;
    }
    return value;
  }
  if (std::optional<HostArray> array = parseArray(text, context)) {
    value.kind = Value::Kind::Array;
    value.arrays.push_back(std::move(*array));
    return value;
  }
  if (split) {
    std::string near = suggestion(split->head, kForms);
    throw Error(context.text + ": unknown form '" + split->head + ":'" +
                (near.empty() ? "; expected @FILE.npy, TYPE:@FILE.npy, zeros:, empty:, rand:, desc: or ptrs:" : near));
  }
  if (text.ends_with(".npy"))
    throw Error(context.text + ": an array from a file is given with '@': " + parameter + "=@" + text);
  HostValue scalar = HostExpression::parse(text, parameter).evaluate(specialNumber);
  if (scalar.index() > 3)
    throw Error(context.text + ": a number or an array is expected");
  value.scalar = scalar;
  return value;
}

} // namespace tegula::cli
