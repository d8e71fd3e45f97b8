// Accountants interpret release events and answer what all of them together promise.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "earshot/accounting/conversion.hpp"
#include "earshot/accounting/privacy_curve.hpp"
#include "earshot/accounting/release_event.hpp"

namespace earshot {

/// Adds up releases that may have been chosen adaptively, on the same data. Every answer is an upper bound;
/// what an accountant cannot interpret it refuses by name, and what is not private makes epsilon infinite.
class Accountant {
 public:
  virtual ~Accountant() = default;
  virtual std::string name() const = 0;

  /// `count` more of these releases. Compositions and repetitions are taken apart.
  void add(const ReleaseEvent& event, std::uint64_t count = 1);
  /// The same for a mechanism of one's own, given by its curve.
  void add(const std::shared_ptr<const PrivacyCurve>& curve, std::uint64_t count = 1);

  /// Smallest epsilon this accountant can prove at `delta` (0 < delta < 1); infinite if there is none.
  double epsilon(double delta) const;
  /// Smallest delta it can prove at `epsilon` >= 0.
  double delta(double epsilon) const;

  /// How the answer at `delta` came about, in a sentence for the statement's assumptions.
  virtual std::string method(double delta) const = 0;
  virtual std::unique_ptr<Accountant> clone() const = 0;

 protected:
  using MakeCurve = std::function<std::shared_ptr<const PrivacyCurve>()>;
  /// `text` identifies the release for as long as the accountant lives; it is empty for a curve that has
  /// none.
  virtual void add_curve(const std::string& text, const MakeCurve& make, std::uint64_t count) = 0;
  virtual double private_epsilon(double delta) const = 0;
  virtual double private_delta(double epsilon) const = 0;

 private:
  bool not_private_ = false;
};

/// "rdp", "zcdp", "pld".
std::vector<std::string> accountant_names();
std::unique_ptr<Accountant> make_accountant(std::string_view name);

/// Calls `visit(leaf, count)` for every release that is neither a composition nor a repetition.
void for_each_leaf(const ReleaseEvent& event, std::uint64_t count,
                   const std::function<void(const ReleaseEvent&, std::uint64_t)>& visit);

/// Any (epsilon, delta) answer for one record extends to `group` records (Vadhan 2017, Lemma 2.2): the best
/// epsilon for the whole group at `delta`. Infinite when nothing can be said.
double group_epsilon(const Accountant& accountant, std::uint64_t group, double delta);

}  // namespace earshot
