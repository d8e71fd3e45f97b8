#include "earshot/data/images/writers.hpp"

#include <map>

#include <fmt/format.h>

#include "earshot/core/error.hpp"

namespace earshot {
namespace {

constexpr std::size_t kColumns = 8;
constexpr std::size_t kDigitColumn = 0;
constexpr std::size_t kWriterColumn = 2;

void check_rows(const ImageDataset& dataset, const IdxTable& table) {
  if (table.columns != kColumns)
    fail(Fault::kData, fmt::format("extended labels have {} columns, expected {}", table.columns, kColumns));
  if (table.rows < dataset.size())
    fail(Fault::kData, fmt::format("{} rows of extended labels for {} images", table.rows, dataset.size()));
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    if (table.at(i, kDigitColumn) != dataset.labels[i]) {
      fail(Fault::kData, fmt::format("row {} of the extended labels is a {}, but the image is labelled {}", i,
                                     table.at(i, kDigitColumn), dataset.labels[i]));
    }
    if (table.at(i, kWriterColumn) < 0)
      fail(Fault::kData,
           fmt::format("row {} of the extended labels has writer {}", i, table.at(i, kWriterColumn)));
  }
}

}  // namespace

void add_writers(ImageDataset& dataset, const IdxTable& extended_labels) {
  check_rows(dataset, extended_labels);
  std::map<std::int32_t, std::uint32_t> client_of;
  for (std::size_t i = 0; i < dataset.size(); ++i) client_of[extended_labels.at(i, kWriterColumn)] = 0;
  std::uint32_t next = 0;
  for (auto& [writer, client] : client_of) client = next++;
  dataset.clients.clear();
  for (std::size_t i = 0; i < dataset.size(); ++i)
    dataset.clients.push_back(client_of.at(extended_labels.at(i, kWriterColumn)));
  dataset.client_count = client_of.size();
}

}  // namespace earshot
