-- All-reduce in the switch: every rank has its chunk of all ranks added up there, and the sum goes back to all without another way up.
local n = param("ranks", 8)
collective("all_reduce", {ranks = n, chunks = n, name = "all-reduce in the switch"})

local everybody = {}
for r = 0, n - 1 do
  table.insert(everybody, r)
end
for r = 0, n - 1 do
  chunk(r, "input", r):switch_reduce(everybody, {copy = true})
end
