// For tests: a web server on this machine that can do what real ones do wrong.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace earshot {

struct ServedFile {
  std::string content{};
  int status = 200;
  std::string location{};                     // of a redirect
  std::size_t cut_after = std::string::npos;  // bytes of content after which the connection closes
  bool resumes = true;                        // answers Range requests
};

struct SeenRequest {
  std::string path;
  std::string range;  // "bytes=17-", empty without one
  bool operator==(const SeenRequest&) const = default;
};

/// One request at a time, HTTP/1.1 with Connection: close.
class HttpTestServer {
 public:
  HttpTestServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, generic, size) != 0 || ::listen(socket_, 8) != 0 ||
        ::getsockname(socket_, generic, &size) != 0)
      throw std::runtime_error("the test server cannot listen");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpTestServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  HttpTestServer(const HttpTestServer&) = delete;
  HttpTestServer& operator=(const HttpTestServer&) = delete;

  std::string url(std::string_view path = "") const {
    return fmt::format("http://127.0.0.1:{}{}", port_, path);
  }

  void put(const std::string& path, ServedFile file) {
    const std::lock_guard lock(mutex_);
    files_[path] = std::move(file);
  }
  std::vector<SeenRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    for (;;) {
      const int connection = ::accept(socket_, nullptr, nullptr);
      if (connection < 0) return;
      answer(connection, read_request(connection));
      ::close(connection);
    }
  }

  static std::string read_request(int connection) {
    std::string text;
    char buffer[4096];
    while (text.find("\r\n\r\n") == std::string::npos) {
      const ssize_t count = ::recv(connection, buffer, sizeof(buffer), 0);
      if (count <= 0) break;
      text.append(buffer, static_cast<std::size_t>(count));
    }
    return text;
  }

  static std::string header(const std::string& request, const std::string& name) {
    const std::size_t at = request.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const std::size_t from = at + name.size() + 4;
    return request.substr(from, request.find("\r\n", from) - from);
  }

  void answer(int connection, const std::string& request) {
    const std::size_t path_end = request.find(' ', 4);
    if (path_end == std::string::npos) return;
    const std::string path = request.substr(4, path_end - 4), range = header(request, "Range");
    ServedFile file{.content = "no such file", .status = 404};
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back({path, range});
      if (const auto found = files_.find(path); found != files_.end()) file = found->second;
    }
    send_file(connection, file, range);
  }

  static void send_file(int connection, const ServedFile& file, const std::string& range) {
    std::size_t start = 0;
    int status = file.status;
    if (status == 200 && file.resumes && range.starts_with("bytes=")) {
      start = std::stoul(range.substr(6));
      status = start < file.content.size() ? 206 : 416;
    }
    std::string body = status == 416 ? "" : file.content.substr(start);
    std::string head =
        fmt::format("HTTP/1.1 {} x\r\nConnection: close\r\nContent-Length: {}\r\n", status, body.size());
    if (status == 206)
      head += fmt::format("Content-Range: bytes {}-{}/{}\r\n", start, file.content.size() - 1,
                          file.content.size());
    if (!file.location.empty()) head += fmt::format("Location: {}\r\n", file.location);
    if (status / 100 == 2 && file.cut_after != std::string::npos)
      body.resize(std::min(body.size(), file.cut_after));
    send_all(connection, head + "\r\n" + body);
  }

  static void send_all(int connection, std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  int socket_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, ServedFile> files_;
  std::vector<SeenRequest> requests_;
  std::thread thread_;
};

}  // namespace earshot
