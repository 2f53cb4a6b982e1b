import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";

/** Where a file is written until it is complete, with the number of this process. Two commands that write one file at once each have their own. */
export const halfOf = (file: string): string =>
  `${file}.${process.pid}-${randomBytes(4).toString("hex")}.part`;

/** The partial copies of a file that exist. Names from earlier versions have no process id. */
export function halvesOf(file: string): { half: string; owner: number | undefined }[] {
  const { dir, base } = path.parse(file);
  return readdirSync(dir).flatMap((name) => {
    const [, rest] = name.startsWith(`${base}.`)
      ? (/^((?:\d+-)?[0-9a-f]{8})\.part$/.exec(name.slice(base.length + 1)) ?? [])
      : [];
    if (rest === undefined) return [];
    const owner = rest.includes("-") ? Number.parseInt(rest, 10) : undefined;
    return [{ half: path.join(dir, name), owner }];
  });
}
