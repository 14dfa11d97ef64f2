#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fabricscope {

/// A program that a design names for its collectives, instead of algorithms along the dimensions.
struct ProgramSource {
    enum class Kind : std::uint8_t {
        File,      ///< MSCCL XML, our JSON, or Chakra traces by their prefix; `text` is the path as written, relative to Design::folder.
        Script,    ///< In the language of core/language; `text` is the path as written, or the script itself: several lines.
        Generator, ///< An algorithm of core/generate over the whole group; `text` is its key.
        Synthesis, ///< Made for the group on its platform; `text` is the method ("greedy").
    };
    Kind kind = Kind::File;
    std::string text;
    std::map<std::string, double> parameters; ///< Script.
    std::int32_t radix = 2;                   ///< Generator: k-nomial, Bruck.
    std::uint64_t seed = 1;                   ///< Synthesis: first of ...
    std::int32_t tries = 8;                   ///< ... so many seeds, the best is kept.
    std::int32_t pieces = 1;                  ///< Synthesis: parts of a shard that travel on their own.

    /// A script written out in the design.
    bool isInline() const { return kind == Kind::Script && text.find('\n') != std::string::npos; }
    /// Is there a file to be read?
    bool hasFile() const { return (kind == Kind::File || kind == Kind::Script) && !isInline(); }
    friend bool operator==(const ProgramSource&, const ProgramSource&) = default;
};

/// Of scripts in the design their first line where it is a remark. "ring.xml", "mine.lua (k 2)", "swing", "greedy synthesis, seed 1": for lists and messages.
std::string programSourceText(const ProgramSource& source);

/// What a rule says of the algorithm besides names along the dimensions. At most one of `choose` and `program`.
struct ProgramChoice {
    bool choose = false;                   ///< `auto`: every candidate is simulated, and the fastest runs.
    std::vector<ProgramSource> candidates; ///< Besides those that `auto` knows of itself.
    std::vector<ProgramSource> program;    ///< One or none.
    std::int32_t receiveSlots = 0;         ///< Receive slots per connection of explicit programs; 0: unlimited, kProtocolSlots: as the protocol has.
    friend bool operator==(const ProgramChoice&, const ProgramChoice&) = default;
};
constexpr std::int32_t kProtocolSlots = -1;

} // namespace fabricscope
