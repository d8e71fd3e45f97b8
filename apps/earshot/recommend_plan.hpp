// The experiment behind `earshot recommend`: every combination of protections, trained and attacked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "earshot/core/json.hpp"
#include "earshot/experiment/override.hpp"

namespace earshot::cli {

struct RecommendPlan {
  std::string data;    // a dataset's name, or a CSV file
  std::string schema;  // of a CSV file
  std::string model = "mlp";
  std::string hidden = "100,100";  // of an mlp
  std::vector<std::string> topologies = {"fedsgd", "skip_ring", "muffliato_random"};
  std::vector<std::string> encodings = {"one_hot", "random_binary"};
  std::vector<double> sigmas = {0.01, 0.1, 1};
  std::vector<std::uint64_t> batches = {4, 16};
  std::size_t nodes = 20;
  std::size_t rounds = 40;
  std::string attack_rounds = "1,last";  // what is read back falls in the first lap
  std::size_t victims = 5;
  std::size_t members = 8;
  std::size_t iterations = 500;
  std::size_t trials = 1;
  std::uint64_t seed = 1;
};

/// As TOML; what makes no sense is refused when it is read as any other plan.
std::string recommend_text(const RecommendPlan& plan);

/// Searches of the attacker and steps of each.
struct AttackStrength {
  std::size_t members = 0;
  std::size_t iterations = 0;

  bool operator==(const AttackStrength&) const = default;
};
/// What TabLeak's authors give it.
inline constexpr AttackStrength kFullStrength{30, 1500};

/// Of the attack on an option, given the results document it is in.
AttackStrength strength_of(const Json& results, const Json& option_settings);
AttackStrength at_least_full(AttackStrength strength);

/// One option alone, attacked again with this seed and strength.
struct ConfirmPlan {
  std::string text;
  std::vector<Override> overrides;
};
ConfirmPlan confirm_plan(const RecommendPlan& searched, const std::vector<Override>& overrides,
                         const Json& option_settings, std::uint64_t seed, AttackStrength strength);

/// The grid reduced to one option.
RecommendPlan narrowed(RecommendPlan plan, const Json& option_settings);

}  // namespace earshot::cli
