#include "earshot/network/node_vectors.hpp"

#include <algorithm>

#include <sys/mman.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr std::size_t kLine = 64 / sizeof(double);

/// Whole lines, an odd number of them: vectors a power of two apart would share a few sets of the cache.
std::size_t stride_of(std::size_t size) {
  return ((size + kLine - 1) / kLine | 1) * kLine;
}

/// Pages of the system, cleared by it when they are first touched.
double* map_pages(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail(Fault::kIo, "not enough memory for the nodes' vectors");
#ifdef MADV_HUGEPAGE
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // an offer; a refusal only costs time
#endif
  return static_cast<double*>(memory);
}

std::size_t bytes_of(std::size_t nodes, std::size_t stride) {
  return std::max<std::size_t>(1, nodes * stride) * sizeof(double);
}

}  // namespace

NodeVectors::NodeVectors(std::size_t nodes, std::size_t size)
    : size_(size),
      stride_(stride_of(size)),
      memory_(map_pages(bytes_of(nodes, stride_)), Unmap{bytes_of(nodes, stride_)}) {}

void NodeVectors::Unmap::operator()(double* memory) const {
  ::munmap(memory, bytes);
}

}  // namespace earshot
