#include "core/measure/transferlog.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

namespace fabricscope {

namespace {

constexpr std::size_t kMostLogRows = 4'000;
constexpr std::size_t kMostRanks = 1024;
constexpr std::int64_t kMostLogBytes = 1'000'000'000'000;
constexpr double kLeastMicroseconds = 1e-6; // A picosecond: finer is not simulated.
/// Longer words first: "reduce" is part of others.
constexpr std::array<std::string_view, 10> kPrograms{"all_reduce", "all_gather", "reduce_scatter", "alltoall", "sendrecv", "broadcast", "allreduce", "allgather", "reducescatter", "reduce"};
/// Programs of nccl-tests whose collectives are none of those.
constexpr std::array<std::string_view, 3> kOtherPrograms{"gather_perf", "scatter_perf", "hypercube_perf"};

std::vector<std::string_view> wordsOf(std::string_view line)
{
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t begin = line.find_first_not_of(" \t");
        if (begin == std::string_view::npos)
            return words;
        const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        line.remove_prefix(end);
    }
}

template <class Number>
std::optional<Number> numberOf(std::string_view word)
{
    Number value{};
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || problem != std::errc() || end != word.data() + word.size())
        return std::nullopt;
    return value;
}

std::optional<MeasuredTransfer> namedIn(std::string_view text, std::string_view ending)
{
    for (const std::string_view program : kPrograms) {
        if (text.find(std::string(program) + std::string(ending)) != std::string_view::npos)
            return transferNamed(std::string(program));
    }
    return std::nullopt;
}

class LogReader {
public:
    LogReader(std::string_view text, const std::string& file) : m_text(text), m_file(file) {}

    Result<std::vector<MeasuredTransfer>> run()
    {
        m_byFile = namedIn(std::filesystem::path(m_file).filename().string(), "");
        while (!m_text.empty()) {
            const std::size_t end = std::min(m_text.find('\n'), m_text.size());
            std::string_view line = m_text.substr(0, end);
            m_text.remove_prefix(std::min(end + 1, m_text.size()));
            ++m_line;
            if (Status status = take(withoutPrefix(line)); !status)
                return std::move(status).error();
        }
        if (m_rows.empty())
            return wrong("no rows", "a log of nccl-tests or rccl-tests, or a CSV with columns gpus, nodes, collective, bytes, time_us");
        return std::move(m_rows);
    }

private:
    /// "[1,0]<stdout>:" of mpirun.
    static std::string_view withoutPrefix(std::string_view line)
    {
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        const std::size_t colon = line.find(">:");
        if (line.starts_with('[') && colon != std::string_view::npos)
            line.remove_prefix(colon + 2);
        return line;
    }

    Error wrong(std::string message, std::string expected) const
    {
        Place place;
        place.file = m_file;
        place.line = m_line;
        return invalidInput(std::move(message), std::move(place), std::move(expected));
    }

    Status take(std::string_view line)
    {
        const auto other = std::find_if(kOtherPrograms.begin(), kOtherPrograms.end(), [line](std::string_view program) { return line.find(program) != std::string_view::npos; });
        if (const auto named = namedIn(line, "_perf"); named || other != kOtherPrograms.end()) {
            m_named = named;
            m_unknown = named ? std::string_view() : *other;
            return {};
        }
        const std::vector<std::string_view> words = wordsOf(line);
        if (words.empty())
            return {};
        if (words.front().starts_with('#')) {
            takeHead(words);
            return {};
        }
        const auto bytes = numberOf<std::int64_t>(words.front());
        if (!bytes || words.size() < 5)
            return {}; // What other programs say between.
        return *bytes > 0 ? takeRow(*bytes, words) : Status();
    }

    void takeHead(const std::vector<std::string_view>& words)
    {
        const auto at = [&words](std::string_view name) {
            const auto found = std::find_if(words.begin(), words.end(), [name](std::string_view word) { return word == name || word == std::string(name) + ":" || word == "#" + std::string(name); });
            return static_cast<std::size_t>(found - words.begin());
        };
        const auto after = [&](std::string_view name) { return at(name) + 1 < words.size() ? numberOf<std::int64_t>(words[at(name) + 1]) : std::nullopt; };
        if (const auto threads = after("nThread")) {
            m_ranks = 0;
            m_hosts.clear();
            m_threads = std::clamp<std::int64_t>(*threads, 1, kMostRanks) * std::clamp<std::int64_t>(after("nGpus").value_or(1), 1, kMostRanks);
        }
        if (at("Rank") < 2 && at("on") + 1 < words.size()) {
            ++m_ranks;
            m_hosts.insert(std::string(words[at("on") + 1]));
        }
        if (at("size") < words.size() && at("time") < words.size()) {
            // "# size ..." or "#size ...": the mark is no column of its own in the rows.
            m_timeAt = at("time") - (words.front() == "#" ? 1 : 0);
        }
    }

    /// (n - 1)/n of one over the other, of an all-reduce twice that; 0: with two decimals of each it may be several numbers.
    static std::int64_t ranksOf(CollectiveOp op, double algbw, double busbw)
    {
        constexpr double kRounded = 0.005;
        const double twice = op == CollectiveOp::AllReduce ? 2 : 1;
        const double low = (busbw - kRounded) / (algbw + kRounded) / twice;
        const double high = (busbw + kRounded) / (algbw - kRounded) / twice;
        if (!(low > 0) || !(high < 0.999))
            return 0;
        const double least = std::ceil(1 / (1 - low));
        return least == std::floor(1 / (1 - high)) ? static_cast<std::int64_t>(least) : 0;
    }

    Status takeRow(std::int64_t bytes, const std::vector<std::string_view>& words)
    {
        if (m_timeAt + 2 >= words.size())
            return wrong("a row of " + std::to_string(words.size()) + " words", "size, count, type, redop, root, time, algbw, busbw, as nccl-tests writes");
        const auto time = numberOf<double>(words[m_timeAt]);
        if (!time || !(*time >= kLeastMicroseconds) || *time > 1e12)
            return wrong("\"" + std::string(words[m_timeAt]) + "\" is no time", "microseconds above 0");
        if (bytes > kMostLogBytes)
            return wrong(std::to_string(bytes) + " bytes", "at most " + std::to_string(kMostLogBytes));
        if (!m_unknown.empty())
            return wrong(std::string(m_unknown) + " measures no collective that can be fitted", "all_reduce, all_gather, reduce_scatter, alltoall, broadcast, reduce or sendrecv");
        const auto algbw = numberOf<double>(words[m_timeAt + 1]);
        const auto busbw = numberOf<double>(words[m_timeAt + 2]);
        const double ratio = algbw && busbw && *algbw > 1 ? *busbw / *algbw : 0;
        const std::string_view redop = words.size() > 3 ? words[3] : std::string_view();
        std::optional<MeasuredTransfer> named = m_named ? m_named : m_byFile;
        if (!named && ratio > 0)
            named = transferNamed(redop == "none" ? (ratio > 0.999 ? "broadcast" : "all_gather") : ratio >= 1 ? "all_reduce" : "reduce_scatter");
        if (!named)
            return wrong("nothing says which collective this is", "its program (all_reduce_perf) in the log, or all_reduce in the name of the file");
        MeasuredTransfer transfer = *named;
        std::int64_t ranks = m_ranks > 0 ? static_cast<std::int64_t>(m_ranks) : m_threads;
        if (ranks < 2 && ratio > 0 && !transfer.message) {
            ranks = ranksOf(transfer.op, *algbw, *busbw);
        }
        if (ranks < 2)
            return wrong("nothing says how many ranks there are", "lines \"Rank 0 ... on HOST\", as nccl-tests writes");
        if (ranks > static_cast<std::int64_t>(kMostRanks))
            return wrong(std::to_string(ranks) + " ranks", "at most " + std::to_string(kMostRanks));
        transfer.nodes = static_cast<std::int32_t>(std::max<std::size_t>(1, m_hosts.size()));
        if (ranks % transfer.nodes != 0)
            return wrong(std::to_string(ranks) + " ranks on " + std::to_string(transfer.nodes) + " hosts", "as many on each host");
        transfer.gpus = static_cast<std::int32_t>(ranks);
        if (transfer.message) { // Every rank sends to the next: a host to another where there are several.
            transfer.gpus = 2;
            transfer.nodes = std::min(transfer.nodes, 2);
        }
        transfer.bytes = bytes;
        transfer.seconds = *time * 1e-6;
        transfer.row = m_rows.size();
        if (m_rows.size() == kMostLogRows)
            return wrong("more than " + std::to_string(kMostLogRows) + " rows", "fewer");
        m_rows.push_back(transfer);
        return {};
    }

    std::string_view m_text;
    const std::string& m_file;
    int m_line = 0;
    std::optional<MeasuredTransfer> m_named;  ///< By the program of the run.
    std::optional<MeasuredTransfer> m_byFile;
    std::string_view m_unknown;               ///< A program whose collective is none of those.
    std::size_t m_ranks = 0;
    std::int64_t m_threads = 0;
    std::set<std::string> m_hosts;
    std::size_t m_timeAt = 5;                 ///< Column of the time out of place.
    std::vector<MeasuredTransfer> m_rows;
};

/// The first line that says anything is a header of columns.
bool isTable(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of("\r\n");
    if (begin == std::string_view::npos)
        return false;
    const std::string_view line = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
    return line.find(',') != std::string_view::npos && line.find("bytes") != std::string_view::npos && line.front() != '#' && line.front() != '[';
}

} // namespace

Result<std::vector<MeasuredTransfer>> readTransferLog(std::string_view text, const std::string& file)
{
    if (!isTable(text))
        return LogReader(text, file).run();
    const Result<MeasuredTable> table = readMeasuredRows(text, file);
    if (!table)
        return table.error();
    const Result<std::vector<TransferSet>> sets = readTransferSets(table.value());
    if (!sets)
        return sets.error();
    std::vector<MeasuredTransfer> rows;
    for (const TransferSet& set : sets.value())
        rows.insert(rows.end(), set.rows.begin(), set.rows.end());
    return rows;
}

} // namespace fabricscope
