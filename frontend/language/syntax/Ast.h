// The syntax tree of the part of Python that Triton kernels are written in. Plain data: the parser makes it, the
// emitter and `--emit=ast` read it. Nothing about types, values or MLIR may enter here.
#pragma once

#include "core/support/Diagnostic.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tegula::lang {

/// Position of a node's first character; lines and columns count from 1.
struct Loc {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// A source text and its path; gives single lines for messages. Owned by the Module.
struct SourceFile {
  std::string path;
  std::string text;
  /// Line `line` (from 1) without its end; empty past the last.
  std::string_view line(uint32_t line) const;
};

/// Integers of constant folding; a result beyond 127 bits is a located message.
using Int = __int128;

// clang-format off
enum class ExprKind : uint8_t {
  Name, Constant, Tuple, List, Dict, Unary, Binary, BoolOp, Compare, Call, Attribute, Subscript, Slice, IfExp, Lambda,
  Starred, FormatString, Comprehension, Opaque,
};
// clang-format on

/// The maximum height of a tree, so that walkers may recurse.
inline constexpr unsigned kMaxExprHeight = 1000;

struct Expr {
  ExprKind kind;
  uint16_t height = 1; // levels of the tree below and including this node; at most kMaxExprHeight
  Loc loc;
  virtual ~Expr() = default;

protected:
  Expr(ExprKind kind, Loc loc) : kind(kind), loc(loc) {}
};
using ExprPtr = std::unique_ptr<Expr>;

/// Checked downcast: `as<NameExpr>(e)` is null where `e` is of another kind or null itself.
template <class T> const T *as(const Expr *e) { return e && e->kind == T::kKind ? static_cast<const T *>(e) : nullptr; }
template <class T> const T *as(const ExprPtr &e) { return as<T>(e.get()); }

struct NameExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Name;
  NameExpr(Loc loc, std::string id) : Expr(kKind, loc), id(std::move(id)) {}
  std::string id;
};

struct NoneLiteral {};
struct EllipsisLiteral {};
/// Adjacent string literals are joined by the parser; byte strings are strings.
using Literal = std::variant<NoneLiteral, EllipsisLiteral, bool, Int, double, std::string>;

struct ConstantExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Constant;
  ConstantExpr(Loc loc, Literal value) : Expr(kKind, loc), value(std::move(value)) {}
  Literal value;
};

struct TupleExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Tuple;
  TupleExpr(Loc loc, std::vector<ExprPtr> elements) : Expr(kKind, loc), elements(std::move(elements)) {}
  std::vector<ExprPtr> elements;
};

struct ListExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::List;
  ListExpr(Loc loc, std::vector<ExprPtr> elements) : Expr(kKind, loc), elements(std::move(elements)) {}
  std::vector<ExprPtr> elements;
};

struct DictExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Dict;
  explicit DictExpr(Loc loc) : Expr(kKind, loc) {}
  std::vector<std::pair<ExprPtr, ExprPtr>> items; // the key is null for **mapping, which only host code may have
};

enum class UnaryOp : uint8_t { Plus, Minus, Invert, Not };

struct UnaryExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Unary;
  UnaryExpr(Loc loc, UnaryOp op, ExprPtr operand) : Expr(kKind, loc), op(op), operand(std::move(operand)) {}
  UnaryOp op;
  ExprPtr operand;
};

enum class BinaryOp : uint8_t { Add, Sub, Mul, Div, FloorDiv, Mod, Pow, MatMul, And, Or, Xor, Shl, Shr };

/// `loc` is the left operand's; `opLoc` the operator's.
struct BinaryExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Binary;
  BinaryExpr(Loc loc, Loc opLoc, BinaryOp op, ExprPtr lhs, ExprPtr rhs)
      : Expr(kKind, loc), opLoc(opLoc), op(op), lhs(std::move(lhs)), rhs(std::move(rhs)) {}
  Loc opLoc;
  BinaryOp op;
  ExprPtr lhs, rhs;
};

/// `a and b and c`, `a or b`.
struct BoolExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::BoolOp;
  BoolExpr(Loc loc, bool isAnd, std::vector<ExprPtr> operands)
      : Expr(kKind, loc), isAnd(isAnd), operands(std::move(operands)) {}
  bool isAnd;
  std::vector<ExprPtr> operands;
};

enum class CompareOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };

/// `a < b <= c` has operands a, b, c and operators <, <=.
struct CompareExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Compare;
  CompareExpr(Loc loc, std::vector<ExprPtr> operands, std::vector<CompareOp> ops, std::vector<Loc> opLocs)
      : Expr(kKind, loc), operands(std::move(operands)), ops(std::move(ops)), opLocs(std::move(opLocs)) {}
  std::vector<ExprPtr> operands;
  std::vector<CompareOp> ops;
  std::vector<Loc> opLocs;
};

struct Keyword {
  Loc loc;
  std::string name; // empty for **mapping
  ExprPtr value;
};

struct CallExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Call;
  explicit CallExpr(Loc loc) : Expr(kKind, loc) {}
  ExprPtr callee;
  std::vector<ExprPtr> args; // may hold Starred
  std::vector<Keyword> keywords;
};

/// `loc` is the base's; `nameLoc` that of the attribute's name after the dot.
struct AttributeExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Attribute;
  AttributeExpr(Loc loc, ExprPtr base, std::string name, Loc nameLoc)
      : Expr(kKind, loc), base(std::move(base)), name(std::move(name)), nameLoc(nameLoc) {}
  ExprPtr base;
  std::string name;
  Loc nameLoc;
};

/// `x[i]`; `x[:, None]` has a Tuple index.
struct SubscriptExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Subscript;
  SubscriptExpr(Loc loc, ExprPtr base, ExprPtr index)
      : Expr(kKind, loc), base(std::move(base)), index(std::move(index)) {}
  ExprPtr base, index;
};

/// `lower:upper:step` inside a subscript; any part may be null.
struct SliceExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Slice;
  explicit SliceExpr(Loc loc) : Expr(kKind, loc) {}
  ExprPtr lower, upper, step;
};

/// `value if condition else other`.
struct IfExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::IfExp;
  IfExpr(Loc loc, ExprPtr condition, ExprPtr value, ExprPtr other)
      : Expr(kKind, loc), condition(std::move(condition)), value(std::move(value)), other(std::move(other)) {}
  ExprPtr condition, value, other;
};

struct LambdaExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Lambda;
  explicit LambdaExpr(Loc loc) : Expr(kKind, loc) {}
  std::vector<std::string> params;
  ExprPtr body;
};

struct StarredExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Starred;
  StarredExpr(Loc loc, ExprPtr value) : Expr(kKind, loc), value(std::move(value)) {}
  ExprPtr value;
};

/// f"..{value}..": literal pieces and expressions alternate; format specifications are kept as text.
struct FormatStringExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::FormatString;
  explicit FormatStringExpr(Loc loc) : Expr(kKind, loc) {}
  struct Piece {
    std::string text; // literal text; used where `value` is null
    ExprPtr value;
    std::string format;  // the text after ':' in the braces
    char conversion = 0; // 'r', 's' or 'a' after '!'; 0 without
  };
  std::vector<Piece> pieces;
};

/// `[element for target in iterable if condition ...]`, in brackets, braces or parentheses. Kernels may have lists of
/// constants in this form; the others stand in host code only.
struct ComprehensionExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Comprehension;
  enum class Form : uint8_t { List, Dict, Generator };
  ComprehensionExpr(Loc loc, Form form) : Expr(kKind, loc), form(form) {}
  struct Clause {
    ExprPtr target, iterable;
    std::vector<ExprPtr> conditions;
  };
  Form form;
  ExprPtr key;     // of a dictionary; otherwise null
  ExprPtr element; // or a dictionary's value
  std::vector<Clause> clauses;
};

/// An expression of host code for which the kernel language has no node (a set, `await`, ...). It
/// occurs only in code that Python evaluates outside of kernels: decorators, defaults, annotations, constexpr_function
/// bodies. An error is reported only if its value is needed.
struct OpaqueExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Opaque;
  OpaqueExpr(Loc loc, std::string what) : Expr(kKind, loc), what(std::move(what)) {}
  std::string what; // "set", "await expression", ...
};

/// Calls `visit` for each direct subexpression of `e`, in source order; absent parts are skipped.
void forEachChild(const Expr &e, const std::function<void(const Expr &)> &visit);

/// Decimal digits, with '-' where negative.
std::string toString(Int value);

// clang-format off
enum class StmtKind : uint8_t {
  Function, Return, Assign, AugAssign, AnnAssign, For, While, If, Expression, Assert, Pass, Break, Continue, Import,
  Class, Try, With, HostBlock, Opaque,
};
// clang-format on

struct Stmt {
  StmtKind kind;
  Loc loc;
  virtual ~Stmt() = default;

protected:
  Stmt(StmtKind kind, Loc loc) : kind(kind), loc(loc) {}
};
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

template <class T> const T *as(const Stmt *s) { return s && s->kind == T::kKind ? static_cast<const T *>(s) : nullptr; }
template <class T> const T *as(const StmtPtr &s) { return as<T>(s.get()); }

struct Param {
  Loc loc;
  std::string name;
  ExprPtr annotation;      // may be null
  ExprPtr defaultValue;    // may be null
  bool isVariadic = false; // *args
  bool isKeywordOnly = false;
};

/// A `def`. A module-level function is parsed completely if a decorator names `jit`, `constexpr_function`, `constexpr`,
/// `extern` or `builtin`, or if it is a method of an `aggregate` class; any other one becomes Opaque.
struct FunctionStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Function;
  explicit FunctionStmt(Loc loc) : Stmt(kKind, loc) {}
  std::string name;
  std::string keywordRest; // of host code: K of `**K`; empty without
  Loc nameLoc;
  std::vector<ExprPtr> decorators; // outermost first, without '@'
  std::vector<Param> params;
  ExprPtr returns; // annotation, may be null
  std::string docstring;
  Block body;             // without the docstring
  std::string sourceText; // from the first decorator to the last line; enters the kernel's cache key
};

struct ReturnStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Return;
  ReturnStmt(Loc loc, ExprPtr value) : Stmt(kKind, loc), value(std::move(value)) {}
  ExprPtr value; // may be null
};

/// `a = b = value`: two targets.
struct AssignStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Assign;
  explicit AssignStmt(Loc loc) : Stmt(kKind, loc) {}
  std::vector<ExprPtr> targets;
  ExprPtr value;
};

struct AugAssignStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::AugAssign;
  explicit AugAssignStmt(Loc loc) : Stmt(kKind, loc) {}
  ExprPtr target, value;
  BinaryOp op = BinaryOp::Add;
  Loc opLoc;
};

struct AnnAssignStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::AnnAssign;
  explicit AnnAssignStmt(Loc loc) : Stmt(kKind, loc) {}
  ExprPtr target, annotation, value; // value may be null
};

struct ForStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::For;
  explicit ForStmt(Loc loc) : Stmt(kKind, loc) {}
  ExprPtr target, iterable;
  Block body, orelse;
};

struct WhileStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::While;
  explicit WhileStmt(Loc loc) : Stmt(kKind, loc) {}
  ExprPtr condition;
  Block body, orelse;
};

/// An `elif` is an If in `orelse`. At module level the condition is host code and may hold OpaqueExprs.
struct IfStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::If;
  explicit IfStmt(Loc loc) : Stmt(kKind, loc) {}
  ExprPtr condition;
  Block body, orelse;
};

struct ExpressionStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Expression;
  ExpressionStmt(Loc loc, ExprPtr value) : Stmt(kKind, loc), value(std::move(value)) {}
  ExprPtr value;
};

struct AssertStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Assert;
  AssertStmt(Loc loc, ExprPtr condition, ExprPtr message)
      : Stmt(kKind, loc), condition(std::move(condition)), message(std::move(message)) {}
  ExprPtr condition, message; // message may be null
};

struct PassStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Pass;
  explicit PassStmt(Loc loc) : Stmt(kKind, loc) {}
};
struct BreakStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Break;
  explicit BreakStmt(Loc loc) : Stmt(kKind, loc) {}
};
struct ContinueStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Continue;
  explicit ContinueStmt(Loc loc) : Stmt(kKind, loc) {}
};

/// `import a.b as c` has {module "a.b", name "", alias "c"}; `from m import n as k` has {"m", "n", "k"}.
/// Without `as`: alias is the bound name (`a` for `import a.b`).
struct ImportStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Import;
  explicit ImportStmt(Loc loc) : Stmt(kKind, loc) {}
  struct Item {
    std::string module, name, alias;
  };
  std::vector<Item> items;
};

/// A class decorated with `aggregate`; any other class is Opaque until host code that uses it is evaluated.
struct ClassStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Class;
  explicit ClassStmt(Loc loc) : Stmt(kKind, loc) {}
  std::string name, base;     // base: the only base class where it is a plain name; otherwise empty
  bool hasOtherBases = false; // base classes that are no plain name, or several
  std::vector<ExprPtr> decorators;
  Block body;
};

/// A `try` of the module level or of a host function. `finally` holds what runs in any case.
struct TryStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Try;
  explicit TryStmt(Loc loc) : Stmt(kKind, loc) {}
  Block body;
  std::vector<Block> handlers; // of the `except` clauses, in order
  /// Of a host function: the exceptions that each handler catches, in the order of `handlers`, by the last part of
  /// their names (`Error` for `errors.Error`). An empty list is a bare `except`, which catches all.
  std::vector<std::vector<std::string>> caught;
  Block orelse, finally;
};

/// `with open(path) as file, lock:` of a host function; it ends without an effect of its own.
struct WithStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::With;
  explicit WithStmt(Loc loc) : Stmt(kKind, loc) {}
  struct Item {
    ExprPtr context, target; // target: null without `as`
  };
  std::vector<Item> items;
  Block body;
};

/// `with`, `for` or `while` of the module level: host code, kept because what its body defines belongs to the module.
struct HostBlockStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::HostBlock;
  explicit HostBlockStmt(Loc loc) : Stmt(kKind, loc) {}
  std::string what;               // "with", "for" or "while"
  std::vector<std::string> names; // that the header binds
  Block body, orelse;
  StmtPtr loop; // of a `for`: the same as a statement of a host function; null where it cannot be parsed as one
};

/// Skipped host code, or a statement without a meaning in the kernel language. If the statement binds names (`def`,
/// `class`, an assignment whose value could not be parsed), they are kept, so that a kernel that uses one gets a
/// message with the reason.
struct OpaqueStmt : Stmt {
  static constexpr StmtKind kKind = StmtKind::Opaque;
  explicit OpaqueStmt(Loc loc) : Stmt(kKind, loc) {}
  std::string what; // "function", "class", "assignment", "raise", "import", "global", "del", "statement"
  std::vector<std::string> names;
  /// The error message where emission reaches the statement in a function body: a `raise` in a branch that a constexpr
  /// condition does not remove, a host statement in a constexpr_function. Empty at module level.
  std::string message;
  std::string raised;                        // of a raise in host code: the last part of the exception's name
  StmtPtr parsed;                            // at module level: the statement, where it could be parsed
  std::vector<std::string> changes;          // otherwise: the names whose objects it may change
  size_t begin = 0, end = 0;                 // of a function: its text in the file, with decorators
  std::shared_ptr<const Diagnostic> problem; // of a jit function that could not be parsed: its error
};

/// A whole file.
struct Module {
  std::shared_ptr<const SourceFile> source;
  Block body;
};

/// Calls `visit` on each function of the module in the order of the text, also on those inside of module-level blocks.
void forEachFunction(const Module &module, const std::function<void(const FunctionStmt &)> &visit);

} // namespace tegula::lang
