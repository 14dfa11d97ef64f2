// fabricscope-cli completion: scripts by which shells complete commands and options.
#include "app/cli/commandline.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"

#include <algorithm>
#include <array>
#include <memory>

namespace fabricscope::cli {

namespace {

using Rows = std::vector<KnownCommand>;

/// "show" of "model show".
std::string lastWord(const KnownCommand& row)
{
    return row.name.substr(row.name.rfind(' ') + 1);
}

/// The commands right below `name`; empty: those of the program.
std::vector<const KnownCommand*> below(const Rows& rows, const std::string& name)
{
    const std::string before = name.empty() ? name : name + ' ';
    std::vector<const KnownCommand*> found;
    for (const KnownCommand& row : rows) {
        if (row.name.starts_with(before) && row.name.find(' ', before.size()) == std::string::npos)
            found.push_back(&row);
    }
    return found;
}

/// The first words of a help text: what stands before it goes into details.
std::string shortAbout(const std::string& about)
{
    return about.substr(0, std::min({about.find("; "), about.find(" ("), about.find(", e.g.")}));
}

std::string wordsBelow(const Rows& rows, const std::string& name)
{
    std::string words;
    for (const KnownCommand* const row : below(rows, name))
        words += (words.empty() ? "" : " ") + lastWord(*row);
    return words;
}

std::string optionWords(const KnownCommand& row)
{
    std::string words;
    for (const KnownCommand::Named& option : row.options) {
        for (const std::string& name : option.names)
            words += (words.empty() ? "" : " ") + name;
    }
    return words;
}

std::string bashScript(const Rows& rows)
{
    std::string names;
    std::string cases;
    for (const KnownCommand& row : rows) {
        names += (names.empty() ? "" : " | ") + ('"' + row.name + '"');
        cases += "        \"" + row.name + "\") commands=\"" + wordsBelow(rows, row.name) + "\" options=\"" + optionWords(row) + "\" ;;\n";
    }
    return R"(# bash completion of fabricscope-cli, printed by: fabricscope-cli completion bash
_fabricscope_cli()
{
    local word=${COMP_WORDS[COMP_CWORD]} command="" commands="" options="" i
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case "${command:+$command }${COMP_WORDS[i]}" in
        )" + names + R"() command="${command:+$command }${COMP_WORDS[i]}" ;;
        esac
    done
    case "$command" in
        "") commands=")" + wordsBelow(rows, {}) + R"(" options="-h --help --help-all --version" ;;
)" + cases + R"(    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    else
        # Nothing found: bash completes names of files.
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
    fi
}
complete -o bashdefault -o default -F _fabricscope_cli fabricscope-cli
)";
}

/// In single quotes; `quote` is how one stands there.
std::string quotedIn(const std::string& text, std::string_view quote)
{
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += quote;
        else
            out += c;
    }
    return out + '\'';
}

std::string zshRow(const std::string& name, const std::string& about)
{
    return ' ' + quotedIn(name + ':' + shortAbout(about), R"('\'')");
}

std::string zshScript(const Rows& rows)
{
    const auto commandsBelow = [&](const std::string& name) {
        std::string list;
        for (const KnownCommand* const row : below(rows, name))
            list += zshRow(lastWord(*row), row->about);
        return list;
    };
    std::string names;
    std::string cases;
    for (const KnownCommand& row : rows) {
        names += (names.empty() ? "'" : "|'") + row.name + '\'';
        std::string options;
        for (const KnownCommand::Named& option : row.options) {
            for (const std::string& name : option.names)
                options += zshRow(name, option.about);
        }
        cases += "    '" + row.name + "') commands=(" + commandsBelow(row.name) + " ) options=(" + options + " ) ;;\n";
    }
    return R"(#compdef fabricscope-cli
# zsh completion of fabricscope-cli, printed by: fabricscope-cli completion zsh
_fabricscope_cli() {
    local command="" word
    local -a commands options
    for word in "${(@)words[2,CURRENT-1]}"; do
        case "${command:+$command }$word" in
        ()" + names + R"() command="${command:+$command }$word" ;;
        esac
    done
    case "$command" in
    '') commands=()" + commandsBelow({}) + R"( ) options=('--help:Help of the program' '--help-all:Help of all commands' '--version:Version' ) ;;
)" + cases + R"(    esac
    if [[ "$PREFIX" == -* ]]; then
        _describe -o option options
    elif (( $#commands )); then
        _describe command commands || _files
    else
        _files
    fi
}
_fabricscope_cli "$@"
)";
}

std::string fishScript(const Rows& rows)
{
    // Within quotes of fish a backslash stands before a quote; no help has one of its own.
    const auto quoted = [](const std::string& text) { return quotedIn(text, "\\'"); };
    std::string out = "# fish completion of fabricscope-cli, printed by: fabricscope-cli completion fish\n";
    for (const KnownCommand& row : rows) {
        const std::size_t blank = row.name.rfind(' ');
        const std::string parent = blank == std::string::npos ? std::string() : row.name.substr(0, blank);
        const std::string where = parent.empty() ? std::string("__fish_use_subcommand")
                                                 : "__fish_seen_subcommand_from " + parent + "; and not __fish_seen_subcommand_from " + wordsBelow(rows, parent);
        out += "complete -c fabricscope-cli -n " + quoted(where) + " -a " + lastWord(row) + " -d " + quoted(shortAbout(row.about)) + '\n';
        const std::string here = parent.empty() ? "__fish_seen_subcommand_from " + row.name : "__fish_seen_subcommand_from " + parent + "; and __fish_seen_subcommand_from " + lastWord(row);
        for (const KnownCommand::Named& option : row.options) {
            out += "complete -c fabricscope-cli -n " + quoted(here);
            for (const std::string& name : option.names)
                out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            out += (option.takesValue ? " -r -d " : " -d ") + quoted(shortAbout(option.about)) + '\n';
        }
    }
    return out;
}

struct ShellRow {
    std::string_view name;
    std::string (*script)(const Rows& rows);
};

constexpr std::array<ShellRow, 3> kShells{{{"bash", bashScript}, {"zsh", zshScript}, {"fish", fishScript}}};

} // namespace

void addCompletion(Command& program, Session& session)
{
    auto shell = std::make_shared<std::string>();
    Command& command = *program.add_subcommand("completion", "Print a script by which a shell completes commands and options");
    command.add_option("SHELL", *shell, "bash, zsh or fish")->required();
    command.callback([shell, &program, &session] {
        const auto row = std::find_if(kShells.begin(), kShells.end(), [&](const ShellRow& one) { return one.name == *shell; });
        if (row == kShells.end())
            return session.fail(usageError("there is no completion for \"" + *shell + '"', "SHELL", "bash, zsh or fish"));
        session.print(row->script(program.rows()));
    });
}

} // namespace fabricscope::cli
