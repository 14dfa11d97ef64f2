-- All-pairs all-reduce, two steps for small messages: rank r collects chunk r of all others in scratch, adds them up, and sends the sum to all.
local n = param("ranks", 8)
collective("all_reduce", {ranks = n, chunks = n, protocol = "ll", name = "all-pairs all-reduce"})

phase("collect")
for r = 0, n - 1 do
  for s = 1, n - 1 do
    chunk((r + s) % n, "input", r):copy(r, "scratch", s - 1)
  end
end

phase("add")
for r = 0, n - 1 do
  local sum = chunk(r, "input", r)
  for s = 1, n - 1 do
    sum:reduce(chunk(r, "scratch", s - 1))
  end
end

phase("hand out")
for r = 0, n - 1 do
  for s = 1, n - 1 do
    chunk(r, "input", r):copy((r + s) % n)
  end
end
