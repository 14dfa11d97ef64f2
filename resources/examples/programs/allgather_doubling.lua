-- Recursive doubling all-gather: partners at distance 1, 2, 4, ... exchange all they have. For 2^k ranks.
local n = param("ranks", 8)
collective("all_gather", {ranks = n, chunks = n, name = "recursive doubling all-gather"})

local size = 1
while size < n do
  for r = 0, n - 1 do
    local first = r // size * size
    local partner = r % (2 * size) < size and r + size or r - size
    chunk(r, "output", first, size):copy(partner)
  end
  size = 2 * size
end
assert(size == n, "recursive doubling needs 2, 4, 8, ... ranks")
