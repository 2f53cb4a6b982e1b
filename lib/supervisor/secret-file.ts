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
import { env, provideEnv } from "@/lib/env";

/** What the secret of an install has at least. */
export const MIN_SECRET_LENGTH = 32;

/** Where the secret before the one in `file` is kept while it is replaced. */
const previousFile = (file: string): string => `${file}.previous`;

/** The secret in the file, or an empty text. */
export const readSecret = (file: string): string =>
  existsSync(file) ? readFileSync(file, "utf8").trim() : "";

/** Whether the secret in use is the one that the file holds, or held before a rotation. */
export const isSecretOf = (file: string): boolean =>
  [readSecret(file), readSecret(previousFile(file))].includes(env.KUTIP_SECRET ?? "");

/** Takes a new secret over from the file, with the one before it. That one stays known until this process ends. */
export function followSecretFile(file: string): void {
  const present = readSecret(file);
  if (present.length < MIN_SECRET_LENGTH) return;
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

/** Puts the secret of an imported database into the file. Another secret in that file is moved aside; returns where. */
export function placeSecret(file: string, secret: string): string | undefined {
  const kept = readSecret(file);
  if (kept === secret) return undefined;
  const aside = `${file}.before-import-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  if (kept !== "") renameSync(file, aside);
  makeSecret(file, secret);
  return kept === "" ? undefined : aside;
}

/** Makes the secret, or keeps the one that is given. An empty file is replaced, a full one never. */
export function makeSecret(
  file: string,
  secret: string = randomBytes(32).toString("base64url"),
): string {
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
