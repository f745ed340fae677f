// Launches a kernel. A repeated launch takes no lock, hashes no string and allocates no memory, apart from the
// containers in which the caller passes the arguments. A checked launch may do all three.
#include "core/runtime/Translate.h"
#include "core/runtime/launch/LaunchFrame.h"
#include "core/runtime/tune/Tune.h"

namespace tegula {
namespace {

/// One launch. As a Trial it also launches the configurations that tuning measures before the launch itself.
template <class MakeGrid> class Launcher final : public Trial {
public:
  Launcher(const Kernel::Impl &kernel, const Stream &stream, const MakeGrid &makeGrid, const LaunchOptions &options)
      : Trial(stream), frame_(kernel), kernel_(kernel), makeGrid_(makeGrid), options_(options),
        checked_(isChecked(options)) {}

  template <class Values> void bind(const Values &values) {
    translated(ApiError::Kind::BadUse, [&] {
      Binding &binding = frame_.startBinding();
      binding.assign(kernel_.prototype, values);
      binding.resolve(kernel_.prototype, *stream.device().impl());
    });
  }
  const Binding &binding() { return frame_.binding(); }
  /// Binds the values and returns the previous launch's selection, if the types and facts of the values equal those of
  /// that launch (Repeat::rebind). Else returns null; the caller then calls `bind`, selects, and calls `remember`.
  const Selection *rebind(const std::vector<Argument> &values) {
    return translated(ApiError::Kind::BadUse,
                      [&] { return frame_.rebind(kernel_, *stream.device().impl(), values, options_); });
  }
  const Selection *rebind(const std::map<std::string, Argument> &) { return nullptr; } // for arguments by name
  void remember(const Selection &selection, const std::vector<Argument> &) { frame_.remember(kernel_, selection); }
  void remember(const Selection &, const std::map<std::string, Argument> &) {}
  /// This object, through which select() may launch configurations to measure them. Null if this launch must not
  /// measure: while a stream is captured into a graph, nothing can be waited for; and checked launches are slow.
  Trial *trial() { return checked_ || stream.impl()->captures ? nullptr : this; }

  /// Launches the variant in the grid that the caller's grid function computes. An exception of that function is passed
  /// on unchanged.
  bool launch(const Configured &configured, const Variant &variant) override {
    return frame_.launch(kernel_, stream, variant, makeGrid_(configured.resolved), checked_, options_.print);
  }

private:
  LaunchFrame frame_;
  const Kernel::Impl &kernel_;
  const MakeGrid &makeGrid_;
  const LaunchOptions &options_;
  bool checked_;
};

template <class Values, class MakeGrid>
void launchWith(const std::shared_ptr<const Kernel::Impl> &kernel, const Stream &stream, const MakeGrid &makeGrid,
                const Values &values, const LaunchOptions &options) {
  if (std::optional<LaunchOptions> asserting = withAssertions(kernel->prototype.info, options))
    return launchWith(kernel, stream, makeGrid, values, *asserting);
  Launcher<MakeGrid> launcher(*kernel, stream, makeGrid, options);
  if (const Selection *again = launcher.rebind(values)) {
    launcher.launch(*again->configured, *again->variant);
    return;
  }
  launcher.bind(values);
  Selection selection = select(*kernel, stream.device().impl(), launcher.binding(), options, launcher.trial());
  launcher.remember(selection, values);
  launcher.launch(*selection.configured, *selection.variant);
}

template <class Values>
TuneReport tuneWith(const Kernel::Impl &kernel, const Stream &stream, const Kernel::GridFunction &grid,
                    const Values &values, const LaunchOptions &options, const TuneOptions &how) {
  LaunchOptions unchecked = options;
  unchecked.checked = false;
  Launcher<Kernel::GridFunction> launcher(kernel, stream, grid, unchecked);
  launcher.bind(values);
  if (!launcher.trial())
    throw ApiError(ApiError::Kind::BadUse, "kernel '" + kernel.prototype.info.name +
                                               "' cannot be tuned while a graph is captured: a measurement waits");
  return tegula::tune(kernel, launcher.binding(), unchecked, launcher, how);
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

TuneReport Kernel::tune(const Stream &stream, const GridFunction &grid, const std::vector<Argument> &arguments,
                        const LaunchOptions &options, const TuneOptions &how) const {
  return tuneWith(*impl_, stream, grid, arguments, options, how);
}

TuneReport Kernel::tune(const Stream &stream, const GridFunction &grid, const NamedArguments &arguments,
                        const LaunchOptions &options, const TuneOptions &how) const {
  return tuneWith(*impl_, stream, grid, arguments.values(), options, how);
}

} // namespace tegula
