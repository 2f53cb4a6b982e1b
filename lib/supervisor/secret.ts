import { existsSync } from "node:fs";
import { Refusal } from "@/db/embedded/refusal";
import { readSecretState, type SecretState } from "@/db/active-secret";
import { secretCheckKey } from "@/db/setting-keys";
import { hasSettings, keepSetting } from "@/db/settings";
import { keepChainKey } from "@/lib/domain/audit/key";
import { env, provideEnv } from "@/lib/env";
import { activeKey, checkOf, knownKeys, setActiveKey } from "@/lib/kernel/secrets";
import { followSecretFile, makeSecret, MIN_SECRET_LENGTH, readSecret } from "./secret-file";

/** What the database holds of its secret; nothing before the first migration. */
const storedState = async (): Promise<SecretState> =>
  (await hasSettings()) ? readSecretState() : { check: undefined, rotation: undefined };

/** Puts the secrets of this install into the environment: those that are set there, else those in the file and beside it. */
export async function provideSecrets(file: string): Promise<void> {
  if (env.KUTIP_SECRET) return;
  provideEnv({ KUTIP_SECRET: await installSecret(file) });
  followSecretFile(file);
}

/** Puts the secret of an install that was copied into the environment, and makes none. Returns where it is. `copied` says how, such as "exported". */
export async function requireSecrets(file: string, copied: string): Promise<string> {
  if (env.KUTIP_SECRET) return "the setting KUTIP_SECRET";
  if (!existsSync(file))
    throw new Refusal(`set KUTIP_SECRET to the secret of the install that was ${copied}`);
  await provideSecrets(file);
  return file;
}

/**
 * The secret of this install: KUTIP_SECRET, else the one kept in the file. It is made (mode 0600) while the database belongs to no secret
 * yet. Throws a Refusal when the secret of a database is missing.
 */
export async function installSecret(file: string): Promise<string> {
  if (env.KUTIP_SECRET) return env.KUTIP_SECRET;
  const kept = readSecret(file);
  if (kept.length >= MIN_SECRET_LENGTH) return kept;
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

/** Throws a Refusal unless this secret alone still opens a copy. Called once the copy has its moment. */
export async function confirmSecretOfCopy(secret: string): Promise<void> {
  const { check, rotation } = await storedState();
  const key = knownKeys().find((one) => one.secret === secret);
  if (!rotation && (check === undefined || (key && checkOf(key) === check))) return;
  throw new Refusal(
    "the secret was replaced while the copy was made: run kutip secret:rotate to its end, then make the copy again",
  );
}
