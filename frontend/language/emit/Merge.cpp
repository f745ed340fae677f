#include "frontend/language/emit/Merge.h"

#include <cstring>

namespace tegula::lang {

void forEachLeaf(Value &value, const std::function<void(mlir::Value &)> &visit) {
  auto tensor = [&](Tensor &t) {
    t.known.reset();
    visit(t.value);
  };
  auto tensors = [&](std::vector<Tensor> &all) {
    for (Tensor &t : all)
      tensor(t);
  };
  if (auto *t = value.as<Tensor>()) {
    tensor(*t);
  } else if (auto *tuple = value.as<Tuple>()) {
    for (size_t i = 0; i < tuple->elements.size(); ++i)
      if (!tuple->isConstantField(i))
        forEachLeaf(tuple->elements[i], visit);
  } else if (auto *descriptor = value.as<Descriptor>()) {
    visit(descriptor->value);
    tensors(descriptor->shape);
    tensors(descriptor->strides);
  } else if (auto *pointer = value.as<BlockPointer>()) {
    tensor(pointer->base);
    tensors(pointer->shape);
    tensors(pointer->strides);
    tensors(pointer->offsets);
  }
}

namespace {

bool identicalTensors(const std::vector<Tensor> &a, const std::vector<Tensor> &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].value != b[i].value)
      return false;
  return true;
}

bool identicalConstants(const Const &a, const Const &b) {
  if (a.value.index() != b.value.index())
    return false;
  if (auto *x = std::get_if<double>(&a.value)) // compared by bits: 0.0 differs from -0.0, a NaN equals itself
    return std::memcmp(x, &std::get<double>(b.value), sizeof(double)) == 0;
  if (auto *x = std::get_if<bool>(&a.value))
    return *x == std::get<bool>(b.value);
  if (auto *x = std::get_if<Int>(&a.value))
    return *x == std::get<Int>(b.value);
  if (auto *x = std::get_if<std::string>(&a.value))
    return *x == std::get<std::string>(b.value);
  if (auto *x = std::get_if<TypeValue>(&a.value))
    return *x == std::get<TypeValue>(b.value);
  return true;
}

} // namespace

bool identical(const Value &a, const Value &b) {
  if (a.v.index() != b.v.index())
    return false;
  if (auto *x = a.as<Const>())
    return identicalConstants(*x, *b.as<Const>());
  if (auto *x = a.as<Tensor>()) // one SSA value may have two types that differ in sign
    return x->value == b.as<Tensor>()->value && x->type == b.as<Tensor>()->type;
  if (auto *x = a.as<Tuple>()) {
    auto *y = b.as<Tuple>();
    if (x->elements.size() != y->elements.size() || x->aggregate != y->aggregate)
      return false;
    for (size_t i = 0; i < x->elements.size(); ++i)
      if (!identical(x->elements[i], y->elements[i]))
        return false;
    return true;
  }
  if (auto *x = a.as<Descriptor>())
    return x->value == b.as<Descriptor>()->value;
  if (auto *x = a.as<BlockPointer>()) {
    auto *y = b.as<BlockPointer>();
    return x->base.value == y->base.value && x->block == y->block && x->order == y->order &&
           identicalTensors(x->shape, y->shape) && identicalTensors(x->strides, y->strides) &&
           identicalTensors(x->offsets, y->offsets);
  }
  if (auto *x = a.as<FunctionValue>())
    return x->function == b.as<FunctionValue>()->function && x->self == b.as<FunctionValue>()->self;
  if (auto *x = a.as<ClassValue>())
    return x->aggregate == b.as<ClassValue>()->aggregate;
  if (auto *x = a.as<BuiltinValue>())
    return x->builtin == b.as<BuiltinValue>()->builtin && x->self == b.as<BuiltinValue>()->self;
  if (auto *x = a.as<Namespace>())
    return x->path == b.as<Namespace>()->path;
  if (auto *x = a.as<std::shared_ptr<RangeValue>>())
    return *x == *b.as<std::shared_ptr<RangeValue>>();
  if (a.as<Unusable>()) // neither has a value, whatever the reasons
    return true;
  return false;
}

void makeRuntime(Emitter &emitter, Loc loc, Value &value) {
  if (auto *c = value.as<Const>(); c && c->isNumber()) {
    value = emitter.tensor(loc, value);
  } else if (auto *tuple = value.as<Tuple>()) {
    for (size_t i = 0; i < tuple->elements.size(); ++i)
      if (!tuple->isConstantField(i))
        makeRuntime(emitter, loc, tuple->elements[i]);
  }
}

namespace {

/// Converts the joint's value to a scalar of `type`, if it is a constant or a variable with a known constant.
bool constantAs(Emitter &emitter, Loc loc, Joint joint, ElementType type) {
  std::optional<Const> c;
  if (auto *direct = joint.value.as<Const>())
    c = *direct;
  else if (auto *t = joint.value.as<Tensor>())
    c = t->known;
  if (!c || !c->isNumber() || type.isPointer() || (type.isInteger() && std::holds_alternative<double>(c->value)))
    return false;
  // Only if the conversion keeps the value.
  auto *integer = std::get_if<Int>(&c->value);
  if (integer && type.isBool())
    return false;
  if (integer && type.isInteger() && !holds(type, *integer))
    return false;
  mlir::OpBuilder::InsertionGuard guard(emitter.builder);
  emitter.builder.restoreInsertionPoint(joint.end);
  joint.value = emitter.scalarConstant(loc, *c, type);
  return true;
}

bool unifyTensors(Emitter &emitter, Loc loc, Joint a, Joint b) {
  auto *x = a.value.as<Tensor>(), *y = b.value.as<Tensor>();
  auto agree = [&] { return x && y && x->type == y->type && x->shape == y->shape; };
  if (agree())
    return true;
  // A constant takes the other side's type; two constants take their promoted type.
  bool xIsScalar = !x || x->shape.empty(), yIsScalar = !y || y->shape.empty();
  if (!xIsScalar || !yIsScalar)
    return false;
  if (!x && !y) {
    Tensor p = emitter.tensor(loc, a.value), q = emitter.tensor(loc, b.value);
    ElementType type = emitter.promotedType(loc, p.type, true, q.type, true, false);
    return constantAs(emitter, loc, a, type) && constantAs(emitter, loc, b, type);
  }
  if (y && (!x || x->known) && constantAs(emitter, loc, a, y->type))
    return true;
  return x && (!y || y->known) && constantAs(emitter, loc, b, x->type);
}

} // namespace

Value unify(Emitter &emitter, Loc loc, Joint a, Joint b, const Complaint &complain) {
  if (identical(a.value, b.value))
    return a.value;
  auto *leftTuple = a.value.as<Tuple>();
  auto *rightTuple = b.value.as<Tuple>();
  if (leftTuple && rightTuple && leftTuple->elements.size() == rightTuple->elements.size() &&
      leftTuple->aggregate == rightTuple->aggregate) {
    Tuple result = *leftTuple;
    for (size_t i = 0; i < result.elements.size(); ++i) {
      Value &left = leftTuple->elements[i], &right = rightTuple->elements[i];
      auto describe = [i](const Value &tuple, const Value &field) {
        return tuple.describe() + " whose " + tuple.as<Tuple>()->names[i] + " is " + field.describe();
      };
      if (leftTuple->isConstantField(i) && !identical(left, right))
        emitter.fail(loc, complain(describe(a.value, left), describe(b.value, right)) +
                              "; a tl.constexpr field is part of an instance's type");
      result.elements[i] = unify(emitter, loc, {left, a.end}, {right, b.end}, complain);
    }
    return result;
  }
  auto isNumber = [](const Value &v) {
    auto *c = v.as<Const>();
    return v.as<Tensor>() || (c && c->isNumber());
  };
  if (isNumber(a.value) && isNumber(b.value) && unifyTensors(emitter, loc, a, b))
    return a.value;
  auto *leftDesc = a.value.as<Descriptor>(), *rightDesc = b.value.as<Descriptor>();
  if (leftDesc && rightDesc && leftDesc->value.getType() == rightDesc->value.getType() &&
      leftDesc->type == rightDesc->type && leftDesc->shape.size() == rightDesc->shape.size())
    return a.value;
  auto *leftPointer = a.value.as<BlockPointer>(), *rightPointer = b.value.as<BlockPointer>();
  if (leftPointer && rightPointer && leftPointer->block == rightPointer->block &&
      leftPointer->order == rightPointer->order && leftPointer->base.type == rightPointer->base.type)
    return a.value;
  emitter.fail(loc, complain(a.value.describe(), b.value.describe()) +
                        "; make the types and shapes agree, for example with .to()");
}

} // namespace tegula::lang
