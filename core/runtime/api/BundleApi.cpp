#include "core/runtime/KernelImpl.h"
#include "core/runtime/Translate.h"
#include "core/runtime/bundle/BundleFile.h"
#include "core/support/Files.h"
#include "core/support/Suggest.h"

namespace tegula {

Bundle Bundle::open(const std::string &path) {
  return translated(ApiError::Kind::BadUse, [&] {
    std::deque<std::vector<uint8_t>> owned;
    owned.push_back(readFile(path));
    auto file = std::make_shared<BundleFile>(parseBundle(owned.front(), path));
    file->owned = std::move(owned); // moving a deque does not move its elements
    return Bundle(std::make_shared<const Impl>(Impl{std::move(file)}));
  });
}

Bundle Bundle::fromMemory(std::span<const std::byte> bytes, const std::string &name) {
  return translated(ApiError::Kind::BadUse, [&] {
    std::span<const uint8_t> raw(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    return Bundle(std::make_shared<const Impl>(Impl{std::make_shared<const BundleFile>(parseBundle(raw, name))}));
  });
}

std::vector<std::string> Bundle::kernels() const {
  std::vector<std::string> names;
  for (const BundleFile::Kernel &kernel : impl_->file->kernels)
    names.push_back(kernel.info.name);
  return names;
}

Kernel Bundle::kernel(std::string_view name) const {
  std::vector<std::string> names = kernels();
  for (uint32_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return Kernel(std::make_shared<const Kernel::Impl>(BundledKernel{impl_->file, i}));
  throw ApiError(ApiError::Kind::BadUse, "bundle '" + impl_->file->path + "' has no kernel '" + std::string(name) +
                                             "'; it has " + listed(names) + suggestion(name, names));
}

} // namespace tegula
