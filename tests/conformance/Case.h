// Tegula's conformance suite: what every device must compute. Kernels (kernels/*.py) and, in families/, the table of
// the cases that they are run with: types, shapes, inputs with the values that break things, the number of warps, and
// how close a result must come to what is right.
//
// A case says everything about one launch and nothing about a device. `conformance_test` runs all of them on a device
// and compares with the CPU backend; on the CPU backend itself it compares with the references that stand in the cases.
// Nothing here includes the compiler, a backend or an executor: only the public launch API's types are used, so that
// the suite travels in the package, and so that a result and its check share no code.
#pragma once

#include "tests/conformance/Numbers.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace tegula::conformance {

using Random = std::mt19937_64;
/// The value of an element from its index; from nothing but that, the type and the generator, so that every run and
/// every platform sees the same data.
using Fill = std::function<Number(DType type, int64_t index, Random &random)>;

/// How close a result must be to what is expected.
struct Policy {
  enum class Kind : uint8_t {
    Exact,    // bit for bit; any NaN equals any NaN
    Close,    // within `ulps` of the type, or within relative * |expected| + absolute; infinities and NaNs must agree
    Multiset, // the whole buffer's elements in any order, bit for bit
    Ignored,  // what it holds depends on the order of programs or lanes
  };
  Kind kind = Kind::Exact;
  double ulps = 0, relative = 0, absolute = 0;
  /// +0 and -0 are equal, where the language leaves the choice open.
  bool anyZero = false;
  /// A float type that results were converted to on their way.
  std::optional<DType> through = {};
};

/// What a case's buffers hold before the launch, for its references: k counts the case's buffers in order of arguments.
class Inputs {
public:
  explicit Inputs(std::vector<std::vector<Number>> values) : values_(std::move(values)) {}
  Number operator()(size_t k, int64_t i) const { return values_.at(k).at(static_cast<size_t>(i)); }
  const std::vector<Number> &all(size_t k) const { return values_.at(k); }

private:
  std::vector<std::vector<Number>> values_;
};

/// An element that is not there stays as it was.
using Expected = std::vector<std::optional<Number>>;
/// All elements of an output with `count` elements, before they are rounded to its type.
using Reference = std::function<Expected(const Inputs &inputs, int64_t count)>;
/// From the reference of one element at a time.
Reference each(std::function<std::optional<Number>(const Inputs &inputs, int64_t i)> element);

struct BufferSpec {
  DType type = DType::F32;
  int64_t count = 0;
  Fill fill;
  int64_t lead = 0; // elements allocated before the first one, so that it is not aligned
  bool output = false;
  Policy policy = {};
  Reference expected = {}; // may be absent
};
/// A tensor descriptor of a buffer, whose last stride is 1.
struct DescriptorSpec {
  BufferSpec buffer;
  std::vector<int64_t> shape, strides, block;
  bool paddingNaN = false;
};
/// An array of the device addresses of several buffers.
struct PointersSpec {
  std::vector<BufferSpec> targets;
};
/// The memory of an earlier buffer of the case, once more.
struct SameBuffer {
  size_t buffer = 0;
};
using ArgumentSpec = std::variant<BufferSpec, DescriptorSpec, PointersSpec, SameBuffer, int64_t, double, bool>;

/// Where a kernel file is found.
enum class Folder : uint8_t { Suite, Samples, Seeds };

/// One launch. The functions without a comment append an argument, in the order of the kernel's parameters.
struct Case {
  std::string name; // family/kernel/variant, unique
  std::string file, kernel;
  Folder folder = Folder::Suite;
  std::vector<ArgumentSpec> arguments;
  std::map<std::string, Constant> constants;
  std::array<int64_t, 3> programs = {1, 1, 1};
  int numWarps = 4; // 0: the kernel's configurations say
  /// What device_print writes, as lines; they are compared as a multiset, because programs print in any order.
  std::optional<std::vector<std::string>> printed;
  /// The launch must fail as a KernelFault, with a text that contains this.
  std::optional<std::string> fault;
  /// The same, of a launch in checked mode.
  std::optional<std::string> checkedFault;

  Case &in(DType type, int64_t count, Fill fill, int64_t lead = 0);
  /// Filled with 77, so that what is not written, or is written by mistake, shows.
  Case &out(DType type, int64_t count, Policy policy = {}, Reference expected = {}, int64_t lead = 0);
  /// Read and written.
  Case &inOut(DType type, int64_t count, Fill fill, Policy policy = {}, Reference expected = {});
  Case &describedIn(DType type, std::vector<int64_t> shape, std::vector<int64_t> block, Fill fill,
                    bool paddingNaN = false);
  Case &describedOut(DType type, std::vector<int64_t> shape, std::vector<int64_t> block, Fill fill, Policy policy = {},
                     Reference expected = {});
  Case &pointers(std::vector<BufferSpec> targets);
  Case &same(size_t buffer);
  Case &value(int64_t value);
  Case &real(double value);
  Case &flag(bool value);
  /// Sets a constexpr parameter.
  Case &with(const std::string &name, Constant constant);
  Case &grid(int64_t x, int64_t y = 1, int64_t z = 1);
  Case &warps(int count);

  std::string family() const { return name.substr(0, name.find('/')); }
  /// The case's buffers in order of arguments; SameBuffer counts as none.
  std::vector<const BufferSpec *> buffers() const;
};

/// References stay valid while cases are added.
class Cases {
public:
  /// `variant` tells the cases of a kernel apart, e.g. "f16,n=1000".
  Case &add(const std::string &family, const std::string &file, const std::string &kernel, const std::string &variant);
  const std::deque<Case> &all() const { return cases_; }

private:
  std::deque<Case> cases_;
  std::map<std::string, int> names_;
};

/// Every case. Those on the specification's kernel files, which stand outside of the repository, only where wanted.
Cases allCases(bool withSeeds = false);

} // namespace tegula::conformance
