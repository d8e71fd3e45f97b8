#include "earshot/data/graphs/smiles.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/formats/plain_text.hpp"

namespace earshot {
namespace {

constexpr std::string_view kBonds = "-=#$:/\\";
constexpr std::size_t kRingNumbers = 100;
constexpr int kHighestCharge = 15;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

BondOrder order_of(char symbol) {
  switch (symbol) {
    case '=':
      return BondOrder::kDouble;
    case '#':
      return BondOrder::kTriple;
    case '$':
      return BondOrder::kQuadruple;
    case ':':
      return BondOrder::kAromatic;
    default:  // - / and backslash
      return BondOrder::kSingle;
  }
}

/// The symbol of an aromatic atom as the element it stands for: "c" as "C", "se" as "Se".
std::string capitalised(std::string_view symbol) {
  std::string capital(symbol);
  capital.front() = static_cast<char>(capital.front() - 'a' + 'A');
  return capital;
}

/// Where an atom or bond may stand is decided by what came before: a chain is atoms, each followed by ring
/// bonds and then branches, joined by bonds or dots.
class SmilesReader {
 public:
  explicit SmilesReader(std::string_view text) : text_(text) {}

  Molecule read() && {
    if (text_.empty()) fail(Fault::kData, "the SMILES is empty");
    if (text_.size() > kLongestSmiles)
      fail(Fault::kData, fmt::format("the SMILES is longer than {} characters", kLongestSmiles));
    while (at_ < text_.size()) read_next();
    finish();
    settle_bonds();
    add_hydrogens();
    return std::move(molecule_);
  }

 private:
  struct OpenRing {
    bool open = false;
    std::uint32_t atom = 0;
    char symbol = 0;
    std::size_t at = 0;
  };
  struct Branch {
    std::uint32_t atom;
    std::size_t at;
  };

  [[noreturn]] void refuse(std::size_t at, const std::string& why) const {
    fail(Fault::kData, fmt::format("character {}: {}", at + 1, why));
  }
  [[noreturn]] void refuse(const std::string& why) const { refuse(at_, why); }

  bool starts_with(std::string_view piece) const { return text_.substr(at_).starts_with(piece); }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// At most `most` digits; none: nothing is there.
  std::optional<int> take_number(std::size_t most) {
    std::size_t length = 0;
    while (length < most && at_ + length < text_.size() && is_digit(text_[at_ + length])) ++length;
    if (length == 0) return std::nullopt;
    int value = 0;
    std::from_chars(text_.data() + at_, text_.data() + at_ + length, value);
    at_ += length;
    return value;
  }

  void read_next() {
    const char c = text_[at_];
    if (c == '(') return open_branch();
    if (c == ')') return close_branch();
    if (c == '.') return read_dot();
    if (is_digit(c) || c == '%') return read_ring_bond();
    if (kBonds.find(c) != std::string_view::npos) return read_bond();
    read_atom();
  }

  /// Bonds, branches, dots and ring bonds follow an atom.
  void expect_atom_before(std::string_view what) const {
    if (wants_atom_) refuse(fmt::format("{} where an atom is expected", what));
  }

  void open_branch() {
    expect_atom_before("a branch");
    branches_.push_back({previous_, at_});
    ++at_;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      connected_ = false;
    }
    wants_atom_ = true;
    bond_allowed_ = connected_;
  }

  void close_branch() {
    expect_atom_before("the end of a branch");
    if (branches_.empty()) refuse("a branch ends that was not opened");
    previous_ = branches_.back().atom;
    branches_.pop_back();
    ring_bond_allowed_ = false;
    ++at_;
  }

  void read_dot() {
    expect_atom_before("a dot");
    connected_ = false;
    wants_atom_ = true;
    bond_allowed_ = false;
    ++at_;
  }

  void read_bond() {
    if (wants_atom_ && !bond_allowed_) refuse("a bond where an atom is expected");
    symbol_ = text_[at_++];
    bond_at_ = at_ - 1;
    if (!wants_atom_ && at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '%'))
      return read_ring_bond();
    wants_atom_ = true;
    bond_allowed_ = false;
  }

  void read_ring_bond() {
    expect_atom_before("a ring bond");
    if (!ring_bond_allowed_) refuse("a ring bond after a branch; it belongs before");
    const std::size_t start = at_;
    const bool long_form = take('%');
    const std::size_t digits_from = at_;
    const std::optional<int> number = take_number(long_form ? 2 : 1);
    if (!number || (long_form && at_ - digits_from != 2)) refuse(start, "% must be followed by two digits");
    OpenRing& ring = rings_[static_cast<std::size_t>(*number)];
    if (ring.open) {
      close_ring(ring, start, *number);
    } else {
      ring = {true, previous_, symbol_, start};
    }
    symbol_ = 0;
  }

  void close_ring(OpenRing& ring, std::size_t start, int number) {
    if (ring.atom == previous_) refuse(start, fmt::format("ring bond {} joins an atom to itself", number));
    if (symbol_ != 0 && ring.symbol != 0 && order_of(symbol_) != order_of(ring.symbol))
      refuse(start, fmt::format("ring bond {} is written {} at one end and {} at the other", number,
                                ring.symbol, symbol_));
    add_bond(ring.atom, previous_, symbol_ != 0 ? symbol_ : ring.symbol, start);
    ring.open = false;
  }

  void add_bond(std::uint32_t a, std::uint32_t b, char symbol, std::size_t at) {
    const auto joins = [&](const Bond& bond) { return std::minmax(bond.a, bond.b) == std::minmax(a, b); };
    // Only a ring bond can repeat one, and only one of the atoms' own few bonds.
    if (std::ranges::any_of(molecule_.bonds, joins)) refuse(at, "a second bond between the same two atoms");
    const bool aromatic = molecule_.atoms[a].aromatic && molecule_.atoms[b].aromatic;
    if (symbol == ':' && !aromatic) refuse(at, "an aromatic bond between atoms that are not both aromatic");
    const BondOrder left_out = aromatic ? BondOrder::kAromatic : BondOrder::kSingle;
    molecule_.bonds.push_back({a, b, symbol == 0 ? left_out : order_of(symbol)});
    written_at_.push_back(symbol == 0 ? std::nullopt : std::optional(at));
  }

  void read_atom() {
    const std::size_t start = at_;
    Atom atom;
    const bool bracketed = take('[');
    if (bracketed) {
      read_bracket(atom);
    } else {
      read_organic(atom);
    }
    const auto index = static_cast<std::uint32_t>(molecule_.atoms.size());
    molecule_.atoms.push_back(atom);
    bracketed_.push_back(bracketed);
    if (index > 0 && connected_) add_bond(previous_, index, symbol_, symbol_ != 0 ? bond_at_ : start);
    symbol_ = 0;
    previous_ = index;
    connected_ = true;
    wants_atom_ = false;
    ring_bond_allowed_ = true;
  }

  void read_organic(Atom& atom) {
    constexpr std::array<std::string_view, 11> kAliphatic{"Cl", "Br", "B", "C", "N", "O",
                                                          "P",  "S",  "F", "I", "*"};
    for (const std::string_view symbol : kAliphatic) {
      if (!starts_with(symbol)) continue;
      at_ += symbol.size();
      atom.element = symbol == "*" ? 0 : *element_number(symbol);
      return;
    }
    constexpr std::string_view kAromatic = "bcnops";
    const char c = text_[at_];
    if (kAromatic.find(c) == std::string_view::npos)
      refuse(
          fmt::format("{} is no atom; outside brackets allowed: B, C, N, O, P, S, F, Cl, Br, I, b, c, n, o, "
                      "p, s, *",
                      in_quotes(text_.substr(at_, 1))));
    atom.aromatic = true;
    atom.element = *element_number(capitalised(text_.substr(at_, 1)));
    ++at_;
  }

  /// isotope? symbol chirality? hydrogens? charge? class? and the closing bracket
  void read_bracket(Atom& atom) {
    atom.isotope = take_number(3);
    read_symbol(atom);
    read_chirality(atom);
    if (take('H')) {
      if (atom.element == 1) refuse(at_ - 1, "a hydrogen atom has no hydrogens of its own");
      atom.hydrogens = take_number(1).value_or(1);
    }
    read_charge(atom);
    if (take(':')) {
      const std::optional<int> number = take_number(4);
      if (!number) refuse("an atom class is a number");
      atom.atom_class = *number;
    }
    if (!take(']'))
      refuse(at_ == text_.size() ? "the bracket is not closed"
                                 : fmt::format("{} is not allowed here; a bracket holds isotope, symbol, "
                                               "chirality, hydrogens, charge and class, in this order",
                                               in_quotes(text_.substr(at_, 1))));
  }

  void read_symbol(Atom& atom) {
    if (take('*')) return;
    constexpr std::array<std::string_view, 8> kAromatic{"se", "as", "b", "c", "n", "o", "p", "s"};
    for (const std::string_view symbol : kAromatic) {
      if (!starts_with(symbol)) continue;
      at_ += symbol.size();
      atom.aromatic = true;
      atom.element = *element_number(capitalised(symbol));
      return;
    }
    for (const std::size_t length : {std::size_t{2}, std::size_t{1}}) {
      const std::string_view symbol = text_.substr(std::min(at_, text_.size()), length);
      const std::optional<int> element = element_number(symbol);
      if (symbol.size() != length || !element) continue;
      at_ += length;
      atom.element = *element;
      return;
    }
    refuse(at_ == text_.size() ? "the bracket is not closed"
                               : fmt::format("{} is no element", in_quotes(text_.substr(at_, 1))));
  }

  void read_chirality(Atom& atom) {
    if (!take('@')) return;
    if (take('@')) {
      atom.chirality = Chirality::kClockwise;
      return;
    }
    struct Shape {
      std::string_view name;
      int most;
    };
    constexpr std::array<Shape, 5> kShapes{{{"TH", 2}, {"AL", 2}, {"SP", 3}, {"TB", 20}, {"OH", 30}}};
    for (const auto& [name, most] : kShapes) {
      if (!starts_with(name)) continue;
      at_ += name.size();
      const std::optional<int> number = take_number(2);
      if (!number || *number < 1 || *number > most)
        refuse(fmt::format("chirality {} is numbered from 1 to {}", name, most));
      atom.chirality = name != "TH"   ? Chirality::kOtherShape
                       : *number == 1 ? Chirality::kAnticlockwise
                                      : Chirality::kClockwise;
      return;
    }
    atom.chirality = Chirality::kAnticlockwise;
  }

  void read_charge(Atom& atom) {
    if (at_ == text_.size() || (text_[at_] != '+' && text_[at_] != '-')) return;
    const char sign = text_[at_++];
    int size = 1;
    if (take(sign)) {
      size = 2;
    } else if (const std::optional<int> number = take_number(2)) {
      size = *number;
    }
    if (size > kHighestCharge) refuse(fmt::format("a charge of more than {}", kHighestCharge));
    atom.charge = sign == '+' ? size : -size;
  }

  void finish() const {
    if (wants_atom_) refuse("the SMILES ends where an atom is expected");
    if (!branches_.empty()) refuse(branches_.back().at, "the branch opened here is not closed");
    for (const OpenRing& ring : rings_) {
      if (ring.open) refuse(ring.at, "the ring bond opened here is not closed");
    }
  }

  /// Only now it is known which bonds lie on rings.
  void settle_bonds() {
    const std::vector<bool> on_ring = ring_bonds(molecule_);
    std::vector<bool> atom_on_ring(molecule_.atoms.size(), false);
    for (std::size_t k = 0; k < on_ring.size(); ++k) {
      Bond& bond = molecule_.bonds[k];
      if (on_ring[k]) {
        atom_on_ring[bond.a] = atom_on_ring[bond.b] = true;
      } else if (bond.order == BondOrder::kAromatic) {
        if (written_at_[k]) refuse(*written_at_[k], "an aromatic bond outside a ring");
        bond.order = BondOrder::kSingle;
      }
    }
    for (std::size_t i = 0; i < atom_on_ring.size(); ++i) {
      if (molecule_.atoms[i].aromatic && !atom_on_ring[i])
        fail(Fault::kData, fmt::format("atom {} is aromatic but on no ring", i + 1));
    }
  }

  void add_hydrogens() {
    std::vector<int> sums(molecule_.atoms.size(), 0);
    for (const Bond& bond : molecule_.bonds) {
      const int order = bond.order == BondOrder::kAromatic ? 1 : static_cast<int>(bond.order);
      sums[bond.a] += order;
      sums[bond.b] += order;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      Atom& atom = molecule_.atoms[i];
      if (!bracketed_[i]) atom.hydrogens = implied_hydrogens(atom.element, atom.aromatic, sums[i]);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Molecule molecule_;
  std::vector<bool> bracketed_;
  std::vector<std::optional<std::size_t>> written_at_;  // per bond: where its symbol stands, if it has one
  std::vector<Branch> branches_;
  std::array<OpenRing, kRingNumbers> rings_{};
  std::uint32_t previous_ = 0;
  char symbol_ = 0;  // of the bond to the next atom; 0: left out
  std::size_t bond_at_ = 0;
  bool connected_ = true;  // whether the next atom is bonded to the previous one
  bool wants_atom_ = true;
  bool bond_allowed_ = false;  // while an atom is wanted
  bool ring_bond_allowed_ = false;
};

}  // namespace

Molecule parse_smiles(std::string_view text) {
  return SmilesReader(text).read();
}

}  // namespace earshot
