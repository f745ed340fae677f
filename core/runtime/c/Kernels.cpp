#include "core/runtime/c/Handles.h"
#include "core/runtime/tune/Repeats.h"

using namespace tegula;
using namespace tegula::c;

namespace {

std::string optionalText(const char *text) { return text ? text : ""; }

LoadOptions loadOptions(const tegula_load_options *options) {
  tegula_load_options given = received(options, "options");
  LoadOptions result;
  if (given.module_path_count)
    required(given.module_path, "options.module_path");
  for (size_t i = 0; i < given.module_path_count; ++i)
    result.modulePath.push_back(text(given.module_path[i], "a folder of options.module_path"));
  if (given.global_count)
    required(given.globals, "options.globals");
  for (size_t i = 0; i < given.global_count; ++i) {
    const tegula_global &global = given.globals[i];
    result.globals.push_back({optionalText(global.file), text(global.name, "the name of a global"),
                              optionalText(global.value), optionalText(global.from)});
  }
  if (given.text_count)
    required(given.texts, "options.texts");
  for (size_t i = 0; i < given.text_count; ++i)
    result.texts.push_back({text(given.texts[i].path, "the path of a text of options.texts"),
                            text(given.texts[i].text, "a text of options.texts")});
  return result;
}

} // namespace

tegula_status tegula_kernel_load(const char *path, const char *name, const tegula_load_options *options,
                                 tegula_kernel **out) {
  return guarded([&] { make(out, Kernel::load(text(path, "path"), name ? name : "", loadOptions(options))); });
}

tegula_status tegula_kernel_load_source(const char *source, const char *name, const char *path,
                                        const tegula_load_options *options, tegula_kernel **out) {
  return guarded([&] {
    make(out,
         Kernel::fromSource(text(source, "source"), name ? name : "", path ? path : "<string>", loadOptions(options)));
  });
}

tegula_status tegula_kernel_get_info(const tegula_kernel *kernel, tegula_kernel_info *info) {
  return guarded([&] {
    const KernelInfo &known = required(kernel, "kernel").value.impl()->prototype.info;
    give(info,
         {0, known.name.c_str(), known.params.size(), known.line, static_cast<uint32_t>(known.configs.size()),
          static_cast<uint32_t>(known.heuristics.size())},
         "info");
  });
}

tegula_status tegula_kernel_explain_repeats(const tegula_kernel *kernel, const char *const *restored,
                                            size_t restored_count, const char **out) {
  return guarded([&] {
    const Kernel::Impl &impl = *required(kernel, "kernel").value.impl();
    required(out, "out") = nullptr;
    if (restored_count)
      required(restored, "restored");
    std::vector<std::string> names;
    for (size_t i = 0; i < restored_count; ++i)
      names.push_back(text(restored[i], "a name of restored"));
    thread_local std::string warning;
    warning = warningOfRepeats(impl, names);
    if (!warning.empty())
      *out = warning.c_str();
  });
}

tegula_status tegula_kernel_get_parameter(const tegula_kernel *kernel, size_t index, tegula_parameter *out) {
  return guarded([&] {
    const KernelInfo &known = required(kernel, "kernel").value.impl()->prototype.info;
    if (index >= known.params.size())
      badUse("kernel '" + known.name + "' has " + std::to_string(known.params.size()) + " parameters; number " +
             std::to_string(index) + " was asked for");
    const KernelInfo::Param &param = known.params[index];
    tegula_parameter result TEGULA_PARAMETER_INIT;
    result.name = param.name.c_str();
    result.is_constexpr = param.isConstexpr;
    result.has_default = param.defaultValue.has_value();
    if (param.defaultValue)
      result.default_value = value(*param.defaultValue);
    result.is_annotated = param.annotatedType.has_value();
    result.is_annotated_pointer = param.isAnnotatedPointer;
    if (param.annotatedType)
      result.annotated_type = static_cast<tegula_dtype>(*param.annotatedType);
    result.line = param.line;
    result.column = param.column;
    give(out, result, "out");
  });
}

void tegula_kernel_release(tegula_kernel *kernel) { delete kernel; }
