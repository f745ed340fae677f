#include "tests/vulkan/Kernels.h"

namespace tegula::vulkan::test {

using spirv::Builder;
using spirv::Id;
using spirv::Module;
using Ids = Builder::Ids;

std::vector<uint32_t> writeModule(const KernelShape &shape, const std::function<void(Builder &, KernelFrame &)> &body,
                                  const std::function<void(Module &)> &before) {
  Module module;
  if (before)
    before(module);
  Builder builder(module);
  KernelFrame frame(builder, shape.params, shape.hidden, shape.passing);
  body(builder, frame);
  frame.finish(shape.entry, shape.threads);
  return module.words();
}

Artifact makeArtifact(const KernelShape &shape, std::vector<uint32_t> words) {
  Artifact artifact;
  artifact.target = shape.target;
  artifact.entry = shape.entry;
  artifact.params = shape.params;
  artifact.hidden = shape.hidden;
  artifact.threads = shape.threads;
  artifact.sharedBytes = shape.sharedBytes;
  artifact.binary = encode({shape.passing, shape.subgroupSize, std::move(words)});
  return artifact;
}

ArtifactParam pointer(std::string name, ScalarType type) {
  return {std::move(name), ArtifactParam::Kind::Pointer, type, {}};
}
ArtifactParam scalar(std::string name, ScalarType type) {
  return {std::move(name), ArtifactParam::Kind::Scalar, type, {}};
}

Id elementAddress(Builder &b, Id base, Id index, uint32_t bytes) {
  Module &m = b.module();
  Id wide = b.cast(spv::Op::OpUConvert, index, m.intType(64));
  return b.binary(spv::Op::OpIAdd, base, b.binary(spv::Op::OpIMul, wide, m.constantU64(bytes)));
}

Id loadElement(Builder &b, Id base, Id index, Id type) {
  uint32_t bytes = b.module().info(type).bits / 8;
  return b.load(b.physicalPointer(elementAddress(b, base, index, bytes), type), {.alignment = bytes});
}

void storeElement(Builder &b, Id base, Id index, Id value) {
  uint32_t bytes = b.module().infoOf(value).bits / 8;
  Id type = b.module().typeOf(value);
  b.store(b.physicalPointer(elementAddress(b, base, index, bytes), type), value, {.alignment = bytes});
}

namespace {

/// program * count + thread
Id globalIndex(Builder &b, KernelFrame &frame, uint32_t count) {
  Id start = b.binary(spv::Op::OpIMul, frame.programId(0), b.module().constantU32(count));
  return b.binary(spv::Op::OpIAdd, start, frame.threadId());
}

} // namespace

Artifact vectorAdd(uint32_t threads) {
  KernelShape shape{.entry = "vector_add",
                    .params = {pointer("x", ScalarType::F32), pointer("y", ScalarType::F32),
                               pointer("out", ScalarType::F32), scalar("n", ScalarType::I32)},
                    .hidden = {HiddenArgument::GridBase, HiddenArgument::GridSize, HiddenArgument::SafeAddress},
                    .threads = threads};
  auto words = writeModule(shape, [&](Builder &b, KernelFrame &frame) {
    Id i = globalIndex(b, frame, threads), f32 = b.module().floatType(32);
    Id inside = b.compare(spv::Op::OpULessThan, i, frame.param(3));
    Id safe = frame.hiddenAddress(HiddenArgument::SafeAddress);
    auto read = [&](size_t param) {
      Id address = b.select(inside, elementAddress(b, frame.param(param), i, 4), safe);
      return b.load(b.physicalPointer(address, f32), {.alignment = 4});
    };
    Id sum = b.binary(spv::Op::OpFAdd, read(0), read(1));
    b.ifThen(inside, [&] { storeElement(b, frame.param(2), i, sum); });
  });
  return makeArtifact(shape, std::move(words));
}

Artifact blockSum(uint32_t threads, uint32_t block) {
  KernelShape shape{
      .entry = "block_sum",
      .params = {pointer("x", ScalarType::F32), pointer("out", ScalarType::F32), scalar("n", ScalarType::I32)},
      .hidden = {},
      .threads = threads,
      .sharedBytes = threads * 4};
  Id shared = 0;
  auto words = writeModule(
      shape,
      [&](Builder &b, KernelFrame &frame) {
        Module &m = b.module();
        Id f32 = m.floatType(32), start = b.binary(spv::Op::OpIMul, frame.programId(0), m.constantU32(block));
        Id zero[] = {m.constantF32(0)};
        Ids sums = b.forLoop(frame.threadId(), m.constantU32(block), m.constantU32(threads), zero,
                             [&](Id index, const Ids &carried) {
                               Id i = b.binary(spv::Op::OpIAdd, start, index);
                               Ids element = b.ifThenElse(
                                   b.compare(spv::Op::OpULessThan, i, frame.param(2)),
                                   [&]() -> Ids { return {loadElement(b, frame.param(0), i, f32)}; },
                                   [&]() -> Ids { return {zero[0]}; });
                               return Ids{b.binary(spv::Op::OpFAdd, carried[0], element[0])};
                             });
        b.store(b.access(shared, {frame.threadId()}), sums[0]);
        b.workgroupBarrier();
        Id half[] = {m.constantU32(threads / 2)};
        b.loop(
            half,
            [&](const Ids &carried, Ids &forwarded) {
              forwarded = carried;
              return b.compare(spv::Op::OpUGreaterThan, carried[0], m.constantU32(0));
            },
            [&](const Ids &forwarded) {
              b.ifThen(b.compare(spv::Op::OpULessThan, frame.threadId(), forwarded[0]), [&] {
                Id mine = b.access(shared, {frame.threadId()});
                Id other = b.access(shared, {b.binary(spv::Op::OpIAdd, frame.threadId(), forwarded[0])});
                b.store(mine, b.binary(spv::Op::OpFAdd, b.load(mine), b.load(other)));
              });
              b.workgroupBarrier();
              return Ids{b.binary(spv::Op::OpShiftRightLogical, forwarded[0], m.constantU32(1))};
            });
        b.ifThen(b.compare(spv::Op::OpIEqual, frame.threadId(), m.constantU32(0)), [&] {
          storeElement(b, frame.param(1), frame.programId(0), b.load(b.access(shared, {m.constantU32(0)})));
        });
      },
      [&](Module &m) {
        shared = m.workgroupArray(m.floatType(32), threads);
        m.name(shared, "sums");
      });
  return makeArtifact(shape, std::move(words));
}

Artifact countPrograms(uint32_t line) {
  KernelShape shape{.entry = "count_programs",
                    .params = {pointer("out", ScalarType::I32)},
                    .hidden = {HiddenArgument::GridBase, HiddenArgument::GridSize},
                    .threads = 1};
  auto words = writeModule(shape, [&](Builder &b, KernelFrame &frame) {
    Module &m = b.module();
    if (line)
      b.setLine({m.file("kernel.py"), line, 1});
    Id row = b.binary(spv::Op::OpIAdd, b.binary(spv::Op::OpIMul, frame.programId(2), frame.programCount(1)),
                      frame.programId(1));
    Id linear = b.binary(spv::Op::OpIAdd, b.binary(spv::Op::OpIMul, row, frame.programCount(0)), frame.programId(0));
    Id target = b.physicalPointer(elementAddress(b, frame.param(0), linear, 4), m.intType(32));
    b.atomic(spv::Op::OpAtomicIAdd, target, spv::Scope::QueueFamily, spv::MemorySemanticsMask::MaskNone,
             m.constantU32(1));
  });
  return makeArtifact(shape, std::move(words));
}

Artifact everyScalar(KernelBinary::Passing passing, uint32_t extra) {
  using enum ScalarType;
  KernelShape shape{
      .entry = "every_scalar", .params = {pointer("out", I64)}, .hidden = {}, .threads = 1, .passing = passing};
  for (ScalarType type : {I1, I8, I16, I32, I64, F16, F32, F64})
    shape.params.push_back(scalar(std::string(name(type)), type));
  for (uint32_t i = 0; i < extra; ++i)
    shape.params.push_back(scalar("extra" + std::to_string(i), i % 2 ? I64 : I8));
  auto words = writeModule(shape, [&](Builder &b, KernelFrame &frame) {
    Module &m = b.module();
    Id i64 = m.intType(64), f64 = m.floatType(64);
    for (uint32_t i = 1; i < shape.params.size(); ++i) {
      Id value = frame.param(i);
      ScalarType given = shape.params[i].type; // a type of fewer than 32 bits arrives in a 32-bit word
      if (given == I1)
        value = b.compare(spv::Op::OpINotEqual, value, m.constantU32(0));
      else if (bitWidth(given) < 32)
        value = b.cast(spv::Op::OpUConvert, value, m.intType(bitWidth(given)));
      if (given == F16)
        value = b.bitcast(value, m.floatType(16));
      const spirv::TypeInfo type = m.infoOf(value);
      if (type.op == spv::Op::OpTypeBool)
        value = b.select(value, m.constantU64(1), m.constantU64(0));
      else if (type.op == spv::Op::OpTypeFloat)
        value = b.bitcast(type.bits == 64 ? value : b.cast(spv::Op::OpFConvert, value, f64), i64);
      else if (type.bits != 64)
        value = b.cast(spv::Op::OpSConvert, value, i64);
      storeElement(b, frame.param(0), m.constantU32(i - 1), value);
    }
  });
  return makeArtifact(shape, std::move(words));
}

Artifact readDescriptor() {
  KernelShape shape{
      .entry = "read_descriptor",
      .params = {pointer("out", ScalarType::I64), {"desc", ArtifactParam::Kind::Descriptor, ScalarType::F32, {16, 32}}},
      .hidden = {},
      .threads = 1};
  auto words = writeModule(shape, [&](Builder &b, KernelFrame &frame) {
    Module &m = b.module();
    for (uint32_t part = 0; part < 6; ++part) {
      Id value = frame.descriptorPart(1, part);
      if (part == 5)
        value = b.cast(spv::Op::OpUConvert, value, m.intType(64));
      storeElement(b, frame.param(0), m.constantU32(part), value);
    }
  });
  return makeArtifact(shape, std::move(words));
}

Artifact incrementBytes() {
  KernelShape shape{
      .entry = "increment_bytes",
      .params = {pointer("x", ScalarType::I8), pointer("out", ScalarType::I8), scalar("n", ScalarType::I32)},
      .hidden = {},
      .threads = 32};
  auto words = writeModule(shape, [&](Builder &b, KernelFrame &frame) {
    Module &m = b.module();
    Id i = globalIndex(b, frame, 32), i8 = m.intType(8);
    b.ifThen(b.compare(spv::Op::OpULessThan, i, frame.param(2)), [&] {
      Id next = b.binary(spv::Op::OpIAdd, loadElement(b, frame.param(0), i, i8), m.constant(i8, 1));
      storeElement(b, frame.param(1), i, next);
    });
  });
  return makeArtifact(shape, std::move(words));
}

Artifact subgroupOperations(uint32_t subgroupSize, uint32_t threads, std::string target) {
  KernelShape shape{.entry = "subgroup_operations",
                    .params = {pointer("x", ScalarType::I32), pointer("out", ScalarType::I32)},
                    .hidden = {},
                    .threads = threads,
                    .subgroupSize = subgroupSize,
                    .target = std::move(target)};
  auto words = writeModule(shape, [&](Builder &b, KernelFrame &frame) {
    Module &m = b.module();
    Id thread = frame.threadId(), x = loadElement(b, frame.param(0), thread, m.intType(32));
    Id results[] = {b.subgroupReduce(spv::Op::OpGroupNonUniformIAdd, x),
                    b.subgroupExclusiveScan(spv::Op::OpGroupNonUniformIAdd, x), b.shuffleXor(x, m.constantU32(1)),
                    b.broadcastFirst(x)};
    for (uint32_t row = 0; row < 4; ++row)
      storeElement(b, frame.param(1), b.binary(spv::Op::OpIAdd, thread, m.constantU32(row * threads)), results[row]);
  });
  return makeArtifact(shape, std::move(words));
}

Artifact useScratch(uint32_t threads) {
  KernelShape shape{.entry = "use_scratch",
                    .params = {pointer("out", ScalarType::I32)},
                    .hidden = {HiddenArgument::Scratch},
                    .threads = threads};
  auto words = writeModule(shape, [&](Builder &b, KernelFrame &frame) {
    Module &m = b.module();
    Id i = globalIndex(b, frame, threads), scratch = frame.hiddenAddress(HiddenArgument::Scratch);
    storeElement(b, scratch, i, b.binary(spv::Op::OpIMul, i, m.constantU32(3)));
    b.workgroupBarrier(spv::MemorySemanticsMask::UniformMemory);
    // Reads the value that a neighbouring thread wrote.
    Id other = b.binary(spv::Op::OpBitwiseXor, i, m.constantU32(1));
    storeElement(b, frame.param(0), i, loadElement(b, scratch, other, m.intType(32)));
  });
  Artifact artifact = makeArtifact(shape, std::move(words));
  artifact.scratchBytesPerProgram = threads * 4;
  return artifact;
}

Artifact spin() {
  KernelShape shape{.entry = "spin",
                    .params = {pointer("out", ScalarType::I32), scalar("rounds", ScalarType::I32)},
                    .hidden = {},
                    .threads = 1};
  auto words = writeModule(shape, [&](Builder &b, KernelFrame &frame) {
    Module &m = b.module();
    Id zero = m.constantU32(0), u32 = m.intType(32);
    Id first[] = {zero};
    // Each iteration stores the value that the next one loads, so that nothing can be computed in advance.
    Ids last = b.forLoop(zero, frame.param(1), m.constantU32(1), first, [&](Id index, const Ids &carried) {
      Id slot = m.constantU32(1);
      storeElement(b, frame.param(0), slot, b.binary(spv::Op::OpIAdd, index, carried[0]));
      Id address = elementAddress(b, frame.param(0), slot, 4);
      return Ids{b.load(b.physicalPointer(address, u32), {.alignment = 4, .isVolatile = true})};
    });
    Id used = b.binary(spv::Op::OpBitwiseAnd, last[0], zero);
    Id old = loadElement(b, frame.param(0), zero, u32);
    storeElement(b, frame.param(0), zero,
                 b.binary(spv::Op::OpIAdd, b.binary(spv::Op::OpIAdd, old, m.constantU32(1)), used));
  });
  return makeArtifact(shape, std::move(words));
}

} // namespace tegula::vulkan::test
