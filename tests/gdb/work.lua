-- Uses as much of Lua as possible, for the values' oracle.
local words = {}
for i = 1, 60 do words[i] = string.format("%05d %s %q %g", (i * 7919) % 801, "w" .. i, "x\n" .. i, i / 3) end
table.sort(words)
table.sort(words, function(a, b) return a > b end)
local text = table.concat(words, " "):gsub("%d%d", string.upper):rep(2)
local count = 0
for word in text:gmatch("%S+") do count = count + #word end
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
local co = coroutine.wrap(function() for i = 1, 15 do coroutine.yield(fib(7)) end end)
for _ = 1, 15 do count = count + co() end
for i = 1, 20 do pcall(error, { i }) end
local t = setmetatable({}, { __index = function(_, k) return k * 2 end, __gc = function() count = 0 end,
    __add = function(a, b) return 1 end, __concat = function() return "c" end, __len = function() return 3 end,
    __eq = function() return true end, __lt = function() return true end, __le = function() return false end,
    __call = function(_, x) return x end, __close = function() end, __tostring = function() return "t" end })
for i = 1, 30 do count = count + t[i] end
local u = t + 1, t .. "x", #t, t(5), t < t, t <= t, tostring(t), -count, ~count, 7 // 2, 7 % 3, 2 ^ 0.5, 7 & 3, 7 | 8, 1 << 3
local s = string.pack("<i4 d z s1 f j n", 1, 2.5, "zz", "s1", 1.5, -7, 0.25)
print(string.unpack("<i4 d z s1 f j n", s))
print(math.floor(2.7), math.tointeger(3.0), math.fmod(7, 3), math.max(1, 5, 3), math.type(1), math.ult(1, -1), math.abs(-3))
print(utf8.char(228, 8364), utf8.len("äö"), #utf8.charpattern, os.time({ year = 2020, month = 1, day = 1, hour = 12 }) > 0)
for p, c in utf8.codes("aä€") do count = count + c end
local f = load("local k0 <const> = 3; local a, b = 1, {x = 2, 3, [5] = 4}; goto e; ::e:: for k, v in pairs(b) do a = v end; while true do break end; repeat local z = 1 until z; return a, ...")
print(pcall(f))
print(pcall(load, "x = = 1"))
print(load("return 1 + 2 * 3 - 4 / 5 .. 'a' .. 0x10 .. 1e3 .. [[long]]")())
print(debug.traceback("trace", 1) ~= nil, debug.getinfo(1, "nSlutfL").currentline, select("#", 1, nil, 3))
debug.sethook(function() end, "crl", 100)
for i = 1, 10 do local _ = i .. "" end
debug.sethook()
local name = os.tmpname()
local file = io.open(name, "w")
file:write("one\n", 2, "\n", 3.5, "\nlast")
file:close()
for line in io.lines(name) do count = count + #line end
file = io.open(name)
print(file:read("l", "n", "n", "L", "a"))
print(file:seek("set", 1), file:read(2), io.type(file))
file:close()
os.remove(name)
local d = string.dump(fib)
print(load(d, "d", "b") ~= nil, #d > 10)
print(table.unpack({ 1, 2, 3 }), table.pack(1, 2).n, next({}), rawlen({ 1 }), rawequal(t, t), rawget(t, 1))
table.insert(words, 1, "first")
table.remove(words, 2)
table.move(words, 1, 3, 2)
print(("x"):byte(), ("abc"):reverse(), ("%a"):format(0.5), ("%5.2s|%-5d|%i|%u|%c|%x"):format("abc", 3, 4, 5, 65, 255))
print(("key = value"):match("^(%w+)%s*=%s*(%w+)$"), ("f(a(b)c)"):find("%b()"), ("THE (quick) fox"):find("%((%a+)%)"))
for i = 1, 3 do local big = {} for j = 1, 40 do big[j * 3] = j; big["k" .. j] = j end end
local weak = setmetatable({}, { __mode = "k" })
weak[{}] = 1
collectgarbage() collectgarbage("step", 10) collectgarbage("generational") collectgarbage() collectgarbage("incremental")
do local c <close> = t end
print(count, #words, tostring(nil), tonumber("0x1p4"), tonumber("z", 36), tonumber("1e1"))
