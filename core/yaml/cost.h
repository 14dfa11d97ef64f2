#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <stop_token>
#include <streambuf>
#include <string>
#include <string_view>

namespace fabricscope {

/// Why a YAML text is refused; thrown through yaml-cpp and caught by YamlDocument::parse.
struct YamlRefusal {
    std::string message;
    int line = 0;   ///< 1-based; 0: unknown.
    int column = 0;
    std::string expected;
};

/// Counts what reading a YAML text takes, so that no text takes much more than its size: at most 36 MiB and 30 times the text here, which
/// with the copies of the text itself stays within 64 MiB and 40 times. A text over that is refused while it is read.
class YamlCost {
public:
    /// `reserved`: bytes of the limit that are not given away. \pre less than limit(0).
    explicit YamlCost(std::size_t textBytes, std::size_t reserved = 0) : m_limit(limit(textBytes) - reserved) {}
    static std::size_t limit(std::size_t textBytes) { return (std::size_t{36} << 20) + 30 * textBytes; }

    /// Memory of the tree and of what builds it. Throws YamlRefusal.
    void add(std::size_t bytes)
    {
        m_held += bytes;
        check();
    }
    void release(std::size_t bytes) { m_held -= bytes; }
    /// Memory of tokens that wait: yaml-cpp keeps all of a [] or {} until it is closed, as a key might end there. Throws YamlRefusal.
    void addTokens(std::size_t bytes, std::ptrdiff_t opened)
    {
        m_waiting += bytes;
        m_opened += opened;
        check();
    }
    /// The parser hands out what waited; `line`: how far it is, for messages.
    void tokensTaken(int line)
    {
        m_waiting = 0;
        m_opened = 0;
        m_line = line;
    }

private:
    void check() const;

    std::size_t m_limit;
    std::size_t m_held = 0;
    std::size_t m_waiting = 0;
    std::ptrdiff_t m_opened = 0;
    int m_line = 1;
};

/// The most memory the tokens of any text take; whatever its quotes and comments make of it, so that no trick hides brackets.
class YamlTokenCount {
public:
    /// Bytes for the next part of a text; `opened`: brackets that open in it less those that close. O(bytes).
    std::size_t bytesFor(std::string_view part, std::ptrdiff_t& opened);

private:
    bool m_lineStart = true;
    bool m_comment = false;   ///< In a line of nothing else.
    bool m_afterQuote = false;
};

/// Hands a text to yaml-cpp without copying it and counts its tokens on the way. Looks at `stop` for every part and throws StopRequested, as
/// one scalar, comment or list in brackets may be all of the text: yaml-cpp tells nothing of it before its end.
class YamlText : public std::streambuf {
public:
    YamlText(std::string_view text, YamlCost& cost, const std::stop_token& stop = {}) : m_rest(text), m_cost(cost), m_stop(stop) {}

protected:
    int_type underflow() override;

private:
    std::string_view m_rest;
    YamlCost& m_cost;
    std::stop_token m_stop;
    YamlTokenCount m_count;
};

/// For texts that YAML::Load reads into its own, larger nodes: refuses what could take more than 64 MiB and 40 times the text.
Status checkYamlLoad(std::string_view text, const std::string& file);

} // namespace fabricscope
