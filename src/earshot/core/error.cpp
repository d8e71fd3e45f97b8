#include "earshot/core/error.hpp"

namespace earshot {

int exit_code(Fault fault) {
  switch (fault) {
    case Fault::kUsage:
    case Fault::kConfig:
    case Fault::kData:
      return 2;
    case Fault::kNumeric:
    case Fault::kIo:
      return 3;
    case Fault::kExpectation:
      return 4;
    case Fault::kInterrupted:
      return 130;
    case Fault::kInternal:
      return 1;
  }
  return 1;
}

std::string to_line(const Problem& problem) {
  std::string line = problem.where.empty() ? problem.why : problem.where + ": " + problem.why;
  if (!problem.fix.empty()) line += "; " + problem.fix;
  return line;
}

namespace {
std::string join_lines(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += to_line(problem);
  }
  return text;
}
}  // namespace

PlanError::PlanError(std::vector<Problem> problems)
    : Error(Fault::kConfig, join_lines(problems)), problems_(std::move(problems)) {}

void fail(Fault fault, const std::string& what) {
  throw Error(fault, what);
}

}  // namespace earshot
