#include "earshot/data/images/image_datasets.hpp"

#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue/catalogue.hpp"
#include "earshot/data/images/aptos.hpp"
#include "earshot/data/images/cifar.hpp"
#include "earshot/data/images/digits.hpp"
#include "earshot/data/images/femnist.hpp"
#include "earshot/data/images/mnist.hpp"
#include "earshot/data/images/retinamnist.hpp"
#include "earshot/data/images/stratified.hpp"
#include "earshot/data/images/writers.hpp"

namespace earshot {
namespace {

constexpr std::size_t kMnistClasses = 10;

const DatasetFile& file_of(const DatasetEntry& entry, std::string_view path) {
  for (const DatasetFile& file : entry.files) {
    if (file.path == path) return file;
  }
  fail(Fault::kInternal, "no file " + std::string(path) + " in dataset " + std::string(entry.name));
}

/// A catalogued file's content and where it was found.
struct FoundFile {
  std::string path;
  Bytes bytes;
};

FoundFile read_file(std::string_view dataset, const std::string& path, const Settings& settings,
                    const std::filesystem::path& directory) {
  const DatasetEntry& entry = find_dataset(dataset);
  const DatasetFile& file = file_of(entry, path);
  const std::filesystem::path found = locate(entry, file, directory);
  return {found.string(),
          settings.boolean("checksum") ? read_verified(entry, file, directory) : read_bytes(found)};
}

/// Reads one catalogued file and parses it; what is wrong with the content is reported with the file's path.
template <class Parse>
auto parse_file(std::string_view dataset, const std::string& path, const Settings& settings,
                const std::filesystem::path& directory, Parse parse) {
  const FoundFile file = read_file(dataset, path, settings, directory);
  return with_context(file.path, [&] { return parse(file.bytes); });
}

std::string_view as_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Parameter checksum_parameter() {
  return boolean_parameter("checksum", true,
                           "refuse files other than the published ones; false: any well-formed file of the "
                           "format will do");
}

/// Images and labels in the files of MNIST's form, which are named after the part.
ImageDataset load_idx(std::string_view dataset, const std::string& stem, const Settings& settings,
                      const std::filesystem::path& directory) {
  IdxImages images = parse_file(dataset, stem + "-images-idx3-ubyte", settings, directory, parse_idx_images);
  std::vector<std::uint8_t> labels =
      parse_file(dataset, stem + "-labels-idx1-ubyte", settings, directory,
                 [](const Bytes& bytes) { return parse_idx_labels(bytes, kMnistClasses); });
  return with_context((directory / stem).string(),
                      [&] { return combine_idx(std::move(images), std::move(labels), kMnistClasses); });
}

ImageDataset named(ImageDataset dataset, std::string name, Normalisation normalisation) {
  dataset.name = std::move(name);
  dataset.normalisation = std::move(normalisation);
  return dataset;
}

ImageDataset load_mnist(const Settings& settings, const std::filesystem::path& directory) {
  const std::string stem = settings.text("part") == "train" ? "mnist/train" : "mnist/t10k";
  return named(load_idx("mnist", stem, settings, directory), "mnist", mnist_normalisation());
}

ImageDataset load_mnist_writers(const Settings& settings, const std::filesystem::path& directory) {
  ImageDataset dataset = load_mnist(settings, directory);
  parse_file("qmnist-writers", fmt::format("qmnist-writers/qmnist-{}-labels-idx2-int", settings.text("part")),
             settings, directory, [&](const Bytes& bytes) { add_writers(dataset, parse_idx_table(bytes)); });
  dataset.name = "mnist_writers";
  return dataset;
}

ImageDataset load_fashion_mnist(const Settings& settings, const std::filesystem::path& directory) {
  return named(load_idx("fashion-mnist", "fashion-mnist/t10k", settings, directory), "fashion_mnist",
               fashion_mnist_normalisation());
}

ImageDataset load_cifar10(const Settings& settings, const std::filesystem::path& directory) {
  const std::string path =
      settings.text("part") == "test" ? "cifar10/test_batch.bin" : "cifar10/data_batch_1.bin";
  return named(parse_file("cifar10", path, settings, directory, parse_cifar10), "cifar10",
               cifar10_normalisation());
}

ImageDataset load_femnist(const Settings& settings, const std::filesystem::path& directory) {
  return named(parse_file("femnist", "femnist/femnist_subset_12clients_png.tar", settings, directory,
                          [](const Bytes& bytes) { return parse_femnist(bytes); }),
               "femnist", femnist_normalisation());
}

ImageDataset load_digits(const Settings& settings, const std::filesystem::path& directory) {
  const FoundFile file = read_file("digits", "digits/digits.csv", settings, directory);
  return named(parse_digits(as_text(file.bytes), file.path), "digits", digits_normalisation());
}

ImageDataset load_retinamnist(const Settings& settings, const std::filesystem::path& directory) {
  return named(
      parse_file("retinamnist", "retinamnist/retinamnist.npz", settings, directory,
                 [&](const Bytes& bytes) { return parse_retinamnist(bytes, settings.text("part")); }),
      "retinamnist", retinamnist_normalisation());
}

/// The records of a part, or as many of them as the plan asks for, with the grades' shares kept.
std::vector<std::size_t> choose_aptos(std::span<const AptosRecord> records, std::vector<std::size_t> part,
                                      const Settings& settings) {
  if (!settings.has("images")) return part;
  std::vector<std::uint8_t> grades;
  for (const std::size_t i : part) grades.push_back(records[i].grade);
  std::vector<std::size_t> chosen =
      stratified_sample(grades, settings.size("images"),
                        {.seed = static_cast<std::uint64_t>(settings.integer("split_seed")),
                         .purpose = Purpose::kDataSelection});
  for (std::size_t& i : chosen) i = part[i];
  return chosen;
}

std::string copies_note(std::size_t copies, const AptosSplit& split) {
  return fmt::format("{} of the {} test images are exact copies of training images", copies,
                     split.test.size());
}

ImageDataset load_aptos2019(const Settings& settings, const std::filesystem::path& directory) {
  const FoundFile table = read_file("aptos2019", "aptos2019/train.csv", settings, directory);
  const FoundFile archive =
      read_file("aptos2019", "aptos2019/train_images_224_jpeg.tar", settings, directory);
  ImageDataset dataset = with_context(archive.path, [&] {
    const std::vector<AptosRecord> records = index_aptos(as_text(table.bytes), table.path, archive.bytes);
    const std::string part = settings.text("part");
    std::vector<std::string> notes;
    std::vector<std::size_t> chosen = complement({}, records.size());
    if (part != "all") {
      AptosSplit split = split_aptos(records, static_cast<std::uint64_t>(settings.integer("split_seed")));
      notes.push_back(copies_note(count_copies(records, split), split));
      chosen = part == "train" ? std::move(split.train) : std::move(split.test);
    }
    chosen = choose_aptos(records, std::move(chosen), settings);
    const AptosSize size{settings.has("resize") ? settings.size("resize") : 0,
                         settings.has("crop") ? settings.size("crop") : 0};
    ImageDataset decoded = decode_aptos(records, chosen, size);
    decoded.notes = std::move(notes);
    return decoded;
  });
  const bool imagenet = settings.text("normalisation") == "imagenet";
  return named(std::move(dataset), "aptos2019", imagenet ? imagenet_normalisation() : half_normalisation());
}

using Load = ImageDataset (*)(const Settings&, const std::filesystem::path&);

/// `dataset` is the catalogue's name of what is loaded.
DatasetComponent component(std::string_view name, std::string_view dataset, std::vector<Parameter> parameters,
                           Load load) {
  const DatasetEntry& entry = find_dataset(dataset);
  parameters.push_back(checksum_parameter());
  return {{"data", std::string(name), std::string(entry.summary), std::string(entry.citation),
           std::move(parameters)},
          load};
}

Parameter mnist_part(std::string fallback) {
  return choice_parameter("part", std::move(fallback), {"train", "test"},
                          "60,000 training or 10,000 test images");
}

std::vector<Parameter> aptos_parameters() {
  constexpr std::int64_t kLargestSide = 2048;
  return {
      choice_parameter("part", "test", {"train", "test", "all"},
                       "2,931 training or 731 test images, every grade with its share in both, or all 3,662"),
      integer_parameter("split_seed", 0, 0, std::numeric_limits<std::int64_t>::max(),
                        "which split into training and test part, and which images of it"),
      optional(
          integer_parameter("images", std::nullopt, 1, 1'000'000,
                            "load only so many images of the part, every grade with its share; absent: all "
                            "(150 kB of memory each at 224x224)")),
      optional(integer_parameter("resize", std::nullopt, 1, kLargestSide,
                                 "new length of the shorter side, before cropping; absent: 224, as stored")),
      optional(integer_parameter("crop", std::nullopt, 1, kLargestSide,
                                 "side of the square cut out of the middle; absent: the whole image")),
      choice_parameter("normalisation", "half", {"half", "imagenet"},
                       "half: pixels from -1 to 1; imagenet: what networks trained on ImageNet expect")};
}

std::vector<DatasetComponent> all_components() {
  return {component("mnist", "mnist", {mnist_part("test")}, load_mnist),
          component("mnist_writers", "qmnist-writers", {mnist_part("train")}, load_mnist_writers),
          component("fashion_mnist", "fashion-mnist", {}, load_fashion_mnist),
          component("cifar10", "cifar10",
                    {choice_parameter("part", "test", {"test", "batch1"},
                                      "10,000 test images or the first 10,000 training images")},
                    load_cifar10),
          component("femnist", "femnist", {}, load_femnist),
          component("digits", "digits", {}, load_digits),
          component("retinamnist", "retinamnist",
                    {choice_parameter("part", "test", {"train", "val", "test"},
                                      "1,080 training, 120 validation or 400 test images")},
                    load_retinamnist),
          component("aptos2019", "aptos2019", aptos_parameters(), load_aptos2019)};
}

}  // namespace

std::span<const DatasetComponent> dataset_components() {
  static const std::vector<DatasetComponent> components = all_components();
  return components;
}

}  // namespace earshot
