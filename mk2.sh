cat >valued.json <<'J'
{"id": 2, "without": 3, "points": [12], "slowest": "scan(size=0, ?) = true",
 "parameters": [["size", "int", "12", "0", "1210", "10 8.3%, 40 8.3%, 90 8.3%, 160 8.3%, 250 8.3%"],
  ["#2", "const char *", "2", "", "", "\"<b>1\" 54.5%, \"<b>0\" 45.5%; not known in 1 call"],
  ["result", "bool", "2", "", "", "false 75.0%, true 25.0%"]]}
J
