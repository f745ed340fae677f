// Values at the joints of control flow: what two branches give, what a loop carries.
#pragma once

#include "frontend/language/Emitter.h"

namespace tegula::lang {

/// Calls `visit` on every run-time value inside `value`, in a fixed order. What was known of a tensor is forgotten: a
/// joint may bring another one.
void forEachLeaf(Value &value, const std::function<void(mlir::Value &)> &visit);

/// Whether two values are the same now: equal constants, the same SSA values.
bool identical(const Value &a, const Value &b);

/// Bare numbers inside become tensors, so that they can change at run time.
void makeRuntime(Emitter &emitter, Loc loc, Value &value);

/// Brings `a` and `b` to one form: constants take the other side's type, tensors must agree in type and shape.
/// Conversions are emitted at the side's insertion point. Returns the form; its leaves are `a`'s. Where the two do not
/// agree, `complain` makes the message of their descriptions.
struct Joint {
  Value &value;
  mlir::OpBuilder::InsertPoint end;
};
using Complaint = std::function<std::string(const std::string &a, const std::string &b)>;
Value unify(Emitter &emitter, Loc loc, Joint a, Joint b, const Complaint &complain);

} // namespace tegula::lang
