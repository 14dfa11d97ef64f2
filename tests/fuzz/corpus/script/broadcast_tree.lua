-- Binomial tree broadcast in pieces: in every round each rank that has a piece gives it to one that has not.
local n = param("ranks", 8)
local pieces = param("pieces", 4)
collective("broadcast", {ranks = n, chunks = pieces, root = param("root", 0), name = "tree broadcast"})

local function rank(place) return (place + root()) % n end

for c = 0, pieces - 1 do
  local distance = 1
  while distance < n do
    for place = 0, distance - 1 do
      if place + distance < n then
        chunk(rank(place), "output", c):copy(rank(place + distance))
      end
    end
    distance = 2 * distance
  end
end
