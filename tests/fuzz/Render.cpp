// The text of a kernel, one statement for each node, with operations that keep operands in range.
#include "tests/fuzz/Model.h"
#include "tests/fuzz/Prelude.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tegula::fuzz {

namespace {

std::string str(int64_t value) { return std::to_string(value); }

class Renderer {
public:
  explicit Renderer(const Model &model) : model_(model) {
    for (size_t i = 0; i < model.inputs.size(); ++i)
      result_.buffers.push_back({"x" + str(i), model.inputs[i], 0, false, 0});
  }

  Rendered run() {
    Lines body;
    line(body, 1, "pid = tl.program_id(0) + tl.program_id(1) * " + str(model_.grid[0]));
    block(body, 1, model_.body);
    std::erase_if(result_.buffers, [](const BufferPlan &buffer) { return buffer.elements == 0; });
    std::string parameters;
    for (const BufferPlan &buffer : result_.buffers)
      parameters += buffer.name + ", ";
    for (size_t i = 0; i < model_.parameters.size(); ++i)
      parameters += "n" + str(i) + ", ";
    if (!parameters.empty())
      parameters.resize(parameters.size() - 2);
    result_.source = kPrelude;
    for (const Lines &function : functions_)
      result_.source += function + "\n\n";
    result_.source += "@triton.jit\ndef kernel(" + parameters + "):\n" + body;
    result_.statements = int(std::count(body.begin(), body.end(), '\n'));
    return std::move(result_);
  }

private:
  using Lines = std::string;
  static void line(Lines &out, int depth, const std::string &text) { out += std::string(4 * depth, ' ') + text + "\n"; }

  const Node &at(int id) const { return model_.nodes[id]; }
  std::string name(int id) const {
    const Node &node = at(id);
    if (node.op == Op::Argument || node.op == Op::Result)
      return (at(node.in[0]).op == Op::Call ? "a" : "c") + str(node.in[0]) + "_" + str(node.n[0]);
    if (node.op == Op::Index)
      return "k" + str(node.in[0]);
    if (node.op == Op::Program)
      return "pid";
    if (node.op == Op::Parameter)
      return "n" + str(node.n[0]);
    return "v" + str(id);
  }
  std::string shape(const Shape &dims) const {
    std::string text = "(";
    for (const Dim &dim : dims)
      text += str(model_.size(dim)) + ", ";
    if (dims.size() > 1)
      text.resize(text.size() - 2);
    else if (dims.size() == 1)
      text.resize(text.size() - 1);
    return text + ")";
  }
  static std::string literal(DType type, int64_t value) {
    if (isFloat(type)) // multiples of 1/2: exact in every type
      return (value < 0 ? "-" : "") + str(std::abs(value) / 2) + (value % 2 ? ".5" : ".0");
    return str(isUnsigned(type) ? std::abs(value) : value);
  }

  // Operands in range.
  std::string whole(int id, int limit) const {
    return isFloat(at(id).type.element) ? "whole(" + name(id) + ", " + str(limit) + ".0)" : name(id);
  }
  std::string ordered(int id) {
    if (!isFloat(at(id).type.element))
      return name(id);
    result_.zeroSignsMayDiffer = true;
    return "ordered(" + name(id) + ")";
  }
  std::string below(int id, int64_t powerOfTwo) const {
    return "(" + name(id) + ".to(tl.int32) & " + str(powerOfTwo - 1) + ")";
  }
  std::string binary(int64_t kind, DType type, const std::string &a, const std::string &b) {
    int64_t width = 8 * int64_t(byteSize(type));
    switch (kind) {
    case kMin:
    case kMax:
      result_.zeroSignsMayDiffer |= isFloat(type);
      return std::string(kind == kMin ? "tl.minimum(" : "tl.maximum(") + a + ", " + b + ")" + ".to(" +
             languageName(type) + ")"; // of bf16, and beside a literal, they return a wider type
    case kDiv:
    case kMod: return a + " " + kBinary[kind] + " ((" + b + " & 15) + 1)";
    case kShl:
    case kShr: return a + " " + kBinary[kind] + " (" + b + " & " + str(width - 1) + ")";
    default: return a + " " + kBinary[kind] + " " + b;
    }
  }
  std::string literalBinary(const Node &node) {
    DType type = node.type.element;
    int64_t kind = node.n[0], value = node.n[1];
    std::string a = name(node.in[0]);
    if (kind == kDiv || kind == kMod)
      return a + " " + kBinary[kind] + " " + str(std::abs(value) + 1);
    if (kind == kShl || kind == kShr)
      return a + " " + kBinary[kind] + " " + str(std::abs(value) % (8 * int64_t(byteSize(type))));
    if (type == DType::I1)
      return a + " " + kBinary[kind] + (value % 2 ? " True" : " False");
    std::string number = literal(type, value);
    return node.n[2] ? binary(kind, type, number, a) : binary(kind, type, a, number);
  }
  std::string cast(const Node &node) const {
    DType from = at(node.in[0]).type.element, to = node.type.element;
    std::string x = name(node.in[0]);
    if (isFloat(from) && isInteger(to))
      x = isUnsigned(to) ? "tl.abs(" + whole(node.in[0], 100) + ")" : whole(node.in[0], 100);
    return x + ".to(" + languageName(to) + ")";
  }

  // Addresses.
  std::string arange(const Shape &dims, size_t axis) const {
    std::string text = "tl.arange(0, " + str(model_.size(dims[axis])) + ")";
    if (dims.size() == 1)
      return text;
    text += "[";
    for (size_t i = 0; i < dims.size(); ++i)
      text += std::string(i ? ", " : "") + (i == axis ? ":" : "None");
    return text + "]";
  }
  struct Offsets {
    std::string text;
    int64_t last = 0;
  };
  Offsets offsets(const Shape &dims, int64_t order, int64_t gap, int64_t flat, int64_t reversed) const {
    std::vector<size_t> axes(dims.size());
    std::iota(axes.begin(), axes.end(), size_t(0));
    for (; order > 0; --order)
      std::next_permutation(axes.begin(), axes.end());
    std::vector<int64_t> strides(dims.size(), 0);
    int64_t stride = gap;
    Offsets result;
    for (size_t i = axes.size(); i-- > 0;) {
      size_t axis = axes[i];
      if (flat >> axis & 1)
        continue;
      strides[axis] = stride;
      result.last += stride * (model_.size(dims[axis]) - 1);
      stride *= model_.size(dims[axis]);
    }
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      std::string place = arange(dims, axis);
      if (reversed >> axis & 1)
        place = "(" + str(model_.size(dims[axis]) - 1) + " - " + place + ")";
      result.text += (axis ? " + " : "") + place + (strides[axis] == 1 ? "" : " * " + str(strides[axis]));
    }
    if (dims.empty())
      result.text = "0";
    return result;
  }
  void need(int64_t buffer, int64_t elements) {
    BufferPlan &plan = result_.buffers[buffer];
    plan.elements = std::max(plan.elements, elements);
  }

  void load(Lines &out, int depth, int id) {
    const Node &node = at(id);
    Access a{node.n[0], node.n[1], node.n[2], node.n[3], node.n[4],
             node.n[5], node.n[6], node.n[7], node.n[8], node.n[9]};
    Offsets offs = offsets(node.type.shape, a.order, a.gap, a.flat, a.reversed);
    int64_t last = offs.last + a.offset, programs = model_.grid[0] * model_.grid[1];
    std::string text = offs.text;
    if (a.offset)
      text += " + " + str(a.offset);
    if (a.program) {
      text += " + pid * " + str(last + 1);
      last += (programs - 1) * (last + 1);
    }
    std::string place = "i" + str(id), mask;
    line(out, depth, place + " = " + text);
    if (a.mask == 1) {
      int64_t bound = std::max<int64_t>(1, (last + 1) * 3 / 4);
      mask = place + " < " + str(bound);
      last = bound - 1;
    } else if (a.mask == 2 && !node.type.shape.empty()) {
      mask = arange(node.type.shape, 0) + " < " + str(model_.size(node.type.shape[0]) / 2 + 1);
    } else if (a.mask == 3) {
      mask = name(node.in[0]);
    }
    need(a.buffer, last + 1);
    text = "v" + str(id) + " = tl.load(" + result_.buffers[a.buffer].name + " + " + place;
    if (!mask.empty()) {
      text += ", mask=" + mask;
      if (a.other == 1)
        text += ", other=" + literal(node.type.element, a.literal);
      if (a.other == 2)
        text += ", other=" + name(node.in.back());
    }
    line(out, depth, text + ")");
  }
  void loadAt(Lines &out, int depth, int id) {
    const Node &node = at(id);
    constexpr int64_t kElements = 128;
    need(node.n[0], kElements);
    std::string text =
        "v" + str(id) + " = tl.load(" + result_.buffers[node.n[0]].name + " + " + below(node.in[0], kElements);
    if (node.in.size() > 1)
      text += ", mask=" + name(node.in[1]);
    if (node.in.size() > 2)
      text += ", other=" + name(node.in[2]);
    line(out, depth, text + ")");
  }
  void store(Lines &out, int depth, int id) {
    const Node &node = at(id);
    const Type &type = at(node.in[0]).type;
    DType element = type.element == DType::I1 ? DType::I8 : type.element;
    int64_t count = model_.size(type.shape), times = 1;
    std::string text =
        "o" + str(id) + " + " + offsets(type.shape, node.n[0], 1, 0, node.n[1]).text + " + pid * " + str(count);
    if (node.n[2] >= 0) {
      const Node &region = at(int(node.n[2]));
      times = std::max<int64_t>(1, region.n[0]);
      bool down = region.n[2] == 2;
      text += " + (k" + str(node.n[2]) + (down ? " - 1" : "") + ") * " + str(count * model_.grid[0] * model_.grid[1]);
    }
    text = "tl.store(" + text + ", " + name(node.in[0]) + (type.element == DType::I1 ? ".to(tl.int8)" : "");
    if (node.in.size() > 1)
      text += ", mask=" + name(node.in[1]);
    line(out, depth, text + ")");
    result_.buffers.push_back({"o" + str(id), element, count * times * model_.grid[0] * model_.grid[1], true, 77});
  }
  void atomic(Lines &out, int depth, int id) {
    const Node &node = at(id);
    constexpr int64_t kCounters = 16;
    std::string text = "tl.atomic_" + std::string(kAtomic[node.n[0]]) + "(q" + str(id) + " + " +
                       below(node.in[0], kCounters) + ", " + whole(node.in[1], 8);
    if (node.in.size() > 2)
      text += ", mask=" + name(node.in[2]);
    line(out, depth, text + ")");
    result_.buffers.push_back({"q" + str(id), at(node.in[1]).type.element, kCounters, true, 77});
  }

  // Regions.
  void eachStream(const Block &within, int region, const std::function<void(int)> &visit) const {
    for (int id : within.nodes) {
      if (at(id).op == Op::LoadStream && at(id).in[0] == region)
        visit(id);
      for (const Block &inner : at(id).blocks)
        eachStream(inner, region, visit);
    }
  }
  void assign(Lines &out, int depth, int region, const std::vector<int> &values) {
    std::string left, right;
    for (size_t i = 0; i < values.size(); ++i) {
      left += (i ? ", c" : "c") + str(region) + "_" + str(i);
      right += (i ? ", " : "") + name(values[i]);
    }
    if (!values.empty())
      line(out, depth, left + " = " + right);
  }
  void body(Lines &out, int depth, int region, const Block &inner, const std::string &after = "") {
    size_t before = out.size();
    block(out, depth, inner);
    assign(out, depth, region, inner.yields);
    eachStream(inner, region, [&](int id) { line(out, depth, "p" + str(id) + " += " + str(at(id).n[3])); });
    if (!after.empty())
      line(out, depth, after);
    if (out.size() == before)
      line(out, depth, "pass");
  }
  void loop(Lines &out, int depth, int id) {
    const Node &node = at(id);
    int64_t trips = node.n[0];
    bool bounded = node.n[1];
    assign(out, depth, id, {node.in.begin() + bounded, node.in.end()});
    eachStream(node.blocks[0], id, [&](int stream) {
      const Node &load = at(stream);
      Offsets offs = offsets(load.type.shape, load.n[1], load.n[2], 0, 0);
      need(load.n[0], offs.last + 1 + load.n[3] * trips);
      line(out, depth, "p" + str(stream) + " = " + result_.buffers[load.n[0]].name + " + (" + offs.text + ")");
    });
    std::string index = "k" + str(id), bound = bounded ? below(node.in[0], trips + 1) : str(trips);
    if (node.op == Op::While) {
      line(out, depth, "b" + str(id) + " = " + bound);
      bool down = node.n[2] == 2, computed = node.n[2] == 3; // a computed test, whose iterations no pass counts
      std::string last = "b" + str(id), test = index + (down ? " > 0" : " < " + last);
      if (computed)
        test = index + " * 2 < " + last + " + " + last;
      line(out, depth, index + " = " + (down ? last : "0"));
      line(out, depth, "while " + test + ":");
      body(out, depth + 1, id, node.blocks[0], index + (down ? " -= 1" : " += 1"));
      return;
    }
    std::string range = "range(" + bound + ")";
    if (node.n[2] == 1)
      range = "tl.range(0, " + bound + ", num_stages=2)";
    else if (node.n[2] == 2)
      range = "range(" + bound + ", 0, -1)";
    else if (node.n[2] == 3 && !bounded)
      range = "tl.static_range(" + bound + ")";
    line(out, depth, "for " + index + " in " + range + ":");
    body(out, depth + 1, id, node.blocks[0]);
  }
  void branch(Lines &out, int depth, int id) {
    const Node &node = at(id);
    assign(out, depth, id, {node.in.begin() + 1, node.in.end()});
    line(out, depth, "if " + name(node.in[0]) + ":");
    body(out, depth + 1, id, node.blocks[0]);
    if (node.blocks[1].nodes.empty() && node.blocks[1].yields.empty())
      return;
    line(out, depth, "else:");
    body(out, depth + 1, id, node.blocks[1]);
  }
  void call(Lines &out, int depth, int id) {
    const Node &node = at(id);
    std::string parameters, arguments;
    for (size_t i = 0; i < node.in.size(); ++i) {
      parameters += (i ? ", a" : "a") + str(id) + "_" + str(i);
      arguments += (i ? ", " : "") + name(node.in[i]);
    }
    Lines function = "@triton.jit\ndef f" + str(id) + "(" + parameters + "):\n";
    block(function, 1, node.blocks[0]);
    line(function, 1, "return " + name(node.blocks[0].yields[0]));
    functions_.push_back(function);
    line(out, depth, "v" + str(id) + " = f" + str(id) + "(" + arguments + ")");
  }

  void block(Lines &out, int depth, const Block &nodes) {
    for (int id : nodes.nodes)
      statement(out, depth, id);
  }
  void statement(Lines &out, int depth, int id) {
    switch (at(id).op) {
    case Op::Argument:
    case Op::Result:
    case Op::Index:
    case Op::Program:
    case Op::Parameter: return;
    case Op::Load: return load(out, depth, id);
    case Op::LoadAt: return loadAt(out, depth, id);
    case Op::Store: return store(out, depth, id);
    case Op::Atomic: return atomic(out, depth, id);
    case Op::For:
    case Op::While: return loop(out, depth, id);
    case Op::If: return branch(out, depth, id);
    case Op::Call: return call(out, depth, id);
    case Op::Split:
      return line(out, depth,
                  (at(id).n[0] ? "_" + str(id) + ", v" + str(id) : "v" + str(id) + ", _" + str(id)) + " = tl.split(" +
                      name(at(id).in[0]) + ")");
    default: return line(out, depth, target(at(id), id) + " = " + expression(at(id), id));
    }
  }
  static std::string target(const Node &node, int id) {
    std::string result = "v" + str(id);
    if (node.op == Op::Reduce && node.n[0] >= kFirstPairReduce)
      return "_" + str(id) + ", " + result;
    if (node.op != Op::Scan || node.n[0] < 3)
      return result;
    return node.n[0] == 3 ? "_" + str(id) + ", " + result : result + ", _" + str(id);
  }

  std::string expression(const Node &node, int id) {
    DType type = node.type.element;
    const Shape &dims = node.type.shape;
    auto in = [&](size_t i) { return name(node.in[i]); };
    switch (node.op) {
    case Op::Full:
      return "tl.full(" + shape(dims) + ", " +
             (type == DType::I1 ? (node.n[0] % 2 ? "True" : "False") : literal(type, node.n[0])) + ", " +
             languageName(type) + ")";
    case Op::Iota: {
      std::string text = "tl.broadcast_to(" + arange(dims, node.n[0]) + ", " + shape(dims) + ")";
      return type == DType::I32 ? text : text + ".to(" + languageName(type) + ")";
    }
    case Op::LoadStream: return "tl.load(p" + str(id) + ")";
    case Op::Unary: return unary(node);
    case Op::Binary: return binary(node.n[0], type, in(0), in(1));
    case Op::Literal: return literalBinary(node);
    case Op::Compare: return in(0) + " " + kCompare[node.n[0]] + " " + in(1);
    case Op::Where: return "tl.where(" + in(0) + ", " + in(1) + ", " + in(2) + ")";
    case Op::Cast: return cast(node);
    case Op::Bits: return in(0) + ".to(" + languageName(type) + ", bitcast=True)";
    case Op::Promote: return "(" + binary(node.n[0], type, in(0), in(1)) + ").to(" + languageName(type) + ")";
    case Op::Fma:
      return "tl.fma(" + whole(node.in[0], 8) + ", " + whole(node.in[1], 8) + ", " + whole(node.in[2], 8) + ")";
    case Op::Reduce: return reduction(node);
    case Op::Scan: return scan(node);
    case Op::Sort:
      return "tl.sort(" + ordered(node.in[0]) + ", dim=" + str(int64_t(dims.size()) - 1) +
             (node.n[0] ? ", descending=True)" : ")");
    case Op::Flip: return "tl.flip(" + in(0) + ", dim=" + str(node.n[0]) + ")";
    case Op::Gather:
      return "tl.gather(" + in(0) + ", " + below(node.in[1], model_.size(at(node.in[0]).type.shape[node.n[0]])) +
             ", axis=" + str(node.n[0]) + ")";
    case Op::Histogram:
      return "tl.histogram(" + below(node.in[0], model_.size(dims[0])) + ", " + str(model_.size(dims[0])) + ")";
    case Op::Reshape: return "tl.reshape(" + in(0) + ", " + shape(dims) + ")";
    case Op::Permute: {
      std::string axes;
      for (int64_t axis : node.n)
        axes += (axes.empty() ? "" : ", ") + str(axis);
      return "tl.permute(" + in(0) + ", (" + axes + "))";
    }
    case Op::Expand: return "tl.expand_dims(" + in(0) + ", " + str(node.n[0]) + ")";
    case Op::Broadcast:
      return at(node.in[0]).type.shape.empty()
                 ? "tl.full(" + shape(dims) + ", " + in(0) + ", " + languageName(type) + ")"
                 : "tl.broadcast_to(" + in(0) + ", " + shape(dims) + ")";
    case Op::Join: return "tl.join(" + in(0) + ", " + in(1) + ")";
    case Op::Cat: return "tl.cat(" + in(0) + ", " + in(1) + ", dim=0)";
    case Op::Interleave: return "tl.interleave(" + in(0) + ", " + in(1) + ")";
    case Op::Dot: return dot(node);
    default: return "?";
    }
  }
  std::string unary(const Node &node) const {
    std::string x = name(node.in[0]), function = kUnary[node.n[0]];
    if (node.n[0] < 2)
      return function + x;
    DType type = node.type.element;
    bool widens = (function == "floor" || function == "ceil") && byteSize(type) < 4;
    if (widens) // Triton rounds f32 and f64 only
      return "tl." + function + "(" + x + ".to(tl.float32)).to(" + languageName(type) + ")";
    return "tl." + function + "(" + x + ")";
  }
  std::string reduction(const Node &node) {
    int64_t kind = node.n[0];
    std::string x = kind == 0 ? whole(node.in[0], 8) : kind == 3 || kind >= 6 ? name(node.in[0]) : ordered(node.in[0]);
    std::string axis = node.n[1] < 0 ? "None" : str(node.n[1]), keep = node.n[2] ? ", keep_dims=True" : "";
    if (kind >= kFirstPairReduce)
      return "tl.reduce((" + x + ", " + x + " ^ 5), " + axis + ", " + kReduce[kind] + keep + ")";
    std::string text = kind >= 6 ? "tl.reduce(" + x + ", " + axis + ", " + (kind == 6 ? "either" : "times") + keep + ")"
                                 : std::string("tl.") + kReduce[kind] + "(" + x + ", axis=" + axis + keep + ")";
    return text + ".to(" + languageName(node.type.element) + ")";
  }
  std::string scan(const Node &node) {
    std::string axis = str(node.n[1]), reverse = node.n[2] ? ", reverse=True" : "", x = name(node.in[0]);
    std::string convert = ".to(" + languageName(node.type.element) + ")";
    switch (node.n[0]) {
    case 0: return "tl.cumsum(" + whole(node.in[0], 8) + ", axis=" + axis + reverse + ")" + convert;
    case 1: return "tl.associative_scan(" + ordered(node.in[0]) + ", " + axis + ", larger" + reverse + ")" + convert;
    case 2: return "tl.associative_scan(" + x + ", " + axis + ", differ" + reverse + ")" + convert;
    case 3: return "tl.associative_scan((" + x + ", " + x + " ^ 5), " + axis + ", recurrence" + reverse + ")";
    default: return "tl.associative_scan((" + x + ", " + x + " ^ 5), " + axis + ", last" + reverse + ")";
    }
  }
  std::string dot(const Node &node) {
    result_.zeroSignsMayDiffer = true; // a sum of zeros has the sign of its initial value
    auto operand = [&](int id) {
      std::string x = isFloat(at(id).type.element) ? whole(id, 8) : "(" + name(id) + ".to(tl.int32) & 7)";
      return x + ".to(" + kDot[node.n[0]] + ")";
    };
    std::string text = "tl.dot(" + operand(node.in[0]) + ", " + operand(node.in[1]);
    if (node.in.size() > 2)
      text += ", " + whole(node.in[2], 100);
    const char *options[] = {"", ", input_precision=\"ieee\"", ", out_dtype=tl.int32", ""};
    return text + options[node.n[0]] + ")";
  }

  const Model &model_;
  Rendered result_;
  std::vector<Lines> functions_;
};

} // namespace

Rendered render(const Model &model) { return Renderer(model).run(); }

} // namespace tegula::fuzz
