// Exponentials of many numbers at once: decoders need one for every variable of a search.
#pragma once

#include <span>

namespace earshot {

/// e^x in place of every x. In single precision within 2e-7 of it, relatively, for x from -87 to 88, beyond
/// which it stays what it is there; a number's result does not depend on its place. NaN stays NaN.
void exponentials(std::span<float> numbers);
void exponentials(std::span<double> numbers);

}  // namespace earshot
