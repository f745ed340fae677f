#include "core/runtime/Session.h"
#include "core/support/Diagnostic.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/Options.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace tegula::cli {
namespace {

std::string describe(const Artifact &artifact, const Guard &guard) {
  const std::string &name = artifact.params.at(guard.param).name;
  std::string operand = std::to_string(guard.operand);
  switch (guard.kind) {
  case Guard::Kind::Equals: return name + " == " + operand;
  case Guard::Kind::DivisibleBy: return name + " % " + operand + " == 0";
  case Guard::Kind::AlignedTo: return name + " aligned to " + operand;
  case Guard::Kind::AllocationBelow: return name + " reaches less than " + operand + " bytes";
  }
  throw InternalError("unknown guard");
}

std::string describeGuards(const Artifact &artifact) {
  std::string text;
  for (const Guard &guard : artifact.guards)
    text += (text.empty() ? "" : ", ") + describe(artifact, guard);
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : ", ") + part; };
  if (artifact.conditions && artifact.conditions->nonNegative)
    add("no negative integers, " + std::to_string(artifact.conditions->positive.size()) +
        " conditions on arguments and grid");
  if (artifact.conditions)
    for (auto [one, other] : artifact.conditions->apart)
      add(artifact.params[one].name + " and " + artifact.params[other].name + " do not overlap");
  return text.empty() ? "any arguments" : text;
}

/// `M 513..1024, N 1..64`
std::string describe(const tuning::KeyRanges &ranges) {
  std::string text;
  for (const auto &[name, range] : ranges)
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(range[0]) + ".." + std::to_string(range[1]);
  return text.empty() ? "any sizes" : text;
}

void printCode(const BundleFile::Code &code) {
  for (std::span<const uint8_t> bytes : code.artifacts) {
    Artifact artifact = session::readArtifact(bytes);
    std::printf("    %-16s %7zu bytes  %u threads, %u bytes shared  %s\n", code.target.c_str(), artifact.binary.size(),
                artifact.threads, artifact.sharedBytes, describeGuards(artifact).c_str());
  }
  for (const BundleFile::TuningRow &row : code.tuning)
    std::printf("      fast for %s: %s\n", describe(row.ranges).c_str(), row.source.c_str());
}

void printText(const BundleFile &bundle) {
  for (uint32_t k = 0; k < bundle.kernels.size(); ++k) {
    const BundleFile::Kernel &kernel = bundle.kernels[k];
    std::printf("%s, %s:%u\n", kernel.info.name.c_str(), kernel.path.c_str(), kernel.info.line);
    for (uint32_t i = 0; i < bundle.instances.size(); ++i) {
      const BundleFile::Instance &instance = bundle.instances[i];
      if (instance.kernel != k)
        continue;
      std::printf("  %s; tile IR %zu bytes\n", session::describe(bundle, instance).c_str(), instance.tile.size());
      for (const BundleFile::Code &code : bundle.code)
        if (code.instance == i)
          printCode(code);
    }
  }
}

nlohmann::ordered_json toJson(const std::vector<BundleFile::TuningRow> &rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BundleFile::TuningRow &row : rows) {
    nlohmann::ordered_json key = nlohmann::ordered_json::object();
    for (const auto &[name, range] : row.ranges)
      key[name] = range;
    list.push_back({{"key", std::move(key)}, {"source", row.source}});
  }
  return list;
}

nlohmann::ordered_json toJson(const BundleFile &bundle) {
  nlohmann::ordered_json instances = nlohmann::ordered_json::array();
  for (uint32_t i = 0; i < bundle.instances.size(); ++i) {
    const BundleFile::Instance &instance = bundle.instances[i];
    const BundleFile::Kernel &kernel = bundle.kernels[instance.kernel];
    nlohmann::ordered_json code = nlohmann::ordered_json::array();
    for (const BundleFile::Code &one : bundle.code)
      if (one.instance == i)
        for (std::span<const uint8_t> bytes : one.artifacts) {
          Artifact artifact = session::readArtifact(bytes);
          code.push_back({{"target", one.target},
                          {"bytes", artifact.binary.size()},
                          {"threads", artifact.threads},
                          {"shared_bytes", artifact.sharedBytes},
                          {"guards", describeGuards(artifact)},
                          {"tuning", toJson(one.tuning)}});
        }
    instances.push_back({{"kernel", kernel.info.name},
                         {"path", kernel.path},
                         {"source_hash", kernel.sourceHash},
                         {"instance", session::describe(bundle, instance)},
                         {"code", std::move(code)}});
  }
  return {{"version", kBundleVersion}, {"instances", std::move(instances)}};
}

} // namespace

int runInspect(const std::vector<std::string> &arguments) {
  CLI::App app("Shows what a bundle holds: kernels, their types and constants, and the code for each target.",
               "tegula inspect");
  std::string file;
  bool json = false;
  app.add_option("FILE", file, "A bundle that `tegula build` made")->required();
  app.add_flag("--json", json, "As JSON");
  app.footer("Examples:\n  tegula inspect kernels.tgb\n  tegula inspect kernels.tgb --json");
  if (auto over = parse(app, arguments))
    return *over;
  std::shared_ptr<const BundleFile> bundle = session::readBundle(file);
  if (json)
    std::printf("%s\n", toJson(*bundle).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  else
    printText(*bundle);
  return kSuccess;
}

} // namespace tegula::cli
