collective("custom", {ranks = 3, chunks = 4, inplace = false, min_bytes = "1 KiB"})
before(0, "input", 0, 4) expect(2, "output", 0, {{0, 0}, {0, 1}})
weights{1, 2, 1, 1}
channel(1, function() phase("a") tags{tree = 0} chunk(0, input, 0, 2):copy(1, scratch, 3, {sendtb = 1, recvtb = 2}) end)
instances(2, function() chunk(1, scratch, 3):copy(2, output, 0):reduce(chunk(1, scratch, 4), {ch = 0, step = 3}) end)
for k, v in pairs({a = 1, [2] = 3}) do print(k, v, ("%d %s"):format(v, {})) end
