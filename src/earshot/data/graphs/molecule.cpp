#include "earshot/data/graphs/molecule.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/graphs/matching.hpp"

namespace earshot {
namespace {

constexpr std::array<std::string_view, kHeaviestElement + 1> kSymbols{
    "*",  "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",
    "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As",
    "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn",
    "Sb", "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho",
    "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po",
    "At", "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md",
    "No", "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

/// Normal valences of OpenSMILES for the elements it lets stand without brackets.
std::span<const int> normal_valences(int element) {
  static constexpr std::array kBoron{3};
  static constexpr std::array kCarbon{4};
  static constexpr std::array kNitrogen{3, 5};  // and phosphorus
  static constexpr std::array kOxygen{2};
  static constexpr std::array kSulphur{2, 4, 6};
  static constexpr std::array kHalogen{1};
  switch (element) {
    case 5:
      return kBoron;
    case 6:
      return kCarbon;
    case 7:
    case 15:
      return kNitrogen;
    case 8:
      return kOxygen;
    case 16:
      return kSulphur;
    case 9:
    case 17:
    case 35:
    case 53:
      return kHalogen;
    default:
      return {};
  }
}

/// Electrons in the outer shell of the neutral atom; none for elements whose valence is not checked.
std::optional<int> outer_electrons(int element) {
  switch (element) {
    case 5:
      return 3;
    case 6:
    case 14:
      return 4;
    case 7:
    case 15:
    case 33:
      return 5;
    case 8:
    case 16:
    case 34:
    case 52:
      return 6;
    case 9:
    case 17:
    case 35:
    case 53:
      return 7;
    default:
      return std::nullopt;
  }
}

/// Valences by the octet rule for an atom with its charge, lowest first; elements from silicon on may use
/// their lone pairs, two valences each. Empty: not checked.
std::vector<int> allowed_valences(const Atom& atom) {
  if (atom.element == 1) return {atom.charge == 0 ? 1 : 0};
  const std::optional<int> neutral = outer_electrons(atom.element);
  if (!neutral) return {};
  const int electrons = *neutral - atom.charge;
  if (electrons < 0 || electrons > 8) return {};
  std::vector<int> allowed{electrons <= 4 ? electrons : 8 - electrons};
  const bool expands = atom.element > 10;
  while (expands && allowed.back() + 2 <= electrons) allowed.push_back(allowed.back() + 2);
  // Nitro groups, azides and N-oxides are often written with five bonds instead of charges.
  if (atom.element == 7 && atom.charge == 0 && atom.hydrogens == 0) allowed.push_back(5);
  return allowed;
}

/// Per atom, the sum of its bonds; an aromatic bond counts 1.
std::vector<int> bond_sums(const Molecule& molecule, std::span<const BondOrder> orders) {
  std::vector<int> sums(molecule.atoms.size(), 0);
  for (std::size_t k = 0; k < molecule.bonds.size(); ++k) {
    const int order = std::max(1, static_cast<int>(orders[k]));
    sums[molecule.bonds[k].a] += order;
    sums[molecule.bonds[k].b] += order;
  }
  return sums;
}

std::vector<BondOrder> orders_of(const Molecule& molecule) {
  std::vector<BondOrder> orders;
  for (const Bond& bond : molecule.bonds) orders.push_back(bond.order);
  return orders;
}

/// Whether the aromatic atom has a valence left for a double bond in the ring.
bool wants_double_bond(const Atom& atom, int bonds) {
  const int used = bonds + atom.hydrogens;
  const std::vector<int> allowed = allowed_valences(atom);
  const auto next = std::ranges::lower_bound(allowed, used);
  return next != allowed.end() && *next > used;
}

/// A bond is on no ring exactly if it is a bridge: Tarjan (1974), with the stack spelt out because a chain of
/// atoms may be long.
class BridgeSearch {
 public:
  explicit BridgeSearch(const Molecule& molecule)
      : molecule_(molecule),
        incident_(molecule.atoms.size()),
        on_ring_(molecule.bonds.size(), true),
        order_(molecule.atoms.size(), 0),
        low_(molecule.atoms.size(), 0) {
    for (std::size_t k = 0; k < molecule.bonds.size(); ++k) {
      incident_[molecule.bonds[k].a].push_back(k);
      incident_[molecule.bonds[k].b].push_back(k);
    }
  }

  std::vector<bool> run() && {
    for (std::size_t root = 0; root < order_.size(); ++root) {
      if (order_[root] != 0) continue;
      discover(root, molecule_.bonds.size());
      while (!stack_.empty()) step();
    }
    return std::move(on_ring_);
  }

 private:
  struct Visit {
    std::size_t atom;
    std::size_t through;  // the bond it was reached by; none: the number of bonds
    std::size_t next = 0;
  };

  void discover(std::size_t atom, std::size_t through) {
    order_[atom] = low_[atom] = ++discovered_;
    stack_.push_back({atom, through});
  }

  void step() {
    Visit& visit = stack_.back();
    if (visit.next == incident_[visit.atom].size()) return leave();
    const std::size_t bond = incident_[visit.atom][visit.next++];
    if (bond == visit.through) return;
    const std::size_t other = molecule_.bonds[bond].a ^ molecule_.bonds[bond].b ^ visit.atom;
    if (order_[other] == 0) return discover(other, bond);
    low_[visit.atom] = std::min(low_[visit.atom], order_[other]);
  }

  void leave() {
    const Visit done = stack_.back();
    stack_.pop_back();
    if (stack_.empty()) return;
    const std::size_t parent = stack_.back().atom;
    low_[parent] = std::min(low_[parent], low_[done.atom]);
    if (low_[done.atom] > order_[parent]) on_ring_[done.through] = false;
  }

  const Molecule& molecule_;
  std::vector<std::vector<std::size_t>> incident_;
  std::vector<bool> on_ring_;
  std::vector<std::size_t> order_;  // of discovery, from 1
  std::vector<std::size_t> low_;    // the earliest atom reachable from below
  std::size_t discovered_ = 0;
  std::vector<Visit> stack_;
};

}  // namespace

std::string_view element_symbol(int element) {
  return kSymbols.at(static_cast<std::size_t>(element));
}

std::optional<int> element_number(std::string_view symbol) {
  const auto found = std::find(kSymbols.begin() + 1, kSymbols.end(), symbol);
  if (found == kSymbols.end()) return std::nullopt;
  return static_cast<int>(found - kSymbols.begin());
}

std::vector<bool> ring_bonds(const Molecule& molecule) {
  return BridgeSearch(molecule).run();
}

int implied_hydrogens(int element, bool aromatic, int bond_orders) {
  const std::span<const int> valences = normal_valences(element);
  if (valences.empty()) return 0;
  if (aromatic) return std::max(0, valences.front() - bond_orders - 1);
  const auto next = std::ranges::lower_bound(valences, bond_orders);
  return next == valences.end() ? 0 : *next - bond_orders;
}

std::optional<std::vector<BondOrder>> kekule_orders(const Molecule& molecule) {
  std::vector<BondOrder> orders = orders_of(molecule);
  const std::vector<int> sums = bond_sums(molecule, orders);
  std::vector<bool> wants(molecule.atoms.size(), false);
  for (std::size_t i = 0; i < wants.size(); ++i)
    wants[i] = molecule.atoms[i].aromatic && wants_double_bond(molecule.atoms[i], sums[i]);
  std::vector<std::vector<std::size_t>> partners(molecule.atoms.size());
  for (const Bond& bond : molecule.bonds) {
    if (bond.order != BondOrder::kAromatic || !wants[bond.a] || !wants[bond.b]) continue;
    partners[bond.a].push_back(bond.b);
    partners[bond.b].push_back(bond.a);
  }
  const std::vector<std::size_t> mate = maximum_matching(partners);
  for (std::size_t i = 0; i < wants.size(); ++i) {
    if (wants[i] && mate[i] == kUnmatched) return std::nullopt;
  }
  for (std::size_t k = 0; k < orders.size(); ++k) {
    if (orders[k] != BondOrder::kAromatic) continue;
    orders[k] = mate[molecule.bonds[k].a] == molecule.bonds[k].b ? BondOrder::kDouble : BondOrder::kSingle;
  }
  return orders;
}

void check_chemistry(const Molecule& molecule) {
  const std::optional<std::vector<BondOrder>> orders = kekule_orders(molecule);
  if (!orders)
    fail(Fault::kData,
         "the aromatic atoms have no alternating single and double bonds; an aromatic nitrogen may lack its "
         "hydrogen, [nH]");
  const std::vector<int> sums = bond_sums(molecule, *orders);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Atom& atom = molecule.atoms[i];
    const std::vector<int> allowed = allowed_valences(atom);
    const int valence = sums[i] + atom.hydrogens;
    if (allowed.empty() || valence < allowed.front() || std::ranges::count(allowed, valence) > 0) continue;
    fail(Fault::kData,
         fmt::format("atom {} is {} with charge {:+} and {} bonds, allowed: at most {}{}", i + 1,
                     element_symbol(atom.element), atom.charge, valence, allowed.front(),
                     allowed.size() > 1 ? fmt::format(", or {} by pairs", allowed.back()) : ""));
  }
}

std::string molecular_formula(const Molecule& molecule) {
  std::map<std::string_view, std::size_t> count;
  for (const Atom& atom : molecule.atoms) {
    ++count[element_symbol(atom.element)];
    if (atom.hydrogens > 0) count["H"] += static_cast<std::size_t>(atom.hydrogens);
  }
  std::string formula;
  const auto write = [&](std::string_view symbol, std::size_t atoms) {
    formula += symbol;
    if (atoms > 1) formula += std::to_string(atoms);
  };
  const auto take = [&](std::string_view symbol) {
    if (const auto found = count.find(symbol); found != count.end()) {
      write(symbol, found->second);
      count.erase(found);
    }
  };
  if (count.contains("C")) {
    take("C");
    take("H");
  }
  const auto any = count.extract("*");
  for (const auto& [symbol, atoms] : count) write(symbol, atoms);
  if (!any.empty()) write("*", any.mapped());
  return formula;
}

int total_charge(const Molecule& molecule) {
  int charge = 0;
  for (const Atom& atom : molecule.atoms) charge += atom.charge;
  return charge;
}

}  // namespace earshot
