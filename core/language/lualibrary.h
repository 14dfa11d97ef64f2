#pragma once

#include <lua.hpp>

namespace fabricscope {

/// Makes the globals of a script: what is kept of Lua's library, in our form. May raise.
void openScriptLibrary(lua_State* lua);

/// Gives the table at the top of the stack an answer to names it has not: an error that says what `kind` lacks it ("there is no KIND 'x'") and
/// which near name it has. May raise.
void refuseUnknownNames(lua_State* lua, const char* kind);

} // namespace fabricscope
