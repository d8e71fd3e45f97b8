// Memory for clients at work: as many as compute at once, however many there are.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "earshot/training/optimiser.hpp"

namespace earshot {

/// Of one client at work; contents are whatever the last one left.
struct Scratch {
  Scratch(std::size_t parameters, std::size_t state_size, const SgdOptions& options)
      : gradient(parameters), state(state_size), optimiser(parameters, options) {}
  std::vector<double> gradient;
  std::vector<double> state;
  Sgd optimiser;
};

class ScratchPool {
 public:
  ScratchPool(std::size_t parameters, std::size_t state_size, const SgdOptions& options)
      : parameters_(parameters), state_size_(state_size), options_(options) {}

  template <class Use>
  auto with(Use use) {
    std::unique_ptr<Scratch> scratch = take();
    auto result = use(*scratch);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(scratch));
    return result;
  }

 private:
  std::unique_ptr<Scratch> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto scratch = std::move(idle_.back());
        idle_.pop_back();
        return scratch;
      }
    }
    return std::make_unique<Scratch>(parameters_, state_size_, options_);
  }

  std::size_t parameters_;
  std::size_t state_size_;
  SgdOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> idle_;
};

}  // namespace earshot
