// Ctrl-C as a request: the current unit of work is stored, then the run ends with exit code 130.
#pragma once

namespace earshot {

/// Turns SIGINT and SIGTERM into a flag. A second signal ends the process at once.
void catch_interrupts();
bool interrupted();
/// Throws Error(kInterrupted) if a signal has arrived.
void stop_if_interrupted();

}  // namespace earshot
