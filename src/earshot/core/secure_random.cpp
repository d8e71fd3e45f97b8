#include "earshot/core/secure_random.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <sys/random.h>

#include "earshot/core/error.hpp"
#include "earshot/core/random_below.hpp"

namespace earshot {

/// Lives in memory of its own that the kernel zeroes in a forked child: there `remaining` is 0 and the next
/// draw asks the kernel again.
struct SecureRandom::Page {
  std::size_t remaining;
  std::uint64_t words[511];
};

SecureRandom::SecureRandom() {
  void* memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail(Fault::kIo, "no memory for the secure random generator");
  if (::madvise(memory, sizeof(Page), MADV_WIPEONFORK) != 0) {
    ::munmap(memory, sizeof(Page));
    fail(Fault::kIo,
         "the kernel cannot keep random numbers from forked processes (needs Linux 4.14 or later)");
  }
  page_ = static_cast<Page*>(memory);
}

SecureRandom::~SecureRandom() {
  ::explicit_bzero(page_, sizeof(Page));
  ::munmap(page_, sizeof(Page));
}

std::uint64_t SecureRandom::bits() {
  if (page_->remaining == 0) {
    fill_random(std::as_writable_bytes(std::span(page_->words)), ::getrandom);
    page_->remaining = std::size(page_->words);
  }
  const std::size_t last = --page_->remaining;
  const std::uint64_t word = page_->words[last];
  ::explicit_bzero(&page_->words[last], sizeof(std::uint64_t));
  return word;
}

std::uint64_t SecureRandom::below(std::uint64_t bound) {
  return random_below(*this, bound);
}

void fill_random(std::span<std::byte> out, RandomSystemCall call) {
  while (!out.empty()) {
    const ssize_t got = call(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      const int reason = got < 0 ? errno : EIO;
      fail(Fault::kIo, std::string("the operating system gives no random numbers (") + std::strerror(reason) +
                           "): nothing can be protected on this machine");
    }
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace earshot
