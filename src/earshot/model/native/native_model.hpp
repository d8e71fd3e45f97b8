// Networks by hand-derived tangents: the fast engine.
#pragma once

#include <memory>

#include "earshot/model/model.hpp"

namespace earshot {

std::unique_ptr<Model> make_native_model(Architecture architecture);

}  // namespace earshot
