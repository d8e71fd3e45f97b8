// What a view shows, whatever the protocol was.
#pragma once

#include <string_view>
#include <vector>

#include "earshot/attack/leak/leak.hpp"
#include "earshot/attack/leak/step_choice.hpp"
#include "earshot/core/schema.hpp"

namespace earshot {

/// Protocols whose messages can be read, and how.
enum class LeakSource {
  kFederated,
  kPrimalDual,
  kGossip,       // exact steps, and estimates where there are none
  kGossipSteps,  // exact steps only
  kRing
};
std::optional<LeakSource> leak_source(std::string_view protocol);

/// As the settings of an attack recipe say; victims in their order. `parameters` is the size of the model
/// without running statistics, `architecture` null where the attacker does not know its layers.
std::vector<Leak> find_leaks(const View& view, std::size_t parameters, const Settings& recipe,
                             const Architecture* architecture = nullptr);

/// Which steps the settings of a recipe ask for: "rounds" or "round", and "victims".
StepChoice step_choice(const Settings& recipe, const PublicKnowledge& told);

/// Rounds of the network that a view must hold so that `find_leaks` can read one round of training.
RoundWindow window_of_round(const PublicKnowledge& told, std::uint64_t round);

/// The last round of training that a view must hold for that: where nodes average before they move, their
/// steps are heard a round later.
std::uint64_t heard_by_round(const PublicKnowledge& told, std::uint64_t round);

/// Of what this adversary hears in the window, all that `find_leaks` will read; none where that is
/// everything, or cannot be said before the run.
std::optional<MessageChoice> messages_read(const Adversary& adversary, const PublicKnowledge& told,
                                           const RoundWindow& window, const Settings& recipe);

/// The scale of the noise on the numbers of a leak, or the cell of their quantiser, as far as it is public: 0
/// if not. Gaussian: the deviation; Laplace: the scale b.
double public_noise_scale(const PublicKnowledge& told, const Leak& leak);

}  // namespace earshot
