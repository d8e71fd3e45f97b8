#include "earshot/core/parallel.hpp"

#include <memory>
#include <mutex>
#include <thread>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

extern "C" void openblas_set_num_threads(int);

namespace earshot {
namespace {

struct ThreadLimit {
  std::size_t threads = 0;
  std::unique_ptr<tbb::global_control> control;
};

ThreadLimit& thread_limit() {
  static ThreadLimit limit;
  return limit;
}

}  // namespace

void set_thread_count(std::size_t threads) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  ThreadLimit& limit = thread_limit();
  limit.control.reset();
  limit.control =
      std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
  limit.threads = threads;
  openblas_set_num_threads(1);
}

std::size_t thread_count() {
  if (thread_limit().threads == 0) set_thread_count(0);
  return thread_limit().threads;
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  static std::once_flag configured;
  std::call_once(configured, [] { thread_count(); });
  if (count < 2 || thread_count() == 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  // Isolated twice over: an outer loop that fails must not cancel the loops inside its running bodies, which
  // would hand them half-filled results; and a thread waiting for an inner loop must not pick up another body
  // of the outer one.
  tbb::this_task_arena::isolate([&] {
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
        },
        tbb::simple_partitioner(), context);
  });
}

}  // namespace earshot
