// Between spans and tensors, and from libtorch's exceptions to ours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <torch/torch.h>

#include "earshot/core/error.hpp"

namespace earshot {

template <class Real>
inline constexpr torch::Dtype kDtype = std::is_same_v<Real, float> ? torch::kFloat32 : torch::kFloat64;

inline std::int64_t signed_size(std::size_t size) {
  return static_cast<std::int64_t>(size);
}
std::size_t values_in(torch::IntArrayRef shape);

/// A copy: a kept graph outlives the call, and a TorchScript module may write to what it is given.
template <class Real>
torch::Tensor to_tensor(std::span<const Real> values, torch::IntArrayRef sizes) {
  return torch::from_blob(const_cast<Real*>(values.data()), sizes, kDtype<Real>).clone();
}

/// Writes the tensor's values, in order; an undefined tensor (a gradient of something unused) is zero.
template <class Real>
void copy_to(const torch::Tensor& tensor, std::span<Real> out) {
  if (!tensor.defined()) {
    std::fill(out.begin(), out.end(), Real{0});
    return;
  }
  const torch::Tensor values = tensor.detach().to(kDtype<Real>).contiguous();
  TORCH_CHECK(static_cast<std::size_t>(values.numel()) == out.size(), "unexpected number of values");
  const Real* data = values.data_ptr<Real>();
  std::copy(data, data + out.size(), out.begin());
}

/// The one line of a libtorch message that says what went wrong.
std::string short_message(const std::exception& error);

/// libtorch sums in an order that depends on its thread count: one, for every thread of ours that calls it.
void use_one_thread();

/// Runs `body` on one torch thread; what libtorch throws becomes an Error of this kind.
template <class Body>
auto in_torch(Fault fault, const std::string& context, Body&& body) {
  use_one_thread();
  try {
    return body();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail(fault, context + ": " + short_message(error));
  }
}

}  // namespace earshot
