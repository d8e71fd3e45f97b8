// Steps downhill on a flat parameter vector; nothing is allocated after construction.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "earshot/core/state.hpp"

namespace earshot {

class Optimiser {
 public:
  virtual ~Optimiser() = default;
  /// Moves the parameters against the gradient; both have the size the optimiser was made for.
  virtual void step(std::span<double> parameters, std::span<const double> gradient) = 0;
  virtual void save(StateWriter& out) const = 0;
  virtual void load(StateReader& in) = 0;
};

struct SgdOptions {
  double rate = 0.1;
  double momentum = 0;
  double weight_decay = 0;
};

/// g <- gradient + decay w; u <- momentum u + g (first step: u = g); w <- w - rate u. The form of PyTorch, in
/// which a change of the rate takes effect at once.
class Sgd : public Optimiser {
 public:
  Sgd(std::size_t size, const SgdOptions& options);
  void step(std::span<double> parameters, std::span<const double> gradient) override;
  /// Forgets the steps made so far.
  void restart();
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  SgdOptions options_;
  std::vector<double> velocity_;
};

struct AdamOptions {
  double rate = 1e-3;
  double weight_decay = 0;  // added to the gradient
  bool amsgrad = false;     // the non-decreasing second moment of Reddi et al. 2018
};

/// Kingma & Ba 2015 with beta 0.9 and 0.999.
class Adam : public Optimiser {
 public:
  Adam(std::size_t size, const AdamOptions& options);
  void step(std::span<double> parameters, std::span<const double> gradient) override;
  void set_rate(double rate) { options_.rate = rate; }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  AdamOptions options_;
  double first_decay_ = 1;   // beta_1^t
  double second_decay_ = 1;  // beta_2^t
  std::vector<double> first_;
  std::vector<double> second_;
  std::vector<double> largest_;  // of the second moments so far
};

}  // namespace earshot
