// Writes the hash of every migration to db/migrations/released.json: run once for a release, after which none of them may change.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./stamp.mjs";

const folder = path.join(root, "db/migrations");
const { entries } = JSON.parse(readFileSync(path.join(folder, "meta/_journal.json"), "utf8"));
const file = path.join(folder, "released.json");
const before = JSON.parse(readFileSync(file, "utf8"));
const hashes = Object.fromEntries(
  entries.map(({ tag }) => [
    tag,
    createHash("sha256")
      .update(readFileSync(path.join(folder, `${tag}.sql`)))
      .digest("hex"),
  ]),
);
for (const [tag, hash] of Object.entries(before))
  if (hashes[tag] !== hash) throw new Error(`${tag} was released and has changed since`);
writeFileSync(file, `${JSON.stringify(hashes, null, 2)}\n`);
