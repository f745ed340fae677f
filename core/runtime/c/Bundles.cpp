#include "core/runtime/c/Handles.h"

struct tegula_bundle {
  tegula::Bundle value;
  std::vector<std::string> names;
};

using namespace tegula;
using namespace tegula::c;

namespace {

void makeBundle(tegula_bundle **out, const Bundle &bundle) {
  tegula_bundle *&place = required(out, "out");
  place = new tegula_bundle{bundle, bundle.kernels()};
}

} // namespace

tegula_status tegula_bundle_open(const char *path, tegula_bundle **out) {
  return guarded([&] { makeBundle(out, Bundle::open(text(path, "path"))); });
}

tegula_status tegula_bundle_open_memory(const void *data, size_t bytes, const char *name, tegula_bundle **out) {
  return guarded([&] {
    if (!data)
      badUse("data is null");
    makeBundle(out, Bundle::fromMemory({static_cast<const std::byte *>(data), bytes}, name ? name : "<memory>"));
  });
}

tegula_status tegula_bundle_kernel_count(const tegula_bundle *bundle, size_t *out) {
  return guarded([&] { required(out, "out") = required(bundle, "bundle").names.size(); });
}

tegula_status tegula_bundle_get_name(const tegula_bundle *bundle, size_t index, const char **out) {
  return guarded([&] {
    const std::vector<std::string> &names = required(bundle, "bundle").names;
    if (index >= names.size())
      badUse("the bundle has " + std::to_string(names.size()) + " kernels; number " + std::to_string(index) +
             " was asked for");
    required(out, "out") = names[index].c_str();
  });
}

tegula_status tegula_bundle_kernel(const tegula_bundle *bundle, const char *name, tegula_kernel **out) {
  return guarded([&] { make(out, required(bundle, "bundle").value.kernel(text(name, "name"))); });
}

void tegula_bundle_release(tegula_bundle *bundle) { delete bundle; }
