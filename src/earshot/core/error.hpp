// Errors by kind: a user's mistake, broken data, a failed machine and our own bug must never look alike.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

enum class Fault {
  kUsage,        // the command line is wrong
  kConfig,       // the experiment file or a parameter is wrong
  kData,         // an input file is missing, damaged or not what it says it is
  kNumeric,      // the arithmetic cannot answer (overflow, not finite, not decided)
  kIo,           // reading or writing failed for reasons outside the input's content
  kExpectation,  // a run finished, but a published value it was to meet was missed
  kInterrupted,  // Ctrl-C; everything finished so far is stored
  kInternal      // a bug in earshot
};

/// Exit codes are part of the interface (docs/exit-codes.md): 0 success, 1 internal, 2 bad input, 3 the
/// machine failed, 4 an expectation was missed, 130 interrupted.
int exit_code(Fault fault);

class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

/// One thing wrong with a plan: where it is (file, line, key), why it is wrong, and what to do about it.
struct Problem {
  std::string where;
  std::string why;
  std::string fix;
};

/// "where: why; fix" on one line.
std::string to_line(const Problem& problem);

/// Every problem of a plan at once, one per line.
class PlanError : public Error {
 public:
  explicit PlanError(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

[[noreturn]] void fail(Fault fault, const std::string& what);

/// Runs `body`; an Error escaping it is rethrown with `context: ` in front.
template <class Body>
auto with_context(std::string_view context, Body&& body) {
  try {
    return body();
  } catch (const PlanError&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.fault(), std::string(context) + ": " + error.what());
  }
}

}  // namespace earshot
