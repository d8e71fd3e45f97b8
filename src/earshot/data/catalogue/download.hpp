// One file over HTTP: resumed where an earlier attempt stopped, stopped cleanly by Ctrl-C.
#pragma once

#include <filesystem>
#include <string>

namespace earshot {

struct Download {
  std::string url;                // http:// or https://
  std::filesystem::path partial;  // what has arrived so far; kept when the download fails
  std::string label;              // of the progress bar
  bool stay_on_host = false;      // refuse redirects to another host or port
};

/// Brings `partial` to the complete content, fetching only what it does not hold yet. Up to five redirects
/// are followed, never from https to http. A connection that breaks is taken up again as long as it brings
/// new bytes. Fails in one sentence with the URL.
void download(const Download& what);

/// Refuses what is not an http or https URL.
void check_url(const std::string& url);

/// `to` if a redirect there may be followed: not from https to http, and not to another host or port if it
/// has to stay.
std::string allowed_redirect(const std::string& from, const std::string& to, bool stay_on_host);

}  // namespace earshot
