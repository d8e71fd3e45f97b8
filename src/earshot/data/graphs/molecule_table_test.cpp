#include "earshot/data/graphs/molecule_table.hpp"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/test_data.hpp"
#include "earshot/data/graphs/graph_datasets.hpp"
#include "earshot/data/graphs/smiles.hpp"

namespace earshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

MoleculeTable sample(std::string_view text) {
  return read_molecule_table({text, "m.csv"}, "sample", {"toxic", "sold"}, {"id"});
}

TEST(MoleculeTable, RowsThatAreNoMoleculesAreListed) {
  const MoleculeTable table =
      sample("id,smiles,sold,toxic\r\n1,CCO,1,0\r\n2,C(,0,0\r\n3,C=O,,1\r\n4,c1cccc1,1,1\r\n");
  EXPECT_THAT(table.smiles, ElementsAre("CCO", "C=O"));
  EXPECT_THAT(table.labels, ElementsAre(0, 1, 1, kNoLabel));
  ASSERT_EQ(table.refused.size(), 2u);
  EXPECT_EQ(table.refused[0].line, 3u);
  EXPECT_EQ(table.refused[0].smiles, "C(");
  EXPECT_THAT(table.refused[0].why, HasSubstr("character 3"));
  EXPECT_EQ(table.refused[1].line, 5u);
}

TEST(MoleculeTable, GraphsOfTheAnsweredOnes) {
  const MoleculeTable table = sample("id,smiles,sold,toxic\n1,OC,1,0\n2,C(,0,0\n3,C=O,,1\n");
  const GraphsDataset sold = molecule_graphs(table, "sold");
  ASSERT_EQ(sold.graphs.size(), 1u);
  EXPECT_THAT(sold.graphs[0].node_labels, ElementsAre(8, 6));
  EXPECT_EQ(sold.graphs[0].label, 1);
  EXPECT_THAT(sold.note,
              StrEq("1 of 3 rows are left out, their SMILES describing no possible molecule: line 3"));
  const GraphsDataset toxic = molecule_graphs(table, "toxic");
  ASSERT_EQ(toxic.graphs.size(), 2u);
  EXPECT_THAT(toxic.graphs[1].edges, ElementsAre(NodePair{0, 1}));
  EXPECT_THAT(toxic.graphs[1].edge_labels, ElementsAre(2));
  EXPECT_THAT([&] { molecule_graphs(table, "toxik"); },
              ThrowsMessage<Error>(HasSubstr("did you mean \"toxic\"?")));
}

TEST(MoleculeTable, RefusesOtherFiles) {
  EXPECT_THAT([] { sample(""); }, ThrowsMessage<Error>(StrEq("m.csv: is empty, expected a header line")));
  EXPECT_THAT([] { sample("id,smiles,sold\n"); },
              ThrowsMessage<Error>(StrEq("m.csv:1: the header has no column \"toxic\"")));
  EXPECT_THAT([] { sample("id,smiles,sold,toxic,x\n"); },
              ThrowsMessage<Error>(StrEq("m.csv:1: 5 columns found, expected 4")));
  EXPECT_THAT([] { sample("id,smiles,sold,toxic\n1,C,0\n"); },
              ThrowsMessage<Error>(StrEq("m.csv:2: 3 fields found, expected 4")));
  EXPECT_THAT([] { sample("id,smiles,sold,toxic\n1,C,0,2\n"); },
              ThrowsMessage<Error>(StrEq("m.csv:2: toxic is \"2\", allowed: 0, 1 or nothing")));
}

/// One atom at a time, by the names of the columns.
TEST(MoleculeTable, FeaturesSayWhatTheirNamesSay) {
  const std::vector<std::string> names = atom_feature_names();
  const Molecule molecule = parse_smiles("[O-]c1ccccc1[Fe]");
  const std::vector<double> features = atom_features(molecule);
  ASSERT_EQ(features.size(), molecule.atoms.size() * names.size());
  const auto said = [&](std::size_t atom) {
    std::map<std::string, double> words;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (features[atom * names.size() + i] != 0) words[names[i]] = features[atom * names.size() + i];
    }
    return words;
  };
  using Words = std::map<std::string, double>;
  EXPECT_EQ(said(0), (Words{{"is O", 1}, {"1 bonds", 1}, {"0 hydrogens", 1}, {"charge", -1}}));
  EXPECT_EQ(
      said(2),
      (Words{{"is C", 1}, {"2 bonds", 1}, {"1 hydrogens", 1}, {"is aromatic", 1}, {"is on a ring", 1}}));
  EXPECT_EQ(said(7), (Words{{"is another element", 1}, {"1 bonds", 1}, {"0 hydrogens", 1}}));
}

std::size_t positives(const MoleculeTable& table, std::size_t task) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < table.molecules.size(); ++i)
    count += table.labels[i * table.tasks.size() + task] == 1 ? 1U : 0U;
  return count;
}

/// 11 of the 2,050 are known not to be read by chemistry toolkits: ten nitrogens with four bonds and no
/// charge, and one with a charge on the wrong atom.
TEST(MoleculeTable, BloodBrainBarrier) {
  EARSHOT_NEEDS_DATASET("molecules");
  const MoleculeTable table = load_molecules("bbbp", data_directory());
  EXPECT_EQ(table.molecules.size() + table.refused.size(), 2050u);
  EXPECT_EQ(table.refused.size(), 11u);
  for (const RefusedMolecule& row : table.refused) EXPECT_THAT(row.why, HasSubstr("is N with charge +0"));
  EXPECT_EQ(positives(table, 0), 1560u);  // of 1,567; the other seven are refused
}

TEST(MoleculeTable, Tox21) {
  EARSHOT_NEEDS_DATASET("molecules");
  const MoleculeTable table = load_molecules("tox21", data_directory());
  EXPECT_EQ(table.molecules.size(), 7831u);
  EXPECT_EQ(table.refused.size(), 0u);
  EXPECT_EQ(table.tasks.size(), 12u);
  EXPECT_EQ(positives(table, 0), 309u);
  const GraphsDataset graphs = molecule_graphs(table, "SR-p53");
  EXPECT_LT(graphs.graphs.size(), 7831u);  // some have no answer
  EXPECT_EQ(graphs.graphs.size(), 7831u - static_cast<std::size_t>([&] {
                                    std::size_t blanks = 0;
                                    for (std::size_t i = 0; i < 7831; ++i)
                                      blanks += table.labels[i * 12 + 11] == kNoLabel ? 1U : 0U;
                                    return blanks;
                                  }()));
}

/// Five rows write a backslash twice, three have no Kekulé structure, three have nitrogens with five bonds to
/// a metal.
TEST(MoleculeTable, ClinTox) {
  EARSHOT_NEEDS_DATASET("molecules");
  const MoleculeTable table = load_molecules("clintox", data_directory());
  EXPECT_EQ(table.molecules.size() + table.refused.size(), 1484u);
  std::map<std::string, int> reasons;
  for (const RefusedMolecule& row : table.refused) {
    if (row.smiles.find("\\\\") != std::string::npos) {
      ++reasons["backslashes"];
    } else {
      ++reasons[row.why.find("alternating") != std::string::npos ? "aromatic" : "valence"];
    }
  }
  EXPECT_EQ(reasons, (std::map<std::string, int>{{"backslashes", 5}, {"aromatic", 3}, {"valence", 3}}));
}

}  // namespace
}  // namespace earshot
