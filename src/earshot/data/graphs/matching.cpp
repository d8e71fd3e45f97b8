#include "earshot/data/graphs/matching.hpp"

#include <numeric>
#include <queue>

namespace earshot {
namespace {

/// Grows one alternating tree after the other. A cycle of odd length (a blossom) is treated as one node, its
/// base.
class Blossom {
 public:
  explicit Blossom(const std::vector<std::vector<std::size_t>>& neighbours)
      : neighbours_(neighbours),
        mate_(neighbours.size(), kUnmatched),
        parent_(neighbours.size()),
        base_(neighbours.size()),
        used_(neighbours.size()) {}

  std::vector<std::size_t> run() && {
    match_greedily();
    for (std::size_t node = 0; node < mate_.size(); ++node) {
      if (mate_[node] == kUnmatched) augment(find_path(node));
    }
    return std::move(mate_);
  }

 private:
  /// Most nodes find a partner at once; paths are searched for the rest.
  void match_greedily() {
    for (std::size_t node = 0; node < mate_.size(); ++node) {
      if (mate_[node] != kUnmatched) continue;
      for (const std::size_t other : neighbours_[node]) {
        if (other == node || mate_[other] != kUnmatched) continue;
        mate_[node] = other;
        mate_[other] = node;
        break;
      }
    }
  }

  /// The base that the tree's paths from a and b to the root first share.
  std::size_t common_base(std::size_t a, std::size_t b) const {
    std::vector<bool> on_path(mate_.size(), false);
    for (;;) {
      a = base_[a];
      on_path[a] = true;
      if (mate_[a] == kUnmatched) break;
      a = parent_[mate_[a]];
    }
    for (;;) {
      b = base_[b];
      if (on_path[b]) return b;
      b = parent_[mate_[b]];
    }
  }

  void mark_path(std::size_t node, std::size_t base, std::size_t child, std::vector<bool>& in_blossom) {
    while (base_[node] != base) {
      in_blossom[base_[node]] = in_blossom[base_[mate_[node]]] = true;
      parent_[node] = child;
      child = mate_[node];
      node = parent_[mate_[node]];
    }
  }

  void contract(std::size_t a, std::size_t b) {
    const std::size_t base = common_base(a, b);
    std::vector<bool> in_blossom(mate_.size(), false);
    mark_path(a, base, b, in_blossom);
    mark_path(b, base, a, in_blossom);
    for (std::size_t node = 0; node < mate_.size(); ++node) {
      if (!in_blossom[base_[node]]) continue;
      base_[node] = base;
      if (!used_[node]) {
        used_[node] = true;
        queue_.push(node);
      }
    }
  }

  /// The unmatched end of an alternating path from the root, or kUnmatched.
  std::size_t find_path(std::size_t root) {
    used_.assign(mate_.size(), false);
    parent_.assign(mate_.size(), kUnmatched);
    std::iota(base_.begin(), base_.end(), std::size_t{0});
    queue_ = {};
    used_[root] = true;
    queue_.push(root);
    while (!queue_.empty()) {
      const std::size_t node = queue_.front();
      queue_.pop();
      for (const std::size_t other : neighbours_[node]) {
        if (base_[node] == base_[other] || mate_[node] == other) continue;
        if (other == root || (mate_[other] != kUnmatched && parent_[mate_[other]] != kUnmatched)) {
          contract(node, other);
        } else if (parent_[other] == kUnmatched) {
          parent_[other] = node;
          if (mate_[other] == kUnmatched) return other;
          used_[mate_[other]] = true;
          queue_.push(mate_[other]);
        }
      }
    }
    return kUnmatched;
  }

  /// Swaps matched and unmatched edges along the path that ends here.
  void augment(std::size_t node) {
    while (node != kUnmatched) {
      const std::size_t before = parent_[node];
      const std::size_t next = mate_[before];
      mate_[node] = before;
      mate_[before] = node;
      node = next;
    }
  }

  const std::vector<std::vector<std::size_t>>& neighbours_;
  std::vector<std::size_t> mate_;
  std::vector<std::size_t> parent_;
  std::vector<std::size_t> base_;
  std::vector<bool> used_;
  std::queue<std::size_t> queue_;
};

}  // namespace

std::vector<std::size_t> maximum_matching(const std::vector<std::vector<std::size_t>>& neighbours) {
  return Blossom(neighbours).run();
}

}  // namespace earshot
