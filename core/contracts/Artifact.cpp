#include "core/contracts/Artifact.h"
#include "core/support/ByteStream.h"
#include "core/support/Hash.h"

#include <algorithm>

namespace tegula {
namespace {

constexpr std::string_view kMagic = "TGULARTF";
constexpr size_t kHeaderBytes = 8 + 4 + 16; // magic, version, checksum of all bytes after the header

void putProduct(ByteWriter &out, const ArgumentProduct &product) {
  out.put(product.factor);
  out.put(static_cast<uint32_t>(product.params.size()));
  for (uint32_t param : product.params)
    out.put(param);
}

void checkInteger(const std::vector<ArtifactParam> &params, int64_t param) {
  if (param < 0 || param >= static_cast<int64_t>(params.size()) ||
      params[static_cast<size_t>(param)].kind != ArtifactParam::Kind::Scalar ||
      !isInteger(params[static_cast<size_t>(param)].type))
    throw Error("damaged: a launch computes with parameter " + std::to_string(param) + ", which is no integer");
}

ArgumentProduct getProduct(ByteReader &in, const std::vector<ArtifactParam> &params) {
  ArgumentProduct product;
  product.factor = in.get<int64_t>();
  for (uint32_t n = in.getCount(4); n; --n)
    checkInteger(params, product.params.emplace_back(in.get<uint32_t>()));
  return product;
}

void putTensor(ByteWriter &out, const DerivedTensor &tensor) {
  out.put(tensor.pointer);
  out.put(static_cast<uint8_t>(tensor.isNarrow));
  for (const DerivedTensor::Axis &axis : tensor.axes) {
    putProduct(out, axis.extent);
    putProduct(out, axis.stride);
    out.put(axis.multiple);
    out.put(static_cast<uint8_t>(axis.isOpen));
  }
}

/// `params`: the parameters before the descriptor.
DerivedTensor getTensor(ByteReader &in, size_t rank, const std::vector<ArtifactParam> &params) {
  DerivedTensor tensor;
  tensor.pointer = in.get<uint32_t>();
  if (tensor.pointer >= params.size() || params[tensor.pointer].kind != ArtifactParam::Kind::Pointer)
    throw Error("damaged: a descriptor derived from parameter " + std::to_string(tensor.pointer) +
                ", which is no pointer");
  if (rank > TensorShape::kMostAxes)
    throw Error("damaged: a derived descriptor of rank " + std::to_string(rank));
  tensor.isNarrow = in.get<uint8_t>() != 0;
  for (; rank; --rank) {
    DerivedTensor::Axis &axis = tensor.axes.emplace_back();
    axis.extent = getProduct(in, params);
    axis.stride = getProduct(in, params);
    axis.multiple = in.get<int64_t>();
    axis.isOpen = in.get<uint8_t>() != 0;
    if (axis.multiple <= 0)
      throw Error("damaged: a derived descriptor whose extent is a multiple of " + std::to_string(axis.multiple));
  }
  return tensor;
}

void putParam(ByteWriter &out, const ArtifactParam &param) {
  out.put(param.name);
  out.put(param.kind);
  out.put(param.type);
  out.put(static_cast<uint32_t>(param.block.size()));
  for (int64_t extent : param.block)
    out.put(extent);
  out.put(param.access);
  out.put(static_cast<uint8_t>(param.workspace.has_value()));
  if (param.workspace) {
    out.put(param.workspace->bytesPerProgram);
    out.put(static_cast<uint8_t>(param.workspace->isZero));
  }
  out.put(static_cast<uint8_t>(param.tensor.has_value()));
  if (param.tensor)
    putTensor(out, *param.tensor);
}

/// `before`: the parameters before this one.
ArtifactParam getParam(ByteReader &in, const std::vector<ArtifactParam> &before) {
  ArtifactParam param;
  param.name = in.getString();
  param.kind = in.getEnum(ArtifactParam::Kind::Descriptor);
  param.type = in.getEnum(static_cast<ScalarType>(kScalarTypeCount - 1));
  for (uint32_t n = in.getCount(8); n; --n)
    param.block.push_back(in.get<int64_t>());
  param.access = in.getEnum(ArtifactParam::Access::Writes);
  if (in.get<uint8_t>()) {
    if (param.kind != ArtifactParam::Kind::Pointer)
      throw Error("damaged: parameter '" + param.name + "' is memory of the launch, but no pointer");
    param.workspace = {in.get<uint64_t>(), in.get<uint8_t>() != 0};
  }
  if (in.get<uint8_t>()) {
    if (param.kind != ArtifactParam::Kind::Descriptor)
      throw Error("damaged: a derived parameter that is no descriptor");
    param.tensor = getTensor(in, param.block.size(), before);
  }
  auto rank = [](const ArtifactParam &of) { return of.tensor ? 2 : of.workspace ? 1 : 0; };
  if (!before.empty() && rank(before.back()) > rank(param))
    throw Error("damaged: parameter '" + param.name + "' follows " +
                (before.back().tensor ? "a derived one" : "memory of the launch"));
  return param;
}

void putExpression(ByteWriter &out, const ProgramExpression &expression) {
  out.put(static_cast<uint32_t>(expression.nodes.size()));
  for (const ProgramExpression::Node &node : expression.nodes) {
    out.put(node.kind);
    out.put(node.value);
    out.put(node.left);
    out.put(node.right);
  }
}

ProgramExpression getExpression(ByteReader &in, const std::vector<ArtifactParam> &params) {
  using Kind = ProgramExpression::Kind;
  ProgramExpression expression;
  uint32_t count = in.getCount(17);
  if (count == 0 || count > ProgramExpression::kMostNodes)
    throw Error("damaged: an expression of " + std::to_string(count) + " nodes");
  for (uint32_t i = 0; i < count; ++i) {
    ProgramExpression::Node node;
    node.kind = in.getEnum(Kind::Maximum);
    node.value = in.get<int64_t>();
    node.left = in.get<uint32_t>();
    node.right = in.get<uint32_t>();
    if (node.kind == Kind::Param)
      checkInteger(params, node.value);
    bool isProgram = node.kind == Kind::Program, isLeaf = node.kind <= Kind::Program;
    if ((isProgram && (node.value < 0 || node.value > 2)) || (!isLeaf && (node.left >= i || node.right >= i)))
      throw Error("damaged: an expression whose node " + std::to_string(i) + " has no such operand");
    expression.nodes.push_back(node);
  }
  return expression;
}

void putConditions(ByteWriter &out, const std::optional<LaunchConditions> &conditions) {
  out.put(static_cast<uint8_t>(conditions.has_value()));
  if (!conditions)
    return;
  out.put(static_cast<uint32_t>(conditions->positive.size()));
  for (const ProgramExpression &expression : conditions->positive)
    putExpression(out, expression);
  out.put(static_cast<uint8_t>(conditions->nonNegative));
  out.put(static_cast<uint32_t>(conditions->apart.size()));
  for (auto [one, other] : conditions->apart) {
    out.put(one);
    out.put(other);
  }
}

std::optional<LaunchConditions> getConditions(ByteReader &in, const std::vector<ArtifactParam> &params) {
  if (!in.get<uint8_t>()) {
    if (!params.empty() && params.back().tensor)
      throw Error("damaged: derived descriptors in code without conditions");
    return std::nullopt;
  }
  LaunchConditions conditions;
  for (uint32_t n = in.getCount(4); n; --n)
    conditions.positive.push_back(getExpression(in, params));
  conditions.nonNegative = in.get<uint8_t>() != 0;
  for (uint32_t n = in.getCount(8); n; --n) {
    auto one = in.get<uint32_t>(), other = in.get<uint32_t>();
    for (uint32_t each : {one, other})
      if (each >= params.size() || params[each].tensor || params[each].workspace ||
          (params[each].kind != ArtifactParam::Kind::Pointer && params[each].kind != ArtifactParam::Kind::Descriptor))
        throw Error("damaged: memory of parameter " + std::to_string(each) + ", which the caller gives none");
    conditions.apart.push_back({one, other});
  }
  return conditions;
}

void putRecipe(ByteWriter &out, const DescriptorRecipe &recipe) {
  out.put(recipe.param);
  out.put(recipe.type);
  out.put(static_cast<uint32_t>(recipe.box.size()));
  for (uint32_t extent : recipe.box)
    out.put(extent);
  out.put(recipe.swizzleBytes);
  out.put(recipe.fill);
  out.put(static_cast<uint8_t>(recipe.roundsToTf32));
}

DescriptorRecipe getRecipe(ByteReader &in, const std::vector<ArtifactParam> &params) {
  DescriptorRecipe recipe;
  recipe.param = in.get<uint32_t>();
  recipe.type = in.getEnum(static_cast<ScalarType>(kScalarTypeCount - 1));
  for (uint32_t n = in.getCount(4); n; --n)
    recipe.box.push_back(in.get<uint32_t>());
  recipe.swizzleBytes = in.get<uint32_t>();
  recipe.fill = in.getEnum(DescriptorRecipe::Fill::NaN);
  recipe.roundsToTf32 = in.get<uint8_t>() != 0;
  if (recipe.param >= params.size() || params[recipe.param].kind != ArtifactParam::Kind::Descriptor)
    throw Error("damaged: a descriptor recipe for parameter " + std::to_string(recipe.param) + " of " +
                std::to_string(params.size()) + ", which is no descriptor");
  const ArtifactParam &param = params[recipe.param];
  if (recipe.box.size() != param.block.size() || std::ranges::count(recipe.box, 0u))
    throw Error("damaged: a descriptor recipe whose box does not fit the block of parameter '" + param.name + "'");
  if (byteSize(recipe.type) != byteSize(param.type))
    throw Error("damaged: a descriptor recipe of " + std::string(name(recipe.type)) + " for parameter '" + param.name +
                "' of " + std::string(name(param.type)));
  if (recipe.roundsToTf32 && recipe.type != ScalarType::F32)
    throw Error("damaged: a descriptor recipe that rounds " + std::string(name(recipe.type)) + " to tf32");
  if (recipe.swizzleBytes != 0 && recipe.swizzleBytes != 32 && recipe.swizzleBytes != 64 && recipe.swizzleBytes != 128)
    throw Error("damaged: a descriptor recipe that swizzles " + std::to_string(recipe.swizzleBytes) +
                " bytes; 0, 32, 64 and 128 are known");
  return recipe;
}

void putMessage(ByteWriter &out, const DeviceMessage &message) {
  out.put(message.kind);
  out.put(message.format);
  out.put(message.type);
  out.put(message.text);
  out.put(static_cast<uint8_t>(message.hasElements));
  out.put(static_cast<uint32_t>(message.shape.size()));
  for (int64_t extent : message.shape)
    out.put(extent);
  out.put(static_cast<uint32_t>(message.locations.size()));
  for (const SourceLocation &location : message.locations) {
    out.put(location.file);
    out.put(location.line);
    out.put(location.column);
  }
}

DeviceMessage getMessage(ByteReader &in) {
  DeviceMessage message;
  message.kind = in.getEnum(DeviceMessage::Kind::Limit);
  message.format = in.getEnum(DeviceMessage::Format::Address);
  message.type = in.getEnum(static_cast<ScalarType>(kScalarTypeCount - 1));
  message.text = in.getString();
  message.hasElements = in.get<uint8_t>() != 0;
  for (uint32_t n = in.getCount(8); n; --n) {
    message.shape.push_back(in.get<int64_t>());
    if (message.shape.back() <= 0)
      throw Error("damaged: a message about a tensor with an extent of " + std::to_string(message.shape.back()));
  }
  for (uint32_t n = in.getCount(12); n; --n) {
    SourceLocation &location = message.locations.emplace_back();
    location.file = in.getString();
    location.line = in.get<uint32_t>();
    location.column = in.get<uint32_t>();
  }
  return message;
}

void putMetadata(ByteWriter &out, const Artifact &artifact) {
  out.put(artifact.target);
  out.put(artifact.entry);
  out.put(static_cast<uint32_t>(artifact.params.size()));
  for (const ArtifactParam &param : artifact.params)
    putParam(out, param);
  out.put(static_cast<uint32_t>(artifact.hidden.size()));
  for (HiddenArgument hidden : artifact.hidden)
    out.put(hidden);
  out.put(static_cast<uint32_t>(artifact.guards.size()));
  for (const Guard &guard : artifact.guards) {
    out.put(guard.kind);
    out.put(guard.param);
    out.put(guard.operand);
  }
  putConditions(out, artifact.conditions);
  out.put(static_cast<uint32_t>(artifact.descriptors.size()));
  for (const DescriptorRecipe &recipe : artifact.descriptors)
    putRecipe(out, recipe);
  out.put(static_cast<uint32_t>(artifact.messages.size()));
  for (const DeviceMessage &message : artifact.messages)
    putMessage(out, message);
  out.put(static_cast<uint32_t>(artifact.requiredFeatures.size()));
  for (const std::string &feature : artifact.requiredFeatures)
    out.put(feature);
  out.put(artifact.launchFlags);
  out.put(artifact.sharedBytes);
  out.put(artifact.threads);
  out.put(artifact.clusterSize);
  out.put(artifact.gridFactor);
  out.put(artifact.registerCap);
  out.put(artifact.scratchBytesPerProgram);
  out.put(artifact.products.eligible);
  out.put(artifact.products.served);
  out.put(static_cast<uint8_t>(artifact.ignoresFacts));
  out.put(artifact.sourceHash);
  out.put(artifact.sourcePath);
}

Artifact getMetadata(ByteReader &in) {
  Artifact artifact;
  artifact.target = in.getString();
  artifact.entry = in.getString();
  for (uint32_t n = in.getCount(12); n; --n)
    artifact.params.push_back(getParam(in, artifact.params));
  for (uint32_t n = in.getCount(1); n; --n)
    artifact.hidden.push_back(in.getEnum(HiddenArgument::SafeAddress));
  for (uint32_t n = in.getCount(13); n; --n) {
    Guard guard;
    guard.kind = in.getEnum(Guard::Kind::AllocationBelow);
    guard.param = in.get<uint32_t>();
    guard.operand = in.get<int64_t>();
    if (guard.param >= artifact.params.size())
      throw Error("damaged: a guard on parameter " + std::to_string(guard.param) + " of " +
                  std::to_string(artifact.params.size()));
    if (guard.kind != Guard::Kind::Equals && guard.operand <= 0)
      throw Error("damaged: a guard with the operand " + std::to_string(guard.operand));
    artifact.guards.push_back(guard);
  }
  artifact.conditions = getConditions(in, artifact.params);
  for (uint32_t n = in.getCount(17); n; --n) {
    artifact.descriptors.push_back(getRecipe(in, artifact.params));
    for (size_t i = 0; i + 1 < artifact.descriptors.size(); ++i)
      if (artifact.descriptors[i].param == artifact.descriptors.back().param)
        throw Error("damaged: two descriptor recipes for parameter " + std::to_string(artifact.descriptors[i].param));
  }
  for (uint32_t n = in.getCount(16); n; --n)
    artifact.messages.push_back(getMessage(in));
  for (uint32_t n = in.getCount(4); n; --n)
    artifact.requiredFeatures.push_back(in.getString());
  artifact.launchFlags = in.get<uint32_t>();
  if (artifact.launchFlags & ~uint32_t(kKnownLaunchFlags))
    throw Error("damaged: unknown launch flags " + std::to_string(artifact.launchFlags));
  artifact.sharedBytes = in.get<uint32_t>();
  artifact.threads = in.get<uint32_t>();
  artifact.clusterSize = in.get<uint32_t>();
  artifact.gridFactor = in.get<uint32_t>();
  if (artifact.gridFactor == 0)
    throw Error("damaged: no program for each of the caller's grid");
  artifact.registerCap = in.get<uint32_t>();
  artifact.scratchBytesPerProgram = in.get<uint64_t>();
  artifact.products.eligible = in.get<uint32_t>();
  artifact.products.served = in.get<uint32_t>();
  artifact.ignoresFacts = in.get<uint8_t>() != 0;
  artifact.sourceHash = in.getString();
  artifact.sourcePath = in.getString();
  return artifact;
}

} // namespace

size_t Artifact::passedParams() const {
  auto isPassed = [](const ArtifactParam &param) { return !param.workspace && !param.tensor; };
  return static_cast<size_t>(std::ranges::count_if(params, isPassed));
}

std::span<const ArtifactParam> Artifact::workspaces() const {
  size_t first = passedParams();
  return std::span(params).subspan(first, params.size() - first - derived().size());
}

std::span<const ArtifactParam> Artifact::derived() const {
  auto first = std::ranges::find_if(params, [](const ArtifactParam &param) { return param.tensor.has_value(); });
  return {first, params.end()};
}

std::vector<uint8_t> serialize(const Artifact &artifact) {
  ByteWriter body;
  putMetadata(body, artifact);
  body.putBytes(artifact.binary);
  ByteWriter out;
  out.putRaw(std::span(reinterpret_cast<const uint8_t *>(kMagic.data()), kMagic.size()));
  out.put(kArtifactVersion);
  out.putRaw(hash128(body.bytes()));
  out.putRaw(body.bytes());
  return out.take();
}

Artifact deserializeArtifact(std::span<const uint8_t> bytes) {
  if (bytes.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin()))
    throw Error("not a Tegula artifact: it does not start with '" + std::string(kMagic) + "'");
  if (bytes.size() < kHeaderBytes)
    throw Error("truncated artifact: " + std::to_string(bytes.size()) + " bytes, its header alone takes " +
                std::to_string(kHeaderBytes));
  ByteReader header(bytes.subspan(kMagic.size()));
  auto version = header.get<uint32_t>();
  if (version != kArtifactVersion)
    throw Error("artifact of version " + std::to_string(version) + ", this Tegula reads version " +
                std::to_string(kArtifactVersion) + "; build it again");
  std::span<const uint8_t> body = bytes.subspan(kHeaderBytes);
  Hash128 sum = hash128(body);
  if (!std::equal(sum.begin(), sum.end(), header.getRaw(sum.size()).begin()))
    throw Error("damaged or truncated artifact: its checksum does not agree");
  ByteReader in(body);
  Artifact artifact = getMetadata(in);
  std::span<const uint8_t> binary = in.getBytes();
  artifact.binary.assign(binary.begin(), binary.end());
  if (in.left())
    throw Error("damaged artifact: " + std::to_string(in.left()) + " bytes after its end");
  return artifact;
}

} // namespace tegula
