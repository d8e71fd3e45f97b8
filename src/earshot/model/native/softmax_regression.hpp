// Softmax (multinomial logistic) regression with bias and cross-entropy loss.
#pragma once

#include "earshot/model/model.hpp"

namespace earshot {

/// Parameters: the class_count x input_size matrix M in rows, then the class_count biases b; logits z = M x +
/// b.
class SoftmaxRegression : public Model {
 public:
  SoftmaxRegression(std::size_t input_size, std::size_t class_count);

  std::size_t parameter_count() const override { return class_count_ * (input_size_ + 1); }
  std::size_t input_size() const override { return input_size_; }
  std::size_t class_count() const override { return class_count_; }
  double gradient(Parameters parameters, const Batch& batch, std::span<double> out) const override;
  void pullback(Parameters parameters, const Batch& batch, std::span<const double> r,
                BatchGradient out) const override;
  void predict(Parameters parameters, std::size_t size, std::span<const double> inputs,
               std::span<double> out) const override;
  /// Weights and biases uniform on +-1/sqrt(input_size).
  void initialise(Stream& stream, std::span<double> parameters) const override;

 private:
  std::size_t input_size_;
  std::size_t class_count_;
};

}  // namespace earshot
