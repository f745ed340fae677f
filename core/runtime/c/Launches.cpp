#include "core/runtime/c/GridCallback.h"

using namespace tegula;
using namespace tegula::c;

tegula_status tegula_meta_get(const tegula_meta *meta, const char *name, tegula_value *out) {
  return guarded([&] {
    const auto &constants = required(meta, "meta").constants;
    auto found = constants.find(&required(name, "name"));
    if (found == constants.end())
      badUse("the launch has no constant '" + std::string(name) + "'");
    required(out, "out") = value(found->second.value());
  });
}

tegula_status tegula_pointers_create(tegula_stream *stream, size_t count, const tegula_buffer *const *targets,
                                     tegula_pointers **out) {
  return guarded([&] {
    std::vector<Buffer> buffers;
    for (size_t i = 0; i < count; ++i)
      buffers.push_back(required((&required(targets, "targets"))[i], "a buffer of targets").value);
    make(out, PointerArray(required(stream, "stream").value, std::move(buffers)));
  });
}

void tegula_pointers_release(tegula_pointers *pointers) { delete pointers; }

tegula_status tegula_kernel_launch(const tegula_kernel *kernel, tegula_stream *stream, const int64_t grid[3],
                                   size_t argument_count, const tegula_argument *arguments,
                                   const tegula_launch_options *options) {
  return guardedWithGrid([&] {
    const Kernel &launched = required(kernel, "kernel").value;
    const Stream &where = required(stream, "stream").value;
    tegula_launch_options given = received(options, "options");
    LaunchOptions how = launchOptions(given);
    Arguments values(argument_count, arguments);
    auto launch = [&](const auto &programs) {
      values.named ? launched.launch(where, programs, NamedArguments(std::move(values.byName)), how)
                   : launched.launch(where, programs, values.byPosition, how);
    };
    if (given.grid)
      return launch(gridFunction(given));
    launch(gridOfAxes(&required(grid, "grid")));
  });
}

tegula_status tegula_launcher_prepare(const tegula_kernel *kernel, tegula_device *device, size_t argument_count,
                                      const tegula_argument *arguments, const tegula_launch_options *options,
                                      tegula_launcher **out) {
  return guarded([&] {
    const Kernel &launched = required(kernel, "kernel").value;
    const Device &where = required(device, "device").value;
    tegula_launch_options given = received(options, "options");
    if (given.grid)
      badUse("options.grid is set; a prepared launch gets its grid at each launch");
    Arguments values(argument_count, arguments);
    make(out, values.named ? PreparedLaunch(launched, where, values.byName, launchOptions(given))
                           : PreparedLaunch(launched, where, values.byPosition, launchOptions(given)));
  });
}

tegula_status tegula_launcher_slot_count(const tegula_launcher *launcher, size_t *out) {
  return guarded([&] { required(out, "out") = required(launcher, "launcher").value.slots().size(); });
}

tegula_status tegula_launcher_get_slot(const tegula_launcher *launcher, size_t index, tegula_slot_info *out) {
  return guarded([&] {
    std::span<const PreparedLaunch::Slot> slots = required(launcher, "launcher").value.slots();
    if (index >= slots.size())
      badUse("the launcher has " + std::to_string(slots.size()) + " slots; number " + std::to_string(index) +
             " was asked for");
    const PreparedLaunch::Slot &slot = slots[index];
    tegula_argument_kind kind = slot.kind == ParamType::Kind::Scalar       ? TEGULA_ARG_SCALAR
                                : slot.kind == ParamType::Kind::Descriptor ? TEGULA_ARG_DESCRIPTOR
                                : slot.kind == ParamType::Kind::Pointer    ? TEGULA_ARG_ADDRESS
                                                                           : TEGULA_ARG_POINTERS;
    give(out, {0, slot.param, kind, static_cast<tegula_dtype>(slot.type)}, "out");
  });
}

static_assert(sizeof(tegula_tensor) == sizeof(SlotTensor) &&
              offsetof(tegula_tensor, shape) == offsetof(SlotTensor, shape) &&
              offsetof(tegula_tensor, strides) == offsetof(SlotTensor, strides));

tegula_status tegula_launcher_launch(const tegula_launcher *launcher, tegula_stream *stream, const uint32_t grid[3],
                                     const uint64_t *slots) {
  return tegula_launcher_launch_sized(launcher, stream, grid, slots, nullptr);
}

tegula_status tegula_launcher_launch_sized(const tegula_launcher *launcher, tegula_stream *stream,
                                           const uint32_t grid[3], const uint64_t *slots, const uint64_t *extents) {
  return guarded([&] {
    const PreparedLaunch &launch = required(launcher, "launcher").value;
    if (!slots && !launch.slots().empty())
      badUse("slots is null");
    launch.launch(required(stream, "stream").value, gridOfAxes(&required(grid, "grid")), slots, extents);
  });
}

void tegula_launcher_release(tegula_launcher *launcher) { delete launcher; }
