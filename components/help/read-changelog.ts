import { readFile } from "node:fs/promises";
import { type Version, versionsOf } from "./changes";

/** The versions of this install's changelog; none where it has no such file. */
export const readChangelog = async (): Promise<Version[]> =>
  versionsOf(await readFile("CHANGELOG.md", "utf8").catch(() => ""));
