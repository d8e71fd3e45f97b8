#include "earshot/pipeline/training_store.hpp"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"

namespace earshot {
namespace {

constexpr const char* kFormat = "earshot training 1";
/// At most a tenth of the time goes into checkpoints.
constexpr int kSavingShare = 10;

int lock_of(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / "lock";
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(Fault::kIo, fmt::format("{}: cannot be written", file.string()));
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  close(descriptor);
  fail(Fault::kIo, fmt::format("{}: another process is training there; wait for it, or choose another --out",
                               directory.string()));
}

}  // namespace

TrainingStore::TrainingStore(std::filesystem::path directory, std::string digest, double seconds)
    : directory_(std::move(directory)),
      digest_(std::move(digest)),
      interval_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {
  std::error_code code;
  std::filesystem::create_directories(directory_, code);
  if (code) fail(Fault::kIo, fmt::format("{}: {}", directory_.string(), code.message()));
  lock_ = lock_of(directory_);
}

TrainingStore::~TrainingStore() {
  close(lock_);
}

bool TrainingStore::load(TrainTrial& trial) const {
  const std::filesystem::path file = directory_ / kFileName;
  if (!std::filesystem::exists(file)) return false;
  const std::string sealed = read_text(file);
  StateReader in(sealed, file.string());
  if (in.text() != kFormat || in.text() != digest_) {
    fail(Fault::kConfig,
         fmt::format(
             "{} holds a training with other settings or files, or of another version; choose another --out",
             directory_.string()));
  }
  trial.load(in);
  in.finish();
  return true;
}

void TrainingStore::save(const TrainTrial& trial) {
  const Clock::time_point start = Clock::now();
  StateWriter out;
  out.text(kFormat);
  out.text(digest_);
  trial.save(out);
  write_atomically(directory_ / kFileName, out.sealed());
  saved_ = Clock::now();
  saving_ = saved_ - start;
}

bool TrainingStore::due() const {
  return Clock::now() - saved_ >= std::max(interval_, kSavingShare * saving_);
}

}  // namespace earshot
