// Reading the arguments of a script's words.
#include "core/base/nearestword.h"
#include "core/language/scriptwords.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::array<std::string_view, 11> kOptions{"ch", "sendtb", "recvtb", "tb", "lane", "step", "phase", "dimension", "tree", "fused", "copy"};

bool readTag(LuaState& state, int index, std::string_view what, std::int16_t& out)
{
    std::int32_t value = 0;
    if (!readWhole(state, index, what, value))
        return false;
    if (value < -1 || value > INT16_MAX) {
        state.fail(std::string(what) + " cannot be " + std::to_string(value), "0 to 32767");
        return false;
    }
    out = static_cast<std::int16_t>(value);
    return true;
}

/// The option `key` with its value at the top of the stack.
bool readOption(LuaState& state, std::string_view word, std::string_view key, ScriptHow& out)
{
    const std::string what = std::string(word) + ": " + std::string(key);
    if (key == "ch")
        return readWhole(state, -1, what, out.channel);
    if (key == "sendtb" || key == "tb" || key == "lane")
        return readWhole(state, -1, what, out.sendLane);
    if (key == "recvtb")
        return readWhole(state, -1, what, out.receiveLane);
    if (key == "step")
        return readWhole(state, -1, what, out.step);
    if (key == "dimension")
        return readTag(state, -1, what, out.tags.dimension);
    if (key == "tree")
        return readTag(state, -1, what, out.tags.tree);
    if (key == "fused" || key == "copy") {
        if (!lua_isboolean(state.lua(), -1)) {
            state.fail(what + " must be true or false, not " + valueText(state.lua(), -1));
            return false;
        }
        (key == "fused" ? out.fused : out.copies) = lua_toboolean(state.lua(), -1) != 0;
        return true;
    }
    if (lua_type(state.lua(), -1) != LUA_TSTRING) {
        state.fail(what + " must be a text, not " + valueText(state.lua(), -1));
        return false;
    }
    std::size_t size = 0;
    const char* text = lua_tolstring(state.lua(), -1, &size);
    return findPhase(state, {text, size}, out.tags.phase);
}

} // namespace

std::string valueText(lua_State* lua, int index)
{
    switch (lua_type(lua, index)) {
    case LUA_TNUMBER: {
        if (lua_isinteger(lua, index))
            return std::to_string(lua_tointeger(lua, index));
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%.14g", lua_tonumber(lua, index));
        return text.data();
    }
    case LUA_TSTRING: {
        std::size_t size = 0;
        const char* text = lua_tolstring(lua, index, &size);
        return "'" + std::string(text, std::min<std::size_t>(size, 60)) + "'";
    }
    case LUA_TBOOLEAN:
        return lua_toboolean(lua, index) ? "true" : "false";
    case LUA_TNONE:
        return "nothing";
    case LUA_TUSERDATA:
        return "a chunk";
    case LUA_TNIL:
        return "nil";
    default:
        return std::string("a ") + lua_typename(lua, lua_type(lua, index));
    }
}

bool readWhole(LuaState& state, int index, std::string_view what, std::int32_t& out)
{
    lua_State* lua = state.lua();
    int isWhole = 0;
    const lua_Integer value = lua_type(lua, index) == LUA_TNUMBER ? lua_tointegerx(lua, index, &isWhole) : 0;
    if (!isWhole) {
        const bool number = lua_type(lua, index) == LUA_TNUMBER;
        state.fail(std::string(what) + " must be a whole number, not " + valueText(lua, index), number ? "a // b where a quotient is meant" : "");
        return false;
    }
    if (value < INT32_MIN || value > INT32_MAX) {
        state.fail(std::string(what) + " cannot be " + std::to_string(value));
        return false;
    }
    out = static_cast<std::int32_t>(value);
    return true;
}

bool readBuffer(LuaState& state, int index, std::string_view what, BufferKind& out)
{
    lua_State* lua = state.lua();
    if (lua_type(lua, index) == LUA_TSTRING) {
        std::size_t size = 0;
        const char* text = lua_tolstring(lua, index, &size);
        const std::string_view word(text, size);
        if (word == "input" || word == "output" || word == "scratch") {
            out = word == "input" ? BufferKind::Input : word == "output" ? BufferKind::Output : BufferKind::Scratch;
            return true;
        }
    }
    state.fail(std::string(what) + ": there is no buffer " + valueText(lua, index), "\"input\", \"output\" or \"scratch\"");
    return false;
}

bool findPhase(LuaState& state, std::string_view name, std::int16_t& out)
{
    std::vector<std::string>& phases = ScriptRun::of(state).phases;
    auto found = std::find(phases.begin(), phases.end(), name);
    if (found == phases.end()) {
        constexpr std::size_t kMost = 1000;
        if (phases.size() >= kMost) {
            state.fail("The script has more than " + std::to_string(kMost) + " phases");
            return false;
        }
        phases.emplace_back(name);
        found = phases.end() - 1;
    }
    out = static_cast<std::int16_t>(found - phases.begin());
    return true;
}

bool readHow(LuaState& state, int index, std::string_view what, ScriptHow& out)
{
    lua_State* lua = state.lua();
    out = ScriptRun::of(state).usual;
    if (lua_gettop(lua) > index) {
        state.fail(std::string(what) + ": there are too many arguments");
        return false;
    }
    if (lua_isnoneornil(lua, index))
        return true;
    if (lua_type(lua, index) != LUA_TTABLE) {
        state.fail(std::string(what) + ": the options must be a table, not " + valueText(lua, index), "{ch = 0}");
        return false;
    }
    for (lua_pushnil(lua); lua_next(lua, index); lua_pop(lua, 1)) {
        if (lua_type(lua, -2) != LUA_TSTRING) {
            state.fail(std::string(what) + ": there is no option " + valueText(lua, -2), "names, as in {ch = 0}");
            return false;
        }
        std::size_t size = 0;
        const char* text = lua_tolstring(lua, -2, &size);
        const std::string_view key(text, size);
        if (std::find(kOptions.begin(), kOptions.end(), key) == kOptions.end()) {
            state.fail(std::string(what) + ": there is no option " + valueText(lua, -2) + didYouMean(key, kOptions),
                       "ch, sendtb, recvtb, tb, step, phase, dimension, tree, fused or copy");
            return false;
        }
        if (!readOption(state, what, key, out))
            return false;
    }
    return true;
}

} // namespace fabricscope
