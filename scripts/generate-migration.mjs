// Until the first release the schema is one migration: made anew from db/schema/*.ts, with db/schema/*.sql behind it.
import { spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";

const out = "db/migrations";
rmSync(out, { recursive: true, force: true });
const run = spawnSync("node_modules/.bin/drizzle-kit", ["generate", "--name", "init"], {
  stdio: "inherit",
});
if (run.status !== 0) process.exit(run.status ?? 1);
const made = readdirSync(out).find((name) => name.endsWith(".sql"));
for (const name of readdirSync("db/schema")
  .filter((name) => name.endsWith(".sql"))
  .sort()) {
  appendFileSync(
    path.join(out, made),
    `\n--> statement-breakpoint\n${readFileSync(path.join("db/schema", name), "utf8")}`,
  );
}
