// Parallel loops whose result does not depend on the number of threads: every index owns its output.
#pragma once

#include <cstddef>
#include <functional>

namespace earshot {

/// Sets how many threads parallel loops may use (0: one per core) and pins BLAS to one thread, because a
/// threaded BLAS sums in an order that depends on the thread count.
void set_thread_count(std::size_t threads);
std::size_t thread_count();

/// Calls body(i) for every i in [0, count), in any order, on up to thread_count() threads. The first
/// exception thrown by a body is rethrown once running bodies have ended.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace earshot
