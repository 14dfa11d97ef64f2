// fabricscope-cli examples: the designs and case studies that come with the program.
#include "app/cli/commandline.h"
#include "app/cli/embeddedtexts.h"
#include "app/cli/runflags.h"
#include "core/cases/readcase.h"
#include "core/report/jsonwriter.h"
#include "core/run/inputkind.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

/// What comes with the program: of a case the question and the answer it was written with.
struct Listed {
    std::string name;
    std::string kind;
    std::string title;
    std::string answer; ///< Empty: it is no case.
};

std::vector<Listed> listed(const std::stop_token& stop)
{
    std::vector<Listed> all;
    for (const EmbeddedText& example : exampleTexts())
        all.push_back({std::string(example.name), std::string(kindWord(example)), titleOf(example.text), {}});
    constexpr std::string_view kEnding = "/case";
    for (const EmbeddedText& text : caseTexts()) {
        const Result<YamlDocument> document = text.name.ends_with(kEnding) ? YamlDocument::parse(std::string(text.text), std::string(text.name)) : Result<YamlDocument>(Error{});
        const Result<StudiedCase> studied = document ? readCase(document.value(), stop) : Result<StudiedCase>(document.error());
        if (studied) // Else a design of a case.
            all.push_back({std::string(text.name.substr(0, text.name.size() - kEnding.size())), "case", studied.value().question, studied.value().found});
    }
    return all;
}

std::string table(const std::vector<Listed>& all)
{
    std::size_t width = 0;
    for (const Listed& one : all)
        width = std::max(width, one.name.size() + 2);
    std::string out;
    const auto row = [&](std::string name, std::string kind, const std::string& title) {
        name.resize(width, ' ');
        kind.resize(kKindWidth, ' ');
        out += name + kind + title + '\n';
    };
    for (const Listed& one : all) {
        row(one.name, one.kind, one.title);
        if (!one.answer.empty())
            row({}, {}, one.answer);
    }
    return out;
}

std::string json(const std::vector<Listed>& all)
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", std::int64_t{1});
    json.key("result");
    json.beginArray();
    for (const Listed& one : all) {
        json.beginObject();
        json.member("name", one.name);
        json.member("kind", one.kind);
        json.member("title", one.title);
        if (!one.answer.empty())
            json.member("answer", one.answer);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text();
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
    auto asJson = std::make_shared<bool>(false);
    command.add_option("NAME", *name, "Print this one, e.g. into a file to start from");
    command.add_flag("--json", *asJson, "The list as JSON");
    command.callback([name, asJson, &session] {
        if (!name->empty() && *asJson)
            return session.fail(usageError("an example is printed as it is", "--json", "no NAME: the list as JSON"));
        if (!name->empty())
            return print(*name, session);
        const std::vector<Listed> all = listed(session.stopToken());
        session.print(*asJson ? json(all) : table(all));
    });
}

} // namespace fabricscope::cli
