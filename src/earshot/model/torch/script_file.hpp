// What can be said of a TorchScript file before libtorch opens it.
#pragma once

#include <cstdint>
#include <span>

namespace earshot {

/// A TorchScript file is a zip archive of pickled values, tensors and code. Refuses, as bad data and in one
/// sentence, archives that are damaged, that hold no TorchScript module, or that would run code while being
/// loaded (a class's __setstate__, or a C++ class restored from a pickle): its operators can be looked at
/// only afterwards.
void check_script_file(std::span<const std::uint8_t> bytes);

}  // namespace earshot
