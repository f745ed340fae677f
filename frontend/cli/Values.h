// The forms of a VALUE on the command line.
//
//   12  -0.5  1e-5  True  inf       a scalar; also as an expression: 4*1024
//   @x.npy                          the array of a file, in its own type; Fortran order is passed as it is stored
//   bf16:@x.npy                     the same bytes seen as a type that NumPy lacks
//   zeros:f32:64x128                zeros
//   empty:f32:64x128                contents undefined: the checked mode reports reads before writes
//   rand:f32:64x128:7               normally distributed floats, or small integers; 7 is the seed
//   desc:64x64:ARRAY                a tensor descriptor with blocks of 64x64 over one of the above
//   ptrs:ARRAY,ARRAY                an array of device pointers to some of the above
//
// and for a constexpr parameter also None, a dtype (fp16, tl.float16) or a string ('relu', or bare: relu).
#pragma once

#include "core/contracts/Compiler.h"
#include "core/runtime/HostExpression.h"
#include "core/runtime/include/tegula/tegula.hpp"
#include "core/runtime/text/Literals.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tegula::cli {

struct HostArray {
  ScalarType type = ScalarType::F32;
  std::vector<int64_t> shape;
  bool fortranOrder = false;
  bool defined = true;       // false: `empty:`
  std::vector<uint8_t> data; // bytes as stored; empty where not defined
};

/// A parsed VALUE. All parsing functions throw tegula::Error that names the parameter and the expected form.
struct Value {
  enum class Kind : uint8_t { Scalar, Array, Descriptor, Pointers };
  Kind kind = Kind::Scalar;
  HostValue scalar;              // None, bool, integer or float
  std::vector<HostArray> arrays; // one array; several for Pointers
  std::vector<int64_t> block;    // block shape of a Descriptor
};

/// `defaultSeed` serves `rand:` without a seed; it differs between parameters. An array of more than `maxBytes` is an
/// error, because a typing error must not exhaust memory.
Value parseValue(const std::string &parameter, const std::string &text, uint64_t defaultSeed,
                 uint64_t maxBytes = uint64_t(1) << 40);

/// The bytes of a `rand:` array: equal for equal seeds on every host.
std::vector<uint8_t> randomBytes(ScalarType type, uint64_t elements, uint64_t seed);

} // namespace tegula::cli
