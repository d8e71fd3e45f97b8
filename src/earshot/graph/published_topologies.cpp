#include <array>

#include <fmt/format.h>

#include "earshot/core/text.hpp"
#include "earshot/graph/edge_list.hpp"
#include "earshot/graph/topology_families.hpp"

namespace earshot {
namespace {

// Marriage ties; the Pucci married into no other family and are left out.
constexpr std::string_view kFlorentine = R"(
Acciaiuoli Medici
Castellani Peruzzi
Castellani Strozzi
Castellani Barbadori
Medici Barbadori
Medici Ridolfi
Medici Tornabuoni
Medici Albizzi
Medici Salviati
Salviati Pazzi
Peruzzi Strozzi
Peruzzi Bischeri
Strozzi Ridolfi
Strozzi Bischeri
Ridolfi Tornabuoni
Tornabuoni Guadagni
Albizzi Ginori
Albizzi Guadagni
Bischeri Guadagni
Guadagni Lamberteschi
)";

constexpr std::string_view kKarate = R"(
1 2
1 3
1 4
1 5
1 6
1 7
1 8
1 9
1 11
1 12
1 13
1 14
1 18
1 20
1 22
1 32
2 3
2 4
2 8
2 14
2 18
2 20
2 22
2 31
3 4
3 8
3 9
3 10
3 14
3 28
3 29
3 33
4 8
4 13
4 14
5 7
5 11
6 7
6 11
6 17
7 17
9 31
9 33
9 34
10 34
14 34
15 33
15 34
16 33
16 34
19 33
19 34
20 34
21 33
21 34
23 33
23 34
24 26
24 28
24 30
24 33
24 34
25 26
25 28
25 32
26 32
27 30
27 34
28 34
29 32
29 34
30 33
30 34
31 33
31 34
32 33
32 34
33 34
)";

constexpr std::string_view kAttackExample = R"(
0 2
1 2
2 3
2 4
1 5
1 7
1 8
5 9
9 10
9 11
11 6
7 8
7 9
7 11
)";

constexpr std::array<std::int64_t, 10> kEgos = {0, 107, 348, 414, 686, 698, 1684, 1912, 3437, 3980};

Graph make_florentine(const Settings&, Stream&, const GraphSources&) {
  return parse_edge_list(kFlorentine, "florentine").graph;
}

Graph make_karate(const Settings&, Stream&, const GraphSources&) {
  return parse_edge_list(kKarate, "karate").graph;
}

Graph make_attack_example(const Settings&, Stream&, const GraphSources&) {
  return parse_edge_list(kAttackExample, "gossip_attack_example").graph;
}

Graph make_facebook_ego(const Settings& settings, Stream&, const GraphSources& sources) {
  const std::int64_t ego = settings.integer("ego");
  if (std::find(kEgos.begin(), kEgos.end(), ego) == kEgos.end())
    fail(Fault::kConfig, fmt::format("facebook_ego has no ego {}; allowed: {}", ego, fmt::join(kEgos, ", ")));
  const auto path = sources.data_directory / "facebook-ego" / fmt::format("{}.edges", ego);
  if (!std::filesystem::exists(path))
    fail(Fault::kData,
         fmt::format("{}: not found; facebook_ego needs the ego-Facebook files of snap.stanford.edu "
                     "in the data directory",
                     path.string()));
  return read_edge_list(path, {.disconnected = OnDisconnected::kLargest}).graph;
}

Graph make_from_file(const Settings& settings, Stream&, const GraphSources& sources) {
  EdgeListOptions options;
  if (settings.text("self_loops") == "error") options.self_loops = OnSelfLoop::kError;
  if (settings.text("duplicates") == "error") options.duplicates = OnDuplicate::kError;
  if (settings.text("disconnected") == "largest") options.disconnected = OnDisconnected::kLargest;
  if (settings.text("disconnected") == "keep") options.disconnected = OnDisconnected::kKeep;
  return read_edge_list(sources.working_directory / settings.text("path"), options).graph;
}

std::vector<Parameter> file_parameters() {
  return {
      text_parameter("path", std::nullopt, "edge list: two node names per line, plain or gzipped"),
      choice_parameter("self_loops", "drop", {"drop", "error"}, "what to do with a node linked to itself"),
      choice_parameter("duplicates", "drop", {"drop", "error"},
                       "what to do with an edge listed again, in either direction"),
      choice_parameter("disconnected", "error", {"error", "largest", "keep"},
                       "what to do with a graph in several parts: refuse it, use the largest, keep all"),
  };
}

}  // namespace

std::vector<GraphComponent> published_topologies() {
  return {
      {{"graph",
        "florentine",
        "marriages among 15 Florentine families of the 15th century",
        "Padgett & Ansell 1993, Robust action and the rise of the Medici, Am. J. Sociology 98; Breiger & "
        "Pattison "
        "1986",
        {}},
       false,
       make_florentine},
      {{"graph",
        "karate",
        "friendships among the 34 members of a karate club",
        "Zachary 1977, An information flow model for conflict and fission in small groups, J. "
        "Anthropological "
        "Research 33",
        {}},
       false,
       make_karate},
      {{"graph",
        "gossip_attack_example",
        "the 12-node worked example of the gossip reconstruction attack",
        "El Mrini, Cyffers & Bellet 2024, Privacy Attacks in Decentralized Learning, ICML",
        {}},
       false,
       make_attack_example},
      {{"graph",
        "facebook_ego",
        "friendships among the friends of one Facebook user (largest part, user removed)",
        "McAuley & Leskovec 2012, Learning to discover social circles in ego networks, NeurIPS",
        {integer_parameter("ego", 414, 0, 3980,
                           fmt::format("the user whose friends these are: {}", fmt::join(kEgos, ", ")))}},
       false,
       make_facebook_ego},
      {{"graph", "file", "a graph of your own from an edge list", "docs/graphs.md", file_parameters()},
       false,
       make_from_file},
  };
}

}  // namespace earshot
