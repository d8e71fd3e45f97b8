// One vector per node in one stretch of memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "earshot/graph/graph.hpp"

namespace earshot {

/// A large network reads its nodes' vectors in no order the machine could guess, so they lie in few large
/// pages where the system offers them; every vector starts on a cache line of its own. All numbers are zero
/// at first.
class NodeVectors {
 public:
  NodeVectors(std::size_t nodes, std::size_t size);

  std::size_t size() const { return size_; }
  std::span<double> of(NodeId node) { return {memory_.get() + node * stride_, size_}; }
  std::span<const double> of(NodeId node) const { return {memory_.get() + node * stride_, size_}; }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(double* memory) const;
  };

  std::size_t size_;
  std::size_t stride_;
  std::unique_ptr<double[], Unmap> memory_;
};

}  // namespace earshot
