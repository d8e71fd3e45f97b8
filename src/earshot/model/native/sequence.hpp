// Layers one after another and side by side, themselves layers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "earshot/model/architecture.hpp"
#include "earshot/model/native/layer.hpp"
#include "earshot/model/native/layers.hpp"

namespace earshot {

/// A layer made of layers. Its parameter blocks and buffers are those of the whole network, and it keeps the
/// values, adjoints and tangents between its parts. `backward` and `tangent_backward` do not compute d(in)
/// when told to write it nowhere (null): the first layer of a network has no use for it.
template <class Real>
class Composite : public NativeLayer<Real> {
 public:
  bool always_goes_back() const override { return true; }
  /// Multiplies row i of all kept adjoints by factors[i]; a factor of 0 writes zeros, whatever was there.
  /// Only for networks that do not mix rows.
  virtual void scale_adjoints(const Call<Real>& call, const double* factors) = 0;
  /// Lets every layer match its part of `observed`; for those that do not, it compares and writes the
  /// direction.
  virtual void match_layers(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                            ParameterBlock<Real> direction, double* distances) = 0;
  /// Lets every layer add its products with its part of `observed`; for those that do not, it multiplies and
  /// writes the gradient where the direction will be.
  virtual void multiply_layers(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                               ParameterBlock<Real> direction, Products* products) = 0;
  /// After that, the directions.
  virtual void combine_layers(const Call<Real>& call, const LayerState<Real>& state, const Real* observed,
                              ParameterBlock<Real> direction, const Combination* combinations) = 0;
};

/// rows x size numbers, row i multiplied by factors[i] as above.
template <class Real>
void scale_rows(std::size_t rows, std::size_t size, const double* factors, Real* numbers);

/// The whole network of an architecture; `places` are its leaf layers in order.
template <class Real>
std::unique_ptr<Composite<Real>> make_network(const Architecture& architecture,
                                              std::span<const PlacedLayer> places, const double* buffers);

}  // namespace earshot
