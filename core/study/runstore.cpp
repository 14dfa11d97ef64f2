#include "core/study/runstore.h"

#include "core/base/decimal.h"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace fabricscope {

struct RunStore::Connection {
    sqlite3* database = nullptr;
    Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { sqlite3_close_v2(database); }
};

namespace {

constexpr int kApplicationId = 0x46536331; // "FSc1"
constexpr int kWaitForOthers = 10'000;     // ms

constexpr const char* kSchema = R"(
CREATE TABLE designs(
  hash TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK(state IN ('done', 'skipped', 'failed')),
  message TEXT NOT NULL,
  parameters TEXT NOT NULL,
  figures TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE VIEW figures AS SELECT hash, state, item.key AS figure, item.value AS value FROM designs, json_each(designs.figures) AS item;
CREATE VIEW parameters AS SELECT hash, state, item.key AS parameter, item.value AS value FROM designs, json_each(designs.parameters) AS item;
)";

/// Of a call that failed.
Error sqlError(sqlite3* database, int code, const std::string& path, bool writing)
{
    const std::string message = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
    Place place;
    place.file = path;
    switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return invalidInput("this is no store of a study: " + message, place, "a file that study run made");
    case SQLITE_NOMEM:
        return Error{ErrorCode::MemoryLimit, "out of memory", place, {}};
    case SQLITE_CANTOPEN:
        return Error{writing ? ErrorCode::NotWritable : ErrorCode::NotReadable, "the store cannot be opened: " + message, place, {}};
    default:
        return Error{writing ? ErrorCode::NotWritable : ErrorCode::NotReadable, (writing ? "the store cannot be written: " : "the store cannot be read: ") + message, place, {}};
    }
}

/// A prepared statement.
class Statement {
public:
    Statement(sqlite3* database, const char* sql) : m_code(sqlite3_prepare_v2(database, sql, -1, &m_statement, nullptr)) {}
    ~Statement() { sqlite3_finalize(m_statement); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    int code() const { return m_code; }
    /// \pre `text` lives until the next step.
    void bind(int number, const std::string& text) { sqlite3_bind_text(m_statement, number, text.data(), static_cast<int>(text.size()), SQLITE_STATIC); }
    int step()
    {
        m_code = sqlite3_step(m_statement);
        return m_code;
    }
    void reset() { sqlite3_reset(m_statement); }
    std::string text(int column) const
    {
        const auto* const bytes = sqlite3_column_text(m_statement, column);
        return bytes ? std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))) : std::string();
    }
    std::int64_t number(int column) const { return sqlite3_column_int64(m_statement, column); }

private:
    sqlite3_stmt* m_statement = nullptr;
    int m_code;
};

std::string figuresJson(const PointFigures& figures)
{
    std::string out = "{";
    for (std::size_t i = 0; i < kPointFigures; ++i) {
        const auto& value = figures[static_cast<PointFigure>(i)];
        if (value)
            out += (out.size() > 1 ? "," : "") + ('"' + std::string(rowOf(static_cast<PointFigure>(i)).key)) + "\":" + decimal(*value);
    }
    return out + '}';
}

/// What figuresJson() wrote: keys in the order of the figures.
std::optional<PointFigures> figuresOf(const std::string& json)
{
    PointFigures out;
    const char* at = json.data() + 1;
    const char* const end = json.data() + json.size();
    while (at < end && *at == '"') {
        const char* const close = std::find(at + 1, end, '"');
        if (end - close < 2)
            return std::nullopt;
        const auto figure = pointFigureNamed(std::string_view(at + 1, static_cast<std::size_t>(close - at - 1)));
        double value = 0;
        const auto [behind, code] = std::from_chars(close + 2, end, value);
        if (!figure || code != std::errc() || behind == end)
            return std::nullopt;
        out[*figure] = value;
        at = behind + 1;
    }
    return at == end && !json.empty() ? std::optional(out) : json == "{}" ? std::optional(out) : std::nullopt;
}

std::optional<Digest> digestOfHex(const std::string& text)
{
    constexpr std::size_t kHalf = 16;
    Digest out;
    const auto half = [&](std::size_t from, std::uint64_t& value) {
        const auto [end, code] = std::from_chars(text.data() + from, text.data() + from + kHalf, value, 16);
        return code == std::errc() && end == text.data() + from + kHalf;
    };
    return text.size() == 2 * kHalf && half(0, out.high) && half(kHalf, out.low) ? std::optional(out) : std::nullopt;
}

} // namespace

RunStore::RunStore(std::string path) : m_path(std::move(path)), m_connection(std::make_unique<Connection>()) {}
RunStore::RunStore(RunStore&& other) noexcept = default;
RunStore& RunStore::operator=(RunStore&& other) noexcept = default;
RunStore::~RunStore() = default;

Result<RunStore> RunStore::open(const std::string& path, Access access)
{
    std::error_code ignored;
    const bool exists = std::filesystem::exists(path, ignored);
    Place place;
    place.file = path;
    if (!exists && access == Access::Read)
        return Error{ErrorCode::NotReadable, "there is no such store", place, "a file that study run made"};
    if (exists && !std::filesystem::is_regular_file(path, ignored))
        return Error{access == Access::Write ? ErrorCode::NotWritable : ErrorCode::NotReadable, "the store is no regular file", place, {}};
    RunStore store(path);
    const int flags = access == Access::Write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    // ":memory:" is a name as others are.
    const int code = sqlite3_open_v2((path.starts_with(':') ? "./" + path : path).c_str(), &store.m_connection->database, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    if (code != SQLITE_OK)
        return sqlError(store.m_connection->database, code, path, access == Access::Write);
    sqlite3_busy_timeout(store.m_connection->database, kWaitForOthers);
    if (Status status = store.prepare(access); !status)
        return std::move(status).error();
    return store;
}

Result<bool> RunStore::isNew(Access access) const
{
    sqlite3* const database = m_connection->database;
    std::int64_t owner = 0;
    std::int64_t version = 0;
    std::int64_t tables = 0;
    for (const auto& [sql, value] : {std::pair{"PRAGMA application_id", &owner}, {"PRAGMA user_version", &version}, {"SELECT count(*) FROM sqlite_schema", &tables}}) {
        Statement statement(database, sql);
        if (statement.code() != SQLITE_OK || statement.step() != SQLITE_ROW)
            return sqlError(database, statement.code(), m_path, access == Access::Write);
        *value = statement.number(0);
    }
    Place place;
    place.file = m_path;
    // An empty file has no tables and no owner.
    const bool empty = owner == 0 && version == 0 && tables == 0;
    if (!empty && owner != kApplicationId)
        return invalidInput("this is a database of another program", place, "a file that study run made");
    if (!empty && version > kSchemaVersion)
        return Error{ErrorCode::Unsupported, "the store has version " + std::to_string(version), place, "version " + std::to_string(kSchemaVersion) + ", or a newer fabricscope"};
    return empty;
}

Status RunStore::prepare(Access access)
{
    sqlite3* const database = m_connection->database;
    // Nothing is written to a file of others: a mode would stay in it. At one moment, as another process may just be making it.
    if (const int code = sqlite3_exec(database, "BEGIN", nullptr, nullptr, nullptr); code != SQLITE_OK)
        return sqlError(database, code, m_path, access == Access::Write);
    const Result<bool> before = isNew(access);
    sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
    if (!before)
        return before.error();
    if (access == Access::Read) {
        Place place;
        place.file = m_path;
        return before.value() ? Status(invalidInput("nothing has been kept in this store", place, "a file that study run made")) : Status();
    }
    const auto run = [&](const std::string& sql) -> Status {
        const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
        return code == SQLITE_OK ? Status() : Status(sqlError(database, code, m_path, true));
    };
    if (Status status = run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; BEGIN IMMEDIATE"); !status)
        return status;
    // Another process may have made it meanwhile.
    const Result<bool> now = isNew(access);
    if (!now)
        return now.error();
    if (now.value()) {
        if (Status status = run(kSchema + ("PRAGMA application_id=" + std::to_string(kApplicationId)) + "; PRAGMA user_version=" + std::to_string(kSchemaVersion)); !status)
            return status;
    }
    return run("COMMIT");
}

Result<std::map<Digest, PointRow>> RunStore::all() const
{
    sqlite3* const database = m_connection->database;
    Statement statement(database, "SELECT hash, state, message, figures FROM designs ORDER BY hash");
    if (statement.code() != SQLITE_OK)
        return sqlError(database, statement.code(), m_path, false);
    std::map<Digest, PointRow> out;
    while (statement.step() == SQLITE_ROW) {
        const auto hash = digestOfHex(statement.text(0));
        const auto state = valueOf(kPointStates, statement.text(1));
        const auto figures = figuresOf(statement.text(3));
        if (!hash || !state || !figures) {
            Place place;
            place.file = m_path;
            return invalidInput("the store has a row that cannot be read: " + statement.text(0), place, "rows as study run writes them");
        }
        out.emplace_hint(out.end(), *hash, PointRow{*state, statement.text(2), *figures});
    }
    if (statement.code() != SQLITE_DONE)
        return sqlError(database, statement.code(), m_path, false);
    return out;
}

Status RunStore::keep(const std::vector<StoredPoint>& points)
{
    if (points.empty())
        return {};
    sqlite3* const database = m_connection->database;
    int code = sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) {
        // One that another process ran is not given up for one that was skipped under other constraints.
        Statement statement(database, "INSERT INTO designs(hash, state, message, parameters, figures) VALUES(?, ?, ?, ?, ?) ON CONFLICT(hash) DO UPDATE SET state = excluded.state, message = excluded.message, "
                                      "parameters = excluded.parameters, figures = excluded.figures WHERE excluded.state <> 'skipped' OR designs.state = 'skipped'");
        code = statement.code();
        for (std::size_t i = 0; code == SQLITE_OK && i < points.size(); ++i) {
            const std::string hash = points[i].hash.hex();
            const std::string state(keyOf(kPointStates, points[i].row.state));
            const std::string figures = figuresJson(points[i].row.figures);
            statement.bind(1, hash);
            statement.bind(2, state);
            statement.bind(3, points[i].row.message);
            statement.bind(4, points[i].parameters);
            statement.bind(5, figures);
            code = statement.step() == SQLITE_DONE ? SQLITE_OK : statement.code();
            statement.reset();
        }
    }
    if (code == SQLITE_OK)
        code = sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK)
        return {};
    const Error error = sqlError(database, code, m_path, true);
    // A full disk may have rolled it back already.
    if (sqlite3_get_autocommit(database) == 0)
        sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
    return error;
}

Result<std::int64_t> RunStore::takeFrom(const RunStore& other)
{
    const Result<std::map<Digest, PointRow>> mine = all();
    if (!mine)
        return mine.error();
    sqlite3* const database = other.m_connection->database;
    Statement statement(database, "SELECT hash, state, message, parameters, figures FROM designs ORDER BY hash");
    if (statement.code() != SQLITE_OK)
        return sqlError(database, statement.code(), other.m_path, false);
    std::vector<StoredPoint> taken;
    while (statement.step() == SQLITE_ROW) {
        const auto hash = digestOfHex(statement.text(0));
        const auto state = valueOf(kPointStates, statement.text(1));
        const auto figures = figuresOf(statement.text(4));
        if (!hash || !state || !figures) {
            Place place;
            place.file = other.m_path;
            return invalidInput("the store has a row that cannot be read: " + statement.text(0), place, "rows as study run writes them");
        }
        // One that was skipped may have been run elsewhere under other constraints.
        const auto known = mine.value().find(*hash);
        if (known == mine.value().end() || (known->second.state == PointRow::State::Skipped && *state != PointRow::State::Skipped))
            taken.push_back({*hash, statement.text(3), PointRow{*state, statement.text(2), *figures}});
    }
    if (statement.code() != SQLITE_DONE)
        return sqlError(database, statement.code(), other.m_path, false);
    if (Status status = keep(taken); !status)
        return std::move(status).error();
    return static_cast<std::int64_t>(taken.size());
}

} // namespace fabricscope
