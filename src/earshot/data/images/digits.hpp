// The 8x8 digits of Alpaydin & Kaynak (UCI optdigits, as scikit-learn ships them).
#pragma once

#include <string>
#include <string_view>

#include "earshot/data/images/image_dataset.hpp"

namespace earshot {

/// Lines of 64 pixels 0 … 16 and a label 0 … 9, without a header. Pixel p becomes the byte nearest to 255 p /
/// 16, which no other pixel value becomes. `origin` names the file in messages.
ImageDataset parse_digits(std::string_view text, const std::string& origin);

}  // namespace earshot
