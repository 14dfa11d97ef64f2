#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}

namespace fabricscope::cli {

/// An option of a command. Lives as long as the program; each function returns the option itself.
class Option {
public:
    explicit Option(CLI::Option& option) : m_option(option) {}

    Option* group(const std::string& name);
    Option* required();
    /// A number not below `least` and not above `most`.
    Option* range(std::int64_t least, std::int64_t most);
    Option* nonNegative();
    /// What the help says its value is.
    Option* type_name(const std::string& name);
    Option* expected(int count);
    Option* expected(int least, int most);
    Option* take_all();
    Option* allow_extra_args(bool allowed);
    Option* excludes(const Option* other);

    /// How often it was given.
    std::size_t count() const;

private:
    CLI::Option& m_option;
};

/// One way to use a command, and all options it reads there; what every command reads (--memory-limit, --quiet) goes without saying.
struct OptionsRead {
    std::string_view with;                ///< "with a design", for "--bandwidth is not used with a design".
    std::vector<std::string_view> names;  ///< First names: "--size".
    std::string_view instead = {};        ///< What to do, where the error shall say it.
};

/// A command or one of its parts, as the program knows it.
struct KnownCommand {
    std::string name;  ///< With the commands it belongs to: "model show".
    std::string about; ///< What its help begins with.
    struct Named {
        std::vector<std::string> names; ///< "--size", "-h".
        std::string about;
        bool takesValue = false;
    };
    std::vector<Named> options; ///< Without those that have no name.
    bool hasOption(std::string_view option) const;
};

/// A command with options and commands of its own: the parser CLI11 behind its own names. CLI11 is a header that takes four seconds to compile
/// and three where it comes precompiled and nothing uses it; only commandline.cpp includes it.
class Command {
public:
    /// The program itself.
    Command(std::string description, std::string name);
    ~Command();
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    Command* add_subcommand(std::string name, std::string description);
    /// Value: one of those at the end of commandline.cpp. It outlives the parsing.
    template <typename Value>
    Option* add_option(const std::string& name, Value& value, const std::string& description);
    Option* add_flag(const std::string& name, bool& value, const std::string& description);
    void footer(const std::string& text);
    void allow_extras();
    /// Run when the command was given, after all of the line was understood.
    void callback(std::function<void()> run);
    /// Whether one of its own commands was given.
    bool hasGivenSubcommand() const;
    /// Whether the option was given, by its first name ("--size").
    bool isGiven(std::string_view option) const;
    /// Refuses the first given option that `use` does not read: nothing that was asked for is ignored in silence. Error: Usage.
    Status checkRead(const OptionsRead& use) const;

    // Of the program:

    /// --help-all and --version, which prints `version`; a command must be given.
    void setProgramFlags(const std::string& version);
    std::string help() const;
    bool hasSubcommand(const std::string& name) const;
    /// All commands and their parts, in the order of the help.
    std::vector<KnownCommand> rows() const;
    /// Calls `add` for every command that has no such option, so that it adds it; the option may also follow a command of the command. `check`
    /// is called when the command was understood; its error is one of the usage.
    void addToOthers(const std::string& option, const std::function<std::function<Status()>(Command& command)>& add);
    /// Understands the line, which begins with the name of the program, and runs the callbacks of what was given. The text to print: help or version, or none. Error: Usage.
    Result<std::string> parse(const std::vector<std::string>& line);

private:
    explicit Command(CLI::App& app);

    std::unique_ptr<CLI::App> m_program; ///< Only of the program itself.
    CLI::App& m_app;
    std::deque<Option> m_options;
    std::deque<std::unique_ptr<Command>> m_commands;
    std::vector<std::function<Status()>> m_checks; ///< Of addToOthers().
};

} // namespace fabricscope::cli
