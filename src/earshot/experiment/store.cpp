#include "earshot/experiment/store.hpp"

#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <sqlite3.h>

#include "earshot/version.hpp"

namespace earshot {
namespace {

constexpr int kApplicationId = 0x45617273;  // "Ears": tells our files from other programs' SQLite files
constexpr int kSchemaVersion = 1;

constexpr const char* kSchema = R"(
  CREATE TABLE run(digest TEXT NOT NULL, plan TEXT NOT NULL, version TEXT NOT NULL, created TEXT NOT NULL);
  CREATE TABLE unit(cell INTEGER NOT NULL, trial INTEGER NOT NULL, result TEXT NOT NULL, seconds REAL NOT NULL,
                    PRIMARY KEY(cell, trial)) WITHOUT ROWID;
)";

constexpr const char* kElsewhere = "choose another --out, or move the file away";

struct CloseDatabase {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

[[noreturn]] void fail_sqlite(int code, sqlite3* handle, const std::filesystem::path& path) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      fail(Fault::kConfig,
           fmt::format("{}: another earshot is running on this store; wait for it or choose another --out",
                       path.string()));
    case SQLITE_NOTADB:
      fail(Fault::kData, fmt::format("{}: not a run store; {}", path.string(), kElsewhere));
    case SQLITE_CORRUPT:
      fail(Fault::kData, fmt::format("{}: the run store is damaged; {}", path.string(), kElsewhere));
    default:
      fail(Fault::kIo, fmt::format("{}: {}", path.string(),
                                   handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code)));
  }
}

/// SQLite would take a short file of another kind for damage at best, and a missing header for an empty
/// database.
void refuse_other_files(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return;
  if (!std::filesystem::is_regular_file(path, code))
    fail(Fault::kData, fmt::format("{}: not a file; {}", path.string(), kElsewhere));
  if (std::filesystem::file_size(path, code) == 0)
    return;  // created, then killed before anything was written
  std::string header(16, '\0');
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(Fault::kIo, path.string() + ": cannot be opened");
  in.read(header.data(), static_cast<std::streamsize>(header.size()));
  if (header != std::string_view("SQLite format 3\0", 16))
    fail(Fault::kData, fmt::format("{}: not a run store; {}", path.string(), kElsewhere));
}

}  // namespace

struct RunStore::Database {
  std::filesystem::path path;
  Handle handle;

  void check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) fail_sqlite(code, handle.get(), path);
  }
  void run(const char* sql) const { check(sqlite3_exec(handle.get(), sql, nullptr, nullptr, nullptr)); }
  Statement prepare(const char* sql) const {
    sqlite3_stmt* raw = nullptr;
    check(sqlite3_prepare_v2(handle.get(), sql, -1, &raw, nullptr));
    return Statement(raw);
  }
  /// True while there is a row.
  bool step(const Statement& statement) const {
    const int code = sqlite3_step(statement.get());
    check(code);
    return code == SQLITE_ROW;
  }
  void bind(const Statement& statement, int index, std::string_view text) const {
    check(
        sqlite3_bind_text64(statement.get(), index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  static std::string text(const Statement& statement, int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), column));
    return bytes == nullptr
               ? ""
               : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement.get(), column)));
  }
  std::string one_value(const char* sql) const {
    const Statement statement = prepare(sql);
    return step(statement) ? text(statement, 0) : "";
  }

  void open();
  void create(const Plan& plan, const std::string& digest) const;
  void verify(const std::string& digest) const;
  /// Titles, curves, expectations and trials may have changed since the store was made.
  void remember(const Plan& plan) const;
};

void RunStore::Database::open() {
  refuse_other_files(path);
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  handle.reset(raw);
  check(code);
  sqlite3_extended_result_codes(raw, 1);
  // Two processes that start at once may see each other's first lock; the later one gives up at once, the
  // other waits.
  sqlite3_busy_timeout(raw, 300);
  // The lock lives as long as the connection, and with it the write-ahead log needs no shared memory.
  run("PRAGMA locking_mode = EXCLUSIVE");
  run("BEGIN EXCLUSIVE; COMMIT");
}

void RunStore::Database::create(const Plan& plan, const std::string& digest) const {
  run("BEGIN IMMEDIATE");
  run(kSchema);
  run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, kSchemaVersion)
          .c_str());
  const Statement insert = prepare("INSERT INTO run VALUES(?, ?, ?, datetime('now'))");
  bind(insert, 1, digest);
  bind(insert, 2, plan.resolved.dump());
  bind(insert, 3, kVersion);
  step(insert);
  run("COMMIT");
}

void RunStore::Database::verify(const std::string& digest) const {
  if (one_value("PRAGMA application_id") != std::to_string(kApplicationId))
    fail(Fault::kData, fmt::format("{}: a database of another program; {}", path.string(), kElsewhere));
  const std::string version = one_value("PRAGMA user_version");
  if (version != std::to_string(kSchemaVersion))
    fail(Fault::kData, fmt::format("{}: run store of format {}, this earshot reads {}; {}", path.string(),
                                   version, kSchemaVersion, kElsewhere));
  if (one_value("PRAGMA quick_check(1)") != "ok") fail_sqlite(SQLITE_CORRUPT, handle.get(), path);
  if (one_value("SELECT digest FROM run") != digest)
    fail(Fault::kConfig,
         fmt::format(
             "{}: holds another experiment (other settings, files, seed or earshot version; it was made by "
             "{}); choose another --out",
             path.string(), one_value("SELECT version FROM run")));
}

void RunStore::Database::remember(const Plan& plan) const {
  const std::string text = plan.resolved.dump();
  if (one_value("SELECT plan FROM run") == text) return;
  const Statement update = prepare("UPDATE run SET plan = ?");
  bind(update, 1, text);
  step(update);
}

RunStore::RunStore(const std::filesystem::path& directory, const Plan& plan)
    : database_(std::make_unique<Database>()) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) fail(Fault::kIo, fmt::format("{}: cannot be created ({})", directory.string(), code.message()));
  database_->path = directory / kFileName;
  database_->open();
  const std::string digest = plan_digest(plan);
  // A run killed before its first transaction leaves a database with nothing in it.
  if (database_->one_value("SELECT count(*) FROM sqlite_master") == "0")
    database_->create(plan, digest);
  else
    database_->verify(digest);
  // Only now may the file be touched. With a write-ahead log a killed process loses nothing it has put;
  // without a flush per unit (some 3 ms) a power cut may take the last ones, which are then computed again.
  database_->run("PRAGMA journal_mode = WAL");
  database_->run("PRAGMA synchronous = NORMAL");
  database_->remember(plan);
}

RunStore::~RunStore() = default;

std::vector<StoredUnit> RunStore::units() const {
  const std::lock_guard lock(mutex_);
  const Statement select =
      database_->prepare("SELECT cell, trial, result, seconds FROM unit ORDER BY cell, trial");
  std::vector<StoredUnit> units;
  while (database_->step(select)) {
    units.push_back({static_cast<std::size_t>(sqlite3_column_int64(select.get(), 0)),
                     static_cast<std::size_t>(sqlite3_column_int64(select.get(), 1)),
                     Database::text(select, 2), sqlite3_column_double(select.get(), 3)});
  }
  return units;
}

void RunStore::put(const StoredUnit& unit) {
  const std::lock_guard lock(mutex_);
  const Statement insert = database_->prepare("INSERT INTO unit VALUES(?, ?, ?, ?)");
  database_->check(sqlite3_bind_int64(insert.get(), 1, static_cast<sqlite3_int64>(unit.cell)));
  database_->check(sqlite3_bind_int64(insert.get(), 2, static_cast<sqlite3_int64>(unit.trial)));
  database_->bind(insert, 3, unit.result);
  database_->check(sqlite3_bind_double(insert.get(), 4, unit.seconds));
  database_->step(insert);
}

}  // namespace earshot
