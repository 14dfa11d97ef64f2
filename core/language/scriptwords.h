#pragma once

#include "core/language/luastate.h"
#include "core/language/script.h"
#include "core/language/scripttrace.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// What the words of a script share (LuaState::owner()).
struct ScriptRun {
    ScriptRun(const ScriptRequest& asked, ScriptBudget& budget)
        : request(asked)
        , trace(budget, asked.limits.operations)
    {
    }

    const ScriptRequest& request;
    ScriptTrace trace;
    ScriptHow usual;      ///< What channel(), phase() and tags() have set.
    Diagnostics notes;
    std::vector<ScriptParameter> parameters;
    std::vector<std::string> phases;
    std::size_t prints = 0;

    static ScriptRun& of(LuaState& state) { return *static_cast<ScriptRun*>(state.owner()); }
};

/// Adds the vocabulary of script.h to the table at the top of the stack. May raise.
int installScriptWords(lua_State* lua);

/// Adds the methods of chunks, in scriptchunks.cpp. May raise.
void installChunkMethods(lua_State* lua);

/// Pushes a chunk handle. May raise.
void pushChunk(lua_State* lua, const ScriptChunk& chunk);

// Arguments, in scriptarguments.cpp. These never raise; on false the reason is noted (LuaState::fail).

/// A whole number of 32 bits. `what`: "chunk: the rank".
bool readWhole(LuaState& state, int index, std::string_view what, std::int32_t& out);
/// "input", "output", "scratch".
bool readBuffer(LuaState& state, int index, std::string_view what, BufferKind& out);
/// The options of an operation, on top of what is usual; nothing and nil leave it. At `index` nothing may follow.
bool readHow(LuaState& state, int index, std::string_view what, ScriptHow& out);
/// Number of a phase by its name.
bool findPhase(LuaState& state, std::string_view name, std::int16_t& out);
/// A handle; null with the reason noted.
const ScriptChunk* readChunk(LuaState& state, int index, std::string_view what);
/// "nil", "2.5", "'text'": what a value is, for messages.
std::string valueText(lua_State* lua, int index);

} // namespace fabricscope
