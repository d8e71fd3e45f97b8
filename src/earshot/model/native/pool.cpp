// Max and mean over windows. Both are linear maps once the winners are known, so tangents use the same cells.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "earshot/model/native/layers.hpp"

namespace earshot {
namespace {

/// The windows of one plane, cut off at its edge.
struct Windows {
  Windows(const Pool& layer, const PlacedLayer& place)
      : in(place.in),
        out(place.out),
        height(layer.kernel == 0 ? place.in.height : layer.kernel),
        width(layer.kernel == 0 ? place.in.width : layer.kernel),
        stride(layer.stride) {}

  /// Calls body(position in the output plane, top, bottom, left, right), ends excluded.
  template <class Body>
  void each(Body body) const {
    for (std::size_t oy = 0, position = 0; oy < out.height; ++oy) {
      const std::size_t top = oy * stride, bottom = std::min(top + height, in.height);
      for (std::size_t ox = 0; ox < out.width; ++ox, ++position) {
        const std::size_t left = ox * stride;
        body(position, top, bottom, left, std::min(left + width, in.width));
      }
    }
  }

  Shape in;
  Shape out;
  std::size_t height;
  std::size_t width;
  std::size_t stride;
};

template <class Real>
std::size_t planes(const Call<Real>& call, const Windows& windows) {
  return call.all_rows() * windows.in.channels;
}

template <class Real>
class MaxPool final : public NativeLayer<Real> {
 public:
  MaxPool(const Pool& layer, const PlacedLayer& place) : windows_(layer, place) {}

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    const std::size_t count = planes(call, windows_);
    if (winners_.size() < count * windows_.out.plane()) winners_.resize(count * windows_.out.plane());
    for (std::size_t p = 0; p < count; ++p) {
      const Real* in = state.in + p * windows_.in.plane();
      std::uint32_t* winners = winners_.data() + p * windows_.out.plane();
      windows_.each([&](std::size_t position, std::size_t top, std::size_t bottom, std::size_t left,
                        std::size_t right) {
        winners[position] = static_cast<std::uint32_t>(winner(in, top, bottom, left, right));
        out[p * windows_.out.plane() + position] = in[winners[position]];
      });
    }
  }
  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    send_back(call, state.out_adjoint, in_adjoint);
  }
  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    const std::size_t plane = windows_.out.plane();
    for (std::size_t i = 0; i < planes(call, windows_) * plane; ++i) {
      out_tangent[i] = state.in_tangent == nullptr
                           ? Real{0}
                           : state.in_tangent[i / plane * windows_.in.plane() + winners_[i]];
    }
  }
  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    send_back(call, state.out_adjoint_tangent, in_adjoint_tangent);
  }

 private:
  /// The largest cell, the first in row order among equals; a NaN wins, so that it is not hidden.
  std::size_t winner(const Real* in, std::size_t top, std::size_t bottom, std::size_t left,
                     std::size_t right) const {
    std::size_t best = top * windows_.in.width + left;
    for (std::size_t y = top; y < bottom; ++y) {
      for (std::size_t x = left; x < right; ++x) {
        const std::size_t here = y * windows_.in.width + x;
        if (in[here] > in[best] || (in[here] != in[here] && in[best] == in[best])) best = here;
      }
    }
    return best;
  }

  void send_back(const Call<Real>& call, const Real* from, Real* to) const {
    const std::size_t count = planes(call, windows_), plane = windows_.out.plane();
    std::fill_n(to, count * windows_.in.plane(), Real{0});
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t i = p * plane; i < (p + 1) * plane; ++i) {
        to[p * windows_.in.plane() + winners_[i]] += from[i];
      }
    }
  }

  Windows windows_;
  std::vector<std::uint32_t> winners_;  // of the last forward call, within each plane
};

/// The mean of the cells a window really has.
template <class Real>
class MeanPool final : public NativeLayer<Real> {
 public:
  MeanPool(const Pool& layer, const PlacedLayer& place) : windows_(layer, place) {}

  void forward(const Call<Real>& call, const LayerState<Real>& state, Real* out) override {
    average(call, state.in, out);
  }
  void backward(const Call<Real>& call, const LayerState<Real>& state, Real* in_adjoint) override {
    spread(call, state.out_adjoint, in_adjoint);
  }
  void tangent(const Call<Real>& call, const LayerState<Real>& state, Real* out_tangent) override {
    if (state.in_tangent == nullptr) {
      std::fill_n(out_tangent, planes(call, windows_) * windows_.out.plane(), Real{0});
    } else {
      average(call, state.in_tangent, out_tangent);
    }
  }
  void tangent_backward(const Call<Real>& call, const LayerState<Real>& state,
                        Real* in_adjoint_tangent) override {
    spread(call, state.out_adjoint_tangent, in_adjoint_tangent);
  }

 private:
  void average(const Call<Real>& call, const Real* in, Real* out) const {
    for (std::size_t p = 0; p < planes(call, windows_); ++p) {
      const Real* plane = in + p * windows_.in.plane();
      windows_.each([&](std::size_t position, std::size_t top, std::size_t bottom, std::size_t left,
                        std::size_t right) {
        Real sum = 0;
        for (std::size_t y = top; y < bottom; ++y) {
          for (std::size_t x = left; x < right; ++x) sum += plane[y * windows_.in.width + x];
        }
        out[p * windows_.out.plane() + position] = sum / static_cast<Real>((bottom - top) * (right - left));
      });
    }
  }

  void spread(const Call<Real>& call, const Real* from, Real* to) const {
    std::fill_n(to, planes(call, windows_) * windows_.in.plane(), Real{0});
    for (std::size_t p = 0; p < planes(call, windows_); ++p) {
      Real* plane = to + p * windows_.in.plane();
      windows_.each([&](std::size_t position, std::size_t top, std::size_t bottom, std::size_t left,
                        std::size_t right) {
        const Real share =
            from[p * windows_.out.plane() + position] / static_cast<Real>((bottom - top) * (right - left));
        for (std::size_t y = top; y < bottom; ++y) {
          for (std::size_t x = left; x < right; ++x) plane[y * windows_.in.width + x] += share;
        }
      });
    }
  }

  Windows windows_;
};

}  // namespace

template <class Real>
LayerPointer<Real> make_pool(const Pool& layer, const PlacedLayer& place) {
  if (layer.kind == PoolKind::kMax) return std::make_unique<MaxPool<Real>>(layer, place);
  return std::make_unique<MeanPool<Real>>(layer, place);
}

template LayerPointer<double> make_pool(const Pool& layer, const PlacedLayer& place);
template LayerPointer<float> make_pool(const Pool& layer, const PlacedLayer& place);

}  // namespace earshot
