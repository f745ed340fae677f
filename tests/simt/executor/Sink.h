// Collects reports; a repetition with the same two ops and kind is only counted.
#pragma once

#include "Options.h"

#include "mlir/IR/Operation.h"

#include <map>
#include <tuple>

namespace tegula::simt_test {

class Sink {
public:
  explicit Sink(size_t maxReports) : maxReports_(maxReports) {}
  /// `other` may be null. `message` is called for new reports only.
  template <class Message>
  void add(ReportKind kind, mlir::Operation *op, mlir::Operation *other, uint32_t thread, Grid program,
           Message message) {
    auto [it, isNew] = known_.try_emplace({kind, op, other}, reports_.size());
    if (!isNew) {
      if (it->second < reports_.size())
        ++reports_[it->second].times;
      return;
    }
    if (reports_.size() < maxReports_)
      reports_.push_back(make(kind, op, other, thread, program, message()));
  }
  void print(std::string line) { printed_.push_back(std::move(line)); }
  RunResult take() { return {std::move(reports_), std::move(printed_), 0}; }

private:
  static Report make(ReportKind kind, mlir::Operation *op, mlir::Operation *other, uint32_t thread, Grid program,
                     std::string message);

  size_t maxReports_;
  std::vector<Report> reports_;
  std::vector<std::string> printed_;
  std::map<std::tuple<ReportKind, mlir::Operation *, mlir::Operation *>, size_t> known_;
};

} // namespace tegula::simt_test
