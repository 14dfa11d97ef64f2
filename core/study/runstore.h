#pragma once

#include "core/base/digest.h"
#include "core/study/pointrun.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// What a store keeps of one design.
struct StoredPoint {
    Digest hash;
    std::string parameters; ///< As a JSON object, for people who ask with SQL.
    PointRow row;
};

/// The designs of a study that have been run: one SQLite file, which survives the end of the program at any moment. What keep() has returned for is in it.
/// Several processes may write to one file. Not safe to use from several threads at once.
class RunStore {
public:
    static constexpr int kSchemaVersion = 1;

    enum class Access : std::uint8_t {
        Write, ///< Made where there is none.
        Read   ///< Error NotReadable where there is none.
    };
    /// Errors: NotWritable (the folder, the disk), NotReadable, InvalidInput (no store), Unsupported (of a newer version).
    static Result<RunStore> open(const std::string& path, Access access);

    RunStore(RunStore&& other) noexcept;
    RunStore& operator=(RunStore&& other) noexcept;
    ~RunStore();

    /// All that is kept, by hash.
    Result<std::map<Digest, PointRow>> all() const;
    /// One transaction: all of them or none. What is there already is replaced, but by nothing that was only skipped. Error: NotWritable.
    Status keep(const std::vector<StoredPoint>& points);
    /// Takes over what another store has and this has not; the number of them.
    Result<std::int64_t> takeFrom(const RunStore& other);
    const std::string& path() const { return m_path; }

private:
    struct Connection;
    explicit RunStore(std::string path);
    /// Nothing stands in it yet. Errors: it is of another program, or newer.
    Result<bool> isNew(Access access) const;
    Status prepare(Access access);

    std::string m_path;
    std::unique_ptr<Connection> m_connection;
};

} // namespace fabricscope
