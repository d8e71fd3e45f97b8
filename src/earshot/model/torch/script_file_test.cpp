#include "earshot/model/torch/script_file.hpp"

#include <gtest/gtest.h>

#include "earshot/data/formats/corpus.hpp"

namespace earshot {
namespace {

TEST(ScriptFile, AcceptsAndRefusesTheSamples) {
  testing::check_corpus("torch_script", [](const Bytes& bytes) { check_script_file(bytes); });
}

}  // namespace
}  // namespace earshot
