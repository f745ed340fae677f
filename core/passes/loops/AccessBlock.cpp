#include "core/passes/loops/AccessBlock.h"

#include "core/ir/simt/Simt.h"
#include "core/ir/tile/ConditionsAttr.h"
#include "core/ir/tile/DerivedTensorAttr.h"
#include "core/passes/Explain.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/analysis/DeadElements.h"
#include "core/passes/analysis/ProgramSigns.h"
#include "core/passes/loops/TileCopies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace tegula::tile {
namespace {

using Term = Polynomial::Term;

/// Finds, axis by axis, the tensor in memory whose block the access reads or writes. The start of the access' pointers
/// is a sum of terms. For each axis of the access, the terms that are the block's position along this axis are removed
/// from the sum. The terms that remain become outer axes of the tensor, along which the block has one element.
class BlockFinder {
public:
  /// `type`, `pointers` and `mask`: those of the access. `loaded`: the result of a load; null for a store, which writes
  /// every element whose mask is true.
  BlockFinder(RankedTensorType type, Value pointers, Value mask, Value loaded, Polynomials &scalars)
      : type_(type), pointers_(pointers), mask_(mask), loaded_(loaded), scalars_(scalars), forms_(scalars) {}

  std::optional<AccessBlock> find() {
    ArrayRef<int64_t> shape = type_.getShape();
    if (shape.size() != 2)
      return fails("it is no matrix");
    unsigned before = forms_.wideReads();
    std::optional<BlockForms::Pointers> pointers = forms_.ofPointers(pointers_);
    if (!pointers)
      return fails("its addresses are not a base and steps along its axes");
    pointersAreWide_ = forms_.wideReads() > before;
    const BlockForm &form = pointers->offsets;
    if (!form.start.isValid() || !form.steps[0].isValid() || !form.steps[1].isValid())
      return fails("its addresses have too many terms");
    for (unsigned axis : {1u, 0u})
      if (form.steps[axis].isOne() && !line_)
        line_ = axis;
    if (!line_)
      return fails("its elements do not lie side by side along an axis");
    rest_ = form.start;
    for (unsigned axis : {0u, 1u})
      steps_.push_back(form.steps[axis]);
    block_.tensor.pointer = pointers->base.getArgNumber();
    block_.isTransposed = *line_ == 0;
    if (!takeBounds() || !takeAxis(1 - *line_) || !takeAxis(*line_) || !takeOuterAxes())
      return std::nullopt;
    block_.tensor.isNarrow = forms_.isNarrow();
    if (!takeFitting())
      return std::nullopt;
    // The axes were found in this order: across the lines, along the lines, outer axes. The tensor has the outer axes
    // first.
    auto toFront = [](auto &list) { std::rotate(list.begin(), list.begin() + 2, list.end()); };
    block_.extents = {shape[1 - *line_], shape[*line_]};
    block_.extents.append(block_.positions.size() - 2, 1);
    toFront(block_.extents);
    toFront(block_.positions);
    toFront(block_.tensor.axes);
    for (const DerivedTensor::Axis &axis : llvm::drop_end(block_.tensor.axes))
      if (axis.stride.params.empty() && axis.stride.factor * elementBytes() % kTileAlignment != 0)
        return fails("a distance between its lines, or between its blocks, is no multiple of 16 bytes");
    return std::move(block_);
  }

  std::string obstacle;

private:
  int64_t elementBytes() const { return simt::elementBytes(type_.getElementType()); }

  // fails and isFailure record in `obstacle` why no tensor was found. They return what their callers return in this
  // case: nothing, or false.
  std::nullopt_t fails(const char *why) {
    obstacle = why;
    return std::nullopt;
  }
  bool isFailure(const char *why) {
    obstacle = why;
    return false;
  }

  /// The number of the kernel's parameter that the atom is; nothing if the atom is no parameter.
  std::optional<uint32_t> paramOf(unsigned atom) const {
    auto argument = dyn_cast<BlockArgument>(scalars_.atom(atom).value);
    if (scalars_.atom(atom).isRemainder() || !argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      return std::nullopt;
    return argument.getArgNumber();
  }
  bool isParam(unsigned atom) const { return paramOf(atom).has_value(); }

  std::optional<ArgumentProduct> productOf(const Term &term) const {
    ArgumentProduct product{term.factor, {}};
    for (unsigned atom : term.atoms) {
      if (!isParam(atom))
        return std::nullopt;
      product.params.push_back(*paramOf(atom));
    }
    return product;
  }

  std::optional<ArgumentProduct> onlyProduct(const Polynomial &sum) const {
    return sum.terms().size() == 1 ? productOf(sum.terms()[0]) : std::nullopt;
  }

  bool takeBounds() {
    if (!mask_)
      return true;
    unsigned before = forms_.wideReads();
    std::optional<SmallVector<BlockBound>> bounds = forms_.boundsOf(mask_);
    limitsAreWide_ = forms_.wideReads() > before;
    if (!bounds)
      return isFailure("its mask is not made of upper limits along its axes");
    for (BlockBound &bound : *bounds) {
      std::optional<Polynomial> &limit = limits_[bound.axis];
      if (limit && !(*limit == bound.limit))
        return isFailure("its mask has two limits along an axis");
      if (!bound.limit.isValid())
        return isFailure("its mask has too many terms");
      limit = bound.limit;
    }
    return true;
  }

  /// Finds the axis of the tensor along which an axis of the load runs: its extent, its stride, and the position of the
  /// block. Removes the position's terms from the rest of the start.
  bool takeAxis(unsigned axis) {
    DerivedTensor::Axis made;
    ArrayRef<Term> step = steps_[axis].terms();
    std::optional<ArgumentProduct> stride = step.size() == 1 ? productOf(step[0]) : std::nullopt;
    if (!stride)
      return isFailure("the step along an axis is no product of arguments");
    made.stride = *stride;
    bool isWrapped = !limits_[axis] && remainderOf(axis);
    std::optional<Polynomial> position = limits_[axis] ? boundedPosition(*limits_[axis], made)
                                         : isWrapped   ? wrappedPosition(axis, made)
                                                       : unlimitedPosition(axis, made);
    if (!position)
      return false;
    if (limits_[axis])
      isWide_.push_back(limitsAreWide_);
    else
      isWide_.push_back(!isWrapped && isFromWide(*position)); // a dividend has 32 bits
    rest_ = rest_ - *position * steps_[axis];
    block_.positions.push_back(std::move(*position));
    block_.tensor.axes.push_back(std::move(made));
    return true;
  }

  /// Finds the position of the block along an axis from the limit of a mask, and sets the axis' extent. The limit has
  /// the form `extent - position`: its terms that are products of arguments are the extent. Nothing if it has another
  /// form.
  std::optional<Polynomial> boundedPosition(const Polynomial &limit, DerivedTensor::Axis &made) {
    Polynomial extent, constant, position;
    for (const Term &term : limit.terms())
      if (term.atoms.empty())
        constant.add(term);
      else if (llvm::all_of(term.atoms, [&](unsigned atom) { return isParam(atom); }))
        extent.add(term);
      else
        position.add({-term.factor, term.atoms});
    if (extent.isZero()) // example: the limit 128 - i
      extent = constant;
    else // example: the limit n - i - 1
      position = position - constant;
    std::optional<ArgumentProduct> product = onlyProduct(extent);
    if (!product)
      return fails("the tensor's extent along an axis is no product of arguments");
    made.extent = *product;
    return position;
  }

  /// The atom of a remainder (start + range) % n among the terms of the pointers' start that belong to the axis, if the
  /// range has as many elements as the axis. Nothing if there is none.
  std::optional<unsigned> remainderOf(unsigned axis) {
    for (const Term &term : rest_.terms())
      if (std::optional<Term> quotient = divide(term, steps_[axis].terms()[0]);
          quotient && quotient->factor == 1 && quotient->atoms.size() == 1) {
        const Polynomials::Atom &atom = scalars_.atom(quotient->atoms[0]);
        if (atom.isRemainder() && atom.extent == type_.getShape()[axis])
          return quotient->atoms[0];
      }
    return std::nullopt;
  }
  /// The limits along `axis` from which on the elements of a load are dead (analysis/DeadElements.h). None for a store,
  /// because each element that it writes has an effect.
  SmallVector<Polynomial> deadLimits(unsigned axis) {
    return loaded_ ? deadFrom(loaded_, axis, scalars_) : SmallVector<Polynomial>();
  }

  /// The position along an axis whose rows wrap: the remainder `start % extent`. If all elements beyond the axis'
  /// extent are dead, the block may contain any elements there; the position is then `start`, without the remainder.
  std::optional<Polynomial> wrappedPosition(unsigned axis, DerivedTensor::Axis &made) {
    unsigned atom = *remainderOf(axis);
    Polynomial divisor = scalars_.of(scalars_.atom(atom).value), start = *scalars_.atom(atom).start;
    std::optional<ArgumentProduct> extent = onlyProduct(divisor);
    if (!extent)
      return fails("its rows are wrapped by something else than an argument");
    made.extent = *extent;
    if (llvm::is_contained(deadLimits(axis), divisor - start)) {
      rest_ = rest_ + (start - Polynomial::atom(atom)) * steps_[axis];
      return start;
    }
    made.multiple = scalars_.atom(atom).extent;
    return Polynomial::atom(atom);
  }

  /// The position along an axis that the load's mask does not limit; also sets the axis' extent. If the load's elements
  /// are dead from some limit on, they need not be read, and this limit takes the place of the mask's.
  std::optional<Polynomial> unlimitedPosition(unsigned axis, DerivedTensor::Axis &made) {
    for (const Polynomial &limit : deadLimits(axis)) {
      if (axis == *line_) {
        if (std::optional<Polynomial> position = boundedPosition(limit, made))
          return position;
      } else if (std::optional<ArgumentProduct> extent = onlyProduct(limit + startAlong(axis))) {
        made.extent = *extent;
        return startAlong(axis);
      }
    }
    return openPosition(axis, made);
  }

  /// The position along the lines if nothing limits the elements of a line. All blocks must then begin at the same
  /// element of a line: the last element that is read of a line is known, and is the end of the axis.
  std::optional<Polynomial> lineWithoutLimit(DerivedTensor::Axis &made) {
    int64_t first = 0;
    for (const Term &term : rest_.terms())
      if (term.atoms.empty())
        first = term.factor;
    made.extent = {first + type_.getShape()[*line_], {}};
    return Polynomial::constant(first);
  }

  /// The part of the remaining start that is a multiple of the stride of an axis across the lines.
  Polynomial startAlong(unsigned axis) {
    Polynomial start;
    for (const Term &term : rest_.terms())
      if (std::optional<Term> quotient = divide(term, steps_[axis].terms()[0]))
        start.add(*quotient);
    return start;
  }

  std::optional<Polynomial> openPosition(unsigned axis, DerivedTensor::Axis &made) {
    if (axis == *line_)
      return lineWithoutLimit(made);
    made.extent = {std::numeric_limits<int32_t>::max(), {}};
    made.isOpen = true;
    return startAlong(axis);
  }

  /// Makes outer axes of the remaining start: for each stride an axis along which the block has one element. Example: a
  /// loop in steps of 64 adds s * i for i = 0, 64, 128 ...; the axis has the stride 64 * s and the position i / 64.
  bool takeOuterAxes() {
    SmallVector<std::pair<Term, Polynomial>, 2> outer; // pairs of stride and position
    for (const Term &term : rest_.terms()) {
      Term stride{term.factor, {}}, position;
      for (unsigned atom : term.atoms)
        (isParam(atom) ? stride : position).atoms.push_back(atom);
      for (unsigned &atom : position.atoms)
        if (auto iteration = scalars_.iteration(atom); iteration && llvm::isInt<31>(stride.factor)) {
          atom = iteration->first;
          stride.factor *= iteration->second;
        }
      llvm::sort(position.atoms);
      if (position.atoms.empty())
        return isFailure("it begins at an offset of its own");
      if (stride.factor < 0)
        return isFailure("its positions and its limits do not agree");
      auto known = llvm::find_if(outer, [&](auto &each) { return each.first == stride; });
      if (known == outer.end())
        known = &outer.emplace_back(stride, Polynomial());
      known->second.add(position);
    }
    if (outer.size() + 2 > TensorShape::kMostAxes)
      return isFailure("its tensor has too many axes");
    for (auto &[stride, position] : outer) {
      block_.tensor.axes.push_back({{std::numeric_limits<int32_t>::max(), {}}, *productOf(stride), 1, true});
      block_.positions.push_back(position);
      isWide_.push_back(isFromWide(position));
    }
    return true;
  }

  /// Whether the kernel may compute this position (one that comes from addresses, not from a limit) in 64 bits: in
  /// scalars of 64 bits, or by additions to a pointer in each iteration of a loop.
  bool isFromWide(const Polynomial &position) const {
    return pointersAreWide_ || llvm::any_of(position.terms(), [&](const Term &term) {
             return llvm::any_of(term.atoms, [&](unsigned atom) {
               return isa<BlockArgument>(scalars_.atom(atom).value) && !isParam(atom);
             });
           });
  }

  /// Finds the conditions under which positions that are computed in 64 bits fit 32 bits. False if a launch cannot
  /// check them.
  bool takeFitting() {
    for (auto [position, isWide] : llvm::zip_equal(block_.positions, isWide_)) {
      bool isComputed =
          position.terms().size() > 1 ||
          (!position.isZero() && (position.terms()[0].factor != 1 || position.terms()[0].atoms.size() > 1));
      if (!isWide || !isComputed)
        continue;
      std::optional<ProgramExpression> bound = boundOf(position, scalars_);
      if (!bound)
        return isFailure("its position may have more than 32 bits");
      block_.fitting.push_back(*bound);
    }
    return true;
  }

  RankedTensorType type_;
  Value pointers_, mask_, loaded_;
  Polynomials &scalars_;
  BlockForms forms_;
  AccessBlock block_;
  std::optional<unsigned> line_;
  Polynomial rest_; // terms of the start that no axis has taken
  SmallVector<Polynomial, 2> steps_;
  std::optional<Polynomial> limits_[2];
  bool pointersAreWide_ = false, limitsAreWide_ = false; // whether computed in 64 bits, at least in part
  SmallVector<bool, 3> isWide_;                          // the same of each position
};

bool isRemainderAlone(const Polynomial &position, const DerivedTensor::Axis &axis, const Polynomials &scalars) {
  ArrayRef<Term> terms = position.terms();
  if (terms.size() != 1 || terms[0].factor != 1 || terms[0].atoms.size() != 1)
    return false;
  return scalars.atom(terms[0].atoms[0]).extent == axis.multiple && !axis.isOpen;
}

/// Returns the block that BlockFinder finds, if its positions have 32 bits, and those that wrap are remainders and
/// nothing else. Otherwise nothing, and `obstacle` says why.
std::optional<AccessBlock> find(BlockFinder finder, Polynomials &scalars, std::string &obstacle) {
  std::optional<AccessBlock> found = finder.find();
  obstacle = finder.obstacle;
  if (found && llvm::any_of(found->positions, [&](const Polynomial &position) {
        return !position.isValid() || !scalars.isNarrow(position);
      })) {
    obstacle = "its position has more than 32 bits";
    return std::nullopt;
  }
  // A position may be a remainder alone. If it is a remainder plus other terms, the wrap may lie inside a block.
  for (auto [axis, position] : llvm::enumerate(found ? ArrayRef(found->positions) : ArrayRef<Polynomial>()))
    if (scalars.hasRemainder(position) && !isRemainderAlone(position, found->tensor.axes[axis], scalars)) {
      obstacle = "its rows are wrapped in another way";
      return std::nullopt;
    }
  return found;
}

} // namespace

std::optional<AccessBlock> blockOf(LoadOp load, Polynomials &scalars, std::string &obstacle) {
  obstacle = "";
  if (load.getIsVolatile() || load.getCache() != CacheModifier::None)
    obstacle = "it is volatile or names a cache";
  else if (load.getOther() && !matchPattern(load.getOther(), m_AnyZeroFloat()) &&
           !matchPattern(load.getOther(), m_Zero()))
    obstacle = "elements that are masked off are not 0";
  if (!obstacle.empty())
    return std::nullopt;
  return find({cast<RankedTensorType>(load.getType()), load.getPtr(), load.getMask(), load.getResult(), scalars},
              scalars, obstacle);
}

std::optional<AccessBlock> blockOf(StoreOp store, Polynomials &scalars, std::string &obstacle) {
  if (store.getCache() != CacheModifier::None || store.getEviction() != EvictionPolicy::Normal) {
    obstacle = "it names a cache or an eviction policy";
    return std::nullopt;
  }
  auto found =
      find({cast<RankedTensorType>(store.getValue().getType()), store.getPtr(), store.getMask(), Value(), scalars},
           scalars, obstacle);
  if (found && llvm::any_of(found->positions, [&](const Polynomial &each) { return scalars.hasRemainder(each); })) {
    obstacle = "its rows are wrapped";
    return std::nullopt;
  }
  return found;
}

bool placeBlock(OpBuilder &builder, func::FuncOp function, Location location, AccessBlock &block, Polynomials &scalars,
                SmallVectorImpl<Value> &position) {
  for (const Polynomial &each : block.positions)
    position.push_back(scalars.emit(builder, location, each));
  SignConditions conditions = nonNegativeIf(function, {ArrayRef<Value>(position)}).front();
  block.positive = conditions.value_or(std::vector<ProgramExpression>());
  return conditions.has_value();
}

bool isKnownAligned(func::FuncOp function, const AccessBlock &block, Type element) {
  AxisAnalysis axes(function);
  int64_t bytes = simt::elementBytes(element);
  auto pointer = function.getArgAttrOfType<IntegerAttr>(block.tensor.pointer, kDivisibilityAttr);
  return pointer && pointer.getInt() % kTileAlignment == 0 &&
         llvm::all_of(llvm::drop_end(block.tensor.axes), [&](const DerivedTensor::Axis &axis) {
           int64_t known = axis.stride.factor * bytes;
           for (uint32_t param : axis.stride.params)
             known *= std::min<int64_t>(axes.of(function.getArgument(param)).divisor(), kTileAlignment);
           return known % kTileAlignment == 0;
         });
}

BlockArgument addDescriptor(func::FuncOp function, const AccessBlock &block, Type element, Location location) {
  unsigned number = function.getNumArguments();
  Builder builder(function.getContext());
  auto name = function.getArgAttrOfType<StringAttr>(block.tensor.pointer, kNameAttr);
  NamedAttrList attributes;
  attributes.append(kNameAttr, builder.getStringAttr((name ? name.getValue() : "argument") + Twine(" (derived)")));
  (void)function.insertArgument(number, DescType::get(block.extents, element),
                                attributes.getDictionary(builder.getContext()), location);
  return function.getArgument(number);
}

void deriveTensor(func::FuncOp function, BlockArgument descriptor, const AccessBlock &block) {
  function.setArgAttr(descriptor.getArgNumber(), kTensorAttr, toAttribute(function.getContext(), block.tensor));
  addConditions(function, block.positive);
  addConditions(function, block.fitting);
}

void explainCopy(Location location, const std::string &obstacle, StringRef more) {
  InFlightDiagnostic remark = explain(location, "copies");
  if (obstacle.empty())
    remark << "by hardware" << more;
  else
    remark << "not by hardware: " << obstacle;
}

} // namespace tegula::tile
