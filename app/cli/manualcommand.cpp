// fabricscope-cli manual: the manual that comes with the program.
#include "app/cli/commandline.h"
#include "app/cli/embeddedtexts.h"
#include "app/cli/runflags.h"
#include "core/base/nearestword.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace fabricscope::cli {

namespace {

std::string_view titleOf(std::string_view text)
{
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.substr(std::min(line.find_first_not_of("# "), line.size()));
}

void list(Session& session)
{
    std::size_t width = 0;
    for (const EmbeddedText& topic : manualTexts())
        width = std::max(width, topic.name.size());
    for (const EmbeddedText& topic : manualTexts()) {
        std::string name(topic.name);
        name.resize(width + 2, ' ');
        session.print(name.append(titleOf(topic.text)) + '\n');
    }
}

/// "## 3. A message" and "### 3.2 Links": number and depth of a heading.
struct Heading {
    std::string_view number;
    std::size_t depth = 0; ///< 0: the line is none.
};

Heading headingOf(std::string_view line)
{
    const std::size_t depth = std::min(line.find_first_not_of('#'), line.size());
    if (depth < 2 || depth >= line.size() || line[depth] != ' ')
        return {};
    std::string_view number = line.substr(depth + 1);
    number = number.substr(0, number.find(' '));
    if (number.ends_with('.'))
        number.remove_suffix(1);
    return {number, depth};
}

/// The section with its subsections; empty when there is none of this number. Adds the numbers met to `known`.
std::string_view sectionOf(std::string_view text, std::string_view number, std::string& known)
{
    std::size_t begin = std::string_view::npos;
    std::size_t depth = 0;
    bool fenced = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string_view line = text.substr(at, end - at);
        if (line.starts_with("```"))
            fenced = !fenced; // "## " inside a block is a remark of a script.
        const Heading heading = fenced ? Heading{} : headingOf(line);
        if (heading.depth > 0) {
            if (begin != std::string_view::npos && heading.depth <= depth)
                return text.substr(begin, at - begin);
            known.append(known.empty() ? "" : ", ").append(heading.number);
            if (begin == std::string_view::npos && heading.number == number) {
                begin = at;
                depth = heading.depth;
            }
        }
        at = end;
    }
    return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

void print(const std::string& name, const std::string& section, Session& session)
{
    std::string known;
    std::vector<std::string_view> names;
    for (const EmbeddedText& topic : manualTexts()) {
        names.push_back(topic.name);
        known.append(known.empty() ? "" : ", ").append(topic.name);
        if (topic.name != name)
            continue;
        if (section.empty())
            return session.print(topic.text);
        std::string numbers;
        const std::string_view found = sectionOf(topic.text, section, numbers);
        if (!found.empty())
            return session.print(found);
        return session.fail(usageError("topic \"" + name + "\" has no section \"" + section + '"', "SECTION", numbers));
    }
    session.fail(usageError("the manual has no topic \"" + name + '"' + didYouMean(name, names), "TOPIC", known));
}

} // namespace

void addManual(Command& program, Session& session)
{
    auto topic = std::make_shared<std::string>();
    auto section = std::make_shared<std::string>();
    Command& command = *program.add_subcommand("manual", "List the topics of the manual, or print one");
    command.add_option("TOPIC", *topic, "Print this one, e.g. models");
    command.add_option("SECTION", *section, "Only this section of it, e.g. 3.2");
    command.callback([topic, section, &session] {
        if (topic->empty())
            list(session);
        else
            print(*topic, *section, session);
    });
}

} // namespace fabricscope::cli
