#include "earshot/protocol/pdmm_edges.hpp"

#include <algorithm>
#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"

namespace earshot {
namespace {

/// Sends z itself. Two vectors per edge are all there is: the new z_{j|i} is made where z_{i|j} lies, which
/// nobody needs any more once j has answered, and the answer is written over the old z_{j|i}.
class PlainEdges : public EdgeVariables {
 public:
  PlainEdges(const EdgeOptions& options, std::vector<double> signs, std::vector<double> held,
             std::vector<double> made, std::size_t size)
      : EdgeVariables(options, std::move(signs), std::move(held), std::move(made), size) {}

  void speak(std::uint64_t, std::span<const double> w, Outbox& out) override {
    const double theta = options_.theta;
    for (std::size_t slot = 0; slot < degree(); ++slot) {
      const double pull = 2 * options_.rho * signs_[slot];
      const std::span<double> held = of_slot(held_, slot);
      const std::span<const double> made = of_slot(made_, slot);
      for (std::size_t k = 0; k < size_; ++k) {
        held[k] = (1 - theta) * made[k] + theta * (held[k] + pull * w[k]);
      }
      out.send(slot, held);
    }
  }

  void listen(std::span<const double> w, bool awake, const Inbox& in) override {
    for (std::size_t slot = 0; slot < degree(); ++slot) {
      const std::span<const double> heard = in.from(slot);
      if (!heard.empty()) {
        std::ranges::copy(heard, of_slot(awake ? made_ : held_, slot).begin());
      } else if (awake) {
        take_back(w, slot);
      }
    }
    if (awake) std::swap(held_, made_);
  }

 private:
  /// The neighbour was silent, so the z_{i|j} that speak() wrote over is still valid: the update is undone.
  void take_back(std::span<const double> w, std::size_t slot) {
    const double theta = options_.theta;
    const double pull = 2 * options_.rho * signs_[slot];
    const std::span<const double> said = of_slot(held_, slot);
    const std::span<double> made = of_slot(made_, slot);
    for (std::size_t k = 0; k < size_; ++k) {
      made[k] = (said[k] - (1 - theta) * made[k]) / theta - pull * w[k];
    }
  }
};

/// Sends what changes z.
class DifferentialEdges : public EdgeVariables {
 public:
  DifferentialEdges(const EdgeOptions& options, std::vector<double> signs, std::vector<double> held,
                    std::vector<double> made, std::size_t size)
      : EdgeVariables(options, std::move(signs), std::move(held), std::move(made), size) {}

  void speak(std::uint64_t round, std::span<const double> w, Outbox& out) override {
    for (std::size_t slot = 0; slot < degree(); ++slot) {
      const double pull = 2 * options_.rho * signs_[slot];
      const std::span<const double> held = of_slot(held_, slot);
      const std::span<double> made = of_slot(made_, slot);
      const std::span<double> message = out.compose(size_);
      for (std::size_t k = 0; k < size_; ++k) {
        message[k] = options_.theta * (held[k] + pull * w[k] - made[k]);
      }
      if (options_.open_loop) add(message, made);
      if (options_.quantiser.active()) options_.quantiser.quantise(round, message);
      if (!options_.open_loop) add(message, made);
      out.send(slot, message);
    }
  }

  void listen(std::span<const double>, bool, const Inbox& in) override {
    for (std::size_t slot = 0; slot < degree(); ++slot) {
      if (!in.from(slot).empty()) add(in.from(slot), of_slot(held_, slot));
    }
  }

 private:
  static void add(std::span<const double> change, std::span<double> to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += change[k];
  }
};

/// What `from` chose for its edge to `to`, before the first round.
void first_value(const EdgeStart& start, NodeId from, NodeId to, std::span<double> out) {
  if (start.deviation == 0) return;
  Stream({start.seed, Purpose::kDual, start.trial, from, to}).fill_normal(out, start.deviation);
}

}  // namespace

EdgeVariables::EdgeVariables(const EdgeOptions& options, std::vector<double> signs, std::vector<double> held,
                             std::vector<double> made, std::size_t size)
    : options_(options),
      signs_(std::move(signs)),
      size_(size),
      held_(std::move(held)),
      made_(std::move(made)) {}

void EdgeVariables::signed_sum(std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  for (std::size_t slot = 0; slot < degree(); ++slot) {
    const auto held = std::span(held_).subspan(slot * size_, size_);
    for (std::size_t k = 0; k < size_; ++k) out[k] += signs_[slot] * held[k];
  }
}

void EdgeVariables::save(StateWriter& out) const {
  out.reals(held_);
  out.reals(made_);
}

void EdgeVariables::load(StateReader& in) {
  in.reals(held_);
  in.reals(made_);
}

std::unique_ptr<EdgeVariables> make_edges(const EdgeOptions& options, const EdgeStart& start, NodeId node,
                                          std::span<const NodeId> neighbours, std::size_t size) {
  std::vector<double> signs, held(neighbours.size() * size), made(neighbours.size() * size);
  for (std::size_t slot = 0; slot < neighbours.size(); ++slot) {
    signs.push_back(edge_sign(node, neighbours[slot]));
    first_value(start, neighbours[slot], node, std::span(held).subspan(slot * size, size));
    first_value(start, node, neighbours[slot], std::span(made).subspan(slot * size, size));
  }
  if (options.differential) {
    return std::make_unique<DifferentialEdges>(options, std::move(signs), std::move(held), std::move(made),
                                               size);
  }
  if (options.quantiser.active()) fail(Fault::kInternal, "only differential messages are quantised");
  return std::make_unique<PlainEdges>(options, std::move(signs), std::move(held), std::move(made), size);
}

}  // namespace earshot
