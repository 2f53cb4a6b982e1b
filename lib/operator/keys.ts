import { parseArgs } from "node:util";
import { createKey } from "@/lib/domain/api-keys/create";
import { endKey, listKeys } from "@/lib/domain/api-keys/rows";
import { findBusiness } from "@/lib/domain/businesses/rows";
import { Refusal } from "@/db/embedded/refusal";
import { note, print, UsageError } from "./usage";
import { withInstall } from "./with-install";

const numberOf = (text: string | undefined): number => {
  if (!text || !/^[1-9]\d{0,8}$/.test(text)) throw new UsageError("name the business by its number");
  return Number(text);
};

async function assertBusiness(id: number): Promise<void> {
  if (!(await findBusiness(id))) throw new Refusal(`there is no business ${id}`);
}

/** Makes an API key; the key alone goes to stdout. */
export async function keyCreate(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { mode: { type: "string" }, name: { type: "string" } } });
  const businessId = numberOf(positionals[0]);
  const mode = values.mode ?? "test";
  if (positionals.length !== 1 || (mode !== "test" && mode !== "live")) throw new UsageError("the mode is test or live");
  await withInstall(async () => {
    await assertBusiness(businessId);
    const { row, secret } = await createKey({ businessId, mode }, values.name?.trim() || "Made by the operator");
    note(`key ${row.id} of business ${businessId}, ${mode} mode: it is shown only now`);
    print(secret);
  });
}

/** Lists a business's keys: id, mode, last four, state, last use, name. */
export async function keyList(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const businessId = numberOf(positionals[0]);
  await withInstall(async () => {
    await assertBusiness(businessId);
    for (const key of await listKeys(businessId)) {
      print([key.id, key.mode, `…${key.lastFour}`, key.revokedAt ? `ends ${key.revokedAt}` : "works", `used ${key.lastUsedAt ?? "never"}`, key.name].join("  "));
    }
  });
}

/** Ends a key at once. */
export async function keyRevoke(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const businessId = numberOf(positionals[0]);
  const id = positionals[1];
  if (!id || positionals.length !== 2) throw new UsageError("name the business and the key");
  await withInstall(async () => {
    if (!(await endKey(businessId, id))) throw new Refusal(`business ${businessId} has no key ${id} that still works`);
    print(`Key ${id} is refused from now on.`);
  });
}
