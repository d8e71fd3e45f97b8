#include "earshot/data/catalogue/download.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "earshot/core/error.hpp"
#include "earshot/core/files.hpp"
#include "earshot/core/interrupt.hpp"
#include "earshot/core/progress.hpp"

namespace earshot {
namespace {

constexpr int kMostRedirects = 5;
constexpr long kConnectSeconds = 30;
constexpr long kSilentSeconds = 60;  // without a byte: the connection is given up

constexpr long kOk = 200, kPartialContent = 206, kRangeNotSatisfiable = 416;

struct CloseUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct CloseEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string part_of(CURLU* url, CURLUPart part, unsigned flags) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  std::string result = text;
  curl_free(text);
  return result;
}

/// Scheme, and host:port.
std::pair<std::string, std::string> scheme_and_host(const std::string& url) {
  const std::unique_ptr<CURLU, CloseUrl> parsed(curl_url());
  const bool good =
      parsed != nullptr && curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) == CURLUE_OK;
  const std::string scheme = good ? part_of(parsed.get(), CURLUPART_SCHEME, 0) : "";
  if (scheme != "http" && scheme != "https")
    fail(Fault::kUsage,
         fmt::format("\"{}\" is not a URL that can be fetched; write http://... or https://...", url));
  return {scheme, part_of(parsed.get(), CURLUPART_HOST, 0) + ":" +
                      part_of(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT)};
}

/// The partial file, locked against a second earshot that fetches the same.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code code;
    std::filesystem::create_directories(path_.parent_path(), code);
    file_.reset(std::fopen(path_.c_str(), "ab"));
    if (file_ == nullptr)
      fail(Fault::kIo, fmt::format("{}: cannot be written ({})", path_.string(), std::strerror(errno)));
    if (::flock(fileno(file_.get()), LOCK_EX | LOCK_NB) != 0)
      fail(Fault::kIo, fmt::format("{}: another fetch is writing it; wait for it to end", path_.string()));
  }

  ~PartialFile() {
    std::error_code code;
    if (!complete_ && std::filesystem::is_empty(path_, code)) std::filesystem::remove(path_, code);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  void set_complete() { complete_ = true; }
  std::uint64_t size() const { return std::filesystem::file_size(path_); }
  void restart() {
    if (std::fflush(file_.get()) != 0 || ::ftruncate(fileno(file_.get()), 0) != 0) fail_to_write();
  }
  bool append(const char* data, std::size_t count) {
    return std::fwrite(data, 1, count, file_.get()) == count;
  }
  void flush() {
    if (std::fflush(file_.get()) != 0) fail_to_write();
  }
  [[noreturn]] void fail_to_write() const {
    fail(Fault::kIo, fmt::format("{}: writing failed ({})", path_.string(), std::strerror(errno)));
  }

 private:
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  bool complete_ = false;
};

enum class Ending { kComplete, kRedirect, kBroken };

/// One request and what came of it.
class Attempt {
 public:
  Attempt(PartialFile& file, std::string label)
      : file_(file), label_(std::move(label)), start_(file.size()) {}

  Ending run(const std::string& url) {
    easy_.reset(curl_easy_init());
    if (easy_ == nullptr) fail(Fault::kInternal, "libcurl could not start");
    set_options(url);
    const CURLcode result = curl_easy_perform(easy_.get());
    progress_.reset();
    file_.flush();
    stop_if_interrupted();
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (write_failed_) file_.fail_to_write();
    if (too_large_)
      fail(Fault::kData, fmt::format("{}: longer than {} bytes; not fetched", url, kLargestInput));
    if (status == kRangeNotSatisfiable) return Ending::kComplete;  // there is nothing after what we have
    if (result == CURLE_OK && status / 100 == 3) return Ending::kRedirect;
    if (result == CURLE_OK && (status == kOk || status == kPartialContent)) return Ending::kComplete;
    if (result == CURLE_OK)
      fail(Fault::kIo,
           fmt::format("{}: the server answers {}{}; try again later, get the file by hand, or name "
                       "another server with --from",
                       url, status, status == 404 ? " (not found)" : ""));
    reason_ = curl_easy_strerror(result);
    return Ending::kBroken;
  }

  std::string redirect() const {
    char* to = nullptr;
    curl_easy_getinfo(easy_.get(), CURLINFO_REDIRECT_URL, &to);
    return to == nullptr ? "" : to;
  }
  const std::string& reason() const { return reason_; }

 private:
  void set_options(const std::string& url) {
    CURL* easy = easy_.get();
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "earshot");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
    if (start_ > 0) {
      range_ = fmt::format("{}-", start_);
      curl_easy_setopt(easy, CURLOPT_RANGE, range_.c_str());
    }
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Attempt::write);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &Attempt::watch);
  }

  /// Non-zero ends the transfer, also while nothing arrives.
  static int watch(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t) { return interrupted() ? 1 : 0; }

  static std::size_t write(char* data, std::size_t, std::size_t count, void* self) {
    return static_cast<Attempt*>(self)->take(data, count) ? count : 0;
  }

  bool take(const char* data, std::size_t count) {
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status != kOk && status != kPartialContent) return true;  // the text of an error or a redirect
    if (taken_ == 0) begin(status);
    taken_ += count;
    too_large_ = start_ + taken_ > kLargestInput;
    write_failed_ = !too_large_ && !file_.append(data, count);
    if (progress_) progress_->advance(count);
    return !too_large_ && !write_failed_;
  }

  void begin(long status) {
    if (status == kOk && start_ > 0) {  // the server does not resume: from the beginning
      file_.restart();
      start_ = 0;
    }
    curl_off_t length = -1;
    curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (length > 0) progress_.emplace(label_, start_ + static_cast<std::size_t>(length), start_);
  }

  PartialFile& file_;
  std::string label_;
  std::uint64_t start_;
  std::uint64_t taken_ = 0;
  bool write_failed_ = false;
  bool too_large_ = false;
  std::string range_;
  std::string reason_;
  std::optional<Progress> progress_;
  std::unique_ptr<CURL, CloseEasy> easy_;
};

std::string kept_note(std::uint64_t bytes) {
  return bytes == 0 ? "" : fmt::format("; {} bytes are kept, and fetching again goes on from there", bytes);
}

void start_curl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) fail(Fault::kInternal, "libcurl could not start");
}

}  // namespace

void check_url(const std::string& url) {
  scheme_and_host(url);
}

std::string allowed_redirect(const std::string& from, const std::string& to, bool stay_on_host) {
  const auto [scheme, host] = scheme_and_host(from);
  const auto [new_scheme, new_host] = scheme_and_host(to);
  if (scheme == "https" && new_scheme == "http")
    fail(Fault::kIo, fmt::format("{}: the server redirects to unencrypted {}; not followed", from, to));
  if (stay_on_host && new_host != host)
    fail(Fault::kIo, fmt::format("{}: the server redirects to another host ({}); not followed", from, to));
  return to;
}

void download(const Download& what) {
  start_curl();
  check_url(what.url);
  PartialFile file(what.partial);
  std::string url = what.url;
  for (int redirects = 0;;) {
    const std::uint64_t before = file.size();
    Attempt attempt(file, what.label);
    switch (attempt.run(url)) {
      case Ending::kComplete:
        file.set_complete();
        return;
      case Ending::kRedirect:
        if (++redirects > kMostRedirects)
          fail(Fault::kIo, fmt::format("{}: redirected more than {} times", what.url, kMostRedirects));
        url = allowed_redirect(url, attempt.redirect(), what.stay_on_host);
        break;
      case Ending::kBroken:
        if (file.size() <= before)
          fail(Fault::kIo, what.url + ": " + attempt.reason() + kept_note(file.size()));
        break;
    }
  }
}

}  // namespace earshot
