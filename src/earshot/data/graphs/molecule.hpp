// Molecules as graphs: atoms, bonds, hydrogens, formulas, and what valence allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

enum class BondOrder : std::uint8_t { kAromatic = 0, kSingle = 1, kDouble = 2, kTriple = 3, kQuadruple = 4 };

/// As SMILES gives it: the neighbours anticlockwise (@), clockwise (@@), or a shape of more neighbours.
enum class Chirality : std::uint8_t { kNone, kAnticlockwise, kClockwise, kOtherShape };

struct Atom {
  int element = 0;  // atomic number; 0 is the wildcard *
  bool aromatic = false;
  int charge = 0;
  int hydrogens = 0;  // attached and not atoms of their own
  std::optional<int> isotope{};
  Chirality chirality = Chirality::kNone;
  int atom_class = 0;
};

struct Bond {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  BondOrder order = BondOrder::kSingle;
};

struct Molecule {
  std::vector<Atom> atoms;
  std::vector<Bond> bonds;
};

inline constexpr int kHeaviestElement = 118;
/// "C" for 6; "*" for 0.
std::string_view element_symbol(int element);
/// 6 for "C"; none for what is no element.
std::optional<int> element_number(std::string_view symbol);

/// Which bonds lie on a ring: those whose removal leaves their atoms connected.
std::vector<bool> ring_bonds(const Molecule& molecule);

/// The hydrogens that SMILES leaves out of an atom written without brackets: up to the lowest normal valence
/// of its element that its bonds do not exceed. An aromatic atom spends one valence on the ring's electrons.
/// `bond_orders` is the sum of its bonds, an aromatic one counting 1.
int implied_hydrogens(int element, bool aromatic, int bond_orders);

/// One order for every bond, no longer aromatic ones: alternating single and double bonds such that every
/// aromatic atom that has a valence to spare has one double bond (Kekulé). None when there is no such choice.
std::optional<std::vector<BondOrder>> kekule_orders(const Molecule& molecule);

/// Fails unless the aromatic atoms have a Kekulé structure and no atom of the common non-metals has more or
/// other bonds than its electrons allow.
void check_chemistry(const Molecule& molecule);

/// In Hill's order: carbon, hydrogen, then by symbol; all by symbol without carbon. "*" last.
std::string molecular_formula(const Molecule& molecule);
int total_charge(const Molecule& molecule);

}  // namespace earshot
