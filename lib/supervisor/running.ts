import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { env, isGiven } from "@/lib/env";

/**
 * Writes down at which address the install of this data folder runs, for the operator's commands (mode 0600). Payments do not need it, so an
 * error is only printed.
 */
export function writeAddressFile(file: string, address: string): void {
  try {
    rmSync(file, { force: true });
    writeFileSync(file, `${JSON.stringify({ base_url: address })}\n`, { mode: 0o600 });
  } catch (error) {
    console.error(
      `kutip: ${file} cannot be written (${(error as Error).message}): commands name the address of their own settings`,
    );
  }
}

/** The address that was written down; after a kill it is the one the install had last. Undefined when none is known. */
export function keptAddress(file: string): string | undefined {
  try {
    const { base_url: address } = JSON.parse(readFileSync(file, "utf8")) as { base_url?: unknown };
    return typeof address === "string" && URL.canParse(address) ? address : undefined;
  } catch {
    return undefined;
  }
}

/** The address of the install of this data folder: as BASE_URL and PORT say it, else the one that was written down, whatever PORT its start was given. */
export const addressOfInstall = (file: string): string =>
  (isGiven("BASE_URL", "PORT") ? undefined : keptAddress(file)) ?? env.BASE_URL;

/** Takes the address away when the install stops, unless another start has written its own meanwhile. */
export function removeAddressFile(file: string, address: string): void {
  if (keptAddress(file) === address) rmSync(file, { force: true });
}
