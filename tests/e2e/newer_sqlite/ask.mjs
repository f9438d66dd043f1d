// ask.mjs DB SQL...: the rows of each statement as the newer SQLite gives them, one a line, columns joined by |.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [path, ...statements] = process.argv.slice(2);
const SQL = await createRequire(process.cwd() + "/")("sql.js")();
const database = new SQL.Database(readFileSync(path));
for (const statement of statements)
    for (const result of database.exec(statement))
        for (const row of result.values) console.log(row.join("|"));
