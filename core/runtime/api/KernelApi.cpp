#include "core/runtime/KernelImpl.h"
#include "core/runtime/Translate.h"
#include "core/support/Files.h"
#include "core/support/Suggest.h"
#include "core/support/process/CrashReport.h"

namespace tegula {
namespace {

KernelInfo chooseKernel(std::vector<KernelInfo> kernels, std::string_view wanted, const std::string &path) {
  std::vector<std::string> names;
  for (KernelInfo &kernel : kernels) {
    if (kernel.problem && (kernel.name == wanted || (wanted.empty() && kernels.size() == 1)))
      throw Error(*kernel.problem);
    if (!wanted.empty() && kernel.name == wanted)
      return std::move(kernel);
    names.push_back(kernel.name);
  }
  if (names.empty())
    throw Error("'" + path + "' holds no kernel: no function " +
                (isIrFile(path) ? "has the attribute tile.kernel" : "is decorated with @triton.jit"));
  if (!wanted.empty())
    throw Error("'" + path + "' has no kernel '" + std::string(wanted) + "'; it has " + listed(names) +
                suggestion(wanted, names));
  if (kernels.size() > 1)
    throw Error("'" + path + "' holds " + std::to_string(names.size()) + " kernels; name one of " + listed(names));
  return std::move(kernels.front());
}

} // namespace

Kernel Kernel::load(const std::string &path, std::string_view kernel, const LoadOptions &options) {
  std::string source = translated(ApiError::Kind::BadUse, [&] { return readTextFile(path); });
  return fromSource(source, kernel, path, options);
}

Kernel Kernel::fromSource(const std::string &source, std::string_view kernel, const std::string &path,
                          const LoadOptions &options) {
  return translated(ApiError::Kind::BadUse, [&] {
    Surroundings start;
    start.modulePath = options.modulePath;
    for (const GlobalName &global : options.globals)
      checkGiven(start.given.emplace_back(GivenName{global.file, global.name, global.value, global.from}));
    for (const SourceText &text : options.texts)
      start.texts[text.path] = text.text;
    FileDescription file = inspectCached(path, source, std::move(start));
    KernelInfo info = chooseKernel(std::move(file.kernels), kernel, path);
    return Kernel(std::make_shared<const Impl>(path, source, std::move(info), std::move(file.surroundings)));
  });
}

const std::string &Kernel::name() const { return impl_->prototype.info.name; }

std::vector<std::pair<std::string, bool>> Kernel::parameters() const {
  std::vector<std::pair<std::string, bool>> result;
  for (const KernelInfo::Param &param : impl_->prototype.info.params)
    result.emplace_back(param.name, param.isConstexpr);
  return result;
}

static uint64_t nextSerial() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

static const char *labelOf(const KernelInfo &info, const std::string &path) {
  return kernelName(info.name, path, info.line);
}

Kernel::Impl::Impl(std::string path, std::string source, KernelInfo info, Surroundings surroundings)
    : serial(nextSerial()), path(std::move(path)), source(std::move(source)), surroundings(std::move(surroundings)),
      prototype(std::move(info)), label(labelOf(prototype.info, this->path)) {
  lines.push_back(0);
  for (size_t i = 0; i < this->source.size(); ++i)
    if (this->source[i] == '\n')
      lines.push_back(i + 1);
}

Kernel::Impl::Impl(BundledKernel kernel)
    : serial(nextSerial()), path(kernel.file->kernels[kernel.kernel].path), bundled(std::move(kernel)),
      prototype(bundled->file->kernels[bundled->kernel].info), label(labelOf(prototype.info, path)), lines{0} {}

Kernel::Impl::~Impl() {
  for (Specialization *item = specializations.load(); item;)
    delete std::exchange(item, item->next);
}

std::string Kernel::Impl::line(uint32_t number) const {
  if (number == 0 || number > lines.size())
    return {};
  size_t start = lines[number - 1], end = number < lines.size() ? lines[number] - 1 : source.size();
  if (end > start && source[end - 1] == '\r')
    --end;
  return source.substr(start, end - start);
}

} // namespace tegula
