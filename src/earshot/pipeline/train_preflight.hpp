// What stands in the way of a plan that trains, found before the first step.
#pragma once

#include <functional>
#include <string>

#include "earshot/pipeline/pipeline.hpp"

namespace earshot {

/// A problem at a key such as "protocol.kind": why, and what to do.
using Complain = std::function<void(const std::string& key, const std::string& why, const std::string& fix)>;

/// Every section the protocol needs is there and of a kind that can be trained with.
bool training_sections_fit(const Cell& cell, const Complain& complain);
/// Data can be read and divided, shapes fit, noise can be calibrated, there is enough memory. What was loaded
/// is kept.
void check_training(const Cell& cell, std::uint64_t seed, const GraphSources& sources, TrainingSets& loaded,
                    const Complain& complain);
/// Sections that no cell of a plan that only trains has a use for.
void check_unused_sections(const Plan& plan, const Complain& complain);
/// A cell that does not train must not ask for what only training understands.
bool has_no_training_settings(const Cell& cell, const Complain& complain);

}  // namespace earshot
