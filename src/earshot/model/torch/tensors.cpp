#include "earshot/model/torch/tensors.hpp"

#include <string_view>

namespace earshot {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view first_line(std::string_view text) {
  return trimmed(text.substr(0, text.find('\n')));
}

std::string_view last_line(std::string_view text) {
  const std::size_t start = text.rfind('\n');
  return start == std::string_view::npos ? text : trimmed(text.substr(start + 1));
}

std::string without_prefix(std::string_view line) {
  for (const std::string_view prefix : {"RuntimeError: ", "builtins.", "torch.jit.Error: "}) {
    if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
  }
  return std::string(line);
}

}  // namespace

std::size_t values_in(torch::IntArrayRef shape) {
  std::size_t values = 1;
  for (const std::int64_t extent : shape) values *= static_cast<std::size_t>(extent);
  return values;
}

std::string short_message(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string_view text = trimmed(torch_error ? torch_error->what_without_backtrace() : error.what());
  // The interpreter puts a traceback in front and the reason last; everything else starts with the reason.
  const bool traceback = text.find("Traceback of TorchScript") != std::string_view::npos;
  const std::string line = without_prefix(traceback ? last_line(text) : first_line(text));
  return line.empty() ? "libtorch gave no reason" : line;
}

void use_one_thread() {
  thread_local bool done = false;
  if (done) return;
  torch::set_num_threads(1);
  done = true;
}

}  // namespace earshot
