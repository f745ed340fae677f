// Prints global-memory accesses with a mask or with cache hints.
#include "backends/cuda/codegen/NvptxPrinter.h"

using namespace mlir;

namespace tegula::cuda {
namespace {

const char *cacheOf(tile::CacheModifier cache) {
  switch (cache) {
  case tile::CacheModifier::None: return "";
  case tile::CacheModifier::CacheAll: return ".ca";
  case tile::CacheModifier::CacheGlobal: return ".cg";
  case tile::CacheModifier::Streaming: return ".cs";
  case tile::CacheModifier::Volatile: return ".cv";
  case tile::CacheModifier::WriteBack: return ".wb";
  case tile::CacheModifier::WriteThrough: return ".wt";
  }
  llvm_unreachable("all modifiers are listed");
}

/// The eviction priority of the access's cache lines in PTX: "evict_first" or "evict_last". Empty for the default
/// policy and for volatile accesses; also empty with a cache operator such as .cg, because PTX does not allow both.
std::string priorityOf(const llvmir::GlobalAccess &access) {
  if (access.cache != tile::CacheModifier::None || access.isVolatile)
    return "";
  switch (access.eviction) {
  case tile::EvictionPolicy::Normal: return "";
  case tile::EvictionPolicy::EvictFirst: return "evict_first";
  case tile::EvictionPolicy::EvictLast: return "evict_last";
  }
  llvm_unreachable("all policies are listed");
}

/// The width suffix of an access: ".v4.b32", ".b16". A single 8-bit element uses a 16-bit register.
std::string widthOf(unsigned bytes) {
  if (bytes < 4)
    return ".b" + std::to_string(8 * bytes);
  unsigned words = bytes / 4;
  return (words == 1 ? "" : ".v" + std::to_string(words)) + ".b32";
}

} // namespace

llvm::Value *NvptxPrinter::cachePolicy(const std::string &priority) {
  InlinePtx ptx(b);
  std::string policy = ptx.output(b.getInt64Ty());
  return ptx.emit("createpolicy.fractional.L2::" + priority + ".b64 " + policy + ", 1.0;", InlinePtx::Pure).front();
}

NvptxPrinter::Eviction NvptxPrinter::addEviction(InlinePtx &ptx, const llvmir::GlobalAccess &access) {
  std::string priority = priorityOf(access);
  if (priority.empty())
    return {};
  if (version_.number < 80)
    return {".L1::" + priority, ""};
  return {".L1::" + priority + ".L2::cache_hint", ", " + ptx.input(cachePolicy(priority))};
}

Values NvptxPrinter::loadGlobal(const llvmir::GlobalAccess &access, llvm::ArrayRef<llvm::Value *> other) {
  unsigned words = std::max(access.bytes / 4, 1u);
  llvm::Type *word = access.bytes >= 4 ? b.getInt32Ty() : b.getInt16Ty();
  InlinePtx ptx(b);
  for (unsigned i = 0; i < words; ++i)
    ptx.output(word);
  std::string address = ptx.input(access.address);
  std::string text = access.mask ? "@" + ptx.input(access.mask) + " " : "";
  Eviction eviction = addEviction(ptx, access);
  if (access.mask && !other.empty())
    for (unsigned i = 0; i < words; ++i)
      ptx.tie(i, b.CreateZExt(other[i], word));
  text += std::string(access.isVolatile ? "ld.volatile.global" : "ld.global") +
          (access.isVolatile ? "" : cacheOf(access.cache)) + eviction.qualifiers + widthOf(access.bytes) + " " +
          operandList(0, words) + ", [" + address + "]" + eviction.operand + ";";
  Values loaded = ptx.emit(text, InlinePtx::Effect);
  if (access.bytes == 1)
    loaded.front() = b.CreateTrunc(loaded.front(), b.getInt8Ty());
  return loaded;
}

void NvptxPrinter::storeGlobal(const llvmir::GlobalAccess &access, llvm::ArrayRef<llvm::Value *> value) {
  InlinePtx ptx(b);
  std::string address = ptx.input(access.address);
  std::string text = access.mask ? "@" + ptx.input(access.mask) + " " : "";
  unsigned first = access.mask ? 2 : 1;
  for (llvm::Value *word : value)
    ptx.input(access.bytes == 1 ? b.CreateZExt(word, b.getInt16Ty()) : word);
  Eviction eviction = addEviction(ptx, access);
  text += std::string("st.global") + cacheOf(access.cache) + eviction.qualifiers + widthOf(access.bytes) + " [" +
          address + "], " + operandList(first, unsigned(value.size())) + eviction.operand + ";";
  ptx.emit(text, InlinePtx::Effect);
}

} // namespace tegula::cuda
