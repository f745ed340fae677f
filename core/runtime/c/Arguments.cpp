// C interface: arguments, constants and options of launches.
#include "core/runtime/c/Handles.h"

namespace tegula::c {
namespace {

TensorDescriptor descriptor(const tegula_descriptor *given) {
  tegula_descriptor known = received(&required(given, "a descriptor"), "descriptor");
  const Buffer &tensor = required(known.tensor, "descriptor.tensor").value;
  return TensorDescriptor(tensor, extents(known.block, tensor.shape().size(), "descriptor.block"),
                          known.padding_nan != 0);
}

Argument argument(const tegula_argument &given) {
  switch (given.kind) {
  case TEGULA_ARG_NONE: return nullptr;
  case TEGULA_ARG_BOOL: return given.as.integer != 0;
  case TEGULA_ARG_INTEGER: return given.as.integer;
  case TEGULA_ARG_REAL: return given.as.real;
  case TEGULA_ARG_SCALAR: return TypedScalar{dtype(given.type), given.as.bits};
  case TEGULA_ARG_BUFFER: return required(given.as.buffer, "the buffer of an argument").value;
  case TEGULA_ARG_ADDRESS: return DeviceAddress{given.as.address, dtype(given.type)};
  case TEGULA_ARG_SPAN: {
    const tegula_span &span = required(given.as.span, "the span of an argument");
    return DeviceAddress{span.address, dtype(given.type), span.bytes};
  }
  case TEGULA_ARG_DESCRIPTOR: return descriptor(given.as.descriptor);
  case TEGULA_ARG_POINTERS: return required(given.as.pointers, "the pointers of an argument").value;
  case TEGULA_ARG_VALUE: return constant(required(given.as.value, "the value of an argument"), "an argument");
  }
  badUse("an argument of the unknown kind " + std::to_string(static_cast<int>(given.kind)));
}

} // namespace

Arguments::Arguments(size_t count, const tegula_argument *given) {
  if (count)
    required(given, "arguments");
  named = count && given[0].name;
  for (size_t i = 0; i < count; ++i) {
    if ((given[i].name != nullptr) != named)
      badUse("of the arguments, number " + std::to_string(named ? i : 0) + " has no name, number " +
             std::to_string(named ? 0 : i) + " has one; give all of them names, or none");
    if (!named)
      byPosition.push_back(argument(given[i]));
    else if (!byName.emplace(given[i].name, argument(given[i])).second)
      badUse("two arguments are called '" + std::string(given[i].name) + "'");
  }
}

std::map<std::string, Constant> constants(const tegula_constant *given, size_t count) {
  std::map<std::string, Constant> result;
  if (count)
    required(given, "constants");
  for (size_t i = 0; i < count; ++i) {
    std::string name = text(given[i].name, "the name of a constant");
    if (!result.emplace(name, constant(given[i].value, "a constant")).second)
      badUse("constant '" + name + "' is given twice");
  }
  return result;
}

LaunchOptions launchOptions(const tegula_launch_options &options) {
  LaunchOptions result;
  result.constants = constants(options.constants, options.constant_count);
  if (options.num_warps)
    result.numWarps = options.num_warps;
  if (options.num_stages)
    result.numStages = options.num_stages;
  if (options.checked != TEGULA_CHECKED_DEFAULT)
    result.checked = options.checked == TEGULA_CHECKED_YES;
  if (options.no_autotune)
    result.autotune = false;
  result.background = options.background != 0;
  if (options.print)
    result.print = [print = options.print, user = options.print_user](std::string_view text) {
      print(user, text.data(), text.size());
    };
  return result;
}

} // namespace tegula::c
