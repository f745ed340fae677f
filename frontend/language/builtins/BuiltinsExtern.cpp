// tl.core.extern_elementwise. No library is linked: the symbol that the types of the arguments select names a function
// of libdevice, which every target has (ExternSymbols.h).
#include "core/support/Suggest.h"
#include "frontend/language/builtins/Builtins.h"
#include "frontend/language/builtins/ExternSymbols.h"

namespace tegula::lang {
namespace {

using Args = Builtin::Args;
using Types = std::vector<ElementType>;

/// "(f32, i32)"
std::string shown(const Types &types) {
  std::string text;
  for (ElementType type : types)
    text += (text.empty() ? "" : ", ") + type.str();
  return "(" + text + ")";
}

/// An entry of the dictionary, `(tl.float32,): ("__nv_tanhf", tl.float32)`.
struct Entry {
  Types types;
  std::string symbol;
  ElementType result;
};

std::vector<Entry> entriesOf(Emitter &e, Loc loc, const Value &value) {
  auto *dictionary = value.as<Dictionary>();
  if (!dictionary || dictionary->keys.empty())
    e.fail(loc, "extern_elementwise needs a dictionary such as {(tl.float32,): (\"__nv_tanhf\", tl.float32)}, found " +
                    (dictionary ? "an empty one" : value.describe()));
  std::vector<Entry> entries;
  for (size_t i = 0; i < dictionary->keys.size(); ++i) {
    Entry entry;
    for (const Value &type : e.elements(dictionary->keys[i]))
      entry.types.push_back(e.constantType(loc, type, "a key of extern_elementwise's dictionary"));
    auto *target = dictionary->values[i].as<Tuple>();
    if (!target || target->elements.size() != 2)
      e.fail(loc, "a value of extern_elementwise's dictionary is a symbol and a type, such as (\"__nv_tanhf\", "
                  "tl.float32); found " +
                      dictionary->values[i].describe());
    entry.symbol = e.constantString(loc, target->elements[0], "the symbol in extern_elementwise's dictionary");
    entry.result = e.constantType(loc, target->elements[1], "the result in extern_elementwise's dictionary");
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// The entry whose key is the arguments' types; null if there is none. A dictionary with equal keys has the last one.
const Entry *entryFor(const std::vector<Entry> &entries, const std::vector<Tensor> &arguments) {
  for (size_t i = entries.size(); i-- > 0;)
    if (std::ranges::equal(entries[i].types, arguments, {}, {}, &Tensor::type))
      return &entries[i];
  return nullptr;
}

/// Brings the arguments to one type and shape, by Triton's promotion pair by pair.
void promoteAll(Emitter &e, Loc loc, std::vector<Tensor> &arguments) {
  Tensor common = arguments[0];
  for (const Tensor &argument : arguments)
    common = e.promote(loc, argument, common).second;
  for (Tensor &argument : arguments)
    argument = e.promote(loc, argument, common).first;
}

/// The arguments as the entry found for them wants them.
const Entry &selectEntry(Emitter &e, const Args &args, const std::vector<Entry> &entries,
                         std::vector<Tensor> &arguments) {
  size_t expected = entries[0].types.size();
  if (arguments.size() != expected)
    e.fail(args.locs[2], "extern_elementwise has " + std::to_string(arguments.size()) +
                             " arguments, but the keys of its dictionary have " + std::to_string(expected) +
                             (expected == 1 ? " type" : " types"));
  Types given;
  for (const Tensor &argument : arguments)
    given.push_back(argument.type);
  if (const Entry *entry = entryFor(entries, arguments)) {
    broadcastAll(e, args.loc, arguments);
    return *entry;
  }
  bool areNumbers = std::ranges::none_of(given, &ElementType::isPointer);
  if (areNumbers && !arguments.empty()) {
    promoteAll(e, args.locs[2], arguments);
    if (const Entry *entry = entryFor(entries, arguments))
      return *entry;
  }
  std::vector<std::string> known;
  for (const Entry &entry : entries)
    known.push_back(shown(entry.types));
  e.fail(args.locs[2], "extern_elementwise has arguments of the types " + shown(given) + ", but its dictionary has " +
                           listed(known) + "; convert them with .to(...)");
}

/// As the symbol's code sees a type: signed and unsigned integers are the same.
bool isSameRegister(ElementType type, ElementType other) {
  return !type.isPointer() && !type.isBool() && type.isFloat() == other.isFloat() && type.bits() == other.bits();
}

bool accepts(const ExternSymbol &symbol, const Entry &entry) {
  return isSameRegister(entry.result, symbol.result) &&
         std::ranges::equal(entry.types, symbol.arguments, isSameRegister);
}

/// The symbol's form with the types of the entry.
ExternSymbol symbolOf(Emitter &e, Loc loc, const Entry &entry) {
  std::vector<ExternSymbol> forms = externSymbols(entry.symbol);
  if (forms.empty())
    e.fail(
        loc, "no library is linked, and '" + entry.symbol +
                 "' is none of libdevice's functions, which every target has by names such as __nv_tanhf and "
                 "__ocml_tanh_f32" +
                 [&] {
                   std::string similar = tegula::suggestion(entry.symbol, externSymbolNames());
                   return similar.empty() ? "; write it with tl functions in a @triton.jit function" : similar;
                 }());
  for (const ExternSymbol &form : forms)
    if (accepts(form, entry))
      return form;
  Types arguments(forms[0].arguments.begin(), forms[0].arguments.end());
  e.fail(loc, "'" + entry.symbol + "' takes " + shown(arguments) + " and returns " +
                  ElementType(forms[0].result).str() + ", but the dictionary has " + shown(entry.types) + " and " +
                  entry.result.str());
}

Value functionOf(const ExternSymbol &symbol) {
  if (auto function = libdeviceMember(symbol.function))
    return *function;
  if (const Builtin *builtin = findBuiltin(symbol.function))
    return BuiltinValue{builtin, nullptr};
  throw InternalError("libdevice has no function " + symbol.function);
}

// extern_elementwise(lib_name, lib_path, args, arg_type_symbol_dict, is_pure). The library's name and path are not
// evaluated (Emitter::emitCall): public code computes them by functions of the host.
Value externElementwise(Emitter &e, const Args &args) {
  if (!args[2].as<Tuple>())
    e.fail(args.locs[2], "extern_elementwise's args must be a list, found " + args[2].describe());
  flagArgument(e, args, 4, "is_pure");
  std::vector<Tensor> arguments;
  for (const Value &value : e.elements(args[2]))
    arguments.push_back(e.tensor(args.locs[2], value, "extern_elementwise's argument"));
  std::vector<Entry> entries = entriesOf(e, args.locs[3], args[3]);
  const Entry &entry = selectEntry(e, args, entries, arguments);
  ExternSymbol symbol = symbolOf(e, args.locs[3], entry);
  std::vector<Value> operands;
  for (size_t i = 0; i < arguments.size(); ++i)
    operands.emplace_back(e.cast(args.loc, arguments[i], symbol.arguments[i]));
  Tensor result = e.tensor(args.loc, e.callOnScalars(args.loc, functionOf(symbol), std::move(operands)));
  return e.cast(args.loc, e.cast(args.loc, result, symbol.result), entry.result);
}

} // namespace

std::span<const Builtin> externBuiltins() {
  static constexpr Builtin table[] = {
      {"extern_elementwise", "lib_name, lib_path, args, arg_type_symbol_dict, is_pure", externElementwise},
  };
  return table;
}

} // namespace tegula::lang
