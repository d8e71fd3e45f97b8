// A progress bar with time left, on stderr and only when stderr is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

namespace earshot {

/// "37 s", "4 min 05 s", "2 h 11 min".
std::string human_duration(double seconds);

/// One line of the bar, without the terminal control codes.
std::string progress_line(const std::string& label, std::size_t done, std::size_t total,
                          double elapsed_seconds);

class Progress {
 public:
  /// `already_done` units were finished by an earlier run; they do not count towards the speed.
  Progress(std::string label, std::size_t total, std::size_t already_done = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Safe to call from parallel bodies.
  void advance(std::size_t units = 1);
  /// Shown behind the time left from the next drawing on.
  void set_status(std::string status);
  /// The same at once, until a unit is done; asked for at most ten times a second.
  void show(const std::function<std::string()>& inside);

 private:
  bool due();
  void draw();

  std::string label_;
  std::string status_;
  std::string inside_;  // of the units at work
  std::size_t total_;
  std::size_t already_done_;
  std::size_t done_;
  bool visible_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point drawn_;
  std::mutex mutex_;
};

/// How far a unit of work has come, on the bar that is on the screen; without one nothing is asked for. For
/// work that does not know of the bar. Safe to call from parallel bodies.
void show_inside(const std::function<std::string()>& inside);

}  // namespace earshot
