// Arrays of many megabytes that are read over and over, such as a network's weights in a search: they lie in
// large pages where the system has them, so that reading runs ahead across borders of pages. The rest of
// std::vector is as usual.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace earshot {

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT(google-explicit-constructor): what allocators are

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kFewest) return static_cast<T*>(::operator new(bytes));
    void* memory = ::operator new (bytes, std::align_val_t{kPage});
#if defined(__linux__)
    madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: without it the pages are small
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kFewest) {
      ::operator delete(memory);
    } else {
      ::operator delete (memory, std::align_val_t{kPage});
    }
  }
  template <class U>
  bool operator==(const LargePages<U>&) const {
    return true;
  }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20U;
  static constexpr std::size_t kFewest = 2 * kPage;
};

template <class T>
using LargeArray = std::vector<T, LargePages<T>>;

}  // namespace earshot
