// The layers of the native engine, made for a place in an architecture.
#pragma once

#include <memory>

#include "earshot/model/architecture.hpp"
#include "earshot/model/native/layer.hpp"

namespace earshot {

template <class Real>
using LayerPointer = std::unique_ptr<NativeLayer<Real>>;

/// Up to so many rows of a problem, products of rows with rows are cheaper to a dense layer whose angle is
/// matched than a gradient is.
inline constexpr std::size_t kMostGramRows = 32;

template <class Real>
LayerPointer<Real> make_dense(const Dense& layer, const PlacedLayer& place);
template <class Real>
LayerPointer<Real> make_activation(const Activate& layer, const PlacedLayer& place);
template <class Real>
LayerPointer<Real> make_dropout(const Dropout& layer, const PlacedLayer& place);
template <class Real>
LayerPointer<Real> make_convolution(const Convolve& layer, const PlacedLayer& place);
template <class Real>
LayerPointer<Real> make_pool(const Pool& layer, const PlacedLayer& place);
/// `buffers` (mean, variance) are read at every call: they change while the model trains.
template <class Real>
LayerPointer<Real> make_batch_norm(const BatchNorm& layer, const PlacedLayer& place, const double* buffers);
template <class Real>
LayerPointer<Real> make_graph_convolution(const GraphConvolve& layer, const PlacedLayer& place);
template <class Real>
LayerPointer<Real> make_graph_attention(const GraphAttend& layer, const PlacedLayer& place);
template <class Real>
LayerPointer<Real> make_read_out(const ReadOut& layer, const PlacedLayer& place);

}  // namespace earshot
