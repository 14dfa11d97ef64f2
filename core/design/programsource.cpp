#include "core/design/programsource.h"

#include "core/base/decimal.h"
#include "core/synthesis/methods.h"

namespace fabricscope {

std::string programSourceText(const ProgramSource& source)
{
    std::string text = source.text;
    if (source.isInline()) {
        text = text.substr(0, text.find('\n'));
        const std::size_t word = text.starts_with("--") ? text.find_first_not_of("- \t") : std::string::npos;
        text = word == std::string::npos ? "script" : text.substr(word);
    }
    switch (source.kind) {
    case ProgramSource::Kind::File:
        break;
    case ProgramSource::Kind::Script:
        for (const auto& [name, value] : source.parameters) {
            text += (name == source.parameters.begin()->first ? " (" : ", ") + name + ' ' + decimal(value);
        }
        text += source.parameters.empty() ? "" : ")";
        break;
    case ProgramSource::Kind::Generator:
        if (source.radix != 2)
            text += " (radix " + std::to_string(source.radix) + ')';
        break;
    case ProgramSource::Kind::Synthesis:
        text += " synthesis";
        if (isSeededSynthesis(source.text))
            text += ", seed " + std::to_string(source.seed);
        if (isSeededSynthesis(source.text) && source.tries > 1)
            text += " to " + std::to_string(source.seed + static_cast<std::uint64_t>(source.tries) - 1);
        if (source.pieces > 1)
            text += ", " + std::to_string(source.pieces) + " pieces";
        break;
    }
    return text;
}

} // namespace fabricscope
