#include "earshot/core/interrupt.hpp"

#include <csignal>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

volatile std::sig_atomic_t interrupt_requested = 0;

extern "C" void on_signal(int signal) {
  interrupt_requested = 1;
  std::signal(signal, SIG_DFL);  // NOLINT(cert-err33-c): nothing can be done about a failure inside a handler
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (sigaction(signal, &action, nullptr) != 0) fail(Fault::kIo, "cannot install the interrupt handler");
  }
}

bool interrupted() {
  return interrupt_requested != 0;
}

void stop_if_interrupted() {
  if (interrupted())
    fail(Fault::kInterrupted, "interrupted; what was finished is stored, run the same command to go on");
}

}  // namespace earshot
