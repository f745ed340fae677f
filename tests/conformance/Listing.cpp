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

} // namespace tegula::conformance
