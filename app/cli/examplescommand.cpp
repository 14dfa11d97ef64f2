// fabricscope-cli examples: the designs and case studies that come with the program.
#include "app/cli/commandline.h"
#include "app/cli/embeddedtexts.h"
#include "app/cli/runflags.h"
#include "core/cases/readcase.h"
#include "core/run/inputkind.h"

#include <algorithm>
#include <memory>
#include <span>

namespace fabricscope::cli {

namespace {

/// Value of `name:` in the text, of StableHLO the comment in front; the files are ours and keep it on one line at the top level.
std::string titleOf(std::string_view text)
{
    if (text.starts_with("// "))
        return std::string(text.substr(3, text.find('\n') - 3));
    const std::size_t key = text.find("\nname:");
    if (key == std::string_view::npos)
        return {};
    std::string_view value = text.substr(key + 6, text.find('\n', key + 1) - key - 6);
    value.remove_prefix(std::min(value.find_first_not_of(" \""), value.size()));
    while (!value.empty() && (value.back() == '"' || value.back() == ' '))
        value.remove_suffix(1);
    return std::string(value);
}

constexpr std::size_t kKindWidth = 11;

/// "design", or the command that reads it.
std::string_view kindWord(const EmbeddedText& example)
{
    switch (inputKindOf({}, example.text)) {
    case InputKind::ShardFile:
    case InputKind::StableHlo: return "shard";
    case InputKind::TransformFile: return "transform";
    case InputKind::PlaceFile: return "place";
    case InputKind::StudyFile: return "study";
    default: return "design";
    }
}

std::size_t nameWidth()
{
    std::size_t width = 0;
    for (const EmbeddedText& example : exampleTexts())
        width = std::max(width, example.name.size() + 2);
    return width;
}

std::string row(std::string name, std::string kind, const std::string& title)
{
    name.resize(nameWidth(), ' ');
    kind.resize(kKindWidth, ' ');
    return name + kind + title + '\n';
}

void list(Session& session)
{
    for (const EmbeddedText& example : exampleTexts())
        session.print(row(std::string(example.name), std::string(kindWord(example)), titleOf(example.text)));
}

/// Questions and the answers they were written with.
void listCases(Session& session)
{
    constexpr std::string_view kEnding = "/case";
    for (const EmbeddedText& text : caseTexts()) {
        const Result<YamlDocument> document = text.name.ends_with(kEnding) ? YamlDocument::parse(std::string(text.text), std::string(text.name)) : Result<YamlDocument>(Error{});
        const Result<StudiedCase> studied = document ? readCase(document.value(), session.stopToken()) : Result<StudiedCase>(document.error());
        if (!studied)
            continue; // A design of a case.
        session.print(row(std::string(text.name.substr(0, text.name.size() - kEnding.size())), "case", studied.value().question) + row({}, {}, studied.value().found));
    }
}

void print(const std::string& name, Session& session)
{
    std::string known;
    for (const std::span<const EmbeddedText> texts : {exampleTexts(), caseTexts()}) {
        for (const EmbeddedText& example : texts) {
            if (example.name == name)
                return session.print(example.text);
            known += (known.empty() ? "" : ", ") + std::string(example.name);
        }
    }
    session.fail(usageError("there is no example \"" + name + '"', "NAME", known));
}

} // namespace

void addExamples(Command& program, Session& session)
{
    auto name = std::make_shared<std::string>();
    Command& command = *program.add_subcommand("examples", "List the designs, the files of shard, transform and place, and the case studies that come with the program, or print one");
    command.add_option("NAME", *name, "Print this one, e.g. into a file to start from");
    command.callback([name, &session] {
        if (!name->empty())
            return print(*name, session);
        list(session);
        listCases(session);
    });
}

} // namespace fabricscope::cli
