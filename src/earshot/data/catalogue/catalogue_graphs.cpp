// Networks.
#include <array>

#include "earshot/data/catalogue/catalogue_entries.hpp"

namespace earshot {
namespace {

constexpr std::array kFacebookEgoFiles{
    DatasetFile{"facebook-ego/0.edges", 37228,
                "0a00eb2539ff2f7973ea905947e9c7bf175521fadd7ddc8b310bec1e79a32027",
                "https://snap.stanford.edu/data/facebook.tar.gz", "facebook/0.edges"},
    DatasetFile{"facebook-ego/107.edges", 523802,
                "38de3a80aab5d256d431d4e62941bb3870500bb299fd5040c5a4314b3a3d4202",
                "https://snap.stanford.edu/data/facebook.tar.gz", "facebook/107.edges"},
    DatasetFile{"facebook-ego/348.edges", 51066,
                "3d051c9f99fdd1304514240f76a598ea602e9c921e1d0961af446fea90cb4d54",
                "https://snap.stanford.edu/data/facebook.tar.gz", "facebook/348.edges"},
    DatasetFile{"facebook-ego/414.edges", 27082,
                "1f5c9d43608a8cf6d56e27f1902f528cf7cf9ef1114afd3df7bc5888d7250fb1",
                "https://snap.stanford.edu/data/facebook.tar.gz", "facebook/414.edges"},
    DatasetFile{"facebook-ego/686.edges", 26496,
                "54f6fe3dff5f7349a9457a9723063d608719b65749c2220e5123bb11d9c20f7a",
                "https://snap.stanford.edu/data/facebook.tar.gz", "facebook/686.edges"},
    DatasetFile{"facebook-ego/698.edges", 4320,
                "28bafa82247431abb61e4380c8f054ed2091d9cd8419bf52f491d7dfb7e1554c",
                "https://snap.stanford.edu/data/facebook.tar.gz", "facebook/698.edges"},
    DatasetFile{"facebook-ego/1684.edges", 280354,
                "0907320e9d64d0e69ede956af464de845a3e7f36e0e3778d509a2b6568052f44",
                "https://snap.stanford.edu/data/facebook.tar.gz", "facebook/1684.edges"},
    DatasetFile{"facebook-ego/1912.edges", 600274,
                "78ef1e86f189e6e5ee2b4c4e35397c4f9032130186b1f11c164910e887c636dd",
                "https://snap.stanford.edu/data/facebook.tar.gz", "facebook/1912.edges"},
    DatasetFile{"facebook-ego/3437.edges", 96188,
                "0bc241e0a5e37d723eeef6cd6e3c2c40129753f8c3a74fedb88044a349548a3f",
                "https://snap.stanford.edu/data/facebook.tar.gz", "facebook/3437.edges"},
    DatasetFile{"facebook-ego/3980.edges", 2914,
                "bdd6311793db41091f2596b802a52ca0cfa97b4bf5e4047d048eb4e7e10bc639",
                "https://snap.stanford.edu/data/facebook.tar.gz", "facebook/3980.edges"},
};

constexpr std::array kFacebookPagePageFiles{
    DatasetFile{"facebook-page-page/musae_facebook_edges.csv", 1882610,
                "7c50d8f02a75cc0829577814a1fc14535164daa38d79c3612340c9e9cdbd4022",
                "https://snap.stanford.edu/data/facebook_large.zip",
                "facebook_large/musae_facebook_edges.csv"},
    DatasetFile{"facebook-page-page/musae_facebook_features.json", 2088766,
                "ea870537646a93642a0008d38aa9bfeff02018070ba97b1f3f469d9622626436",
                "https://snap.stanford.edu/data/facebook_large.zip",
                "facebook_large/musae_facebook_features.json"},
    DatasetFile{"facebook-page-page/musae_facebook_target.csv", 1177912,
                "7bd96eafea3c2ca40f44bfa9e73642194696c21e38c7b29ed409c32ad14075cd",
                "https://snap.stanford.edu/data/facebook_large.zip",
                "facebook_large/musae_facebook_target.csv"},
};

constexpr std::array kCoraFiles{
    DatasetFile{"cora/cora_edges.csv", 48444,
                "385d47417c6b7ea84e294ca6ba789c879b7ef9fa9bad9d22aa9e7549c6442345"},
    DatasetFile{"cora/cora_features.txt", 212514,
                "03d7ce13c1e6fae5bbcbba8ab5e366f9aa269a608796acac4df9047d07795d8a"},
    DatasetFile{"cora/cora_labels.txt", 5416,
                "8f929c6f3a938980341b2bcfa82a96e69e8d494d0c741396fd4bd87f460385c4"},
    DatasetFile{"cora/ind.cora.test.index", 5000,
                "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"},
};

constexpr std::array kCiteseerFiles{
    DatasetFile{"citeseer/citeseer_edges.csv", 42421,
                "59c4999e4031f46226ee1fc47943d8eea14e84fa1925ce02f6c6bd92b5a7441f"},
    DatasetFile{"citeseer/citeseer_features.txt", 490627,
                "837d5dc8f1eb127530493f961272f16451d28de71b5c647953b1d5ace7c7240d"},
    DatasetFile{"citeseer/citeseer_labels.txt", 6669,
                "03ec73b7634b911922ff78983676c9a577590e8e00c1b097ed4970e933ad714d"},
    DatasetFile{"citeseer/ind.citeseer.test.index", 5000,
                "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"},
};

constexpr std::array kDblpFiles{
    DatasetFile{"dblp/dblp_edges.csv", 1065772,
                "237382b9d6e60e7e850f535ee7fdd6eb8859a8b423e4575f06353138b9af43af"},
    DatasetFile{"dblp/dblp_features.txt", 1490593,
                "aeb998521dbb0f7ae84b949f1ac5248a9c93ef2dea28bd1c17b45d1f95b4597c"},
    DatasetFile{"dblp/dblp_labels.txt", 35432,
                "f2826d0a3c204ac1fce73e65dcabf2f4a355014214ce84d1534bdfd693c39a35"},
};

constexpr std::array kWebkbCornellFiles{
    DatasetFile{"webkb-cornell/cornell.cites", 30824,
                "9b553733f8621bde1e149b2570da31701d6c41ac1263a4d1e94bc9fd08054a13",
                "https://linqs-data.soe.ucsc.edu/public/lbc/WebKB.tgz", "WebKB/cornell.cites"},
    DatasetFile{"webkb-cornell/cornell.content", 676692,
                "28d1a6593981e47859965341735b2b9e1b42ea96502dad3c0857b3bf8967e960",
                "https://linqs-data.soe.ucsc.edu/public/lbc/WebKB.tgz", "WebKB/cornell.content"},
    DatasetFile{"webkb-cornell/geom-gcn/out1_graph_edges.txt", 2001,
                "c4522a00cc40873c8a04a3a07c49e24a48a507eb284ac9c9f2d3e0590351bbb7",
                "https://raw.githubusercontent.com/graphdml-uiuc-jlu/geom-gcn/"
                "f1fc0d14b3b019c562737240d06ec83b07d16a8f/new_data/cornell/out1_graph_edges.txt"},
    DatasetFile{"webkb-cornell/geom-gcn/out1_node_feature_label.txt", 624308,
                "cf5a3ca346cdd1210b8342e22517fcbbdae658065b7a3145f59350e50e6236a3",
                "https://raw.githubusercontent.com/graphdml-uiuc-jlu/geom-gcn/"
                "f1fc0d14b3b019c562737240d06ec83b07d16a8f/new_data/cornell/out1_node_feature_label.txt"},
};

constexpr std::array kTudatasetPROTEINSFiles{
    DatasetFile{"tudataset-PROTEINS/PROTEINS_A.txt", 2022990,
                "4c4b33e272fc95cac6d27ed6d5d12b9a852c8610e91fff59f8f0dbdd5a20df67",
                "https://www.chrsmrrs.com/graphkerneldatasets/PROTEINS.zip", "PROTEINS/PROTEINS_A.txt"},
    DatasetFile{"tudataset-PROTEINS/PROTEINS_graph_indicator.txt", 169673,
                "8d4ff1e852a5c28561e9bffb44cf9490bc552b13a3b6156dd12dc7f44e9afc4a",
                "https://www.chrsmrrs.com/graphkerneldatasets/PROTEINS.zip",
                "PROTEINS/PROTEINS_graph_indicator.txt"},
    DatasetFile{"tudataset-PROTEINS/PROTEINS_graph_labels.txt", 2226,
                "c0ef9810c440775252872318d0c8adc385588e14bc4c47a2c34aa96ee3c7cdcd",
                "https://www.chrsmrrs.com/graphkerneldatasets/PROTEINS.zip",
                "PROTEINS/PROTEINS_graph_labels.txt"},
    DatasetFile{"tudataset-PROTEINS/PROTEINS_node_attributes.txt", 478190,
                "54eef829abb37e458a5fbf3a3c581e48e5810e220463c2cd951856b9ceb08f07",
                "https://www.chrsmrrs.com/graphkerneldatasets/PROTEINS.zip",
                "PROTEINS/PROTEINS_node_attributes.txt"},
    DatasetFile{"tudataset-PROTEINS/PROTEINS_node_labels.txt", 86942,
                "f758e8ad3d6e3c026b50833d75f6f90735b94eb3345e4243707f495ca8afea8d",
                "https://www.chrsmrrs.com/graphkerneldatasets/PROTEINS.zip",
                "PROTEINS/PROTEINS_node_labels.txt"},
};

constexpr std::array kTudatasetMUTAGFiles{
    DatasetFile{"tudataset-MUTAG/MUTAG_A.txt", 76940,
                "d9656ca7493f3445d737c711710bb36fd432dddd1c0ea32e1d4713c86ebd28e2",
                "https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip", "MUTAG/MUTAG_A.txt"},
    DatasetFile{"tudataset-MUTAG/MUTAG_edge_labels.txt", 14884,
                "4669ce755075ff86c3240709345745886400908fa637a49310459b9c267b3e56",
                "https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip", "MUTAG/MUTAG_edge_labels.txt"},
    DatasetFile{"tudataset-MUTAG/MUTAG_graph_indicator.txt", 11532,
                "7d520a4d6c7961c0cdeabe076d8fe27e795b6d373485c9a2b744987e560a2056",
                "https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip", "MUTAG/MUTAG_graph_indicator.txt"},
    DatasetFile{"tudataset-MUTAG/MUTAG_graph_labels.txt", 439,
                "a1518ea39ba3426bd42f57396b9c4baffe68e9adc718caeeab0119c6591a5f2c",
                "https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip", "MUTAG/MUTAG_graph_labels.txt"},
    DatasetFile{"tudataset-MUTAG/MUTAG_node_labels.txt", 6742,
                "678f429965490e84dd27713017538c995fc05d1621beac910848b600015ee863",
                "https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip", "MUTAG/MUTAG_node_labels.txt"},
};

constexpr std::array kEntries{
    DatasetEntry{
        "facebook-ego", "friendships among the friends of ten people (SNAP ego-Facebook, .edges files)",
        "none stated; cite when used",
        "McAuley & Leskovec 2012, Learning to discover social circles in ego networks",
        "unpack SNAP's facebook.tar.gz and put its .edges files into facebook-ego/", kFacebookEgoFiles},
    DatasetEntry{"facebook-page-page",
                 "22,470 Facebook pages that like each other, 4,714 features, 4 kinds of page (MUSAE)",
                 "GPL-3.0 (the repository)",
                 "Rozemberczki, Allen & Sarkar 2021, Multi-scale attributed node embedding",
                 "take the Facebook edges, features and target of benedekrozemberczki/MUSAE on GitHub "
                 "(commit 5f90123) and put them into facebook-page-page/ under SNAP's names musae_facebook_*",
                 kFacebookPagePageFiles},
    DatasetEntry{"cora", "2,708 papers that cite each other, 1,433 words, 7 topics, Planetoid split",
                 "MIT (Planetoid)",
                 "Sen et al. 2008, Collective classification in network data; Yang, Cohen & Salakhutdinov "
                 "2016, Revisiting semi-supervised learning with graph embeddings",
                 "take ind.cora.* of kimiyoung/planetoid on GitHub (commit af6abf4) and write edges, "
                 "features and labels as text as docs/data.md says",
                 kCoraFiles},
    DatasetEntry{"citeseer", "3,327 papers that cite each other, 3,703 words, 6 topics, Planetoid split",
                 "MIT (Planetoid)",
                 "Sen et al. 2008, Collective classification in network data; Yang, Cohen & Salakhutdinov "
                 "2016, Revisiting semi-supervised learning with graph embeddings",
                 "take ind.citeseer.* of kimiyoung/planetoid on GitHub (commit af6abf4) and write edges, "
                 "features and labels as text as docs/data.md says",
                 kCiteseerFiles},
    DatasetEntry{"dblp", "17,716 papers that cite each other, 1,639 words, 4 fields (CitationFull DBLP)",
                 "MIT (graph2gauss, GraphData)",
                 "Pan et al. 2016, Tri-party deep network representation; Bojchevski & Günnemann 2018, Deep "
                 "Gaussian embedding of graphs",
                 "take datasets/dblp.npz of EdisonLeeeee/GraphData on GitHub (commit f8022c2) and write "
                 "edges, features and labels as text as docs/data.md says",
                 kDblpFiles},
    DatasetEntry{"webkb-cornell",
                 "195 web pages of Cornell, 1,703 words, 5 kinds (LINQS); and the 183 pages papers call "
                 "Cornell, which are Texas",
                 "none stated",
                 "Craven et al. 1998, Learning to extract symbolic knowledge from the World Wide Web; Pei et "
                 "al. 2020, Geom-GCN: geometric graph convolutional networks",
                 "take cornell.content and cornell.cites of LINQS WebKB, and out1_graph_edges.txt and "
                 "out1_node_feature_label.txt of new_data/cornell of graphdml-uiuc-jlu/geom-gcn on GitHub "
                 "(commit f1fc0d1), and put them into webkb-cornell/ and webkb-cornell/geom-gcn/",
                 kWebkbCornellFiles},
    DatasetEntry{
        "tudataset-PROTEINS", "1,113 proteins as graphs, enzyme or not (TUDataset)", "none stated",
        "Borgwardt et al. 2005, Protein function prediction via graph kernels; Morris et al. 2020, TUDataset",
        "unpack PROTEINS.zip of TUDataset and put its files into tudataset-PROTEINS/",
        kTudatasetPROTEINSFiles},
    DatasetEntry{"tudataset-MUTAG", "188 molecules as graphs, mutagenic or not (TUDataset)", "none stated",
                 "Debnath et al. 1991, Structure-activity relationship of mutagenic aromatic and "
                 "heteroaromatic nitro compounds; Morris et al. 2020, TUDataset",
                 "unpack MUTAG.zip of TUDataset and put its files into tudataset-MUTAG/",
                 kTudatasetMUTAGFiles},
};

}  // namespace

std::span<const DatasetEntry> catalogued_graphs() {
  return kEntries;
}

}  // namespace earshot
