#include "tests/conformance/Case.h"
#include "tests/conformance/Fills.h"

#include <numeric>
#include <stdexcept>

namespace tegula::conformance {

namespace {

int64_t countOf(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

DescriptorSpec described(BufferSpec buffer, std::vector<int64_t> shape, std::vector<int64_t> block, bool paddingNaN) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size() - 1; axis-- > 0;)
    strides[axis] = strides[axis + 1] * shape[axis + 1];
  return {std::move(buffer), std::move(shape), std::move(strides), std::move(block), paddingNaN};
}

} // namespace

Reference each(std::function<std::optional<Number>(const Inputs &inputs, int64_t i)> element) {
  return [element = std::move(element)](const Inputs &inputs, int64_t count) {
    Expected expected;
    for (int64_t i = 0; i < count; ++i)
      expected.push_back(element(inputs, i));
    return expected;
  };
}

Case &Case::in(DType type, int64_t count, Fill fill, int64_t lead) {
  arguments.emplace_back(BufferSpec{type, count, std::move(fill), lead});
  return *this;
}

Case &Case::out(DType type, int64_t count, Policy policy, Reference expected, int64_t lead) {
  arguments.emplace_back(BufferSpec{type, count, blank(), lead, true, policy, std::move(expected)});
  return *this;
}

Case &Case::inOut(DType type, int64_t count, Fill fill, Policy policy, Reference expected) {
  arguments.emplace_back(BufferSpec{type, count, std::move(fill), 0, true, policy, std::move(expected)});
  return *this;
}

Case &Case::describedIn(DType type, std::vector<int64_t> shape, std::vector<int64_t> block, Fill fill,
                        bool paddingNaN) {
  BufferSpec buffer{type, countOf(shape), std::move(fill)};
  arguments.emplace_back(described(std::move(buffer), std::move(shape), std::move(block), paddingNaN));
  return *this;
}

Case &Case::describedOut(DType type, std::vector<int64_t> shape, std::vector<int64_t> block, Fill fill, Policy policy,
                         Reference expected) {
  BufferSpec buffer{type, countOf(shape), std::move(fill), 0, true, policy, std::move(expected)};
  arguments.emplace_back(described(std::move(buffer), std::move(shape), std::move(block), false));
  return *this;
}

Case &Case::pointers(std::vector<BufferSpec> targets) {
  arguments.emplace_back(PointersSpec{std::move(targets)});
  return *this;
}

Case &Case::same(size_t buffer) {
  arguments.emplace_back(SameBuffer{buffer});
  return *this;
}

Case &Case::value(int64_t value) {
  arguments.emplace_back(value);
  return *this;
}

Case &Case::real(double value) {
  arguments.emplace_back(value);
  return *this;
}

Case &Case::flag(bool value) {
  arguments.emplace_back(value);
  return *this;
}

Case &Case::with(const std::string &name, Constant constant) {
  constants.insert_or_assign(name, std::move(constant));
  return *this;
}

Case &Case::grid(int64_t x, int64_t y, int64_t z) {
  programs = {x, y, z};
  return *this;
}

Case &Case::warps(int count) {
  numWarps = count;
  return *this;
}

std::vector<const BufferSpec *> Case::buffers() const {
  std::vector<const BufferSpec *> result;
  for (const ArgumentSpec &argument : arguments) {
    if (auto *buffer = std::get_if<BufferSpec>(&argument))
      result.push_back(buffer);
    else if (auto *descriptor = std::get_if<DescriptorSpec>(&argument))
      result.push_back(&descriptor->buffer);
    else if (auto *pointers = std::get_if<PointersSpec>(&argument))
      for (const BufferSpec &target : pointers->targets)
        result.push_back(&target);
  }
  return result;
}

Case &Cases::add(const std::string &family, const std::string &file, const std::string &kernel,
                 const std::string &variant) {
  Case made;
  made.name = family + "/" + kernel + "/" + variant;
  if (!names_.emplace(made.name, 0).second)
    throw std::logic_error("two conformance cases are called " + made.name);
  made.file = file;
  made.kernel = kernel;
  cases_.push_back(std::move(made));
  return cases_.back();
}

} // namespace tegula::conformance
