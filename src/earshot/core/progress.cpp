#include "earshot/core/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace earshot {

std::string human_duration(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

namespace {
std::string line_with_rate(const std::string& label, std::size_t done, std::size_t total, std::size_t fresh,
                           double elapsed_seconds) {
  constexpr std::size_t kWidth = 28;
  const double share = total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
  const auto filled = static_cast<std::size_t>(share * kWidth);
  std::string bar(filled, '#');
  bar.resize(kWidth, '.');
  std::string left = "estimating";
  if (done >= total) {
    left = "done in " + human_duration(elapsed_seconds);
  } else if (fresh > 0) {
    left = human_duration(elapsed_seconds / static_cast<double>(fresh) * static_cast<double>(total - done)) +
           " left";
  }
  return fmt::format("{} [{}] {}/{} {}", label, bar, done, total, left);
}
/// The bar on the screen, if any; held while it is used, so that it does not go away meanwhile.
std::mutex current_mutex;
Progress* current = nullptr;
}  // namespace

std::string progress_line(const std::string& label, std::size_t done, std::size_t total,
                          double elapsed_seconds) {
  return line_with_rate(label, done, total, done, elapsed_seconds);
}

Progress::Progress(std::string label, std::size_t total, std::size_t already_done)
    : label_(std::move(label)),
      total_(total),
      already_done_(already_done),
      done_(already_done),
      visible_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      drawn_(start_) {
  if (!visible_) return;
  draw();
  const std::lock_guard lock(current_mutex);
  if (current == nullptr) current = this;
}

Progress::~Progress() {
  if (!visible_) return;
  {
    const std::lock_guard lock(current_mutex);
    if (current == this) current = nullptr;
  }
  inside_.clear();
  draw();
  std::fputc('\n', stderr);
}

void Progress::advance(std::size_t units) {
  const std::lock_guard lock(mutex_);
  done_ += units;
  inside_.clear();
  if (due()) draw();
}

bool Progress::due() {
  const auto now = std::chrono::steady_clock::now();
  if (!visible_ || now - drawn_ < std::chrono::milliseconds(100)) return false;
  drawn_ = now;
  return true;
}

void Progress::show(const std::function<std::string()>& inside) {
  const std::lock_guard lock(mutex_);
  if (!due()) return;
  inside_ = inside();
  draw();
}

void show_inside(const std::function<std::string()>& inside) {
  const std::lock_guard lock(current_mutex);
  if (current != nullptr) current->show(inside);
}

void Progress::set_status(std::string status) {
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
}

void Progress::draw() {
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const std::string& status = inside_.empty() ? status_ : inside_;
  fmt::print(stderr, "\r\x1b[K{}{}{}", line_with_rate(label_, done_, total_, done_ - already_done_, elapsed),
             status.empty() ? "" : "  ", status);
  std::fflush(stderr);
}

}  // namespace earshot
