#include "earshot/model/native/allocation_counter.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace earshot {
namespace {
std::atomic<std::size_t> count{0};
}  // namespace

std::size_t allocations() {
  return count;
}
}  // namespace earshot

void* operator new(std::size_t size) {
  ++earshot::count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
