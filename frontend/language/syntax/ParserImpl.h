// The parser's implementation: recursive descent over tokens, with precedence climbing for binary operators. Each class
// adds a part of the grammar to its base; `ParserX.cpp` implements `XParser`. Included by the parser's files only;
// others include Parser.h.
#pragma once

#include "frontend/language/syntax/Lexer.h"
#include "frontend/language/syntax/Parser.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tegula::lang {

/// Kernel: a construct outside of the kernel language is an error. Host: it becomes an OpaqueExpr or OpaqueStmt,
/// because Python evaluates it and no kernel does (decorators, defaults, constexpr functions, module level).
enum class Mode : uint8_t { Kernel, Host };

/// Sets a variable for a scope.
template <class T> class Scoped {
public:
  Scoped(T &variable, T value) : variable_(variable), saved_(std::exchange(variable, value)) {}
  ~Scoped() { variable_ = saved_; }
  Scoped(const Scoped &) = delete;
  Scoped &operator=(const Scoped &) = delete;

private:
  T &variable_;
  T saved_;
};

class Cursor;
using Texts = std::initializer_list<std::string_view>;

/// Access to tokens, and messages.
class TokenParser {
public:
  /// The tokens end in End; `depth` levels of nesting enclose them.
  TokenParser(const SourceFile &source, std::vector<Token> tokens, Mode mode, unsigned depth = 0)
      : source_(source), tokens_(std::move(tokens)), mode_(mode), depth_(depth) {}

protected:
  const Token &peek(size_t ahead = 0) const;
  const Token &previous() const { return tokens_[next_ ? next_ - 1 : 0]; }
  const Token &take();
  TokenKind kind() const { return peek().kind; }
  Loc loc() const { return peek().loc; }
  bool isHost() const { return mode_ == Mode::Host; }

  /// Whether the current token is the operator or keyword `text`.
  bool at(std::string_view text) const { return isSpelled(peek(), text); }
  bool atAny(Texts texts) const;
  bool accept(std::string_view text);
  /// Takes `text`, or fails with `expected "text" <context>, found ...`.
  const Token &expect(std::string_view text, const std::string &context);
  /// Takes a name, or fails with `expected <what>, found ...`.
  const Token &expectName(const std::string &what);
  static bool isSpelled(const Token &token, std::string_view text);
  static bool opensBracket(const Token &token);
  static bool closesBracket(const Token &token);

  [[noreturn]] void fail(Loc loc, std::string message) const;
  /// Fails with a note at a second position.
  [[noreturn]] void fail(Loc loc, std::string message, Loc noteLoc, std::string note) const;
  /// Fails with `expected <what>, found ...` at the current token (at a line end, behind the previous token).
  [[noreturn]] void failExpected(const std::string &what) const;
  std::string describe(const Token &token) const;

  /// Skips to the next token outside of brackets that is one of `stops`, closes an enclosing bracket, or ends the line.
  void skipUntil(Texts stops);

  size_t offsetOf(const Token &token) const { return static_cast<size_t>(token.text.data() - source_.text.data()); }

  /// Counts one level of nesting while it lives.
  class Level {
  public:
    explicit Level(TokenParser &parser);
    ~Level() { --parser_.depth_; }
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;

  private:
    TokenParser &parser_;
  };

  const SourceFile &source_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
  Mode mode_;
  unsigned depth_;
  bool isTrial_ = false; // failures are caught, so they need no source lines
};

/// Numbers and strings.
class LiteralParser : public TokenParser {
public:
  using TokenParser::TokenParser;

protected:
  ExprPtr parseNumber();
  /// One or more adjacent literals.
  ExprPtr parseStrings();

  /// In a kernel fails at `loc` with `message`; in host code returns an OpaqueExpr.
  ExprPtr opaque(Loc loc, std::string what, const std::string &message) const;
  /// Sets the height of a new node; fails beyond kMaxExprHeight.
  template <class T> ExprPtr finish(std::unique_ptr<T> e) const {
    setHeight(*e);
    return e;
  }
  template <class T, class... Args> ExprPtr make(Args &&...args) const {
    return finish(std::make_unique<T>(std::forward<Args>(args)...));
  }

private:
  Int integerValue(const Token &token) const;
  double floatValue(const Token &token) const;
  struct JoinedText {
    std::vector<FormatStringExpr::Piece> pieces;
    bool isOpaque = false; // host code may use named characters, which have no value here
  };
  void appendText(JoinedText &joined, const Cursor &text, const StringShape &shape) const;
  void appendFormatString(const Token &token, JoinedText &joined);
  ExprPtr parseField(const FormatPart &part);
  void setHeight(Expr &e) const;
};

/// Expressions.
class ExpressionParser : public LiteralParser {
public:
  using LiteralParser::LiteralParser;

  /// Parses an expression list that must use all tokens.
  ExprPtr parseWhole();

protected:
  /// `a`, `a, b`, `*a, b`: a tuple where there is a comma.
  ExprPtr parseExpressionList();
  /// A conditional expression, a lambda, or an operator of higher precedence.
  ExprPtr parseExpression();
  /// Like parseExpression, but also accepts `name := value`.
  ExprPtr parseNamedExpression();
  /// The targets before `in`: `a`, `a.b`, `a, (b, c)`; in other places `in` is a comparison.
  ExprPtr parseTargetList();
  ExprPtr parseTarget(); // one of them
  ExprPtr parseStarred();
  bool atExpression() const;
  /// Reports the current token, with which no expression begins.
  [[noreturn]] void failNoExpression() const;

private:
  // ParserExpressions.cpp: operators
  ExprPtr parseItem();    // an element of a list without brackets: an expression or `*value`
  ExprPtr parseElement(); // an element in brackets: a named expression or `*value`
  ExprPtr parseTuple(ExprPtr first, ExprPtr (ExpressionParser::*parseNext)());
  ExprPtr parseLambda();
  /// Returns an OpaqueExpr for parameters that the tree cannot represent, else null.
  ExprPtr parseLambdaParams(LambdaExpr &lambda);
  ExprPtr parseOr();
  ExprPtr parseAnd();
  ExprPtr parseNot();
  ExprPtr parseComparison();
  bool takeCompareOp(CompareOp &op);
  ExprPtr parseBinary(unsigned minPrecedence);
  ExprPtr parseUnary();
  ExprPtr parsePower();

  // ParserAtoms.cpp: operands
  ExprPtr parsePostfix();
  ExprPtr parseAtom();
  ExprPtr parseParenthesized();
  ExprPtr parseList();
  ExprPtr parseBraces();
  ExprPtr parseDict(Loc open, ExprPtr key);
  ExprPtr parseSet(Loc open);
  ExprPtr parseYield();
  bool atComprehension() const { return atAny({"for", "async"}); }
  /// The clauses after `element`, or after `key: element`. Kernels may have lists in this form only.
  ExprPtr parseComprehension(Loc loc, ComprehensionExpr::Form form, ExprPtr key, ExprPtr element);
  ExprPtr parseSpread();
  void closeBracket(std::string_view close, Loc open);

  // ParserCalls.cpp: arguments and subscripts
  ExprPtr parseCall(ExprPtr callee);
  void parseArgument(CallExpr &call);
  void parseKeywordArgument(CallExpr &call);
  ExprPtr parseSubscript(ExprPtr base);
  ExprPtr parseIndex();
};

/// Statements, functions and classes.
class StatementParser : public ExpressionParser {
public:
  using ExpressionParser::ExpressionParser;

protected:
  struct Decorators {
    std::vector<ExprPtr> list;
    size_t firstToken = 0; // index of the first '@', or of `def`
  };

  std::string textSince(size_t firstToken) const;
  void parseStatement(Block &out);
  StmtPtr parseAssignmentOrExpression();
  StmtPtr parseImport();
  /// Takes the end of a line, or reports the token there.
  void expectLineEnd();
  /// Fails at an indentation or a clause (`else`, `except`, ...) in place of a statement.
  void refuseStray() const;

  // ParserFunctions.cpp
  Decorators parseDecorators();
  StmtPtr parseFunction(Decorators decorators);
  StmtPtr parseClass(Decorators decorators);

  // ParserSkip.cpp: statements that stay unparsed
  /// Skips to the end of the statement, including its block and its clauses (`else`, `except`, ...).
  void skipStatement();
  void skipBlock();
  /// Skips the simple or compound statement here and returns an OpaqueStmt.
  StmtPtr skipToOpaque(std::string what, std::vector<std::string> names, std::string message = {});
  /// The names that assignment targets in the tokens [first, last) bind.
  std::vector<std::string> namesBetween(size_t first, size_t last) const;
  /// The index after the last token before the `=` of the assignment here; `next_` where the statement is no
  /// assignment.
  size_t endOfTargets() const;
  /// The names that the statement here binds.
  std::vector<std::string> boundNames() const;
  size_t findOutsideBrackets(size_t from, Texts texts) const;

  StmtPtr parseFor();
  /// The statement that is next, as `parse` reads it, without taking it; null where it cannot be parsed.
  StmtPtr lookAhead(const std::function<StmtPtr()> &parse);

private:
  void parseSimpleLine(Block &out);
  StmtPtr parseSimple();
  StmtPtr parseIf();
  StmtPtr parseWhile();
  StmtPtr parseHostTry();
  StmtPtr parseHostWith();
  StmtPtr parseHostInner();
  StmtPtr parseReturn();
  StmtPtr parseAssert();
  ExprPtr parseCondition(const std::string &owner);
  Block parseElse();
  Block parseSuite(const std::string &owner, const std::string &context);
  void expectIndent(const std::string &owner);
  bool atStatementEnd() const { return kind() == TokenKind::Newline || kind() == TokenKind::End || at(";"); }
  bool atMatchStatement() const;
  bool atTypeStatement() const;
  /// Fails in a kernel, except for statements that are errors only if emission reaches them: returns their message.
  std::string refuseUnsupported() const;
  bool isUnsupported() const;
  bool isCompound() const;

  // ParserAssignments.cpp
  StmtPtr parseAssign(ExprPtr first);
  StmtPtr parseAnnAssign(ExprPtr target);
  StmtPtr parseAugAssign(ExprPtr target);
  void checkTarget(const Expr &target) const;
  void checkTargets(const std::vector<ExprPtr> &targets) const;
  void checkSingleTarget(const Expr &target, const std::string &purpose) const;
  void readDecoratorAs(std::string_view alias, std::string_view name);
  void parseImportNames(ImportStmt &import, const std::string &module);
  std::string parseModuleName(bool mayBeRelative);

  void parseParams(FunctionStmt &function);
  void parseParam(FunctionStmt &function, bool isKeywordOnly);
  void parseStarParam(FunctionStmt &function, bool &isKeywordOnly);
  void addParam(FunctionStmt &function, Param param) const;
  void takeDocstring(FunctionStmt &function) const;

  bool inFunction_ = false;
  bool inLoop_ = false;
  bool inClass_ = false;
};

/// Parses a whole file: code that kernels can use; skips the rest.
class ModuleParser : public StatementParser {
public:
  explicit ModuleParser(const SourceFile &source, OnError onError = OnError::Throw)
      : StatementParser(source, tokenize(source), Mode::Host), onError_(onError) {}
  Block parse();
  /// Parses the one function that the text consists of, indented or not.
  StmtPtr parseHostFunction();
  /// The same of a class, whose methods are parsed as host code.
  StmtPtr parseHostClass();

private:
  void parseModuleStatement(Block &out);
  void parseDecorated(Block &out);
  StmtPtr parseHostIf();
  std::unique_ptr<IfStmt> parseHostBranch();
  StmtPtr parseTry();
  StmtPtr parseHostBlock();
  StmtPtr parseEffect();
  Block parseClause();
  Block parseHostSuite();
  ExprPtr parseHostCondition();
  void skipHeader();
  void parseSimpleStatements(Block &out);
  StmtPtr parseModuleAssignment();
  bool isMainGuard() const;
  void noteDefinition();
  StmtPtr parseKernelFunction(OnError onError);
  /// The function that an assignment decorates, under the assignment's name; null where it decorates none that the
  /// module defines before.
  StmtPtr parseAssignedKernel(Stmt &assignment, size_t firstToken);
  StmtPtr skipFunction(const char *what);

  OnError onError_;
  std::set<std::string, std::less<>> foreign_;             // names of modules other than triton's
  std::map<std::string, size_t, std::less<>> definitions_; // functions of the module: their first tokens
};

/// Whether a decorator's last name is one of `names`: `jit` in `@triton.jit(debug=True)`.
bool hasDecorator(const std::vector<ExprPtr> &decorators, Texts names);

} // namespace tegula::lang
