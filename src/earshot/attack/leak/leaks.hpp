// What a view shows, whatever the protocol was.
#pragma once

#include <string_view>
#include <vector>

#include "earshot/attack/leak/leak.hpp"
#include "earshot/core/schema.hpp"

namespace earshot {

/// Protocols whose messages can be read, and how.
enum class LeakSource { kFederated, kPrimalDual, kGossip };
std::optional<LeakSource> leak_source(std::string_view protocol);

/// As the settings of an attack recipe say; victims in their order. `parameters` is the size of the model
/// without running statistics, `architecture` null where the attacker does not know its layers.
std::vector<Leak> find_leaks(const View& view, std::size_t parameters, const Settings& recipe,
                             const Architecture* architecture = nullptr);

/// The scale of the noise on the numbers of a leak, or the cell of their quantiser, as far as it is public: 0
/// if not. Gaussian: the deviation; Laplace: the scale b.
double public_noise_scale(const PublicKnowledge& told, const Leak& leak);

}  // namespace earshot
