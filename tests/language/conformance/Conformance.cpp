#include "Conformance.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

#include <unistd.h>

namespace tegula::conformance {

namespace {

int64_t countOf(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

/// A kernel cache of this process's own: nothing compiled by another build or run is used, and nothing stays behind.
struct PrivateCache {
  std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("tegula-conformance-" + std::to_string(getpid()));
  PrivateCache() { setenv("TEGULA_CACHE_DIR", directory.c_str(), 1); }
  ~PrivateCache() {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }
};

const Device &device() {
  static const PrivateCache cache;
  static const Device opened = [] {
    const char *name = std::getenv("TEGULA_DEVICE");
    return Device::open(name ? name : "cpu");
  }();
  return opened;
}

std::vector<uint8_t> bytesOf(const Array &array) {
  size_t size = byteSize(array.type);
  std::vector<uint8_t> bytes(array.values.size() * size);
  for (size_t i = 0; i < array.values.size(); ++i) {
    uint64_t bits = encode(array.type, array.values[i]);
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

/// The arrays of one launch on the device, each once, however often it is passed.
class Uploads {
public:
  explicit Uploads(Stream &stream) : stream_(stream) {}

  const Buffer &buffer(Array *array) {
    auto it = buffers_.find(array);
    if (it != buffers_.end())
      return it->second;
    Buffer made(device(), array->type, array->shape);
    stream_.write(made, bytesOf(*array).data());
    return buffers_.emplace(array, made).first->second;
  }

  Buffer addresses(const Pointers &pointers) {
    std::vector<uint64_t> values;
    for (Array *array : pointers.arrays)
      values.push_back(buffer(array).address());
    Buffer made(device(), DType::I64, {static_cast<int64_t>(values.size())});
    stream_.write(made, values.data());
    tables_.push_back(made);
    return made;
  }

  void readBack() {
    for (auto &[array, buffer] : buffers_) {
      size_t size = byteSize(array->type);
      std::vector<uint8_t> bytes(array->values.size() * size);
      stream_.read(buffer, bytes.data());
      for (size_t i = 0; i < array->values.size(); ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, &bytes[i * size], size);
        array->values[i] = decode(array->type, bits);
      }
    }
  }

private:
  Stream &stream_;
  std::map<Array *, Buffer> buffers_;
  std::vector<Buffer> tables_;
};

std::string launch(const Kernel &kernel, const std::vector<Value> &values, const Options &options) {
  Stream stream(device());
  Uploads uploads(stream);
  std::vector<Argument> arguments;
  for (const Value &value : values) {
    if (auto *array = std::get_if<Array *>(&value))
      arguments.emplace_back(uploads.buffer(*array));
    else if (auto *described = std::get_if<Described>(&value))
      arguments.emplace_back(
          TensorDescriptor(uploads.buffer(described->array), described->block, described->paddingNaN));
    else if (auto *strided = std::get_if<Strided>(&value))
      arguments.emplace_back(uploads.buffer(strided->array).view(strided->shape, strided->strides));
    else if (auto *pointers = std::get_if<Pointers>(&value))
      arguments.emplace_back(uploads.addresses(*pointers));
    else if (auto *integer = std::get_if<int64_t>(&value))
      arguments.emplace_back(*integer);
    else if (auto *number = std::get_if<double>(&value))
      arguments.emplace_back(*number);
    else
      arguments.emplace_back(std::get<bool>(value));
  }
  std::string printed;
  LaunchOptions launchOptions;
  launchOptions.constants = options.constants;
  launchOptions.numWarps = options.numWarps;
  launchOptions.checked = options.checked;
  launchOptions.print = [&](std::string_view text) { printed += text; };
  auto axis = [&](size_t i) { return i < options.grid.size() ? options.grid[i] : 1; };
  kernel.launch(stream, Grid(axis(0), axis(1), axis(2)), arguments, launchOptions);
  stream.synchronize();
  uploads.readBack();
  return printed;
}

std::string shown(Number value) { return std::to_string(value); }

void compare(const Array &actual, const Reference &reference,
             const std::function<bool(Number actual, Number expected)> &agree) {
  int64_t wrong = 0;
  std::string first;
  for (int64_t i = 0; i < actual.size(); ++i) {
    Number expected = reference(i);
    if (agree(actual[i], expected))
      continue;
    if (wrong++ == 0)
      first = "element " + std::to_string(i) + " is " + shown(actual[i]) + ", expected " + shown(expected);
  }
  EXPECT_EQ(wrong, 0) << wrong << " of " << actual.size() << " elements of " << name(actual.type)
                      << " are wrong: " << first;
}

/// Where kernels/ is: beside the folder of this program in a package, else in the tree that it was built from.
std::filesystem::path kernelsFolder() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "language" / "kernels";
  return fs::exists(beside, ignored) ? beside : fs::path(TEGULA_SOURCE_DIR "/tests/language/kernels");
}

} // namespace

Array random(DType type, std::vector<int64_t> shape, Number low, Number high, unsigned seed) {
  std::mt19937 generator(seed * 7919 + static_cast<unsigned>(type));
  Array array{type, std::move(shape), {}};
  bool isInteger = type < DType::F16;
  for (int64_t i = 0; i < countOf(array.shape); ++i) {
    Number unit = static_cast<Number>(generator()) / std::ldexp(Number(1), 32); // [0, 1), the same on every platform
    Number value = low + unit * (high - low + (isInteger ? 1 : 0));
    array.values.push_back(rounded(type, isInteger ? std::floor(value) : value));
  }
  return array;
}

Array iota(DType type, std::vector<int64_t> shape, Number first) {
  Array array{type, std::move(shape), {}};
  for (int64_t i = 0; i < countOf(array.shape); ++i)
    array.values.push_back(rounded(type, first + i));
  return array;
}

Array of(DType type, std::vector<Number> values) {
  for (Number &value : values)
    value = rounded(type, value);
  int64_t size = static_cast<int64_t>(values.size());
  return Array{type, {size}, std::move(values)};
}

Array blank(DType type, std::vector<int64_t> shape) {
  int64_t count = countOf(shape);
  return Array{type, std::move(shape), std::vector<Number>(static_cast<size_t>(count), rounded(type, 77))};
}

std::string run(const std::string &file, const std::string &kernel, const std::vector<Value> &arguments,
                const Options &options) {
  return launch(Kernel::load((kernelsFolder() / file).string(), kernel), arguments, options);
}

std::string runSource(const std::string &source, const std::string &kernel, const std::vector<Value> &arguments,
                      const Options &options) {
  return launch(Kernel::fromSource(source, kernel, "test.py"), arguments, options);
}

std::string failure(const std::string &source, const std::string &kernel, const std::vector<Value> &arguments,
                    const Options &options) {
  try {
    runSource(source, kernel, arguments, options);
  } catch (const ApiError &error) {
    EXPECT_NE(error.kind(), ApiError::Kind::Internal) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no message for\n" << source;
  return "";
}

void expectEqual(const Array &actual, const Reference &reference) {
  compare(
      actual, [&](int64_t i) { return rounded(actual.type, reference(i)); },
      [](Number a, Number b) { return a == b || (std::isnan(a) && std::isnan(b)); });
}

void expectNear(const Array &actual, const Reference &reference, Number relative, Number absolute) {
  compare(actual, reference, [&](Number a, Number b) {
    if (std::isnan(b) || std::isinf(b))
      return a == b || (std::isnan(a) && std::isnan(b));
    return std::abs(a - b) <= relative * std::abs(b) + absolute;
  });
}

} // namespace tegula::conformance
