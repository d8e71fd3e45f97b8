#include "earshot/data/catalogue.hpp"

#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/core/text.hpp"

namespace earshot {
namespace {

constexpr std::array kMnistFiles{
    DatasetFile{"mnist/t10k-images-idx3-ubyte", 7840016,
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    DatasetFile{"mnist/t10k-labels-idx1-ubyte", 10008,
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
    DatasetFile{"mnist/train-images-idx3-ubyte", 47040016,
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    DatasetFile{"mnist/train-labels-idx1-ubyte", 60008,
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
};

constexpr std::array kCifarFiles{
    DatasetFile{"cifar10/test_batch.bin", 30730000,
                "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"},
    DatasetFile{"cifar10/data_batch_1.bin", 30730000,
                "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"},
};

constexpr std::array kFacebookFiles{
    DatasetFile{"facebook-ego/0.edges", 37228,
                "0a00eb2539ff2f7973ea905947e9c7bf175521fadd7ddc8b310bec1e79a32027"},
    DatasetFile{"facebook-ego/107.edges", 523802,
                "38de3a80aab5d256d431d4e62941bb3870500bb299fd5040c5a4314b3a3d4202"},
    DatasetFile{"facebook-ego/348.edges", 51066,
                "3d051c9f99fdd1304514240f76a598ea602e9c921e1d0961af446fea90cb4d54"},
    DatasetFile{"facebook-ego/414.edges", 27082,
                "1f5c9d43608a8cf6d56e27f1902f528cf7cf9ef1114afd3df7bc5888d7250fb1"},
    DatasetFile{"facebook-ego/686.edges", 26496,
                "54f6fe3dff5f7349a9457a9723063d608719b65749c2220e5123bb11d9c20f7a"},
    DatasetFile{"facebook-ego/698.edges", 4320,
                "28bafa82247431abb61e4380c8f054ed2091d9cd8419bf52f491d7dfb7e1554c"},
    DatasetFile{"facebook-ego/1684.edges", 280354,
                "0907320e9d64d0e69ede956af464de845a3e7f36e0e3778d509a2b6568052f44"},
    DatasetFile{"facebook-ego/1912.edges", 600274,
                "78ef1e86f189e6e5ee2b4c4e35397c4f9032130186b1f11c164910e887c636dd"},
    DatasetFile{"facebook-ego/3437.edges", 96188,
                "0bc241e0a5e37d723eeef6cd6e3c2c40129753f8c3a74fedb88044a349548a3f"},
    DatasetFile{"facebook-ego/3980.edges", 2914,
                "bdd6311793db41091f2596b802a52ca0cfa97b4bf5e4047d048eb4e7e10bc639"},
};

constexpr std::array kHouseholdPowerFiles{
    DatasetFile{"household-power/household_power_daily24.csv", 321760,
                "454fd1b4acb54c45905af062e176bcfb97844855fae3b3e980afc3802879c7e0"},
};

constexpr std::array kRealEstateFiles{
    DatasetFile{"real-estate-valuation/real_estate_valuation.csv", 21966,
                "ff2feb9f5c0279929135a86ebb0dcee730df500161657320b0825730b7b89722"},
};

constexpr std::array kWdbcFiles{
    DatasetFile{"wdbc/wdbc.data", 124103, "d606af411f3e5be8a317a5a8b652b425aaf0ff38ca683d5327ffff94c3695f4a"},
};

constexpr std::array kCatalogue{
    DatasetEntry{
        "mnist", "70,000 grey 28x28 images of handwritten digits, 10 classes (idx format)", "CC BY-SA 3.0",
        "LeCun, Bottou, Bengio & Haffner 1998, Gradient-based learning applied to document recognition",
        "make data", kMnistFiles},
    DatasetEntry{"cifar10",
                 "colour 32x32 images of 10 kinds of object; the test part and the first training batch",
                 "none stated; free to use with citation",
                 "Krizhevsky 2009, Learning multiple layers of features from tiny images",
                 "unpack the binary version of CIFAR-10 and put its .bin files into cifar10/", kCifarFiles},
    DatasetEntry{"facebook-ego",
                 "friendships among the friends of ten people (SNAP ego-Facebook, .edges files)",
                 "none stated; cite when used",
                 "McAuley & Leskovec 2012, Learning to discover social circles in ego networks",
                 "unpack SNAP's facebook.tar.gz and put its .edges files into facebook-ego/", kFacebookFiles},
    DatasetEntry{
        "household-power", "electric power of one household, hourly means over 1,417 whole days (kW)",
        "CC BY 4.0",
        "Hebrail & Berard 2012, Individual household electric power consumption, UCI Machine Learning "
        "Repository",
        "take household_power_consumption_aggre_clean.csv (commit 2500da5 of "
        "chengjiangnan/task_aware_privacy on GitHub) and write one row per day as docs/data.md says",
        kHouseholdPowerFiles},
    DatasetEntry{
        "real-estate-valuation",
        "414 dwellings sold in New Taipei: six features and the price of a unit of area", "CC BY 4.0",
        "Yeh & Hsu 2018, Building real estate valuation models with comparative approach through "
        "case-based reasoning",
        "take valuation.csv (commit 2500da5 of chengjiangnan/task_aware_privacy on GitHub) and put it "
        "into real-estate-valuation/ as real_estate_valuation.csv",
        kRealEstateFiles},
    DatasetEntry{"wdbc",
                 "569 breast biopsies: 30 measures of the cell nuclei, benign or malignant (Wisconsin, "
                 "diagnostic)",
                 "CC BY 4.0",
                 "Street, Wolberg & Mangasarian 1993, Nuclear feature extraction for breast tumor diagnosis",
                 "put wdbc.data of UCI's Breast Cancer Wisconsin (Diagnostic) into wdbc/", kWdbcFiles},
};

bool is_file(const std::filesystem::path& path) {
  std::error_code code;
  return std::filesystem::is_regular_file(path, code);
}

/// Where the file lies, or an empty path.
std::filesystem::path find_on_disk(const DatasetFile& file, const std::filesystem::path& directory) {
  std::filesystem::path path = directory / file.path;
  if (!is_file(path)) path += ".gz";
  if (!is_file(path)) path.clear();
  return path;
}

std::string missing_message(const DatasetEntry& entry, const DatasetFile& file,
                            const std::filesystem::path& directory) {
  return fmt::format(
      "dataset {}: {}[.gz] is not in {}; to get it: {}; or set EARSHOT_DATA to the directory that has it",
      entry.name, file.path, directory.string(), entry.how_to_get);
}

/// Compares content with what the catalogue says; `path` is for the message only.
FileStatus check_content(const DatasetFile& file, const Bytes& bytes, const std::filesystem::path& path) {
  if (bytes.size() != file.bytes) {
    return {&file, FileState::kWrongSize,
            fmt::format("{}: {} bytes uncompressed, expected {}", path.string(), bytes.size(), file.bytes)};
  }
  const std::string sum = sha256(bytes);
  if (sum != file.sha256) {
    return {&file, FileState::kWrongChecksum,
            fmt::format("{}: sha256 of the uncompressed content is {}, expected {}", path.string(), sum,
                        file.sha256)};
  }
  return {&file, FileState::kOk, ""};
}

std::pair<FileStatus, Bytes> read_and_check(const DatasetFile& file, const std::filesystem::path& path) {
  Bytes bytes = read_bytes(path);
  FileStatus status = check_content(file, bytes, path);
  return {std::move(status), std::move(bytes)};
}

FileStatus verify_file(const DatasetEntry& entry, const DatasetFile& file,
                       const std::filesystem::path& directory) {
  const std::filesystem::path path = find_on_disk(file, directory);
  if (path.empty()) return {&file, FileState::kMissing, missing_message(entry, file, directory)};
  try {
    return read_and_check(file, path).first;
  } catch (const Error& error) {
    return {&file, FileState::kUnreadable, error.what()};
  }
}

}  // namespace

std::span<const DatasetEntry> catalogue() {
  return kCatalogue;
}

const DatasetEntry& find_dataset(std::string_view name) {
  std::vector<std::string> names;
  for (const DatasetEntry& entry : kCatalogue) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  fail(Fault::kUsage, fmt::format("no dataset \"{}\"; {}", name, suggest(name, names)));
}

std::filesystem::path data_directory() {
  const char* given = std::getenv("EARSHOT_DATA");
  return given != nullptr && *given != '\0' ? given : "data";
}

std::filesystem::path locate(const DatasetEntry& entry, const DatasetFile& file,
                             const std::filesystem::path& directory) {
  std::filesystem::path path = find_on_disk(file, directory);
  if (path.empty()) fail(Fault::kData, missing_message(entry, file, directory));
  return path;
}

std::string_view to_string(FileState state) {
  switch (state) {
    case FileState::kOk:
      return "ok";
    case FileState::kMissing:
      return "missing";
    case FileState::kUnreadable:
      return "unreadable";
    case FileState::kWrongSize:
      return "wrong size";
    case FileState::kWrongChecksum:
      return "wrong checksum";
  }
  return "unknown";
}

std::vector<FileStatus> verify(const DatasetEntry& entry, const std::filesystem::path& directory) {
  std::vector<FileStatus> statuses;
  for (const DatasetFile& file : entry.files) statuses.push_back(verify_file(entry, file, directory));
  return statuses;
}

Bytes read_verified(const DatasetEntry& entry, const DatasetFile& file,
                    const std::filesystem::path& directory) {
  auto [status, bytes] = read_and_check(file, locate(entry, file, directory));
  if (status.state != FileState::kOk)
    fail(Fault::kData, fmt::format("dataset {}: {}", entry.name, status.detail));
  return std::move(bytes);
}

}  // namespace earshot
