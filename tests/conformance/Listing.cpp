#include "tests/conformance/Listing.h"

namespace tegula::conformance {

nlohmann::ordered_json describe(const Case &made, const Folders &folders) {
  nlohmann::ordered_json constants = nlohmann::ordered_json::object();
  for (const auto &[name, value] : made.constants)
    constants[name] = textOf(value);
  return {{"name", made.name},          {"family", made.family()},        {"file", folders.path(made)},
          {"kernel", made.kernel},      {"signature", signatureOf(made)}, {"constants", std::move(constants)},
          {"num_warps", made.numWarps}, {"grid", made.programs}};
}

nlohmann::ordered_json describe(const Device::Info &device, const Denormals &flushed,
                                const std::vector<Report> &reports) {
  nlohmann::ordered_json types = nlohmann::ordered_json::array(), results = nlohmann::ordered_json::array();
  for (DType type : flushed)
    types.push_back(std::string(name(type)));
  for (const Report &report : reports) {
    const char *status = report.status == Status::Passed   ? "passed"
                         : report.status == Status::Failed ? "failed"
                                                           : "skipped";
    results.push_back({{"name", report.made->name},
                       {"status", status},
                       {"detail", report.detail},
                       {"compile_ms", report.compileSeconds * 1e3},
                       {"cold", report.cold},
                       {"products", {report.products.eligible, report.products.served}}});
  }
  return {{"device", device.name},
          {"target", device.target},
          {"flushed", std::move(types)},
          {"results", std::move(results)}};
}

} // namespace tegula::conformance
