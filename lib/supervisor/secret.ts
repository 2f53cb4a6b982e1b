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
import { readSecretState, type SecretState } from "@/db/active-secret";
import { secretCheckKey } from "@/db/schema/settings";
import { hasSettings, keepSetting } from "@/db/settings";
import { keepChainKey } from "@/lib/domain/audit/key";
import { env, provideEnv } from "@/lib/env";
import { activeKey, checkOf, knownKeys, setActiveKey } from "@/lib/kernel/secrets";

const MIN_LENGTH = 32;

/** Where the secret before the one in `file` is kept while it is replaced. */
const previousFile = (file: string): string => `${file}.previous`;

/** What the database holds of its secret; nothing before the first migration. */
const storedState = async (): Promise<SecretState> =>
  (await hasSettings()) ? readSecretState() : { check: undefined, rotation: undefined };

const readSecret = (file: string): string =>
  existsSync(file) ? readFileSync(file, "utf8").trim() : "";

/** Puts the secrets of this install into the environment: those that are set there, else those in the file and beside it. */
export async function provideSecrets(file: string): Promise<void> {
  if (env.KUTIP_SECRET) return;
  provideEnv({ KUTIP_SECRET: await installSecret(file) });
  followSecretFile(file);
}

/** Whether the secret in use is the one that the file holds, or held before a rotation. */
export const isSecretOf = (file: string): boolean =>
  [readSecret(file), readSecret(previousFile(file))].includes(env.KUTIP_SECRET ?? "");

/** Takes a new secret over from the file, with the one before it. That one stays known until this process ends. */
export function followSecretFile(file: string): void {
  const present = readSecret(file);
  if (present.length < MIN_LENGTH) return;
  const before = present === env.KUTIP_SECRET ? env.KUTIP_SECRET_PREVIOUS : env.KUTIP_SECRET;
  const previous = readSecret(previousFile(file)) || (before ?? "");
  if (present !== env.KUTIP_SECRET || previous !== (env.KUTIP_SECRET_PREVIOUS ?? ""))
    provideEnv({ KUTIP_SECRET: present, KUTIP_SECRET_PREVIOUS: previous });
}

/** Puts a new secret into the file and keeps the present one beside it, unless that was done before. */
export function replaceSecret(file: string): void {
  if (readSecret(previousFile(file)) === "") makeSecret(previousFile(file), readSecret(file));
  if (readSecret(previousFile(file)) === readSecret(file))
    moveInto(file, randomBytes(32).toString("base64url"));
  followSecretFile(file);
}

/** Sets the previous secret aside under a name that says until when it was in use; returns where. */
export function setPreviousAside(file: string): string {
  const aside = `${file}.until-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  renameSync(previousFile(file), aside);
  return aside;
}

/**
 * The secret of this install: KUTIP_SECRET, else the one kept in the file. It is made (mode 0600) while the database belongs to no secret
 * yet. Throws a Refusal when the secret of a database is missing.
 */
export async function installSecret(file: string): Promise<string> {
  if (env.KUTIP_SECRET) return env.KUTIP_SECRET;
  const kept = readSecret(file);
  if (kept.length >= MIN_LENGTH) return kept;
  if (kept.length > 0)
    throw new Refusal(
      `${file} holds no usable secret: put the install's secret back into it, or set KUTIP_SECRET`,
    );
  if ((await storedState()).check !== undefined)
    throw new Refusal(
      `the secret of this database is missing: put it back into ${file} (a backup of the data folder has it), or set KUTIP_SECRET`,
    );
  return makeSecret(file);
}

/** Puts the secret of an imported database into the file. Another secret in that file is moved aside; returns where. */
export function placeSecret(file: string, secret: string): string | undefined {
  const kept = readSecret(file);
  if (kept === secret) return undefined;
  const aside = `${file}.before-import-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  if (kept !== "") renameSync(file, aside);
  makeSecret(file, secret);
  return kept === "" ? undefined : aside;
}

// An empty file is replaced, a full one never.
function makeSecret(file: string, secret: string = randomBytes(32).toString("base64url")): string {
  writeBeside(file, secret, (beside) => putInPlace(beside, file));
  // Two starts at the same moment both use the stored secret.
  return readFileSync(file, "utf8").trim();
}

const moveInto = (file: string, secret: string): void =>
  writeBeside(file, secret, (beside) => renameSync(beside, file));

// Written beside and moved into place, so that a kill or a full disk leaves no half secret.
function writeBeside(file: string, secret: string, place: (beside: string) => void): void {
  const folder = path.dirname(file);
  const beside = `${file}.${process.pid}.new`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(beside, { force: true });
    const at = openSync(beside, "wx", 0o600);
    writeFileSync(at, `${secret}\n`);
    fsyncSync(at);
    closeSync(at);
    place(beside);
    syncFolder(folder);
  } catch (error) {
    throw new Refusal(
      `the secret cannot be kept in ${file} (${(error as Error).message}): make room or set KUTIP_DATA_DIR, or set KUTIP_SECRET`,
    );
  } finally {
    rmSync(beside, { force: true });
  }
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

/** Finds the database's secret among those in use, if it has one, and seals with it from now on. Throws a Refusal on another; changes nothing. */
export async function verifySecret(where: string): Promise<void> {
  adoptSecretOf(await storedState(), where);
}

/** The same. An empty database belongs to this secret from now on, and the audit chains get their key. */
export async function checkSecret(where: string): Promise<void> {
  await keepSetting(secretCheckKey, checkOf(knownKeys()[0]));
  await verifySecret(where);
  await keepChainKey();
}

/**
 * Seals with the active secret of a database from now on. Throws a Refusal when it is not among those in use, or when values of another one
 * remain. A database without a check value belongs to none yet.
 */
export function adoptSecretOf(
  { check, rotation }: SecretState,
  where: string,
  confirmedAt?: number,
): void {
  const known = knownKeys();
  const active = check === undefined ? known[0] : known.find((key) => checkOf(key) === check);
  if (!active)
    throw new Refusal(
      `this database was made with another KUTIP_SECRET than the one in ${where}, or rotated to another: start with that one`,
    );
  if (rotation && !known.some(({ id }) => id === rotation.from))
    throw new Refusal(
      "values of the previous secret remain: set KUTIP_SECRET_PREVIOUS to it until kutip secret:rotate has re-sealed them",
    );
  setActiveKey({ id: active.id, rotatingFrom: rotation?.from, confirmedAt });
}

/** The one secret that opens a copy of the database. Throws a Refusal while that takes two. */
export async function secretOfCopy(): Promise<string> {
  if ((await storedState()).rotation)
    throw new Refusal(
      "a copy made now would need two secrets: run kutip secret:rotate to its end first",
    );
  return activeKey().secret;
}
