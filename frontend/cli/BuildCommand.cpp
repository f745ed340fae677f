#include "core/contracts/KernelOptions.h"
#include "core/runtime/Session.h"
#include "core/runtime/text/Signature.h"
#include "core/support/Diagnostic.h"
#include "core/support/Files.h"
#include "core/support/Suggest.h"
#include "frontend/cli/BundleHeader.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/Options.h"
#include "frontend/cli/Values.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace tegula::cli {
namespace {

constexpr const char *kBuildExamples =
    "Examples:\n"
    "  tegula build add.py -o add.tgb --targets=cpu --signature='*fp32:16, *fp32:16, *fp32:16, i32' --const "
    "BLOCK=1024\n\n"
    "  # Several kernels: say which one a signature and a constant are for.\n"
    "  tegula build add.py softmax.py::softmax -o kernels.tgb --targets=cpu \\\n"
    "      --signature='add: *fp32:16, *fp32:16, *fp32:16, i32' --signature='softmax: *fp32:16, *fp32:16, i32' \\\n"
    "      --const add.BLOCK=1024 --const softmax.BLOCK=2048\n\n"
    "  # With a typed C++ header, and a C source that embeds the bundle in a program (CMake: tegula_add_kernels).\n"
    "  tegula build add.py -o add.tgb ... --header=my_add.hpp --embed=my_add.c --namespace=my_add\n\n"
    "  # For each target the configurations that are known to be fast, from `tegula tune` and the shipped tables.\n"
    "  tegula build matmul.py::matmul_tuned -o matmul.tgb --targets=cpu --configs=tuned --const PRECISION=ieee "
    "\\\n"
    "      --signature='*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 1'\n\n"
    "A signature has facts: `:16` says that 16 divides, the literal 1 that the argument is 1. The bundle gets code "
    "that\n"
    "relies on them, which launches take whose arguments agree, and code for any values of these types.";

struct BuildOptions {
  std::vector<std::string> files, targets, signatures, constants, modulePath;
  std::string output, header, embed, space, configs = "first";
  std::optional<int> numWarps, numStages;
  bool quiet = false;
};

std::vector<std::string> namesOf(const std::vector<BundleItem> &items) {
  std::vector<std::string> names;
  for (const BundleItem &item : items)
    names.push_back(item.info.name);
  return names;
}

BundleConfigs parseConfigs(const std::string &text) {
  if (text == "first")
    return BundleConfigs::First;
  if (text == "all")
    return BundleConfigs::All;
  if (text == "tuned")
    return BundleConfigs::Tuned;
  throw Error("--configs: expected first, all or tuned, found '" + text + "'");
}

/// The kernel of a signature "KERNEL: TYPES"; empty where it names none.
std::string kernelOf(const std::string &signature) {
  size_t colon = signature.find(':');
  return colon == std::string::npos ? std::string() : signature.substr(0, colon);
}

/// FILE.py::KERNEL, or of a file with several kernels those that signatures name.
std::vector<KernelReference> readReferences(const BuildOptions &options, const std::string &file) {
  KernelReference reference = parseReference(file);
  if (!reference.kernel.empty())
    return {reference};
  std::vector<KernelReference> named;
  std::vector<std::string> kernels = session::kernelNames(file, readTextFile(file), {.modulePath = options.modulePath});
  for (const std::string &kernel : kernels)
    if (kernels.size() > 1 &&
        std::ranges::any_of(options.signatures, [&](auto &text) { return kernelOf(text) == kernel; }))
      named.push_back({file, kernel});
  return named.empty() ? std::vector{reference} : named;
}

BundleItem readItem(const BuildOptions &options, const KernelReference &reference) {
  BundleItem item;
  item.path = reference.file;
  item.source = readTextFile(reference.file);
  auto [info, surroundings] =
      session::describeKernel(item.path, item.source, reference.kernel, {.modulePath = options.modulePath});
  item.info = std::move(info);
  item.surroundings = std::move(surroundings);
  item.numWarps = options.numWarps;
  item.numStages = options.numStages;
  item.configs = parseConfigs(options.configs);
  return item;
}

/// `KERNEL: TYPES`, or only types where there is one kernel.
void addSignature(std::vector<BundleItem> &items, const std::string &text) {
  std::string kernel = kernelOf(text);
  for (BundleItem &item : items)
    if (item.info.name == kernel) {
      item.signatures.push_back(parseSignature(text.substr(kernel.size() + 1)));
      return;
    }
  if (items.size() != 1)
    throw Error("--signature='" + text + "': say which kernel it is for, as in '" + items.front().info.name +
                ": *fp32, i32'; the kernels are " + listed(namesOf(items)));
  items.front().signatures.push_back(parseSignature(text));
}

bool hasConstant(const BundleItem &item, const std::string &name) {
  return isOption(item.info, name) || std::ranges::any_of(item.info.params, [&](const auto &param) {
           return param.isConstexpr && param.name == name;
         });
}

/// `KERNEL.NAME=VALUE`, or `NAME=VALUE` for all kernels that have the constant.
void addConstant(std::vector<BundleItem> &items, const std::string &text) {
  auto [name, value] = parseAssignment(text);
  std::string kernel;
  if (size_t dot = name.find('.'); dot != std::string::npos) {
    kernel = name.substr(0, dot);
    name = name.substr(dot + 1);
  }
  bool isUsed = false;
  for (BundleItem &item : items) {
    if (kernel.empty() ? !hasConstant(item, name) : item.info.name != kernel)
      continue;
    isUsed = true;
    if (!item.constants.emplace(name, parseConstant(name, value)).second)
      throw Error("constant '" + name + "' of kernel '" + item.info.name + "' is given twice");
  }
  if (isUsed)
    return;
  std::vector<std::string> kernels = namesOf(items);
  throw Error("--const " + text + ": " +
              (kernel.empty() ? "no kernel has a constexpr parameter '" + name + "'"
                              : "there is no kernel '" + kernel + "'; the kernels are " + listed(kernels) +
                                    suggestion(kernel, kernels)));
}

std::vector<BundleItem> readItems(const BuildOptions &options) {
  std::vector<BundleItem> items;
  for (const std::string &file : options.files)
    for (const KernelReference &reference : readReferences(options, file))
      items.push_back(readItem(options, reference));
  for (const std::string &text : options.signatures)
    addSignature(items, text);
  for (const std::string &text : options.constants)
    addConstant(items, text);
  for (BundleItem &item : items)
    if (item.signatures.empty()) {
      bool needsNone = std::ranges::all_of(item.info.params, [](const auto &param) { return param.isConstexpr; });
      if (!needsNone)
        throw Error("kernel '" + item.info.name +
                    "' has no signature; give the types of its parameters by --signature='" + item.info.name +
                    ": ...'");
      item.signatures.emplace_back();
    }
  return items;
}

} // namespace

int runBuild(const std::vector<std::string> &arguments) {
  BuildOptions options;
  CLI::App app("Compiles kernels for several targets into one file, a bundle. Needs no device.", "tegula build");
  app.add_option("FILE", options.files,
                 "FILE.py or FILE.py::KERNEL, one or more; of a FILE.py with several kernels\nthose that signatures "
                 "name are built")
      ->required();
  app.add_option("-o,--output", options.output, "The bundle, e.g. kernels.tgb")->required();
  app.add_option("--targets", options.targets, "What to compile for, e.g. cpu")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  app.add_option("--signature", options.signatures, "[KERNEL:] types of the parameters that are not constexpr; repeat")
      ->allow_extra_args(false);
  app.add_option("--const", options.constants, "[KERNEL.]NAME=VALUE, a constexpr parameter's value; repeat")
      ->allow_extra_args(false);
  app.add_option("--configs", options.configs,
                 "Of @triton.autotune: first (default), or all; tuned: what records\n"
                 "and tuning tables have for each target");
  app.add_option("--num-warps", options.numWarps, "Warps a program: a power of two from 1 to 32");
  app.add_option("--num-stages", options.numStages, "Stages of software pipelining");
  addModulePath(app, options.modulePath);
  app.add_option("--header", options.header, "Write a C++ header with a typed function for each kernel");
  app.add_option("--embed", options.embed, "Write a C source that embeds the bundle");
  app.add_option("--namespace", options.space, "Of the header and the embedded bundle (default: the output's name)");
  app.add_flag("-q,--quiet", options.quiet, "Do not print what is compiled");
  app.footer(kBuildExamples);
  if (auto over = parse(app, arguments))
    return *over;
  session::showLongCompiles(!options.quiet);
  for (const std::string &target : options.targets)
    session::requireTarget(target);
  std::vector<BundleItem> items = readItems(options);
  if (options.space.empty())
    options.space = std::filesystem::path(options.output).stem().string();
  BundleFile bundle = session::buildBundle(items, options.targets, [&](const std::string &step) {
    if (!options.quiet)
      std::printf("%s\n", step.c_str());
  });
  if (!options.header.empty())
    writeFile(options.header, bundleHeader(bundle, options.space));
  if (!options.embed.empty())
    writeFile(options.embed, bundleSource(std::filesystem::absolute(options.output).string(), options.space));
  std::vector<uint8_t> bytes = session::bundleBytes(bundle);
  writeFile(options.output, bytes);
  if (!options.quiet)
    std::printf("%s: %zu kernels, %zu instances, code for %zu targets, %zu bytes\n", options.output.c_str(),
                bundle.kernels.size(), bundle.instances.size(), options.targets.size(), bytes.size());
  return kSuccess;
}

} // namespace tegula::cli
