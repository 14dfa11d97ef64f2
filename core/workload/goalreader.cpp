#include "core/workload/goalreader.h"

#include "core/base/files/openfile.h"
#include "core/base/files/textfile.h"
#include "core/base/index.h"
#include "core/base/placeof.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;
constexpr std::int64_t kMostGoalRanks = std::int64_t{1} << 24;
constexpr std::int64_t kMostGoalSize = std::int64_t{1} << 50; ///< ns (13 days) and bytes (1 PiB).
constexpr std::int64_t kMostGoalTag = (std::int64_t{1} << 32) - 2; ///< The one above stands for any.
constexpr std::int64_t kMostGoalCpu = 255;

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

struct GoalToken {
    enum class Kind : std::uint8_t { Word, Number, Sign, Line, End };
    Kind kind = Kind::End;
    std::string_view text;
    int line = 0;
    int column = 0;
};

/// Takes a text apart. An end of a line is a token, as it ends an operation.
class GoalTokens {
public:
    explicit GoalTokens(std::string_view text) : m_text(text) { advance(); }

    const GoalToken& now() const { return m_now; }
    GoalToken take()
    {
        const GoalToken taken = m_now;
        advance();
        return taken;
    }

private:
    void advance()
    {
        skipBlanks();
        m_now = {GoalToken::Kind::End, {}, m_line, static_cast<int>(m_at - m_lineBegin) + 1};
        if (m_at >= m_text.size())
            return;
        const std::size_t begin = m_at;
        const char c = m_text[m_at++];
        if (c == '\n') {
            m_now.kind = GoalToken::Kind::Line;
            ++m_line;
            m_lineBegin = m_at;
            return;
        }
        if (isLetter(c)) {
            while (m_at < m_text.size() && (isLetter(m_text[m_at]) || isDigit(m_text[m_at]) || m_text[m_at] == '_'))
                ++m_at;
            m_now.kind = GoalToken::Kind::Word;
        } else if (isDigit(c) || (c == '-' && m_at < m_text.size() && isDigit(m_text[m_at]))) {
            while (m_at < m_text.size() && isDigit(m_text[m_at]))
                ++m_at;
            m_now.kind = GoalToken::Kind::Number;
        } else {
            m_now.kind = GoalToken::Kind::Sign;
        }
        m_now.text = m_text.substr(begin, m_at - begin);
    }

    /// Blanks and comments, but not the end of a line.
    void skipBlanks()
    {
        while (m_at < m_text.size()) {
            const std::string_view rest = m_text.substr(m_at);
            if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r') {
                ++m_at;
            } else if (rest.starts_with("//")) {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (rest.starts_with("/*")) {
                const std::size_t end = std::min(m_text.find("*/", m_at + 2), m_text.size());
                for (; m_at < end; ++m_at) {
                    if (m_text[m_at] == '\n') {
                        ++m_line;
                        m_lineBegin = m_at + 1;
                    }
                }
                m_at = std::min(end + 2, m_text.size());
            } else {
                return;
            }
        }
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_lineBegin = 0;
    int m_line = 1;
    GoalToken m_now;
};

class GoalReader {
public:
    GoalReader(std::string_view text, const std::string& file, const std::stop_token& stop) : m_tokens(text), m_file(file), m_stop(stop) {}

    Result<std::int64_t> readCount()
    {
        skipLines();
        if (!takeWord("num_ranks"))
            return unexpected("num_ranks and how many there are");
        const auto ranks = number("ranks", 1, kMostGoalRanks);
        return ranks ? Result<std::int64_t>(*ranks) : *m_error;
    }

    Result<GoalSchedule> read(Diagnostics& diagnostics)
    {
        const Result<std::int64_t> ranks = readCount();
        if (!ranks)
            return ranks.error();
        m_schedule.ranks.resize(at(ranks.value()));
        std::vector<bool> seen(m_schedule.ranks.size(), false);
        for (skipLines(); !m_error && m_tokens.now().kind != GoalToken::Kind::End; skipLines())
            readRank(seen);
        if (m_error)
            return *std::move(m_error);
        const auto missing = std::count(seen.begin(), seen.end(), false);
        if (missing > 0)
            diagnostics.push_back(warning("goal-ranks", std::to_string(missing) + " of " + std::to_string(seen.size()) + " ranks have no block: they do nothing", placeOfFile(m_file)));
        return std::move(m_schedule);
    }

private:
    /// A need whose labels are looked up at the end of the rank.
    struct Wanted {
        GoalToken op;
        GoalToken needed;
        bool start = false;
    };

    void readRank(std::vector<bool>& seen)
    {
        checkStop(m_stop);
        const GoalToken begin = m_tokens.now();
        if (!takeWord("rank"))
            return fail(unexpected("rank and its number"));
        const auto rank = number("rank", 0, static_cast<std::int64_t>(m_schedule.ranks.size()) - 1);
        if (!rank)
            return;
        if (seen[at(*rank)])
            return fail(invalidInput("rank " + std::to_string(*rank) + " stands there twice", placeOf(begin), "one block for each rank"));
        seen[at(*rank)] = true;
        skipLines();
        if (!takeSign('{'))
            return fail(unexpected("{"));
        m_rank = &m_schedule.ranks[at(*rank)];
        m_opOf.clear();
        m_wanted.clear();
        for (skipLines(); !m_error && !takeSign('}'); skipLines())
            readLine();
        for (const Wanted& wanted : m_wanted) {
            if (m_error)
                return;
            const auto op = opOf(wanted.op);
            const auto needed = opOf(wanted.needed);
            if (op && needed)
                m_rank->needs.push_back({*op, *needed, wanted.start});
        }
    }

    void readLine()
    {
        const GoalToken first = m_tokens.now();
        if (first.kind != GoalToken::Kind::Word)
            return fail(unexpected("an operation, a label or }"));
        if (!isOperation(first.text)) {
            m_tokens.take();
            const std::string_view next = m_tokens.now().text;
            if (next == "requires" || next == "irequires")
                return readNeed(first, next == "irequires");
            if (!takeSign(':'))
                return fail(unexpected("\":\", requires or irequires behind a label"));
            if (!m_opOf.emplace(first.text, static_cast<std::uint32_t>(m_rank->ops.size())).second)
                return fail(invalidInput("the label \"" + std::string(first.text) + "\" stands there twice", placeOf(first), "one operation for each label"));
        }
        readOperation(first);
        endLine();
        m_rank->labels.push_back(isOperation(first.text) ? std::string() : std::string(first.text));
        if (++m_count > kMostGoalOps)
            fail(invalidInput("more than " + std::to_string(kMostGoalOps) + " operations", placeOf(first)));
    }

    static bool isOperation(std::string_view word) { return word == "calc" || word == "send" || word == "recv"; }

    void readNeed(const GoalToken& op, bool start)
    {
        m_tokens.take();
        if (m_tokens.now().kind != GoalToken::Kind::Word)
            return fail(unexpected("a label"));
        m_wanted.push_back({op, m_tokens.take(), start});
        endLine();
    }

    void readOperation(const GoalToken& first)
    {
        GoalOp op;
        op.line = first.line;
        const std::string_view word = m_tokens.now().text;
        if (!isOperation(word))
            return fail(unexpected("calc, send or recv"));
        m_tokens.take();
        op.kind = word == "calc" ? GoalOp::Kind::Calc : word == "send" ? GoalOp::Kind::Send : GoalOp::Kind::Receive;
        op.size = number(word, 0, kMostGoalSize).value_or(0);
        if (op.kind != GoalOp::Kind::Calc)
            readPeer(op);
        readPlaces(op);
        m_rank->ops.push_back(op);
    }

    void readPeer(GoalOp& op)
    {
        const bool send = op.kind == GoalOp::Kind::Send;
        if (m_error)
            return;
        if (!takeWord("b"))
            return fail(unexpected("bytes as 8b"));
        if (!takeWord(send ? "to" : "from"))
            return fail(unexpected(send ? "to and a rank" : "from and a rank"));
        if (!send && isAny())
            return fail(Error{ErrorCode::Unsupported, "a receive from any rank: which message it takes only a run decides", placeOf(m_tokens.now()), "the rank that sends"});
        op.peer = static_cast<std::int32_t>(number(send ? "to" : "from", 0, static_cast<std::int64_t>(m_schedule.ranks.size()) - 1).value_or(0));
    }

    bool isAny() const { return m_tokens.now().kind == GoalToken::Kind::Number && m_tokens.now().text == "-1"; }

    /// tag, cpu and nic; which network interface a message takes is the platform's business.
    void readPlaces(GoalOp& op)
    {
        while (!m_error && m_tokens.now().kind == GoalToken::Kind::Word) {
            const GoalToken key = m_tokens.take();
            if (key.text == "cpu") {
                op.cpu = static_cast<std::int32_t>(number("cpu", 0, kMostGoalCpu).value_or(0));
            } else if (key.text == "nic") {
                static_cast<void>(number("nic", 0, kMostGoalCpu));
            } else if (key.text == "tag" && op.kind != GoalOp::Kind::Calc) {
                if (isAny())
                    return fail(Error{ErrorCode::Unsupported, "a message of any tag: which it is only a run decides", placeOf(m_tokens.now()), "a tag"});
                op.tag = static_cast<std::uint32_t>(number("tag", 0, kMostGoalTag).value_or(0));
            } else {
                return fail(invalidInput("\"" + shownText(std::string(key.text)) + "\" stands behind an operation", placeOf(key), op.kind == GoalOp::Kind::Calc ? "cpu and a number, or the next line" : "tag, cpu or nic and a number, or the next line"));
            }
        }
    }

    std::optional<std::uint32_t> opOf(const GoalToken& label)
    {
        const auto found = m_opOf.find(label.text);
        if (found != m_opOf.end())
            return found->second;
        fail(invalidInput("there is no operation \"" + std::string(label.text) + "\" in this rank", placeOf(label), "the label of one"));
        return std::nullopt;
    }

    /// The next token as a number; `what` names it.
    std::optional<std::int64_t> number(std::string_view what, std::int64_t least, std::int64_t most)
    {
        if (m_error)
            return std::nullopt;
        const GoalToken token = m_tokens.now();
        const std::string range = std::to_string(least) + " to " + std::to_string(most);
        if (token.kind != GoalToken::Kind::Number) {
            fail(unexpected(range));
            return std::nullopt;
        }
        std::int64_t value = 0;
        const auto [end, problem] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        if (problem != std::errc() || value < least || value > most) {
            fail(invalidInput(std::string(what) + " " + shownText(std::string(token.text)), placeOf(token), range));
            return std::nullopt;
        }
        m_tokens.take();
        return value;
    }

    bool takeWord(std::string_view word)
    {
        const bool is = m_tokens.now().kind == GoalToken::Kind::Word && m_tokens.now().text == word;
        if (is)
            m_tokens.take();
        return is;
    }

    bool takeSign(char sign)
    {
        const bool is = m_tokens.now().kind == GoalToken::Kind::Sign && m_tokens.now().text[0] == sign;
        if (is)
            m_tokens.take();
        return is;
    }

    void skipLines()
    {
        while (m_tokens.now().kind == GoalToken::Kind::Line)
            m_tokens.take();
    }

    /// An operation ends with its line, or where the rank does.
    void endLine()
    {
        const GoalToken& now = m_tokens.now();
        if (!m_error && now.kind != GoalToken::Kind::Line && !(now.kind == GoalToken::Kind::Sign && now.text == "}"))
            fail(unexpected("the end of the line"));
    }

    Place placeOf(const GoalToken& token) const { return placeOfLine(m_file, token.line, token.column); }

    Error unexpected(std::string expected) const
    {
        const GoalToken& now = m_tokens.now();
        const std::string found = now.kind == GoalToken::Kind::End ? "the file ends" : now.kind == GoalToken::Kind::Line ? "the line ends" : "\"" + shownText(std::string(now.text)) + "\"";
        return invalidInput(found, placeOf(now), std::move(expected));
    }

    void fail(Error error)
    {
        if (!m_error)
            m_error = std::move(error);
    }

    GoalTokens m_tokens;
    const std::string& m_file;
    const std::stop_token& m_stop;
    GoalSchedule m_schedule;
    GoalRank* m_rank = nullptr; ///< That is being read.
    std::unordered_map<std::string_view, std::uint32_t> m_opOf; ///< By label.
    std::vector<Wanted> m_wanted;
    std::int64_t m_count = 0;
    std::optional<Error> m_error;
};

} // namespace

Result<GoalSchedule> readGoalSchedule(std::string_view text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop)
{
    return untilStopped([&] { return GoalReader(text, file, stop).read(diagnostics); });
}

bool isGoalFile(const std::string& path)
{
    const auto head = isInputFile(path) ? readFileHead(path, kHeadBytes) : Result<std::string>(std::string());
    return head && isGoalSchedule(head.value());
}

Result<std::int64_t> goalRanks(const std::string& path)
{
    const Result<std::string> head = readFileHead(path, kHeadBytes);
    if (!head)
        return head.error();
    const std::stop_token never;
    return GoalReader(head.value(), path, never).readCount();
}

Result<WorkloadPtr> workloadOfGoalFile(const std::string& path, std::int64_t ranks, Diagnostics& diagnostics, const std::stop_token& stop)
{
    constexpr std::size_t kMostBytes = std::size_t{4} << 30;
    const Result<std::string> text = readTextFile(path, kMostBytes);
    if (!text)
        return text.error();
    const Result<GoalSchedule> schedule = readGoalSchedule(text.value(), path, diagnostics, stop);
    if (!schedule)
        return schedule.error();
    const auto given = static_cast<std::int64_t>(schedule.value().ranks.size());
    if (given != ranks)
        return invalidInput("the schedule has " + std::to_string(given) + (given == 1 ? " rank, the machine " : " ranks, the machine ") + std::to_string(ranks), placeOfFile(path), "one rank for each NPU, or a placement");
    return workloadOfGoal(schedule.value(), path, diagnostics, stop);
}

} // namespace fabricscope
