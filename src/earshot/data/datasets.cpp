#include "earshot/data/datasets.hpp"

#include <utility>

#include "earshot/core/error.hpp"
#include "earshot/data/catalogue.hpp"
#include "earshot/data/cifar.hpp"
#include "earshot/data/idx.hpp"

namespace earshot {
namespace {

constexpr std::size_t kMnistClasses = 10;

const DatasetFile& file_of(const DatasetEntry& entry, std::string_view path) {
  for (const DatasetFile& file : entry.files) {
    if (file.path == path) return file;
  }
  fail(Fault::kInternal, "no file " + std::string(path) + " in dataset " + std::string(entry.name));
}

/// Reads one catalogued file and parses it; what is wrong with the content is reported with the file's path.
template <class Parse>
auto parse_file(std::string_view dataset, const std::string& path, const Settings& settings,
                const std::filesystem::path& directory, Parse parse) {
  const DatasetEntry& entry = find_dataset(dataset);
  const DatasetFile& file = file_of(entry, path);
  const std::filesystem::path found = locate(entry, file, directory);
  const Bytes bytes =
      settings.boolean("checksum") ? read_verified(entry, file, directory) : read_bytes(found);
  return with_context(found.string(), [&] { return parse(bytes); });
}

Parameter checksum_parameter() {
  return boolean_parameter("checksum", true,
                           "refuse files other than the published ones; false: any well-formed file of the "
                           "format will do");
}

ImageDataset load_mnist(const Settings& settings, const std::filesystem::path& directory) {
  const std::string stem = settings.text("part") == "train" ? "mnist/train" : "mnist/t10k";
  IdxImages images = parse_file("mnist", stem + "-images-idx3-ubyte", settings, directory, parse_idx_images);
  std::vector<std::uint8_t> labels =
      parse_file("mnist", stem + "-labels-idx1-ubyte", settings, directory,
                 [](const Bytes& bytes) { return parse_idx_labels(bytes, kMnistClasses); });
  ImageDataset dataset = with_context((directory / stem).string(), [&] {
    return combine_idx(std::move(images), std::move(labels), kMnistClasses);
  });
  dataset.name = "mnist";
  dataset.normalisation = mnist_normalisation();
  return dataset;
}

ImageDataset load_cifar10(const Settings& settings, const std::filesystem::path& directory) {
  const std::string path =
      settings.text("part") == "test" ? "cifar10/test_batch.bin" : "cifar10/data_batch_1.bin";
  ImageDataset dataset = parse_file("cifar10", path, settings, directory, parse_cifar10);
  dataset.name = "cifar10";
  dataset.normalisation = cifar10_normalisation();
  return dataset;
}

DatasetComponent component(std::string_view name, Parameter part,
                           ImageDataset (*load)(const Settings&, const std::filesystem::path&)) {
  const DatasetEntry& entry = find_dataset(name);
  return {{"data",
           std::string(name),
           std::string(entry.summary),
           std::string(entry.citation),
           {std::move(part), checksum_parameter()}},
          load};
}

}  // namespace

std::span<const DatasetComponent> dataset_components() {
  static const std::vector<DatasetComponent> components{
      component("mnist",
                choice_parameter("part", "test", {"train", "test"}, "60,000 training or 10,000 test images"),
                load_mnist),
      component("cifar10",
                choice_parameter("part", "test", {"test", "batch1"},
                                 "10,000 test images or the first 10,000 training images"),
                load_cifar10)};
  return components;
}

}  // namespace earshot
