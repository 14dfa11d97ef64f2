#pragma once

#include "core/base/result.h"
#include "core/study/pointfigures.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricscope {

/// What a name in an expression stands for: a number of a measure, or a word.
struct NamedValue {
    bool isWord = false;
    Measure measure = Measure::Count;
    std::optional<double> number{}; ///< In ps, bytes, bytes/s, FLOP or FLOP/s; absent: of this design it is not known.
    std::string word{};
};

/// A condition over figures and parameters: "memory_peak <= 80 GB and tp * pp <= 64". Immutable; cheap to copy.
class Constraint {
public:
    /// What a name is, without its value; nothing: there is no such name.
    using Kinds = std::function<std::optional<NamedValue>(std::string_view name)>;
    /// Its value. Only asked for names that Kinds knows.
    using Values = std::function<NamedValue(std::string_view name)>;

    /// Numbers have a unit where what they are compared with has one. Errors: InvalidInput, with the character where it is wrong.
    static Result<Constraint> parse(const std::string& text, const Kinds& kinds);

    const std::string& text() const { return m_text; }
    /// Names that are compared with a word, and with which.
    const std::vector<std::pair<std::string, std::string>>& comparedWords() const { return m_comparedWords; }
    /// Names that stand in it.
    const std::set<std::string>& names() const { return m_names; }
    /// Nothing: a value it needs is not known.
    std::optional<bool> holds(const Values& values) const;

    struct Node;

private:
    std::string m_text;
    std::set<std::string> m_names;
    std::vector<std::pair<std::string, std::string>> m_comparedWords;
    std::shared_ptr<const Node> m_root;
};

} // namespace fabricscope
