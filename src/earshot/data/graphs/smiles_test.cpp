#include "earshot/data/graphs/smiles.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random.hpp"
#include "earshot/data/formats/corpus.hpp"
#include "earshot/data/graphs/matching.hpp"

namespace earshot {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

struct Known {
  std::string_view name;
  std::string_view smiles;
  std::string_view formula;
  std::size_t atoms;  // without hydrogens
  std::size_t bonds;
};

/// Formulas from any handbook.
TEST(Smiles, MoleculesEverybodyKnows) {
  const std::vector<Known> molecules{
      {"methane", "C", "CH4", 1, 0},
      {"ethanol", "CCO", "C2H6O", 3, 2},
      {"hydrogen cyanide", "C#N", "CHN", 2, 1},
      {"acetic acid", "CC(=O)O", "C2H4O2", 4, 3},
      {"cyclohexane", "C1CCCCC1", "C6H12", 6, 6},
      {"benzene", "c1ccccc1", "C6H6", 6, 6},
      {"benzene, Kekulé's way", "C1=CC=CC=C1", "C6H6", 6, 6},
      {"toluene", "Cc1ccccc1", "C7H8", 7, 7},
      {"biphenyl", "c1ccccc1c1ccccc1", "C12H10", 12, 13},
      {"naphthalene", "c1ccc2ccccc2c1", "C10H8", 10, 11},
      {"pyridine", "n1ccccc1", "C5H5N", 6, 6},
      {"pyrrole", "[nH]1cccc1", "C4H5N", 5, 5},
      {"furan", "o1cccc1", "C4H4O", 5, 5},
      {"thiophene", "s1cccc1", "C4H4S", 5, 5},
      {"N-methylpyrrole", "Cn1cccc1", "C5H7N", 6, 6},
      {"pyridine N-oxide", "[O-][n+]1ccccc1", "C5H5NO", 7, 7},
      {"2-pyridone", "O=c1cccc[nH]1", "C5H5NO", 7, 7},
      {"nitrobenzene", "[O-][N+](=O)c1ccccc1", "C6H5NO2", 9, 9},
      {"nitrobenzene with five bonds", "O=N(=O)c1ccccc1", "C6H5NO2", 9, 9},
      {"phenol", "Oc1ccccc1", "C6H6O", 7, 7},
      {"aspirin", "CC(=O)Oc1ccccc1C(=O)O", "C9H8O4", 13, 13},
      {"caffeine", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "C8H10N4O2", 14, 15},
      {"ibuprofen", "CC(C)Cc1ccc(cc1)C(C)C(=O)O", "C13H18O2", 15, 15},
      {"paracetamol", "CC(=O)Nc1ccc(O)cc1", "C8H9NO2", 11, 11},
      {"glucose", "OC[C@H]1OC(O)[C@H](O)[C@@H](O)[C@@H]1O", "C6H12O6", 12, 12},
      {"cholesterol", "CC(C)CCC[C@@H](C)[C@H]1CC[C@@H]2[C@@]1(CC[C@H]3[C@H]2CC=C4[C@@]3(CC[C@@H](C4)O)C)C",
       "C27H46O", 28, 31},
      {"nicotine", "CN1CCC[C@H]1c2cccnc2", "C10H14N2", 12, 13},
      {"adenine", "Nc1ncnc2[nH]cnc12", "C5H5N5", 10, 11},
      {"indigo", "O=C1C(=C2C(=O)c3ccccc3N2)Nc2ccccc12", "C16H10N2O2", 20, 23},
      {"azulene", "c1cccc2cccc2c1", "C10H8", 10, 11},
      {"cubane", "C12C3C4C1C5C4C3C25", "C8H8", 8, 12},
      {"sulphuric acid", "OS(=O)(=O)O", "H2O4S", 5, 4},
      {"dimethyl sulphoxide", "CS(C)=O", "C2H6OS", 4, 3},
      {"phosphoric acid", "OP(=O)(O)O", "H3O4P", 5, 4},
      {"trans-2-butene", "C/C=C/C", "C4H8", 4, 3},
      {"ferrocyanide", "[Fe-4](C#N)(C#N)(C#N)(C#N)(C#N)C#N", "C6FeN6", 13, 12},
      {"sodium acetate", "[Na+].CC(=O)[O-]", "C2H3NaO2", 5, 3},
      {"heavy water", "[2H]O[2H]", "H2O", 3, 2},
      {"borate", "[O-]B([O-])[O-]", "BO3", 4, 3},
      {"ammonium", "[NH4+]", "H4N", 1, 0},
      {"any atom", "*C", "CH3*", 2, 1},
      {"ring number 12", "C%12CCCCC%12", "C6H12", 6, 6},
      {"a ring across a dot", "C1.C1", "C2H6", 2, 1},
      {"diboron tetrachloride", "ClB(Cl)B(Cl)Cl", "B2Cl4", 6, 5},
      {"selenophene", "[se]1cccc1", "C4H4Se", 5, 5}};
  for (const Known& known : molecules) {
    SCOPED_TRACE(known.name);
    const Molecule molecule = parse_smiles(known.smiles);
    EXPECT_EQ(molecular_formula(molecule), known.formula);
    EXPECT_EQ(molecule.atoms.size(), known.atoms);
    EXPECT_EQ(molecule.bonds.size(), known.bonds);
    EXPECT_NO_THROW(check_chemistry(molecule));
  }
}

TEST(Smiles, BracketsSayEverything) {
  const Atom atom = parse_smiles("[13C@@H2-2:7]").atoms.at(0);
  EXPECT_EQ(atom.isotope, 13);
  EXPECT_EQ(atom.element, 6);
  EXPECT_EQ(atom.chirality, Chirality::kClockwise);
  EXPECT_EQ(atom.hydrogens, 2);
  EXPECT_EQ(atom.charge, -2);
  EXPECT_EQ(atom.atom_class, 7);
  EXPECT_FALSE(parse_smiles("C").atoms[0].isotope.has_value());
  EXPECT_EQ(parse_smiles("[0C]").atoms[0].isotope, 0);
  EXPECT_EQ(parse_smiles("[Cu++]").atoms[0].charge, 2);
  EXPECT_EQ(parse_smiles("[Ti+4]").atoms[0].charge, 4);
  EXPECT_EQ(parse_smiles("[C@TH1]").atoms[0].chirality, Chirality::kAnticlockwise);
  EXPECT_EQ(parse_smiles("[Pt@SP3]").atoms[0].chirality, Chirality::kOtherShape);
  EXPECT_EQ(parse_smiles("[Co@OH30H2]").atoms[0].hydrogens, 2);
  EXPECT_EQ(total_charge(parse_smiles("[NH4+].[O-]S(=O)(=O)[O-]")), -1);
  EXPECT_EQ(element_symbol(118), "Og");
}

TEST(Smiles, BondsAreWhatIsWritten) {
  const auto orders = [](std::string_view smiles) {
    std::vector<int> result;
    for (const Bond& bond : parse_smiles(smiles).bonds) result.push_back(static_cast<int>(bond.order));
    return result;
  };
  EXPECT_EQ(orders("C-C=C#C"), (std::vector{1, 2, 3}));
  EXPECT_EQ(orders("[Re]$[Re]"), (std::vector{4}));
  EXPECT_EQ(orders("F/C=C\\F"), (std::vector{1, 2, 1}));
  EXPECT_EQ(orders("C=1CCC=1"), (std::vector{1, 1, 1, 2}));
  EXPECT_EQ(orders("C1CCC=1"), (std::vector{1, 1, 1, 2}));
  // The bond that joins the rings of biphenyl is the seventh; left out, it is single, not aromatic.
  EXPECT_EQ(orders("c1ccccc1c1ccccc1").at(6), 1);
  EXPECT_EQ(orders("c1ccccc1-c1ccccc1"), orders("c1ccccc1c1ccccc1"));
}

TEST(Smiles, NoSmilesNoMolecule) {
  const std::vector<std::pair<std::string_view, std::string_view>> bad{
      {"", "the SMILES is empty"},
      {"C(", "character 3: the SMILES ends where an atom is expected"},
      {"C(C", "character 2: the branch opened here is not closed"},
      {"C)", "character 2: a branch ends that was not opened"},
      {"C()C", "character 3: the end of a branch where an atom is expected"},
      {"(C)C", "character 1: a branch where an atom is expected"},
      {"C((C))C", "character 3: a branch where an atom is expected"},
      {"C1CC", "character 2: the ring bond opened here is not closed"},
      {"C11", "character 3: ring bond 1 joins an atom to itself"},
      {"C12CC12", "character 7: a second bond between the same two atoms"},
      {"C1C1", "character 4: a second bond between the same two atoms"},
      {"C-1CC=1", "character 7: ring bond 1 is written - at one end and = at the other"},
      {"C%1CC%1", "character 2: % must be followed by two digits"},
      {"C(C)1CC1", "character 5: a ring bond after a branch; it belongs before"},
      {"1CC1", "character 1: a ring bond where an atom is expected"},
      {"=C", "character 1: a bond where an atom is expected"},
      {"C==C", "character 3: a bond where an atom is expected"},
      {"C=", "character 3: the SMILES ends where an atom is expected"},
      {"C.", "character 3: the SMILES ends where an atom is expected"},
      {"C..C", "character 3: a dot where an atom is expected"},
      {".C", "character 1: a dot where an atom is expected"},
      {"C.=C", "character 3: a bond where an atom is expected"},
      {"C C", "character 2: \" \" is no atom; outside brackets allowed: B, C, N"},
      {"Fe", "character 2: \"e\" is no atom"},
      {"[C", "character 3: the bracket is not closed"},
      {"[", "character 2: the bracket is not closed"},
      {"[]", "character 2: \"]\" is no element"},
      {"[Xx]", "character 2: \"X\" is no element"},
      {"[C+H]", "character 4: \"H\" is not allowed here"},
      {"[CH10]", "character 5: \"0\" is not allowed here"},
      {"[C+16]", "a charge of more than 15"},
      {"[C+++]", "character 5: \"+\" is not allowed here"},
      {"[HH]", "character 3: a hydrogen atom has no hydrogens of its own"},
      {"[C:]", "an atom class is a number"},
      {"[C@SP4]", "chirality SP is numbered from 1 to 3"},
      {"c", "atom 1 is aromatic but on no ring"},
      {"cc", "atom 1 is aromatic but on no ring"},
      {"C:C", "an aromatic bond between atoms that are not both aromatic"},
      {"c1ccccc1:c1ccccc1", "character 9: an aromatic bond outside a ring"}};
  for (const auto& [smiles, why] : bad) {
    SCOPED_TRACE(smiles);
    EXPECT_THAT([&] { parse_smiles(smiles); }, ThrowsMessage<Error>(HasSubstr(std::string(why))));
  }
  EXPECT_THAT([] { parse_smiles(std::string(4097, 'C')); },
              ThrowsMessage<Error>(StrEq("the SMILES is longer than 4096 characters")));
  EXPECT_EQ(parse_smiles(std::string(4096, 'C')).atoms.size(), 4096u);
}

TEST(Smiles, ImpossibleMoleculesAreFound) {
  const auto problem = [](std::string_view smiles) -> std::string {
    try {
      check_chemistry(parse_smiles(smiles));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(problem("C(C)(C)(C)(C)C"), "atom 1 is C with charge +0 and 5 bonds, allowed: at most 4");
  EXPECT_THAT(problem("NC(N)=[NH2]"), HasSubstr("atom 4 is N with charge +0 and 4 bonds"));
  EXPECT_THAT(problem("CN(C)(C)C"), HasSubstr("atom 2 is N"));
  EXPECT_THAT(problem("CO(C)C"), HasSubstr("atom 2 is O"));
  EXPECT_THAT(problem("F(C)C"), HasSubstr("atom 1 is F"));
  EXPECT_THAT(problem("[H](C)C"), HasSubstr("atom 1 is H"));
  EXPECT_THAT(problem("c1cccn1"), HasSubstr("no alternating single and double bonds"));
  EXPECT_THAT(problem("c1cccc1"), HasSubstr("no alternating single and double bonds"));
  for (const std::string_view possible : {"C[N+](C)(C)C",
                                          "[CH3]",
                                          "[CH3-]",
                                          "[CH3+]",
                                          "F[P-](F)(F)(F)(F)F",
                                          "F[Si-2](F)(F)(F)(F)F",
                                          "OCl(=O)(=O)=O",
                                          "C[S+](C)C",
                                          "[BH4-]",
                                          "FB(F)F",
                                          "[O-][Cl+3]([O-])([O-])[O-]",
                                          "CN=[N+]=[N-]",
                                          "CN=N#N",
                                          "C[O+](C)C",
                                          "c1cc[o+]cc1",
                                          "[cH-]1cccc1",
                                          "O=n1ccccc1",
                                          "CI(=O)=O",
                                          "[Cl-]",
                                          "[OH-]",
                                          "O=[U]=O"})
    EXPECT_EQ(problem(possible), "") << possible;
}

/// The largest number of disjoint pairs, by trying everything.
std::size_t most_pairs(const std::vector<std::vector<std::size_t>>& neighbours, std::vector<bool>& used,
                       std::size_t from) {
  if (from == neighbours.size()) return 0;
  std::size_t best = most_pairs(neighbours, used, from + 1);
  if (used[from]) return best;
  for (const std::size_t other : neighbours[from]) {
    if (other <= from || used[other]) continue;
    used[from] = used[other] = true;
    best = std::max(best, 1 + most_pairs(neighbours, used, from + 1));
    used[from] = used[other] = false;
  }
  return best;
}

TEST(Matching, IsALargestOne) {
  Stream stream({.seed = 4});
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::size_t nodes = 2 + stream.below(8);
    std::vector<std::vector<std::size_t>> neighbours(nodes);
    for (std::size_t a = 0; a < nodes; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (stream.below(nodes) > 1) continue;
        neighbours[a].push_back(b);
        neighbours[b].push_back(a);
      }
    }
    const std::vector<std::size_t> mate = maximum_matching(neighbours);
    std::size_t matched = 0;
    for (std::size_t node = 0; node < nodes; ++node) {
      if (mate[node] == kUnmatched) continue;
      ++matched;
      EXPECT_EQ(mate[mate[node]], node);
      EXPECT_THAT(neighbours[node], ::testing::Contains(mate[node]));
    }
    std::vector<bool> used(nodes, false);
    EXPECT_EQ(matched, 2 * most_pairs(neighbours, used, 0));
  }
}

/// A bond is on a ring exactly if its ends stay connected without it.
TEST(Molecule, RingBondsByRemoval) {
  Stream stream({.seed = 5});
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto atoms = static_cast<std::uint32_t>(2 + stream.below(8));
    Molecule molecule;
    molecule.atoms.resize(atoms);
    for (std::uint32_t a = 0; a < atoms; ++a) {
      for (std::uint32_t b = 0; b < a; ++b) {
        if (stream.below(4) == 0) molecule.bonds.push_back({a, b});
      }
    }
    const std::vector<bool> on_ring = ring_bonds(molecule);
    for (std::size_t removed = 0; removed < molecule.bonds.size(); ++removed) {
      std::vector<std::size_t> part(atoms);
      std::iota(part.begin(), part.end(), 0U);
      for (std::uint32_t pass = 0; pass < atoms; ++pass) {
        for (std::size_t k = 0; k < molecule.bonds.size(); ++k) {
          if (k == removed) continue;
          const auto [a, b, order] = molecule.bonds[k];
          part[a] = part[b] = std::min(part[a], part[b]);
        }
      }
      EXPECT_EQ(on_ring[removed], part[molecule.bonds[removed].a] == part[molecule.bonds[removed].b]);
    }
  }
}

/// Kekulé's orders leave no aromatic carbon without its four bonds.
TEST(Molecule, KekuleOrdersGiveEveryCarbonFourBonds) {
  for (const std::string_view smiles : {"c1ccccc1", "c1ccc2ccccc2c1", "c1cccc2cccc2c1",
                                        "c1cc2ccc3cccc4ccc(c1)c2c34", "Cn1cnc2c1c(=O)n(C)c(=O)n2C"}) {
    const Molecule molecule = parse_smiles(smiles);
    const auto orders = kekule_orders(molecule);
    ASSERT_TRUE(orders.has_value()) << smiles;
    std::vector<int> sums;
    for (const Atom& atom : molecule.atoms) sums.push_back(atom.hydrogens);
    for (std::size_t k = 0; k < orders->size(); ++k) {
      sums[molecule.bonds[k].a] += static_cast<int>((*orders)[k]);
      sums[molecule.bonds[k].b] += static_cast<int>((*orders)[k]);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (molecule.atoms[i].element == 6) {
        EXPECT_EQ(sums[i], 4) << smiles << ' ' << i;
      }
    }
  }
}

TEST(Smiles, Corpus) {
  testing::check_corpus("smiles", [](const Bytes& bytes) {
    check_chemistry(parse_smiles({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  });
}

}  // namespace
}  // namespace earshot
