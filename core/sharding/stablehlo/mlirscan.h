#pragma once

#include "core/sharding/stablehlo/mlirtext.h"

namespace fabricscope::mlir {

/// Walks over MLIR text: white space and comments, words, strings, brackets.
class Scanner {
public:
    explicit Scanner(std::string_view text, int line = 1, int column = 1);

    bool atEnd();                 ///< After blanks.
    char peek();                  ///< The next character after blanks; 0 at the end.
    bool accept(std::string_view what); ///< Blanks and exactly this; of words the whole word.
    bool peekWord(std::string_view what);
    /// Letters, digits, "_", ".", "$", "-" inside; empty where there is none.
    std::string_view word();
    /// "%name", "%name#1", "@name", "#name"; empty where there is none.
    std::string_view symbol();
    /// From an opening bracket to behind its partner; of a string to behind its end. False at a bracket without partner, which is then next.
    bool skipBalanced();
    /// What follows up to `,`, a closing bracket, the end, and in the pretty form of an op (`inOp`) up to ":" or "{" behind something. Without blanks around.
    Span value(bool inOp);
    /// To behind the next place where this stands; false, and nothing is done: nowhere.
    bool skipPast(std::string_view what);
    /// The bracketed text that is next.
    Span balanced();

    std::size_t position() const { return m_at; }
    void moveTo(std::size_t position) { m_at = position; }
    std::string_view textFrom(std::size_t begin) const { return m_text.substr(begin, m_at - begin); }
    Span spanFrom(std::size_t begin) const;
    std::pair<int, int> lineAndColumn(std::size_t position) const; ///< O(log lines).

private:
    void blanks();
    char at(std::size_t position) const { return position < m_text.size() ? m_text[position] : '\0'; }

    std::string_view m_text;
    std::vector<std::size_t> m_lines; ///< Where lines begin.
    std::size_t m_at = 0;
    int m_firstLine = 1;
    int m_firstColumn = 1;
};

/// The type that is next; an error in words where it cannot be read.
Result<Type> readType(Scanner& scanner);

} // namespace fabricscope::mlir
