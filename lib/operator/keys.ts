import { parseArgs } from "node:util";
import { withTransaction } from "@/db/client";
import { Refusal } from "@/db/embedded/refusal";
import { createKey } from "@/lib/domain/api-keys/create";
import { endKey, listKeys } from "@/lib/domain/api-keys/rows";
import { record } from "@/lib/domain/audit/record";
import { findBusiness } from "@/lib/domain/businesses/rows";
import { note, print, UsageError } from "./usage";
import { withInstall } from "./with-install";

const options = { business: { type: "string" }, json: { type: "boolean" } } as const;

// The business is `--business ID` or the first argument. Other arguments follow.
function named(
  business: string | undefined,
  positionals: string[],
  more: number,
): [number, ...string[]] {
  const [id, ...rest] = business === undefined ? positionals : [business, ...positionals];
  if (!id || !/^[1-9]\d{0,8}$/.test(id) || rest.length !== more)
    throw new UsageError("give the number of the business: --business ID");
  return [Number(id), ...rest];
}

async function assertBusiness(id: number): Promise<void> {
  if (!(await findBusiness(id))) throw new Refusal(`there is no business ${id}`);
}

/** Makes an API key; the key alone goes to stdout, or with --json an object that holds it. */
export async function keyCreate(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...options, mode: { type: "string" }, name: { type: "string" } },
  });
  const [businessId] = named(values.business, positionals, 0);
  const mode = values.mode ?? "test";
  if (mode !== "test" && mode !== "live") throw new UsageError("the mode is test or live");
  await withInstall(async () => {
    await assertBusiness(businessId);
    const { row, secret } = await withTransaction(async (tx) => {
      const made = await createKey(
        { businessId, mode },
        values.name?.trim() || "Made by the operator",
        { on: tx },
      );
      await record(
        tx,
        businessId,
        { kind: "operator" },
        { action: "key:create", mode, objectId: made.row.id },
      );
      return made;
    });
    note(`key ${row.id} of business ${businessId}, ${mode} mode: it is shown only now`);
    print(
      values.json
        ? JSON.stringify({
            id: row.id,
            business_id: businessId,
            mode,
            name: row.name,
            api_key: secret,
          })
        : secret,
    );
  });
}

/** Lists a business's keys: id, mode, last four, state, last use, name. */
export async function keyList(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [businessId] = named(values.business, positionals, 0);
  await withInstall(async () => {
    await assertBusiness(businessId);
    const keys = await listKeys(businessId);
    if (values.json) {
      print(
        JSON.stringify(
          keys.map(({ digest: _, ...key }) => key),
          null,
          2,
        ),
      );
      return;
    }
    for (const key of keys) {
      print(
        [
          key.id,
          key.mode,
          `…${key.lastFour}`,
          key.revokedAt ? `ends ${key.revokedAt}` : "works",
          `used ${key.lastUsedAt ?? "never"}`,
          key.name,
        ].join("  "),
      );
    }
  });
}

/** Ends a key at once. */
export async function keyRevoke(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [businessId, id = ""] = named(values.business, positionals, 1);
  await withInstall(async () => {
    await withTransaction(async (tx) => {
      const ended = await endKey(businessId, id, tx);
      if (!ended) throw new Refusal(`business ${businessId} has no key ${id} that still works`);
      await record(
        tx,
        businessId,
        { kind: "operator" },
        { action: "key:revoke", mode: ended.mode, objectId: id },
      );
    });
    print(`Key ${id} is refused from now on.`);
  });
}
