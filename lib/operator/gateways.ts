import { list } from "@/lib/flows/connecting/show";
import { parseArgs } from "node:util";
import { Refusal } from "@/db/embedded/refusal";
import { GatewayConnectionInput } from "@/lib/contract/gateway-connections";
import { check } from "@/lib/contract/messages";
import { findBusiness } from "@/lib/domain/businesses/rows";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { connect, revoke } from "@/lib/flows/connecting/steps";
import { newRequestId } from "@/lib/kernel/ids";
import { invalid } from "@/lib/kernel/problem";
import { addressStep } from "./address-step";
import { linesOfStdin, note, print, UsageError } from "./usage";
import { withInstall } from "./with-install";

const options = {
  business: { type: "string" },
  gateway: { type: "string" },
  brand: { type: "string" },
  collection: { type: "string" },
  mode: { type: "string" },
  json: { type: "boolean" },
} as const;

function ctxOf(business: string | undefined, mode: string | undefined): Ctx {
  if (!business || !/^[1-9]\d{0,8}$/.test(business))
    throw new UsageError("give the number of the business: --business ID");
  if (mode !== undefined && mode !== "test" && mode !== "live")
    throw new UsageError("the mode is test or live");
  return systemCtx(
    { businessId: Number(business), mode: mode ?? "live" },
    { kind: "operator" },
    newRequestId(),
  );
}

async function assertBusiness(ctx: Ctx): Promise<void> {
  if (!(await findBusiness(ctx.businessId)))
    throw new Refusal(`there is no business ${ctx.businessId}`);
}

/** The change then writes its entry in the audit log in its own transaction, as a call by staff does. */
const audited = (ctx: Ctx, action: string): Ctx => ({
  ...ctx,
  audit: { action, address: null, details: {}, written: false },
});

/** Connects a gateway, Stripe without `--gateway`. The secret key is the first line of stdin, the webhook secret the second, if there is one: arguments are seen by others. */
export async function gatewayConnect(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options });
  const ctx = ctxOf(values.business, values.mode);
  // The contract takes an empty field as an absent one.
  const empty = Object.entries(values).find(([, value]) => value === "");
  if (empty) throw new UsageError(`--${empty[0]} is empty`);
  const lines = await linesOfStdin(
    "paste the secret key, Enter, then the webhook secret if there is one, and end with Ctrl-D",
  );
  const [secret_key = "", webhook_secret = ""] = lines.map((line) => line.trim());
  const input = check(GatewayConnectionInput, {
    secret_key,
    ...(values.gateway ? { gateway: values.gateway } : {}),
    ...(values.brand ? { brand_id: values.brand } : {}),
    ...(values.collection ? { collection_id: values.collection } : {}),
    ...(webhook_secret ? { webhook_secret } : {}),
  });
  if (!input.ok) throw invalid(input.errors);
  await withInstall(async () => {
    await assertBusiness(ctx);
    const made = await connect(audited(ctx, "gateway:connect"), input.data);
    note(
      `connected to ${made.account_name ?? "the account"} (${made.account}), ${made.mode} mode; ${addressStep(made, webhook_secret !== "")}`,
    );
    print(values.json ? JSON.stringify(made) : made.callback_url);
  });
}

/** Lists a business's connections of a mode. */
export async function gatewayList(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options });
  const ctx = ctxOf(values.business, values.mode);
  await withInstall(async () => {
    await assertBusiness(ctx);
    const { data } = await list(ctx, { per_page: 100 }, new URLSearchParams());
    if (values.json) return print(JSON.stringify(data, null, 2));
    for (const one of data) {
      print(
        [
          one._id,
          one.gateway,
          one.mode,
          one.status,
          one.in_use ? "in use" : "not in use",
          one.account ?? "",
          one.last_four ? `…${one.last_four}` : "",
          `called back ${one.last_callback_at ?? "never"}`,
        ].join("  "),
      );
    }
  });
}

/** Revokes a connection: its secrets are forgotten at once. */
export async function gatewayRevoke(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const ctx = ctxOf(values.business, values.mode);
  const [id, ...more] = positionals;
  if (!id || more.length > 0) throw new UsageError("name the connection by its id");
  await withInstall(async () => {
    await assertBusiness(ctx);
    await revoke(audited(ctx, "gateway:revoke"), id);
    print(`Connection ${id} is revoked; its keys are forgotten.`);
  });
}
