// Memory that only grows: an evaluation allocates at its first call with a shape and never again.
#pragma once

#include <cstddef>
#include <vector>

namespace earshot {

template <class T>
T* room(std::vector<T>& memory, std::size_t size) {
  if (memory.size() < size) memory.resize(size);
  return memory.data();
}

}  // namespace earshot
