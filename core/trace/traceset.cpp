#include "core/trace/traceset.h"

#include "core/base/files/openfile.h"
#include "core/base/index.h"
#include "core/base/outofmemory.h"
#include "core/base/stop.h"
#include "core/base/workers.h"
#include "core/trace/etfile.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace fabricscope {

namespace {

/// In order of preference.
constexpr std::string_view kSuffixes[] = {".et", ".json", ".et.gz"};

std::string fileName(const std::string& prefix, std::int64_t rank, std::uint8_t suffix)
{
    return prefix + '.' + std::to_string(rank) + std::string(kSuffixes[suffix]);
}

/// Rank number of a file name behind the prefix: ".12.et"; -1: none.
std::int64_t rankOf(std::string_view rest, std::uint8_t& suffix)
{
    if (rest.size() < 2 || rest[0] != '.')
        return -1;
    rest.remove_prefix(1);
    std::int64_t rank = 0;
    const auto [stop, code] = std::from_chars(rest.data(), rest.data() + rest.size(), rank);
    const auto digits = static_cast<std::size_t>(stop - rest.data());
    if (code != std::errc() || rest[0] == '-' || (digits > 1 && rest[0] == '0')) // "01" and "-0" are nobody's rank
        return -1;
    const std::string_view ending = rest.substr(digits);
    for (suffix = 0; suffix < std::size(kSuffixes); ++suffix) {
        if (ending == kSuffixes[suffix])
            return rank;
    }
    return -1;
}

/// Which rank files exist, with the ending to use.
Result<std::map<std::int64_t, std::uint8_t>> findFiles(const std::string& prefix, const std::stop_token& stop)
{
    const std::filesystem::path path(prefix);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const std::string stem = path.filename().string();
    std::map<std::int64_t, std::uint8_t> found;
    std::error_code error;
    std::filesystem::directory_iterator entry(folder, error);
    if (error == std::errc::not_enough_memory)
        return outOfMemory();
    if (error)
        return Error{ErrorCode::NotReadable, "cannot read the folder \"" + folder.string() + "\": " + error.message(), Place{prefix, 0, 0, -1, {}, -1, -1, false}, {}};
    for (const std::filesystem::directory_iterator end; entry != end; entry.increment(error)) {
        if (error)
            break;
        if (stop.stop_requested())
            return stoppedError();
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(stem))
            continue;
        std::uint8_t suffix = 0;
        const std::int64_t rank = rankOf(std::string_view(name).substr(stem.size()), suffix);
        if (rank < 0)
            continue;
        const auto [place, added] = found.try_emplace(rank, suffix);
        if (!added)
            place->second = std::min(place->second, suffix);
    }
    return found;
}

Error missing(const std::string& prefix, std::int64_t rank, const std::map<std::int64_t, std::uint8_t>& files, const TraceLoadOptions& options)
{
    Place place;
    place.file = fileName(prefix, rank, 0);
    place.rank = rank;
    if (files.empty()) {
        // A pipe or a device in place of a prefix: the reason is better than that nothing stands beside it.
        std::error_code ignored;
        if (const auto status = std::filesystem::status(prefix, ignored); std::filesystem::is_other(status)) {
            if (auto file = OpenFile::open(prefix); !file)
                return std::move(file).error();
        }
        // A whole file name instead of the prefix is the usual slip.
        std::uint8_t suffix = 0;
        const std::filesystem::path path(prefix);
        const std::string name = path.filename().string();
        for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
            if (rankOf(std::string_view(name).substr(dot), suffix) < 0)
                continue;
            place.file = prefix;
            place.rank = -1;
            return Error{ErrorCode::NotReadable, "this is the name of one rank's file", place, "the prefix \"" + (path.parent_path() / name.substr(0, dot)).string() + '"'};
        }
        return Error{ErrorCode::NotReadable, "no trace files found", place, "files named " + prefix + ".RANK.et, from rank 0"};
    }
    const auto count = static_cast<std::int64_t>(files.size());
    const std::string highest = std::to_string(files.rbegin()->first);
    std::string message = "the trace file of rank " + std::to_string(rank) + " is missing";
    if (options.rankCount > 0)
        message += ": " + std::to_string(options.rankCount) + " ranks are needed, traces of " + std::to_string(count) + " are there (highest: rank " + highest + ')';
    else
        message += ": traces of " + std::to_string(count) + " ranks are there, up to rank " + highest;
    return Error{ErrorCode::NotReadable, std::move(message), place, {}};
}

struct DigestHash {
    std::size_t operator()(const Digest& digest) const { return static_cast<std::size_t>(digest.low); }
};

/// Reads ranks from several threads; ranks are handed out in ascending order, so every rank below a failed one is read too.
class Loader {
public:
    Loader(const std::string& prefix, const std::vector<std::uint8_t>& suffix, const std::stop_token& stop)
        : m_prefix(prefix), m_suffix(suffix), m_stop(stop), m_ranks(suffix.size())
    {
    }

    /// False: no further ranks are wanted.
    bool read(std::size_t rank)
    {
        const auto number = static_cast<std::int64_t>(rank);
        if (m_stop.stop_requested() || number > m_failedRank.load())
            return false;
        auto trace = readTraceFile(fileName(m_prefix, number, m_suffix[rank]), number, m_stop);
        const std::scoped_lock lock(m_mutex);
        if (trace) {
            m_ranks[rank] = share(std::move(trace).value());
        } else if (number < m_failedRank.load()) {
            m_failedRank = number;
            m_error = std::move(trace).error();
        }
        return true;
    }

    std::optional<Error> error() const { return m_error; }
    std::vector<std::shared_ptr<const RankTrace>> take() { return std::move(m_ranks); }

private:
    /// The trace already held that is equal, or this one.
    std::shared_ptr<const RankTrace> share(RankTrace&& trace)
    {
        auto& known = m_known[trace.content()];
        for (const auto& other : known) {
            if (*other == trace)
                return other;
        }
        known.push_back(std::make_shared<const RankTrace>(std::move(trace)));
        return known.back();
    }

    const std::string& m_prefix;
    const std::vector<std::uint8_t>& m_suffix;
    const std::stop_token& m_stop;
    std::atomic<std::int64_t> m_failedRank{std::numeric_limits<std::int64_t>::max()};
    std::mutex m_mutex;
    std::optional<Error> m_error;
    std::vector<std::shared_ptr<const RankTrace>> m_ranks;
    std::unordered_map<Digest, std::vector<std::shared_ptr<const RankTrace>>, DigestHash> m_known;
};

} // namespace

Result<TraceSet> TraceSet::load(const std::string& prefix, const TraceLoadOptions& options)
{
    auto files = findFiles(prefix, options.stop);
    if (!files)
        return std::move(files).error();
    const auto& found = files.value();
    // Any number may stand in a file name; more ranks than files end below with the first that is missing.
    const auto most = static_cast<std::int64_t>(found.size()) + 1;
    const std::int64_t ranks = options.rankCount > 0 ? options.rankCount : found.empty() ? 1 : std::min(found.rbegin()->first, most - 1) + 1;

    TraceSet set;
    set.m_prefix = prefix;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const auto file = found.find(rank);
        if (file == found.end())
            return missing(prefix, rank, found, options);
        set.m_suffix.push_back(file->second);
    }
    set.m_surplus = static_cast<std::int64_t>(found.size()) - ranks;

    Loader loader(prefix, set.m_suffix, options.stop);
    forEachItem(static_cast<std::size_t>(ranks), options.threads, [&loader](std::size_t rank) { return loader.read(rank); });
    if (options.stop.stop_requested())
        return Error{ErrorCode::Cancelled, "reading the traces was stopped", {}, {}};
    if (auto error = loader.error())
        return *std::move(error);
    set.m_ranks = loader.take();
    return set;
}

TraceSet TraceSet::fromRanks(std::vector<std::shared_ptr<const RankTrace>> ranks, std::string prefix)
{
    TraceSet set;
    set.m_prefix = std::move(prefix);
    set.m_inMemory = true;
    set.m_ranks = std::move(ranks);
    return set;
}

std::string TraceSet::file(std::int64_t rank) const
{
    return m_inMemory ? std::string() : fileName(m_prefix, rank, m_suffix[at(rank)]);
}

std::int64_t TraceSet::nodeCount() const
{
    std::int64_t count = 0;
    for (const auto& rank : m_ranks)
        count += rank->size();
    return count;
}

Result<EtNode> TraceSet::node(std::int64_t rank, std::uint32_t index) const
{
    return readNode(*m_ranks[at(rank)], file(rank), index, rank);
}

Place TraceSet::place(std::int64_t rank, std::uint32_t index) const
{
    Place place;
    place.file = file(rank);
    place.rank = rank;
    place.node = static_cast<std::int64_t>(m_ranks[at(rank)]->id(index));
    place.hasNode = true;
    return place;
}

} // namespace fabricscope
