// The conformance suite of the language: small kernels (../kernels/*.py) run through the launch API on the device under
// test and compared with references that are computed here, in extended precision, from the definition of each
// function. Nothing in this folder includes the compiler or an executor: what a kernel means is written down a second
// time, on its own.
//
// The device is $TEGULA_DEVICE, else the CPU.
#pragma once

#include "tegula/tegula.hpp"
#include "tests/conformance/Numbers.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace tegula::conformance {

/// A row-major array on the host.
struct Array {
  DType type;
  std::vector<int64_t> shape;
  std::vector<Number> values;
  Number operator[](int64_t i) const { return values.at(static_cast<size_t>(i)); }
  int64_t size() const { return static_cast<int64_t>(values.size()); }
};

/// Values from a fixed sequence in [low, high], rounded to the type; integers are whole.
Array random(DType type, std::vector<int64_t> shape, Number low = -4, Number high = 4, unsigned seed = 1);
/// first, first + 1, ...
Array iota(DType type, std::vector<int64_t> shape, Number first = 0);
Array of(DType type, std::vector<Number> values);
/// What a kernel is to overwrite: 77 everywhere, so that what is not written shows.
Array blank(DType type, std::vector<int64_t> shape);

/// `array` as a tensor descriptor with this block.
struct Described {
  Array *array;
  std::vector<int64_t> block;
  bool paddingNaN = false;
};
/// `array` seen with other strides (elements).
struct Strided {
  Array *array;
  std::vector<int64_t> shape, strides;
};
/// An array of the device addresses of other arrays.
struct Pointers {
  std::vector<Array *> arrays;
};
using Value = std::variant<Array *, Described, Strided, Pointers, int64_t, double, bool>;

struct Options {
  std::map<std::string, Constant> constants = {};
  std::vector<int64_t> grid = {1};
  std::optional<bool> checked = {};
  std::optional<int> numWarps = {};
};

/// The folder of tests/conformance/kernels from that of the language's own kernels.
inline const std::string kSuite = "../../conformance/kernels/";

/// Runs `kernel` of kernels/`file` on copies of the arrays and reads all of them back. Gives what device_print wrote.
std::string run(const std::string &file, const std::string &kernel, const std::vector<Value> &arguments,
                const Options &options = {});
/// The same for a source text; the name shown in messages is "test.py".
std::string runSource(const std::string &source, const std::string &kernel, const std::vector<Value> &arguments,
                      const Options &options = {});
/// The message with which compiling or running `source` must fail; a test failure and "" where it does not.
std::string failure(const std::string &source, const std::string &kernel, const std::vector<Value> &arguments = {},
                    const Options &options = {});

using Reference = std::function<Number(int64_t index)>; // of the element at a row-major index
/// Every element is the reference rounded to the array's type; NaN equals NaN, and zeros agree whatever their sign.
void expectEqual(const Array &actual, const Reference &reference);
/// |actual - reference| <= relative * |reference| + absolute; NaN and infinities must agree.
void expectNear(const Array &actual, const Reference &reference, Number relative, Number absolute = 0);

} // namespace tegula::conformance
