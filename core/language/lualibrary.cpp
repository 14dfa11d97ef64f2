#include "core/language/lualibrary.h"

#include "core/base/nearestword.h"
#include "core/base/showntext.h"
#include "core/language/luaprelude.h"
#include "core/language/luastate.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace fabricscope {

namespace {

constexpr std::array kBase{"type", "tonumber", "ipairs", "error", "assert"};
constexpr std::array kText{"len", "sub", "upper", "lower", "byte", "char", "reverse"};
constexpr std::array kMath{"abs",     "ceil",   "floor", "fmod", "max",        "min",        "modf", "sqrt", "huge", "pi",
                           "tointeger", "type", "ult",   "exp",  "maxinteger", "mininteger", "log",  "sin",  "cos",  "tan", "random", "randomseed"};
/// Parts of Lua that people know and will look for.
constexpr std::array<std::string_view, 27> kClosed{"_G",     "_VERSION", "collectgarbage", "coroutine", "debug",    "dofile", "getmetatable", "io",       "load",
                                                   "loadfile", "loadstring", "module",     "next",      "os",       "package", "pcall",        "rawequal", "rawget",
                                                   "rawlen", "rawset",   "require",        "select",    "setmetatable", "utf8", "warn",       "xpcall",   "unpack"};

template <typename Names>
void copyFields(lua_State* lua, int from, int to, const Names& names)
{
    for (const char* name : names) {
        lua_getfield(lua, from, name);
        lua_setfield(lua, to, name);
    }
}

/// __index(table, name): the name is not there.
int unknownName(LuaState& state, lua_State* lua)
{
    const std::string_view kind = textAt(lua, lua_upvalueindex(1));
    if (lua_type(lua, 2) != LUA_TSTRING)
        return state.fail("There is no such " + std::string(kind));
    const std::string_view name = textAt(lua, 2);
    if (kind == "name" && std::find(kClosed.begin(), kClosed.end(), name) != kClosed.end())
        return state.fail("'" + std::string(name) + "' is not part of this language, which has no files, modules, clocks or ways around its limits");
    std::vector<std::string_view> names;
    lua_pushvalue(lua, lua_upvalueindex(2));
    for (lua_pushnil(lua); lua_next(lua, -2); lua_pop(lua, 1)) {
        if (lua_type(lua, -2) == LUA_TSTRING)
            names.push_back(textAt(lua, -2));
    }
    std::sort(names.begin(), names.end());
    return state.fail("There is no " + std::string(kind) + " '" + shownText(name, kQuotedCharacters) + "'" + didYouMean(name, names));
}

/// Nothing that names an address.
void pushPlain(lua_State* lua, int index)
{
    if (lua_type(lua, index) == LUA_TTABLE)
        lua_pushliteral(lua, "table");
    else if (lua_type(lua, index) == LUA_TFUNCTION)
        lua_pushliteral(lua, "function");
    else
        luaL_tolstring(lua, index, nullptr);
}

int toText(lua_State* lua)
{
    luaL_checkany(lua, 1);
    pushPlain(lua, 1);
    return 1;
}

/// string.format without addresses.
int format(lua_State* lua)
{
    std::size_t size = 0;
    const char* text = luaL_checklstring(lua, 1, &size);
    for (std::size_t i = 0; i + 1 < size; ++i) {
        if (text[i] != '%')
            continue;
        ++i;
        while (i < size && std::strchr("-+ #0123456789.", text[i]) && text[i] != '\0')
            ++i;
        if (i < size && text[i] == 'p')
            return luaL_error(lua, "string.format has no %%p: addresses differ from run to run");
    }
    for (int i = 2; i <= lua_gettop(lua); ++i) {
        if (lua_type(lua, i) == LUA_TTABLE || lua_type(lua, i) == LUA_TFUNCTION) {
            pushPlain(lua, i);
            lua_replace(lua, i);
        }
    }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 1);
    return 1;
}

/// string.rep that says how long it may be.
int repeat(lua_State* lua)
{
    std::size_t size = 0;
    std::size_t between = 0;
    luaL_checklstring(lua, 1, &size);
    const lua_Integer times = luaL_checkinteger(lua, 2);
    luaL_optlstring(lua, 3, "", &between);
    if (times > 0 && size + between > 0 && static_cast<std::size_t>(times) > kMostScriptText / (size + between))
        return luaL_error(lua, "string.rep would make a text longer than %d bytes", static_cast<int>(kMostScriptText));
    if (times > 0 && size + between == 0) {
        lua_pushliteral(lua, "");
        return 1;
    }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 1);
    return 1;
}

/// A key of a table that pairs() goes over.
struct Key {
    bool isText = false;
    bool isInteger = false;
    lua_Integer integer = 0;
    lua_Number number = 0;
    const char* text = nullptr;
    std::size_t size = 0;

    friend bool operator<(const Key& a, const Key& b)
    {
        if (a.isText != b.isText)
            return b.isText;
        if (a.isText)
            return std::string_view(a.text, a.size) < std::string_view(b.text, b.size);
        if (a.isInteger && b.isInteger)
            return a.integer < b.integer;
        const lua_Number left = a.isInteger ? static_cast<lua_Number>(a.integer) : a.number;
        const lua_Number right = b.isInteger ? static_cast<lua_Number>(b.integer) : b.number;
        return left < right || (left == right && a.isInteger < b.isInteger);
    }
};

/// The iterator of pairs(): upvalues are the table, its keys in order, and how many were shown.
int nextPair(lua_State* lua)
{
    lua_Integer at = lua_tointeger(lua, lua_upvalueindex(3));
    for (;;) {
        lua_pushinteger(lua, ++at);
        lua_replace(lua, lua_upvalueindex(3));
        if (lua_rawgeti(lua, lua_upvalueindex(2), at) == LUA_TNIL)
            return 1;
        lua_pushvalue(lua, -1);
        if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNIL)
            return 2;
        lua_pop(lua, 2); // Taken out on the way.
    }
}

/// Sorted keys of the table at 1 as an array on the stack.
int sortedKeys(LuaState& state, lua_State* lua)
{
    lua_Integer count = 0;
    for (lua_pushnil(lua); lua_next(lua, 1); lua_pop(lua, 1)) {
        if (lua_type(lua, -2) != LUA_TNUMBER && lua_type(lua, -2) != LUA_TSTRING)
            return state.fail(std::string("pairs() has no order for a key that is a ") + luaL_typename(lua, -2), "numbers and texts as keys");
        ++count;
    }
    if (!state.budget().work(count * 4))
        return LuaState::kFailed;
    auto* keys = static_cast<Key*>(lua_newuserdatauv(lua, static_cast<std::size_t>(count + 1) * sizeof(Key), 0));
    Key* end = keys;
    for (lua_pushnil(lua); lua_next(lua, 1); lua_pop(lua, 1)) {
        Key& key = *new (end++) Key;
        key.isText = lua_type(lua, -2) == LUA_TSTRING;
        key.isInteger = lua_isinteger(lua, -2) != 0;
        if (key.isText)
            key.text = lua_tolstring(lua, -2, &key.size); // The table keeps it.
        else if (key.isInteger)
            key.integer = lua_tointeger(lua, -2);
        else
            key.number = lua_tonumber(lua, -2);
    }
    std::sort(keys, end);
    lua_createtable(lua, static_cast<int>(std::min<lua_Integer>(count, 1 << 26)), 0);
    for (const Key* key = keys; key != end; ++key) {
        if (key->isText)
            lua_pushlstring(lua, key->text, key->size);
        else if (key->isInteger)
            lua_pushinteger(lua, key->integer);
        else
            lua_pushnumber(lua, key->number);
        lua_rawseti(lua, -2, key - keys + 1);
    }
    return 1;
}

int pairsInOrder(lua_State* lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    lua_pushcfunction(lua, &word<&sortedKeys>);
    lua_pushvalue(lua, 1);
    lua_call(lua, 1, 1);
    lua_pushinteger(lua, 0);
    lua_pushcclosure(lua, &nextPair, 3);
    return 1;
}

} // namespace

void refuseUnknownNames(lua_State* lua, const char* kind)
{
    lua_createtable(lua, 0, 1);
    lua_pushstring(lua, kind);
    lua_pushvalue(lua, -3);
    lua_pushcclosure(lua, &word<&unknownName>, 2);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
}

void openScriptLibrary(lua_State* lua)
{
    luaL_requiref(lua, LUA_GNAME, &luaopen_base, 0);
    const int base = lua_gettop(lua);
    luaL_requiref(lua, LUA_STRLIBNAME, &luaopen_string, 0);
    const int text = lua_gettop(lua);
    luaL_requiref(lua, LUA_MATHLIBNAME, &luaopen_math, 0);
    const int math = lua_gettop(lua);

    lua_createtable(lua, 0, 64);
    const int globals = lua_gettop(lua);
    copyFields(lua, base, globals, kBase);
    lua_pushcfunction(lua, &toText);
    lua_setfield(lua, globals, "tostring");
    lua_pushcfunction(lua, &pairsInOrder);
    lua_setfield(lua, globals, "pairs");

    lua_createtable(lua, 0, 16);
    const int ownText = lua_gettop(lua);
    copyFields(lua, text, ownText, kText);
    lua_getfield(lua, text, "format");
    lua_pushcclosure(lua, &format, 1);
    lua_setfield(lua, ownText, "format");
    lua_getfield(lua, text, "rep");
    lua_pushcclosure(lua, &repeat, 1);
    lua_setfield(lua, ownText, "rep");
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    lua_pushvalue(lua, ownText);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 2);

    lua_createtable(lua, 0, 24);
    const int ownMath = lua_gettop(lua);
    copyFields(lua, math, ownMath, kMath);
    lua_createtable(lua, 0, 8);
    const int ownTable = lua_gettop(lua);

    // The rest is written in Lua, where the hook counts what it does.
    if (luaL_loadbufferx(lua, kLuaPrelude.data(), kLuaPrelude.size(), "=library", "t") != LUA_OK)
        lua_error(lua);
    lua_getfield(lua, base, "select");
    lua_pushvalue(lua, globals);
    lua_pushvalue(lua, ownMath);
    lua_pushvalue(lua, ownTable);
    lua_call(lua, 4, 0);

    lua_pushvalue(lua, ownTable);
    refuseUnknownNames(lua, "function in table:");
    lua_setfield(lua, globals, "table");
    lua_pushvalue(lua, ownMath);
    refuseUnknownNames(lua, "function in math:");
    lua_setfield(lua, globals, "math");
    lua_pushvalue(lua, ownText);
    refuseUnknownNames(lua, "function in string:");
    lua_setfield(lua, globals, "string");

    lua_pushvalue(lua, globals);
    lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushnil(lua);
    lua_setfield(lua, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_settop(lua, 1);
}

} // namespace fabricscope
