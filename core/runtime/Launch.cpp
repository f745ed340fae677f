// Launching. A repeated launch takes no lock and computes no hash. It allocates only for containers that the caller
// passes, constants among the positional arguments, heuristics, and checked launches.
#include "core/runtime/Translate.h"
#include "core/runtime/launch/LaunchFrame.h"

namespace tegula {
namespace {

template <class Values, class MakeGrid>
void launchWith(const std::shared_ptr<const Kernel::Impl> &kernel, const Stream &stream, const MakeGrid &makeGrid,
                const Values &values, const LaunchOptions &options) {
  const std::shared_ptr<Device::Impl> &device = stream.device().impl();
  LaunchFrame frame;
  translated(ApiError::Kind::BadUse, [&] {
    frame.binding().assign(kernel->prototype, values);
    frame.binding().resolve(kernel->prototype, *device);
  });
  Selection selection = select(*kernel, device, frame.binding(), options);
  // Exceptions of the caller's grid function are passed on unchanged.
  frame.launch(*kernel, stream, *selection.variant, makeGrid(selection.specialization->resolved), options.checked,
               options.print);
}

auto fixedGrid(const Grid &grid) {
  return [&grid](const ApiConstants &) -> const Grid & { return grid; };
}

} // namespace

void Kernel::launch(const Stream &stream, Grid grid, const std::vector<Argument> &arguments,
                    const LaunchOptions &options) const {
  launchWith(impl_, stream, fixedGrid(grid), arguments, options);
}

void Kernel::launch(const Stream &stream, Grid grid, const NamedArguments &arguments,
                    const LaunchOptions &options) const {
  launchWith(impl_, stream, fixedGrid(grid), arguments.values(), options);
}

void Kernel::launch(const Stream &stream, const GridFunction &grid, const std::vector<Argument> &arguments,
                    const LaunchOptions &options) const {
  launchWith(impl_, stream, grid, arguments, options);
}

void Kernel::launch(const Stream &stream, const GridFunction &grid, const NamedArguments &arguments,
                    const LaunchOptions &options) const {
  launchWith(impl_, stream, grid, arguments.values(), options);
}

} // namespace tegula
