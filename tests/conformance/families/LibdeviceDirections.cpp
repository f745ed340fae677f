// Arithmetic and conversions of libdevice that round in a direction: exact.
#include "tests/conformance/families/LibdeviceCases.h"

#include <cmath>

namespace tegula::conformance {

namespace libdevice_cases {

Number neighbour(DType type, Number x, bool up) {
  if (type == DType::F32)
    return std::nextafter(static_cast<float>(x), up ? INFINITY : -INFINITY);
  return std::nextafter(static_cast<double>(x), up ? static_cast<double>(INFINITY) : -static_cast<double>(INFINITY));
}
Number towards(DType type, Number exact, Number rest, Direction direction) {
  Number nearest = rounded(type, exact), error = (exact - nearest) + rest;
  bool isAbove = error < 0, isBelow = error > 0;
  if (direction == Direction::Zero)
    direction = nearest > 0 ? Direction::Down : Direction::Up;
  if (direction == Direction::Down)
    return isAbove ? neighbour(type, nearest, false) : nearest;
  return isBelow ? neighbour(type, nearest, true) : nearest;
}

} // namespace libdevice_cases

namespace libdevice_directions {

using libdevice_cases::Direction, libdevice_cases::towards, libdevice_cases::vector;

/// x op y as a Number and what it lost: by error-free transformations in long double.
std::pair<Number, Number> exactly(char op, Number x, Number y) {
  if (op == '+' || op == '-') {
    y = op == '-' ? -y : y;
    Number sum = x + y, second = sum - x;
    return {sum, (x - (sum - second)) + (y - second)};
  }
  if (op == '*') {
    Number product = x * y;
    return {product, std::fma(x, y, -product)};
  }
  Number quotient = x / y, left = std::fma(-quotient, y, x);
  return {quotient, left / y};
}

void addDirections(Cases &cases) {
  struct Form {
    const char *name;
    char op;
    Direction direction;
  };
  constexpr Form kForms[] = {{"add_rd", '+', Direction::Down}, {"add_ru", '+', Direction::Up},
                             {"add_rz", '+', Direction::Zero}, {"sub_rd", '-', Direction::Down},
                             {"mul_rd", '*', Direction::Down}, {"mul_ru", '*', Direction::Up},
                             {"mul_rz", '*', Direction::Zero}, {"div_rd", '/', Direction::Down},
                             {"div_ru", '/', Direction::Up},   {"div_rz", '/', Direction::Zero}};
  size_t turn = 0;
  for (DType type : {DType::F32, DType::F64})
    for (const Form &form : kForms) {
      Extent e = extent(turn++);
      vector(cases, "of_two", std::string(form.name) + "," + named(type), e)
          .in(type, e.n, reals(-50, 50))
          .in(type, e.n,
              only(
                  reals(-7, 7), [](Number y) { return std::abs(y) > 0.001L; }, 3))
          .out(type, e.n, exact(), each([type, form](const Inputs &in, int64_t i) {
                 auto [value, rest] = exactly(form.op, in(0, i), in(1, i));
                 return towards(type, value, rest, form.direction);
               }))
          .value(e.n)
          .with("NAME", form.name);
    }
  for (DType type : {DType::F32, DType::F64})
    for (auto [name, direction] : {std::pair{"sqrt_rd", Direction::Down},
                                   {"sqrt_ru", Direction::Up},
                                   {"sqrt_rz", Direction::Zero},
                                   {"rcp_rd", Direction::Down},
                                   {"rcp_ru", Direction::Up},
                                   {"rcp_rz", Direction::Zero}}) {
      Extent e = extent(turn++);
      bool isRoot = name[0] == 's';
      vector(cases, "of_one", std::string(name) + "," + named(type), e)
          .in(type, e.n, reals(0.01L, 900))
          .out(type, e.n, exact(), each([type, isRoot, direction = direction](const Inputs &in, int64_t i) {
                 Number x = in(0, i);
                 if (!isRoot) {
                   auto [value, rest] = exactly('/', 1, x);
                   return towards(type, value, rest, direction);
                 }
                 Number root = std::sqrt(x);
                 return towards(type, root, std::fma(-root, root, x) / (2 * root), direction);
               }))
          .value(e.n)
          .with("NAME", name);
    }
}

void addConversions(Cases &cases) {
  Extent e = extent(3);
  vector(cases, "float_to_int", "beyond", e)
      .in(DType::F32, e.n,
          listed({1e20L, -1e20L, INFINITY, -INFINITY, NAN, 0x1p31L, -0x1p31L, 0x1.fffffep30L, 0x1p63L}))
      .out(DType::I64, 6 * e.n, exact(),
           [n = e.n](const Inputs &in, int64_t) {
             Expected out;
             for (int part = 0; part < 6; ++part)
               for (int64_t i = 0; i < n; ++i) {
                 const Number x = in(0, i), limit = part < 4 ? 0x1p31L : 0x1p63L;
                 out.push_back(std::isnan(x) ? 0 : std::min(std::max(x, -limit), limit - 1));
               }
             return out;
           })
      .value(e.n);
  vector(cases, "float_to_int", "f32", e)
      .in(DType::F32, e.n, byIndex([](int64_t i) { return (i % 81 - 40) / Number(4) + (i % 3 ? 0 : 1000); }))
      .out(DType::I64, 6 * e.n, exact(),
           [n = e.n](const Inputs &in, int64_t) {
             Expected out;
             for (int part = 0; part < 6; ++part)
               for (int64_t i = 0; i < n; ++i) {
                 Number x = in(0, i), even = x - std::remainder(x, 1.0L);
                 if (std::abs(x - std::trunc(x)) == 0.5L)
                   even = 2 * std::nearbyint(x / 2);
                 Number values[] = {even, std::floor(x), std::ceil(x), std::trunc(x), std::round(x), even};
                 out.push_back(values[part]);
               }
             return out;
           })
      .value(e.n);
  auto directions = [](std::vector<std::optional<Direction>> all, int64_t n) {
    return [all, n](const Inputs &in, int64_t) {
      Expected out;
      for (std::optional<Direction> direction : all)
        for (int64_t i = 0; i < n; ++i)
          out.push_back(direction ? towards(DType::F32, in(0, i), 0, *direction) : rounded(DType::F32, in(0, i)));
      return out;
    };
  };
  vector(cases, "int_to_float", "i64", e)
      .in(DType::I64, e.n,
          [](DType type, int64_t i, Random &random) {
            return i < specialCount(type) ? special()(type, i, random) : anyBits()(type, i, random);
          })
      .out(DType::F32, 4 * e.n, exact(),
           directions({std::nullopt, Direction::Down, Direction::Up, Direction::Zero}, e.n))
      .value(e.n);
  vector(cases, "narrowed", "f64", e)
      .in(DType::F64, e.n, reals(-1000, 1000))
      .out(DType::F32, 3 * e.n, exact(), directions({Direction::Down, Direction::Up, Direction::Zero}, e.n))
      .value(e.n);
}

} // namespace libdevice_directions

void addLibdeviceDirections(Cases &cases) {
  libdevice_directions::addDirections(cases);
  libdevice_directions::addConversions(cases);
}

} // namespace tegula::conformance
