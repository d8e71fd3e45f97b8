// What replies to a server show: gradients, differences of gradients, or what local training changed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "earshot/attack/leak/leak.hpp"

namespace earshot {

struct FederatedLeakOptions {
  std::optional<std::uint64_t> round{};  // of training, from 1; none: the first in which a victim replies
  /// A client's change is followed through its local steps (Geiping et al. 2020), otherwise taken for one
  /// gradient, change / (rate x steps). Steps with momentum, weight decay or a proximal term, and SCAFFOLD's,
  /// are always taken so.
  bool unrolled = true;
};

/// One leak for every client whose reply is in the view, as far as the model it answered to is known: heard,
/// or the common start. `parameters` is the size of the model without running statistics. Protocols fedsgd,
/// fedavg, fedprox and scaffold; the number of records of a client and of its batches is public there.
/// SCAFFOLD's later rounds need all replies before.
std::vector<Leak> federated_leaks(const View& view, std::size_t parameters,
                                  const FederatedLeakOptions& options);

}  // namespace earshot
