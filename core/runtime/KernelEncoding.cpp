#include "core/runtime/KernelEncoding.h"
#include "core/support/DiskCache.h"
#include "core/support/Environment.h"
#include "core/support/Hash.h"

#include <filesystem>

namespace tegula {

namespace fs = std::filesystem;

namespace {

ConstantValue decodeValue(ByteReader &in) {
  switch (in.get<uint8_t>()) {
  case 0: return std::monostate{};
  case 1: return in.get<bool>();
  case 2: return in.get<int64_t>();
  case 3: return in.getDouble();
  case 4: return in.getString();
  case 5: return in.getEnum(static_cast<ScalarType>(kScalarTypeCount - 1));
  default: throw Error("damaged: unknown kind of constant");
  }
}

void encodeOptional(ByteWriter &out, const std::optional<int> &value) {
  out.put(value.has_value());
  out.put(static_cast<int32_t>(value.value_or(0)));
}

std::optional<int> decodeOptional(ByteReader &in) {
  bool present = in.get<bool>();
  auto value = in.get<int32_t>();
  return present ? std::optional<int>(value) : std::nullopt;
}

void encodeDiagnostic(ByteWriter &out, const Diagnostic &diagnostic) {
  out.put(diagnostic.severity);
  out.put(diagnostic.location.file);
  out.put(diagnostic.location.line);
  out.put(diagnostic.location.column);
  out.put(diagnostic.message);
  out.put(diagnostic.sourceLine);
  out.put(static_cast<uint32_t>(diagnostic.notes.size()));
  for (const Diagnostic &note : diagnostic.notes)
    encodeDiagnostic(out, note);
}

Diagnostic decodeDiagnostic(ByteReader &in, unsigned depth = 0) {
  Diagnostic diagnostic;
  diagnostic.severity = in.getEnum(Diagnostic::Severity::Note);
  diagnostic.location.file = in.getString();
  diagnostic.location.line = in.get<uint32_t>();
  diagnostic.location.column = in.get<uint32_t>();
  diagnostic.message = in.getString();
  diagnostic.sourceLine = in.getString();
  uint32_t notes = in.getCount(25);
  if (notes && depth >= 2)
    throw Error("the notes of a message are nested too deep");
  for (; notes; --notes)
    diagnostic.notes.push_back(decodeDiagnostic(in, depth + 1));
  return diagnostic;
}

KernelInfo::Param decodeParam(ByteReader &in) {
  KernelInfo::Param param;
  param.name = in.getString();
  param.isConstexpr = in.get<bool>();
  bool hasDefault = in.get<bool>();
  ConstantValue value = decodeValue(in);
  if (hasDefault)
    param.defaultValue = value;
  bool annotated = in.get<bool>();
  auto type = in.getEnum(static_cast<ScalarType>(kScalarTypeCount - 1));
  if (annotated)
    param.annotatedType = type;
  param.isAnnotatedPointer = in.get<bool>();
  if (param.isAnnotatedPointer && !annotated)
    throw Error("damaged: parameter '" + param.name + "' is annotated as a pointer to no type");
  param.line = in.get<uint32_t>();
  param.column = in.get<uint32_t>();
  return param;
}

std::string asString(const ByteWriter &out) { return std::string(out.bytes().begin(), out.bytes().end()); }

} // namespace

void encode(ByteWriter &out, const ConstantValue &value) {
  out.put(static_cast<uint8_t>(value.index()));
  std::visit(
      [&](const auto &v) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          out.put(v);
      },
      value);
}

void encode(ByteWriter &out, const Constants &constants) {
  out.put(static_cast<uint32_t>(constants.size()));
  for (const auto &[name, value] : constants) {
    out.put(name);
    encode(out, value);
  }
}

void encode(ByteWriter &out, const ParamType &type) {
  out.put(type.kind);
  out.put(type.type);
  out.put(type.divisibility);
  out.put(type.isOne);
  out.put(static_cast<uint32_t>(type.block.size()));
  for (int64_t extent : type.block)
    out.put(extent);
  encode(out, type.value);
}

Constants decodeConstants(ByteReader &in) {
  Constants constants;
  for (uint32_t n = in.getCount(5); n; --n) {
    std::string name = in.getString();
    constants[name] = decodeValue(in);
  }
  return constants;
}

ParamType decodeParamType(ByteReader &in) {
  ParamType type;
  type.kind = in.getEnum(ParamType::Kind::PointerToPointers);
  type.type = in.getEnum(static_cast<ScalarType>(kScalarTypeCount - 1));
  type.divisibility = in.get<uint32_t>();
  type.isOne = in.get<bool>();
  for (uint32_t n = in.getCount(8); n; --n)
    type.block.push_back(in.get<int64_t>());
  type.value = decodeValue(in);
  return type;
}

void encode(ByteWriter &out, const KernelInfo &kernel) {
  out.put(kernel.name);
  out.put(kernel.level);
  out.put(kernel.text);
  out.put(kernel.line);
  out.put(static_cast<uint32_t>(kernel.params.size()));
  for (const KernelInfo::Param &param : kernel.params) {
    out.put(param.name);
    out.put(param.isConstexpr);
    out.put(param.defaultValue.has_value());
    encode(out, param.defaultValue.value_or(ConstantValue()));
    out.put(param.annotatedType.has_value());
    out.put(param.annotatedType.value_or(ScalarType::I1));
    out.put(param.isAnnotatedPointer);
    out.put(param.line);
    out.put(param.column);
  }
  out.put(static_cast<uint32_t>(kernel.configs.size()));
  for (const KernelConfig &config : kernel.configs) {
    encode(out, config.constants);
    for (const std::optional<int> &value : {config.numWarps, config.numStages, config.numCtas, config.maxRegisters})
      encodeOptional(out, value);
    out.put(config.line);
  }
  out.put(static_cast<uint32_t>(kernel.autotuneKey.size()));
  for (const std::string &name : kernel.autotuneKey)
    out.put(name);
  for (const std::vector<std::string> *names : {&kernel.resetToZero, &kernel.restoreValue, &kernel.hooks}) {
    out.put(static_cast<uint32_t>(names->size()));
    for (const std::string &name : *names)
      out.put(name);
  }
  out.put(kernel.tuneMilliseconds.has_value());
  out.put(kernel.tuneMilliseconds.value_or(0));
  out.put(kernel.prunesConfigs);
  out.put(static_cast<uint32_t>(kernel.heuristics.size()));
  for (const KernelHeuristic &heuristic : kernel.heuristics) {
    out.put(heuristic.name);
    out.put(heuristic.expression);
    out.put(heuristic.problem);
  }
  out.put(kernel.configsProblem);
  out.put(kernel.heuristicsProblem);
  out.put(kernel.problem.has_value());
  if (kernel.problem)
    encodeDiagnostic(out, *kernel.problem);
}

KernelInfo decodeKernel(ByteReader &in) {
  KernelInfo kernel;
  kernel.name = in.getString();
  kernel.level = in.getString();
  kernel.text = in.getString();
  kernel.line = in.get<uint32_t>();
  for (uint32_t n = in.getCount(18); n; --n)
    kernel.params.push_back(decodeParam(in));
  for (uint32_t n = in.getCount(28); n; --n) {
    KernelConfig config;
    config.constants = decodeConstants(in);
    for (std::optional<int> *value : {&config.numWarps, &config.numStages, &config.numCtas, &config.maxRegisters})
      *value = decodeOptional(in);
    config.line = in.get<uint32_t>();
    kernel.configs.push_back(std::move(config));
  }
  for (uint32_t n = in.getCount(4); n; --n)
    kernel.autotuneKey.push_back(in.getString());
  for (std::vector<std::string> *names : {&kernel.resetToZero, &kernel.restoreValue, &kernel.hooks})
    for (uint32_t n = in.getCount(4); n; --n)
      names->push_back(in.getString());
  bool hasTime = in.get<bool>();
  double time = in.getDouble();
  if (hasTime)
    kernel.tuneMilliseconds = time;
  kernel.prunesConfigs = in.get<bool>();
  for (uint32_t n = in.getCount(12); n; --n) {
    KernelHeuristic heuristic;
    heuristic.name = in.getString();
    heuristic.expression = in.getString();
    heuristic.problem = in.getString();
    kernel.heuristics.push_back(std::move(heuristic));
  }
  kernel.configsProblem = in.getString();
  kernel.heuristicsProblem = in.getString();
  if (in.get<bool>())
    kernel.problem = decodeDiagnostic(in);
  return kernel;
}

namespace {

/// Encodes the members of the surroundings that the caller supplies: the module path, the values that replace globals
/// (`given`), and the texts that replace files (`texts`).
void encodeStart(ByteWriter &out, const Surroundings &surroundings) {
  out.put(static_cast<uint32_t>(surroundings.modulePath.size()));
  for (const std::string &folder : surroundings.modulePath)
    out.put(folder);
  out.put(static_cast<uint32_t>(surroundings.given.size()));
  for (const GivenName &given : surroundings.given)
    for (const std::string *text : {&given.file, &given.name, &given.value, &given.from})
      out.put(*text);
  out.put(static_cast<uint32_t>(surroundings.texts.size()));
  for (const auto &[path, text] : surroundings.texts) {
    out.put(path);
    out.put(text);
  }
}

} // namespace

void encode(ByteWriter &out, const Surroundings &surroundings) {
  encodeStart(out, surroundings);
  out.put(static_cast<uint32_t>(surroundings.files.size()));
  for (const auto &[path, file] : surroundings.files) {
    out.put(path);
    out.put(file.exists);
    out.put(file.text.has_value());
    out.put(file.text ? toHex(hash128(*file.text)) : std::string());
  }
  out.put(static_cast<uint32_t>(surroundings.environment.size()));
  for (const auto &[name, value] : surroundings.environment) {
    out.put(name);
    out.put(value.has_value());
    out.put(value.value_or(""));
  }
}

namespace {

/// Decodes which look-ups made the encoded surroundings, so that lookAgain() can repeat them: the module path, the
/// values and texts given by the caller, and the paths of files and names of environment variables. A file that was
/// read gets an empty text, because only the hash of its contents is encoded.
Surroundings decodeQuestions(ByteReader &in) {
  Surroundings asked;
  for (uint32_t n = in.getCount(4); n; --n)
    asked.modulePath.push_back(in.getString());
  for (uint32_t n = in.getCount(16); n; --n) {
    GivenName &given = asked.given.emplace_back();
    for (std::string *text : {&given.file, &given.name, &given.value, &given.from})
      *text = in.getString();
  }
  for (uint32_t n = in.getCount(8); n; --n) {
    std::string path = in.getString();
    asked.texts[path] = in.getString();
  }
  for (uint32_t n = in.getCount(10); n; --n) {
    Surroundings::File &file = asked.files[in.getString()];
    file.exists = in.get<bool>();
    if (in.get<bool>())
      file.text.emplace();
    in.getString();
  }
  for (uint32_t n = in.getCount(9); n; --n) {
    std::optional<std::string> &value = asked.environment[in.getString()];
    in.get<bool>();
    value = in.getString();
  }
  return asked;
}

} // namespace

std::vector<uint8_t> encodeDescription(const FileDescription &description) {
  ByteWriter surroundings, out;
  encode(surroundings, description.surroundings);
  out.put(asString(surroundings));
  out.put(static_cast<uint32_t>(description.kernels.size()));
  for (const KernelInfo &kernel : description.kernels)
    encode(out, kernel);
  return out.take();
}

std::optional<FileDescription> decodeDescription(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  FileDescription description;
  std::string then = in.getString();
  ByteReader questions(std::span(reinterpret_cast<const uint8_t *>(then.data()), then.size()));
  description.surroundings = lookAgain(decodeQuestions(questions));
  ByteWriter now;
  encode(now, description.surroundings);
  if (asString(now) != then)
    return std::nullopt;
  for (uint32_t n = in.getCount(24); n; --n)
    description.kernels.push_back(decodeKernel(in));
  if (in.left())
    throw Error("damaged: " + std::to_string(in.left()) + " bytes after the kernels");
  return description;
}

std::string compileKey(const CompileRequest &request) {
  ByteWriter out;
  out.put("compile");
  out.put(buildId());
  out.put(environmentKey());
  out.put(request.path);
  out.put(request.source);
  out.put(request.kernel);
  out.put(request.target);
  out.put(static_cast<uint32_t>(request.signature.size()));
  for (const ParamType &type : request.signature)
    encode(out, type);
  encode(out, request.constants);
  out.put(static_cast<int32_t>(request.numWarps));
  out.put(static_cast<int32_t>(request.numStages));
  out.put(request.startFrom);
  out.put(request.hasSignature);
  out.put(request.conditional);
  out.put(request.portable);
  encode(out, request.surroundings);
  return asString(out);
}

std::string inspectKey(const std::string &path, const std::string &source, const Surroundings &start) {
  ByteWriter out;
  out.put("inspect");
  out.put(buildId());
  out.put(path);
  out.put(source);
  std::error_code ignored; // on failure absolute paths are left empty, in host code, too
  out.put(fs::path(path).is_absolute() ? std::string() : fs::current_path(ignored).string());
  encodeStart(out, start);
  return asString(out);
}

KeyDescription describeKey(const std::string &key) {
  KeyDescription result;
  try {
    ByteReader in(std::span(reinterpret_cast<const uint8_t *>(key.data()), key.size()));
    std::string first = in.getString();
    if (first == kDeviceCodeKey) {
      result.kind = first;
      result.path = in.getString(); // the kernel's name, because drivers do not know its file
      result.target = in.getString();
      return result;
    }
    bool isKernel = first == "compile";
    bool isCurrent = in.getString() == buildId();
    result.kind = !isCurrent ? "of another build" : isKernel ? "kernel" : "description";
    if (isKernel)
      in.getString(); // the environment
    result.path = in.getString();
    if (isKernel) {
      in.getString(); // the source
      result.kernel = in.getString();
      result.target = in.getString();
    }
  } catch (const Error &) {
    result.kind = "damaged";
  }
  return result;
}

} // namespace tegula
