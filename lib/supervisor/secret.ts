import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Refusal } from "@/db/embedded/refusal";
import { keepSetting } from "@/db/settings";
import { env } from "@/lib/env";
import { signature } from "@/lib/kernel/secrets";

/** The secret of this install: KUTIP_SECRET, else the one kept in the file, which is made (mode 0600) at the first start. */
export function installSecret(file: string): string {
  if (env.KUTIP_SECRET) return env.KUTIP_SECRET;
  if (!existsSync(file)) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    try {
      writeFileSync(file, `${randomBytes(32).toString("base64url")}\n`, {
        flag: "wx",
        mode: 0o600,
      });
      chmodSync(file, 0o600);
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") {
        throw new Refusal(
          `the secret cannot be kept in ${file} (${(error as Error).message}): set KUTIP_DATA_DIR or KUTIP_SECRET`,
        );
      }
    }
  }
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length < 32)
    throw new Refusal(
      `${file} holds no usable secret: put the install's secret back into it, or set KUTIP_SECRET`,
    );
  return secret;
}

/** Compares the secret in use with the check value in the database; the first one to come is kept. Throws a Refusal on another. */
export async function checkSecret(where: string): Promise<void> {
  const mine = signature("kutip", "check");
  if ((await keepSetting("secret_check", mine)) === mine) return;
  throw new Refusal(
    `this database was made with another KUTIP_SECRET than the one in ${where}: start with the secret it was made with`,
  );
}
