#include "core/language/luastate.h"

#include "core/language/lualibrary.h"
#include "core/language/scriptloops.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kCountEvery = 1000;     ///< Instructions between two looks at the budget.
constexpr const char* kChunkName = "=script";

/// "script:12: text" without its place.
std::string_view withoutPlace(std::string_view message, int* line)
{
    for (const std::string_view source : {"script:", "library:"}) {
        if (message.substr(0, source.size()) != source)
            continue;
        std::size_t at = source.size();
        int number = 0;
        while (at < message.size() && message[at] >= '0' && message[at] <= '9' && number < 100'000'000)
            number = number * 10 + (message[at++] - '0');
        if (message.substr(at, 2) != ": ")
            return message;
        if (line && source == "script:")
            *line = number;
        return message.substr(at + 2);
    }
    return message;
}

struct TextReader {
    std::string_view text;
    static const char* read(lua_State*, void* data, std::size_t* size)
    {
        auto& self = *static_cast<TextReader*>(data);
        *size = self.text.size();
        return std::exchange(self.text, {}).data();
    }
};

} // namespace

LuaState::LuaState(ScriptBudget& budget, void* owner)
    : m_budget(budget)
    , m_owner(owner)
{
}

LuaState::~LuaState() = default;

LuaState& LuaState::of(lua_State* lua)
{
    return **static_cast<LuaState**>(lua_getextraspace(lua));
}

void* LuaState::allocate(void* self, void* block, std::size_t oldSize, std::size_t newSize)
{
    auto& state = *static_cast<LuaState*>(self);
    // Without a block the old size is the kind of the new object.
    const std::size_t had = block ? oldSize : 0;
    if (newSize == 0) {
        std::free(block);
        state.m_budget.give(static_cast<std::int64_t>(had));
        return nullptr;
    }
    if (newSize > had) {
        constexpr std::size_t kHeader = 64;
        if (!block && oldSize == LUA_TSTRING && newSize > kMostScriptText + kHeader) {
            state.m_budget.refuse(ScriptBudget::Refusal::Text);
            state.noteRefusal();
            return nullptr;
        }
        // Memory is filled and cleaned up by somebody: 32 bytes are an instruction.
        state.m_budget.charge(static_cast<std::int64_t>(newSize / 32));
        if (!state.m_budget.take(static_cast<std::int64_t>(newSize - had))) {
            state.noteRefusal();
            return nullptr;
        }
    }
    void* out = std::realloc(block, newSize);
    if (!out)
        state.m_budget.give(static_cast<std::int64_t>(newSize) - static_cast<std::int64_t>(had));
    else if (newSize < had)
        state.m_budget.give(static_cast<std::int64_t>(had - newSize));
    return out;
}

void LuaState::noteRefusal()
{
    if (m_lineAtRefusal == 0 && m_lua)
        m_lineAtRefusal = line();
}

int LuaState::line() const
{
    lua_Debug where;
    for (int level = 0; lua_getstack(m_lua, level, &where); ++level) {
        if (lua_getinfo(m_lua, "Sl", &where) && std::strcmp(where.source, kChunkName) == 0)
            return where.currentline;
    }
    return 0;
}

int LuaState::fail(Error error)
{
    m_raised = std::move(error);
    return kFailed;
}

int LuaState::fail(std::string message, std::string expected)
{
    return fail(Error{ErrorCode::InvalidInput, std::move(message), {}, std::move(expected)});
}

void raise(lua_State* lua)
{
    lua_pushlightuserdata(lua, nullptr);
    lua_error(lua);
    std::abort(); // lua_error does not return.
}

void LuaState::count(lua_State* lua, lua_Debug*)
{
    if (!of(lua).m_budget.work(kCountEvery))
        raise(lua);
}

std::string LuaState::loopContext(lua_State* lua)
{
    // The script's own frames, innermost first: the first failed, the next ones called it.
    std::string out;
    const std::vector<ScriptLoop> loops = findLoops(m_text);
    lua_Debug where;
    int shown = 0;
    for (int level = 0; shown < 3 && lua_getstack(lua, level, &where); ++level) {
        if (!lua_getinfo(lua, "Sl", &where) || std::strcmp(where.source, kChunkName) != 0)
            continue;
        if (shown++ > 0)
            out += (out.empty() ? "called on line " : ", called on line ") + std::to_string(where.currentline);
        const int loop = loopAround(loops, where.currentline);
        if (loop == 0)
            continue;
        out += (out.empty() ? "in the loop of line " : ", in the loop of line ") + std::to_string(loop);
        // Behind the hidden locals of a `for` stand its variables and those of its body; the innermost loops come last.
        std::string variables;
        bool inside = false;
        int named = 0;
        lua_checkstack(lua, 4);
        for (int local = 1; const char* name = lua_getlocal(lua, &where, local); ++local) {
            const bool isState = std::strcmp(name, "(for state)") == 0;
            inside = inside || isState;
            if (inside && !isState && name[0] != '(' && lua_isinteger(lua, -1) && named++ < 8)
                variables += (variables.empty() ? ": " : ", ") + std::string(name) + " = " + std::to_string(lua_tointeger(lua, -1));
            lua_pop(lua, 1);
        }
        out += variables;
    }
    return out;
}

int LuaState::explain(lua_State* lua)
{
    LuaState& state = of(lua);
    try {
        Failure& failure = state.m_failure;
        failure.line = state.line();
        if (state.m_raised) {
            failure.code = state.m_raised->code;
            failure.message = state.m_raised->message;
            failure.expected = state.m_raised->expected;
            if (state.m_raised->place.line > 0)
                failure.line = state.m_raised->place.line;
        } else if (state.m_budget.refusal() == ScriptBudget::Refusal::None) {
            std::size_t size = 0;
            const char* text = lua_type(lua, 1) == LUA_TSTRING ? lua_tolstring(lua, 1, &size) : nullptr;
            failure.message = text ? std::string(withoutPlace({text, size}, nullptr)) : std::string("The script raised an error that is not a text");
            if (failure.message.substr(0, 14) == "stack overflow" || failure.message.substr(0, 16) == "C stack overflow")
                failure.message = "The functions of the script call each other too deeply";
        }
        failure.context = state.loopContext(lua);
    } catch (const std::bad_alloc&) {
        state.m_budget.refuse(ScriptBudget::Refusal::Exhausted);
    }
    lua_settop(lua, 1);
    return 1;
}

bool LuaState::finish(int status)
{
    if (status == LUA_OK)
        return true;
    if (m_budget.refusal() == ScriptBudget::Refusal::Exhausted) // Whatever the script made of it.
        throw std::bad_alloc();
    Failure& failure = m_failure;
    if (failure.line == 0)
        failure.line = m_lineAtRefusal;
    if (!failure.message.empty())
        return false;
    switch (m_budget.refusal()) {
    case ScriptBudget::Refusal::Stopped:
        failure.code = ErrorCode::Cancelled;
        failure.message = "The script was stopped";
        break;
    case ScriptBudget::Refusal::Work:
        failure.message = "The script takes more instructions than it may";
        break;
    case ScriptBudget::Refusal::Text:
        failure.message = "A text grows longer than " + std::to_string(kMostScriptText) + " bytes";
        break;
    case ScriptBudget::Refusal::Memory:
        failure.message = "The script uses more memory than it may";
        break;
    case ScriptBudget::Refusal::Exhausted: // Thrown above.
    case ScriptBudget::Refusal::None:
        if (status == LUA_ERRMEM)
            throw std::bad_alloc();
        failure.message = "The script failed in a way that cannot be told";
        break;
    }
    return false;
}

int LuaState::prepare(lua_State* lua)
{
    // Stack: what adds the words.
    openScriptLibrary(lua);
    lua_pushvalue(lua, 1);
    lua_pushglobaltable(lua);
    lua_call(lua, 1, 0);
    lua_pushglobaltable(lua);
    refuseUnknownNames(lua, "name");
    return 0;
}

bool LuaState::run(std::string_view text, lua_CFunction install)
{
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (text.substr(0, kMark.size()) == kMark)
        text.remove_prefix(kMark.size());
    m_text = text;
    m_state.reset(lua_newstate(&LuaState::allocate, this));
    lua_State* lua = m_state.get();
    if (!lua)
        return finish(LUA_ERRMEM);
    m_lua = lua;
    *static_cast<LuaState**>(lua_getextraspace(lua)) = this;
    lua_pushcfunction(lua, &LuaState::prepare);
    lua_pushcfunction(lua, install);
    if (const int status = lua_pcall(lua, 1, 0, 0); status != LUA_OK)
        return finish(status);

    lua_pushcfunction(lua, &LuaState::explain);
    TextReader reader{text};
    if (const int status = lua_load(lua, &TextReader::read, &reader, kChunkName, "t"); status != LUA_OK) {
        std::size_t size = 0;
        const char* message = lua_type(lua, -1) == LUA_TSTRING ? lua_tolstring(lua, -1, &size) : "";
        if (status == LUA_ERRSYNTAX) {
            m_failure.message = std::string(withoutPlace({message, size}, &m_failure.line));
            if (m_failure.line == 0)
                m_failure.message = "This is no text";
        } else if (status == LUA_ERRRUN) {
            m_failure.message = "The script is nested too deeply"; // All that the parser itself raises besides.
        }
        return finish(status);
    }
    lua_sethook(lua, &LuaState::count, LUA_MASKCOUNT, kCountEvery);
    return finish(lua_pcall(lua, 0, 0, 1));
}

std::string_view textAt(lua_State* lua, int index)
{
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, index, &size);
    return {text, size};
}

} // namespace fabricscope
