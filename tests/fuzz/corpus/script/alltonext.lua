-- Every rank hands its buffer to the next one (a custom collective). Between nodes all GPUs help: the buffer is spread over the node,
-- crosses on every network card at once, and is put together again.
local nodes = param("nodes", 2)
local gpus = param("gpus", 4)
local n = nodes * gpus
collective("custom", {ranks = n, chunks = gpus, name = "all-to-next"})

for r = 0, n - 2 do
  before(r, "input", 0, gpus)
  for c = 0, gpus - 1 do
    expect(r + 1, "output", c, {{r, c}})
  end
end

for r = 0, n - 2 do
  if (r + 1) % gpus ~= 0 then
    chunk(r, "input", 0, gpus):copy(r + 1, "output", 0)
  else
    for g = 0, gpus - 1 do
      local helper, partner = r + 1 - gpus + g, r + 1 + g
      local c = chunk(r, "input", g)
      if helper ~= r then c = c:copy(helper, "scratch", 0) end
      if partner == r + 1 then
        c:copy(r + 1, "output", g)
      else
        c:copy(partner, "scratch", 1):copy(r + 1, "output", g)
      end
    end
  end
end
