// Reading check-ins against finding the ends of their lines, and measuring a channel's epsilon against the
// definition.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "earshot/collect/location/distance_channels.hpp"
#include "earshot/collect/location/distances.hpp"
#include "earshot/collect/location/privacy_check.hpp"
#include "earshot/data/places/place_files.hpp"

namespace earshot {
namespace {

constexpr std::size_t kLines = 200'000;

const std::string& snap_text() {
  static const std::string text = [] {
    std::string all;
    for (std::size_t i = 0; i < kLines; ++i)
      all += fmt::format("{}\t2010-10-19T23:55:27Z\t{:.10f}\t{:.10f}\t{}\n", i / 60,
                         static_cast<double>(i % 17'000) / 100 - 85,
                         static_cast<double>(i % 35'000) / 100 - 175, i);
    return all;
  }();
  return text;
}

void read_snap(benchmark::State& state) {
  for (auto _ : state) {
    LineStream lines(TextFile{snap_text(), "bench"});
    benchmark::DoNotOptimize(read_snap_check_ins(lines));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kLines));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * snap_text().size()));
}
BENCHMARK(read_snap)->Unit(benchmark::kMillisecond);

void find_line_ends(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(std::ranges::count(snap_text(), '\n'));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * snap_text().size()));
}
BENCHMARK(find_line_ends)->Unit(benchmark::kMillisecond);

struct City {
  Distances metric = distances(PlaceGrid::published(GowallaCity::kSanFrancisco), DistanceUnit::kCells);
  Channel channel = exponential_kernel(metric, 1);
};

void measure_epsilon(benchmark::State& state) {
  const City city;
  for (auto _ : state) benchmark::DoNotOptimize(metric_privacy(city.channel, city.metric).epsilon);
}
BENCHMARK(measure_epsilon)->Unit(benchmark::kMillisecond);

void measure_by_definition(benchmark::State& state) {
  const City city;
  const Channel& c = city.channel;
  for (auto _ : state) {
    double worst = 0;
    for (std::size_t x = 0; x < c.inputs; ++x)
      for (std::size_t z = 0; z < c.inputs; ++z)
        for (std::size_t y = 0; y < c.outputs && x != z; ++y)
          worst = std::max(worst, std::log(c(x, y) / c(z, y)) / city.metric(x, z));
    benchmark::DoNotOptimize(worst);
  }
}
BENCHMARK(measure_by_definition)->Unit(benchmark::kMillisecond)->Iterations(2);

}  // namespace
}  // namespace earshot
