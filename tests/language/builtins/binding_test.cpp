// The tables of builtins: signatures, names, suggestions.
#include "EmitKernel.h"

#include <gtest/gtest.h>

namespace tegula::lang {

namespace {

/// Binds arguments to a signature outside of any kernel; messages are their text alone.
class Binding : public testing::Test {
protected:
  Binding() : scope_(parseModule("test.py", "")), emitter_(tile_.context, scope_, request_) {}

  Builtin::Args bind(std::string_view signature, std::vector<Value> positional,
                     std::vector<std::pair<std::string, Value>> keywords = {}) {
    CallArgs call;
    call.loc = {1, 1};
    call.positionalLocs.assign(positional.size(), {1, 1});
    call.keywordLocs.assign(keywords.size(), {1, 1});
    call.positional = std::move(positional);
    call.keywords = std::move(keywords);
    return bindArguments(emitter_, "f", signature, std::move(call));
  }
  std::string message(std::string_view signature, std::vector<Value> positional,
                      std::vector<std::pair<std::string, Value>> keywords = {}) {
    try {
      bind(signature, std::move(positional), std::move(keywords));
    } catch (const Error &error) {
      return error.diagnostic().message;
    }
    return "";
  }
  static std::string text(const Value &value) {
    return value.as<Const>() ? value.as<Const>()->repr() : value.describe();
  }
  static Value number(int n) { return Const(Int(n)); }

  TileContext tile_;
  CompileRequest request_;
  ModuleScope scope_;
  Emitter emitter_;
};

TEST_F(Binding, defaults_of_each_kind) {
  auto args = bind("a=None, b=True, c=-3, d=0.5, e='x, y', f=()", {});
  const char *expected[] = {"None", "True", "-3", "0.5", "'x, y'", "a tuple of 0"};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(text(args[i]), expected[i]);
    EXPECT_FALSE(args.given[i]);
  }
}

TEST_F(Binding, positional_and_keyword) {
  auto args = bind("a, b, c=7", {number(1)}, {{"b", number(2)}});
  EXPECT_EQ(text(args[0]), "1");
  EXPECT_EQ(text(args[1]), "2");
  EXPECT_EQ(text(args[2]), "7");
  EXPECT_TRUE(args.given[1]);
}

TEST_F(Binding, the_rest) {
  auto args = bind("a, *rest, c=7", {number(1), number(2), number(3)}, {{"c", number(9)}});
  EXPECT_EQ(args[1].as<Tuple>()->elements.size(), 2u);
  EXPECT_EQ(text(args[2]), "9");
  EXPECT_EQ(bind("a, *rest", {number(1)})[1].as<Tuple>()->elements.size(), 0u);
}

TEST_F(Binding, messages) {
  EXPECT_EQ(message("a, b", {number(1)}), "f needs the argument b");
  EXPECT_EQ(message("a, b, c", {}), "f needs the arguments a, b and c");
  EXPECT_EQ(message("a", {number(1), number(2)}), "f takes at most 1 positional argument, found 2");
  EXPECT_EQ(message("a, *, b=1", {number(1), number(2)}), "f takes at most 1 positional argument, found 2");
  EXPECT_EQ(message("", {number(1)}), "f takes no positional arguments, found 1");
  EXPECT_EQ(message("a", {number(1)}, {{"a", number(2)}}), "f got 'a' twice");
  EXPECT_EQ(message("axis=0", {}, {{"axes", number(2)}}), "f has no parameter 'axes'; did you mean 'axis'?");
  EXPECT_EQ(message("axis=0", {}, {{"window", number(2)}}), "f has no parameter 'window'; it takes axis");
  EXPECT_EQ(message("*rest", {}, {{"rest", number(2)}}), "f has no parameter 'rest'; it takes no arguments by name");
}

TEST(Tables, every_signature_binds_its_defaults) {
  TileContext tile;
  CompileRequest request;
  ModuleScope scope(parseModule("test.py", ""));
  Emitter emitter(tile.context, scope, request);
  for (std::string_view name : builtinNames()) {
    const Builtin *builtin = findBuiltin(name);
    ASSERT_TRUE(builtin) << name;
    EXPECT_EQ(builtin->name, name);
    EXPECT_TRUE(builtin->emit) << name;
    CallArgs call;
    call.loc = {1, 1};
    // One positional argument for each parameter without a default.
    std::string signature(builtin->signature);
    for (int i = 0; i < 8; ++i)
      try {
        bindArguments(emitter, name, signature, call);
        break;
      } catch (const Error &) {
        call.positional.push_back(Const(Int(0)));
        call.positionalLocs.push_back({1, 1});
      }
    EXPECT_LT(call.positional.size(), 8u) << name << "(" << signature << ")";
  }
}

TEST(Tables, a_name_is_there_or_unavailable_not_both) {
  for (const char *name : {"aggregate_replace", "float8e4b15"}) {
    EXPECT_FALSE(unavailable(name).empty()) << name;
    EXPECT_FALSE(findBuiltin(name)) << name;
  }
  for (std::string_view name : builtinNames())
    EXPECT_TRUE(unavailable(name).empty()) << name;
  EXPECT_TRUE(unavailable("nonsense").empty());
  EXPECT_FALSE(findBuiltin("nonsense"));
}

TEST(Suggestion, close_names_only) {
  std::vector<std::string_view> names = {"load", "store", "arange", "max_contiguous", "sum"};
  EXPECT_EQ(suggestion("laod", names), "; did you mean 'load'?"); // an exchange of adjacent letters is one edit
  EXPECT_EQ(suggestion("stores", names), "; did you mean 'store'?");
  EXPECT_EQ(suggestion("max_contigous", names), "; did you mean 'max_contiguous'?");
  EXPECT_EQ(suggestion("softmax", names), "");
  EXPECT_EQ(suggestion("load", names), ""); // the name itself is no suggestion
  EXPECT_EQ(suggestion("", names), "");
}

TEST(Suggestion, a_letter_is_near_itself_only) {
  std::vector<std::string_view> names = {"a", "N", "x0"};
  EXPECT_EQ(suggestion("b", names), "");
  EXPECT_EQ(suggestion("n", names), "; did you mean 'N'?");
  EXPECT_EQ(suggestion("NN", names), "; did you mean 'N'?");
  EXPECT_EQ(suggestion("x", names), "");
  EXPECT_EQ(suggestion("x1", names), "; did you mean 'x0'?");
}

TEST(Prelude, parses_and_is_marked) {
  const ModuleScope &scope = preludeScope();
  EXPECT_TRUE(scope.isPrelude);
  for (const char *name :
       {"sigmoid", "softmax", "swizzle2d", "argmax_left", "argmax_fast", "argmin_left", "argmin_fast", "bitonic_merge"})
    EXPECT_TRUE(scope.names.find(name)) << name;
}

} // namespace

} // namespace tegula::lang
