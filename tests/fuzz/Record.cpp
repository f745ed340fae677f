// Kernels with their inputs and results as files, for implementations of the language that are not linked here.
#include "tests/fuzz/Execute.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace tegula::fuzz {

namespace {

/// The same kernel with f32 in place of bf16 and 8-bit floats, which Triton's interpreter computes on as if their bits
/// were integers.
Model withoutNarrow(Model model) {
  auto replace = [](DType &type) { type = type == DType::BF16 || isFp8(type) ? DType::F32 : type; };
  for (Node &node : model.nodes) {
    replace(node.type.element);
    if (node.op == Op::Dot && std::string(kDot[node.n[0]]) == "tl.bfloat16")
      node.n[0] = 0;
  }
  for (DType &input : model.inputs)
    replace(input);
  return model;
}

} // namespace

void record(const std::string &folder, uint64_t seed, Stream &stream) {
  Model model = withoutNarrow(generate(seed));
  Rendered rendered = render(model);
  std::vector<std::vector<uint8_t>> after = runOn(stream, model, rendered);
  auto write = [&](const char *suffix, const std::vector<std::vector<uint8_t>> &parts) {
    std::ofstream file;
    file.exceptions(std::ios::failbit | std::ios::badbit);
    file.open(folder + "/" + std::to_string(seed) + suffix, std::ios::binary);
    for (auto &part : parts)
      file.write(reinterpret_cast<const char *>(part.data()), std::streamsize(part.size()));
  };
  nlohmann::json launch{{"grid", model.grid},
                        {"parameters", model.parameters},
                        {"zero_signs_may_differ", rendered.zeroSignsMayDiffer},
                        {"buffers", nlohmann::json::array()}};
  std::vector<std::vector<uint8_t>> before;
  for (const BufferPlan &plan : rendered.buffers) {
    before.push_back(initialBytes(model, plan));
    launch["buffers"].push_back(
        {{"name", plan.name}, {"type", std::string(name(plan.type))}, {"elements", plan.elements}});
  }
  std::string text = launch.dump();
  write(".py", {{rendered.source.begin(), rendered.source.end()}});
  write(".json", {{text.begin(), text.end()}});
  write(".before", before);
  write(".after", after);
}

} // namespace tegula::fuzz
