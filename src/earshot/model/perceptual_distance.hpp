// How different two images look to a trained network, where a user has its weights.
#pragma once

#include <span>

#include "earshot/core/shape.hpp"

namespace earshot {

/// A distance of images on features of a network, such as LPIPS (Zhang et al. 2018): 0 for equal images,
/// larger the more they differ to the eye. earshot has no such weights; TorchEngine::load_perceptual_distance
/// takes a user's file.
class PerceptualDistance {
 public:
  virtual ~PerceptualDistance() = default;

  /// Of two images of that shape with values in [0, range], as the metrics have them; values outside are cut
  /// off. A grey image is shown to the network as three equal channels; images of other channels than one or
  /// three are refused. Any thread may ask.
  virtual double distance(std::span<const double> truth, std::span<const double> guess, const Shape& shape,
                          double range) const = 0;
};

}  // namespace earshot
