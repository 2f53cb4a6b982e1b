import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { Refusal } from "@/db/embedded/refusal";
import { secretCheckKey } from "@/db/schema/settings";
import { hasSettings, keepSetting, readSetting } from "@/db/settings";
import { env } from "@/lib/env";
import { signature } from "@/lib/kernel/secrets";

const MIN_LENGTH = 32;

/** The check value that the database holds of its secret; undefined in a database that is still empty. */
const storedCheck = async (): Promise<string | undefined> =>
  (await hasSettings()) ? readSetting(secretCheckKey) : undefined;

/**
 * The secret of this install: KUTIP_SECRET, else the one kept in the file. It is made (mode 0600) while the database belongs to no secret
 * yet. Throws a Refusal when the secret of a database is missing.
 */
export async function installSecret(file: string): Promise<string> {
  if (env.KUTIP_SECRET) return env.KUTIP_SECRET;
  const kept = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (kept.length >= MIN_LENGTH) return kept;
  if (kept.length > 0)
    throw new Refusal(
      `${file} holds no usable secret: put the install's secret back into it, or set KUTIP_SECRET`,
    );
  if ((await storedCheck()) !== undefined)
    throw new Refusal(
      `the secret of this database is missing: put it back into ${file} (a backup of the data folder has it), or set KUTIP_SECRET`,
    );
  return makeSecret(file);
}

/** Puts the secret of an imported database into the file. Another secret in that file is moved aside; returns where. */
export function placeSecret(file: string, secret: string): string | undefined {
  const kept = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (kept === secret) return undefined;
  const aside = `${file}.before-import-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  if (kept !== "") renameSync(file, aside);
  makeSecret(file, secret);
  return kept === "" ? undefined : aside;
}

// Written beside and moved into place, so that a kill or a full disk leaves no half secret; an empty file is replaced, a full one never.
function makeSecret(file: string, secret: string = randomBytes(32).toString("base64url")): string {
  const folder = path.dirname(file);
  const beside = `${file}.${process.pid}.new`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(beside, { force: true });
    const at = openSync(beside, "wx", 0o600);
    writeFileSync(at, `${secret}\n`);
    fsyncSync(at);
    closeSync(at);
    putInPlace(beside, file);
    syncFolder(folder);
  } catch (error) {
    throw new Refusal(
      `the secret cannot be kept in ${file} (${(error as Error).message}): make room or set KUTIP_DATA_DIR, or set KUTIP_SECRET`,
    );
  } finally {
    rmSync(beside, { force: true });
  }
  // Two starts at the same moment both use the stored secret.
  return readFileSync(file, "utf8").trim();
}

function putInPlace(beside: string, file: string): void {
  try {
    linkSync(beside, file);
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") renameSync(beside, file);
    else if (readFileSync(file, "utf8").trim() === "") renameSync(beside, file);
  }
}

function syncFolder(folder: string): void {
  const at = openSync(folder, "r");
  try {
    fsyncSync(at);
  } catch {
    // Some file systems cannot sync a folder.
  } finally {
    closeSync(at);
  }
}

/** Compares the secret in use with the check value in the database, if it has one. Throws a Refusal on another; changes nothing. */
export async function verifySecret(where: string): Promise<void> {
  assertSecretOf(await storedCheck(), where);
}

/** The same, and an empty database belongs to this secret from now on. */
export async function checkSecret(where: string): Promise<void> {
  assertSecretOf(await keepSetting(secretCheckKey, mine()), where);
}

const mine = () => signature("kutip", "check");

/** Throws a Refusal when a database's check value is of another secret than the one in use. A database without one belongs to none yet. */
export function assertSecretOf(stored: string | undefined, where: string): void {
  if (stored === undefined || stored === mine()) return;
  throw new Refusal(
    `this database was made with another KUTIP_SECRET than the one in ${where}: start with the secret it was made with`,
  );
}
