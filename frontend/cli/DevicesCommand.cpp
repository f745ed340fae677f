#include "core/runtime/include/tegula/tegula.hpp"
#include "frontend/cli/Commands.h"
#include "frontend/cli/Options.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace tegula::cli {
namespace {

using Absent = std::vector<std::pair<std::string, std::string>>;

void printJson(const std::vector<Device::Info> &devices, const Absent &absent) {
  nlohmann::ordered_json root;
  root["devices"] = nlohmann::ordered_json::array();
  for (const Device::Info &device : devices) {
    nlohmann::ordered_json item;
    item["name"] = device.name;
    item["description"] = device.description;
    item["target"] = device.target;
    item["memoryBytes"] = device.memoryBytes;
    item["isRealGpu"] = device.isRealGpu;
    item["properties"] = nlohmann::ordered_json::object();
    for (const auto &[key, value] : device.properties)
      item["properties"][key] = value;
    root["devices"].push_back(std::move(item));
  }
  root["absent"] = nlohmann::ordered_json::array();
  for (const auto &[backend, why] : absent)
    root["absent"].push_back({{"backend", backend}, {"reason", why}});
  // A driver's device name may contain invalid UTF-8: such bytes are replaced instead of throwing.
  std::printf("%s\n", root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

void printTable(const std::vector<Device::Info> &devices, const Absent &absent) {
  for (const Device::Info &device : devices) {
    std::printf("%s\n    %s\n    target %s", device.name.c_str(), device.description.c_str(), device.target.c_str());
    if (device.memoryBytes)
      std::printf(", %.1f GiB of memory", static_cast<double>(device.memoryBytes) / (1 << 30));
    std::printf("\n");
  }
  for (const auto &[backend, why] : absent)
    std::printf("%s: no device: %s\n", backend.c_str(), why.c_str());
}

} // namespace

int runDevices(const std::vector<std::string> &arguments) {
  CLI::App app("Lists the devices that kernels can run on, and says why a backend has none.", "tegula devices");
  bool json = false;
  app.add_flag("--json", json, "Print JSON: devices and absent backends");
  app.footer(
      "Examples:\n"
      "  tegula devices\n"
      "  tegula devices --json | python3 -m json.tool\n\n"
      "A launch takes $TEGULA_DEVICE, else the first real GPU, else the CPU; `tegula run --device=NAME` chooses.");
  if (auto over = parse(app, arguments))
    return *over;
  Absent absent;
  std::vector<Device::Info> devices = Device::list(&absent);
  json ? printJson(devices, absent) : printTable(devices, absent);
  return kSuccess;
}

} // namespace tegula::cli
