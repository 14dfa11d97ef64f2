#pragma once

#include "core/base/error.h"
#include "core/language/scriptbudget.h"

#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <lua.hpp>

namespace fabricscope {

/// Longest text a script can make. Short, because one instruction can compare two texts.
constexpr std::size_t kMostScriptText = 4096;

/// Lua 5.4 in a closed room: its own state, without files, modules, clocks, coroutines, patterns, metatables, bytecode and everything else
/// that could leave the script, hide work from the budget or differ from run to run. What is kept: the statements of Lua, `type`,
/// `tostring`, `tonumber`, `ipairs`, `pairs` (in the order of the keys: numbers, then texts), `select`, `error`, `assert`, `math` (`random`
/// starts from a fixed seed), `table`, and of `string` what does not search patterns. Names that do not exist are errors.
///
/// C++ and Lua meet under two rules: no C++ exception leaves a function that Lua calls, and where Lua may raise an error (it does not unwind
/// the C++ stack) no object that needs destruction is alive. word() below makes functions that keep the first rule.
class LuaState {
public:
    /// What an error was and where.
    struct Failure {
        ErrorCode code = ErrorCode::InvalidInput;
        std::string message;
        std::string expected;
        int line = 0;
        std::string context; ///< "in the loop of line 3: r = 1"; may be empty.
    };

    /// `owner` is what words find again by ownerOf().
    LuaState(ScriptBudget& budget, void* owner);
    ~LuaState();
    LuaState(const LuaState&) = delete;
    LuaState& operator=(const LuaState&) = delete;

    /// Compiles and runs the text after calling `install` (protected: it may raise), which adds words to the table at the top of the stack.
    /// False: see failure().
    bool run(std::string_view text, lua_CFunction install);
    const Failure& failure() const { return m_failure; }

    /// For words: notes why they fail and returns kFailed, which word() turns into an error.
    static constexpr int kFailed = -1;
    int fail(Error error);
    int fail(std::string message, std::string expected = {});
    /// Line of the script that is being executed; 0: none.
    int line() const;
    ScriptBudget& budget() { return m_budget; }
    lua_State* lua() { return m_lua; }
    void* owner() { return m_owner; }
    static LuaState& of(lua_State* lua);

private:
    struct Close {
        void operator()(lua_State* lua) const { lua_close(lua); }
    };

    static void* allocate(void* self, void* block, std::size_t oldSize, std::size_t newSize);
    static void count(lua_State* lua, lua_Debug* where);
    static int prepare(lua_State* lua);
    static int explain(lua_State* lua);
    static int load(lua_State* lua);
    void noteRefusal();
    bool finish(int status);
    std::string loopContext(lua_State* lua);

    ScriptBudget& m_budget;
    void* m_owner;
    std::string_view m_text;
    std::optional<Error> m_raised; ///< Of a word, on its way to explain().
    Failure m_failure;
    int m_lineAtRefusal = 0;
    std::unique_ptr<lua_State, Close> m_state;
    lua_State* m_lua = nullptr;
};

/// Raises what LuaState::fail() noted. Never returns.
[[noreturn]] void raise(lua_State* lua);

/// A function for Lua. `Word` returns the number of its results, or LuaState::kFailed.
template <int (*Word)(LuaState&, lua_State*)>
int word(lua_State* lua)
{
    LuaState& state = LuaState::of(lua);
    int results = LuaState::kFailed;
    try {
        results = Word(state, lua);
    } catch (const std::bad_alloc&) {
        state.budget().refuse(ScriptBudget::Refusal::Exhausted);
    } catch (const std::length_error&) {
        state.budget().refuse(ScriptBudget::Refusal::Exhausted);
    }
    if (results == LuaState::kFailed)
        raise(lua);
    return results;
}

/// \pre a text at `index`; the view holds as long as it is there.
std::string_view textAt(lua_State* lua, int index);

} // namespace fabricscope
