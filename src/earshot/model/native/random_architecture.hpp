// For tests: networks drawn at random from everything the native engine knows.
#pragma once

#include <utility>
#include <vector>

#include "earshot/core/random.hpp"
#include "earshot/model/architecture.hpp"

namespace earshot {

class RandomArchitecture {
 public:
  explicit RandomArchitecture(std::uint64_t seed) : stream_({seed, Purpose::kTest, 9}) {}

  Architecture vector_network() {
    Architecture a = frame(Shape{3 + stream_.below(4), 1, 1});
    append(a.layers, 1 + stream_.below(3), [&](auto& layers) { vector_layer(layers, 2); });
    a.layers.push_back(dense(2 + stream_.below(3)));
    return a;
  }
  Architecture image_network(bool batch_statistics) {
    Architecture a = frame(Shape{1 + stream_.below(2), 6, 6});
    append(a.layers, 1 + stream_.below(2), [&](auto& layers) { image_layer(layers, batch_statistics); });
    a.layers.push_back(Pool{stream_.below(2) == 0 ? PoolKind::kMax : PoolKind::kMean, 2, 2, false});
    a.layers.push_back(dense(2 + stream_.below(3)));
    return a;
  }
  Architecture graph_network(bool read_out) {
    Architecture a = frame(Shape{2 + stream_.below(3), 1, 1});
    append(a.layers, 1 + stream_.below(2), [&](auto& layers) { graph_layer(layers); });
    if (read_out) a.layers.push_back(ReadOut{static_cast<ReadOutKind>(stream_.below(3))});
    a.layers.push_back(dense(2 + stream_.below(2)));
    return a;
  }

 private:
  Architecture frame(Shape input) {
    Architecture a;
    a.name = "random";
    a.input = input;
    a.loss = static_cast<LossKind>(stream_.below(3));
    a.reduction = static_cast<Reduction>(stream_.below(2));
    return a;
  }
  template <class Append>
  void append(std::vector<Layer>& layers, std::size_t count, Append one) {
    for (std::size_t i = 0; i < count; ++i) one(layers);
  }
  Dense dense(std::size_t outputs) { return Dense{outputs, stream_.below(3) != 0}; }
  Activate activation() { return Activate{static_cast<ActivationKind>(stream_.below(7))}; }
  Join join() { return static_cast<Join>(stream_.below(2)); }

  void vector_layer(std::vector<Layer>& layers, int depth) {
    switch (stream_.below(depth > 0 ? 4 : 3)) {
      case 0:
        layers.push_back(dense(2 + stream_.below(6)));
        return;
      case 1:
        layers.push_back(activation());
        return;
      case 2:
        layers.push_back(Dropout{0.3});
        return;
      default: {
        layers.push_back(dense(4));  // so that branches can end with the width they started with
        Parallel block{join(), {{}, {}}};
        if (stream_.below(2) == 0) block.branches.push_back({});
        vector_layer(block.branches[0], depth - 1);
        block.branches[0].push_back(dense(4));
        block.branches[0].push_back(activation());
        layers.push_back(std::move(block));
      }
    }
  }
  void image_layer(std::vector<Layer>& layers, bool batch_statistics) {
    const Convolve same{3, 3, 3, 1, 1, 1, stream_.below(2) == 0};
    switch (stream_.below(3)) {
      case 0:
        layers.push_back(same);
        layers.push_back(activation());
        return;
      case 1:
        layers.push_back(same);
        layers.push_back(BatchNorm{!batch_statistics});
        layers.push_back(activation());
        return;
      default: {
        layers.push_back(same);
        layers.push_back(Parallel{join(), {{same, BatchNorm{!batch_statistics}, activation()}, {}}});
      }
    }
  }
  void graph_layer(std::vector<Layer>& layers) {
    if (stream_.below(2) == 0) {
      layers.push_back(GraphConvolve{2 + stream_.below(3), stream_.below(2) == 0});
    } else {
      layers.push_back(
          GraphAttend{1 + stream_.below(2), 2 + stream_.below(2), join(), stream_.below(2) == 0, true});
    }
    layers.push_back(activation());
  }

  Stream stream_;
};

}  // namespace earshot
