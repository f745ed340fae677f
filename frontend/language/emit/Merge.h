// Values where control flow joins: the results of two branches, the values that a loop carries.
#pragma once

#include "frontend/language/emit/Emitter.h"

namespace tegula::lang {

/// Calls `visit` on every run-time value inside `value`, in a fixed order, and drops known constants of tensors, which
/// may differ after the joint.
void forEachLeaf(Value &value, const std::function<void(mlir::Value &)> &visit);

/// Whether two values are identical at compile time: equal constants or the same SSA values.
bool identical(const Value &a, const Value &b);

/// Turns numbers inside `value` into tensors, which can change at run time.
void makeRuntime(Emitter &emitter, Loc loc, Value &value);

/// A value at the end of one side of a joint, and the insertion point there for conversions.
struct Joint {
  Value &value;
  mlir::OpBuilder::InsertPoint end;
};
using Complaint = std::function<std::string(const std::string &a, const std::string &b)>;
/// Brings `a` and `b` to one form: constants take the other side's type, tensors must agree in type and shape. Returns
/// the form with `a`'s leaves. On disagreement throws the message that `complain` makes of both descriptions.
Value unify(Emitter &emitter, Loc loc, Joint a, Joint b, const Complaint &complain);

} // namespace tegula::lang
