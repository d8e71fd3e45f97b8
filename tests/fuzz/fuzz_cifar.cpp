// Fuzzes the CIFAR-10 parser: what it accepts must hold every byte of the input.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "earshot/data/images/cifar.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  earshot::fuzzing::accept_or_refuse([&] {
    const earshot::ImageDataset dataset = earshot::parse_cifar10(std::span(data, size));
    if (dataset.pixels.size() + dataset.size() != size) std::abort();
  });
  return 0;
}
