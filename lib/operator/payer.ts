import { parseArgs } from "node:util";
import { Refusal } from "@/db/embedded/refusal";
import { Email } from "@/lib/contract/fields";
import type { ErasurePreview } from "@/lib/contract/payers";
import { findBusiness } from "@/lib/domain/businesses/rows";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { unscopedBusinessesOf } from "@/lib/domain/payers/erasure-rows";
import { erasePayer, previewErasure } from "@/lib/flows/erasure/steps";
import { newRequestId } from "@/lib/kernel/ids";
import { Problem } from "@/lib/kernel/problem";
import { note, print, UsageError } from "./usage";
import { withInstall } from "./with-install";

/** Erases a payer in one business or in all; without --yes only shows what would be done. The exit code is 1 where it is refused. */
export async function payerErase(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      business: { type: "string" },
      "all-businesses": { type: "boolean" },
      yes: { type: "boolean" },
    },
  });
  const email = Email.safeParse(positionals[0]?.trim());
  if (!email.success || positionals.length !== 1)
    throw new UsageError("name the payer by their address");
  const { business } = values;
  if ((business === undefined) === (values["all-businesses"] !== true))
    throw new UsageError("give the number of one business: --business ID, or say --all-businesses");
  if (business !== undefined && !/^[1-9]\d{0,8}$/.test(business))
    throw new UsageError("give the number of the business: --business ID");
  return withInstall(async () => {
    const businesses =
      business === undefined ? await unscopedBusinessesOf(email.data) : [Number(business)];
    if (business !== undefined && !(await findBusiness(Number(business))))
      throw new Refusal(`there is no business ${business}`);
    if (businesses.length === 0) print("No business has records, mails or events of this payer.");
    let refused = false;
    for (const businessId of businesses) {
      const ctx = systemCtx({ businessId, mode: "live" }, { kind: "operator" }, newRequestId());
      if (!(await eraseIn(ctx, email.data, values.yes ?? false))) refused = true;
    }
    return refused ? 1 : 0;
  });
}

async function eraseIn(ctx: Ctx, email: string, sure: boolean): Promise<boolean> {
  const preview = await previewErasure(ctx, email);
  print(`Business ${ctx.businessId}`);
  for (const line of linesOf(preview)) print(`  ${line}`);
  if (preview.refusals.length > 0) return false;
  if (!sure) {
    print("  Nothing was changed: add --yes to erase.");
    return true;
  }
  try {
    const { events, mails, kept_at_gateway: kept } = await erasePayer(ctx, email);
    print(`  Erased, with ${mails} mails and ${events} events.`);
    for (const { tokenization_id: id, reason } of kept)
      print(`  Delete the customer of ${id} at the gateway yourself: ${reason}`);
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    note(`business ${ctx.businessId}: ${error.message}`);
    return false;
  }
}

const linesOf = (preview: ErasurePreview): string[] => [
  `Subscriptions: ${preview.subscriptions.all}, to be cancelled ${preview.subscriptions.cancelled}`,
  `Payment links: ${preview.payment_links.all}, to be cancelled ${preview.payment_links.cancelled}`,
  `Saved methods: ${preview.tokenizations.all}, to be revoked ${preview.tokenizations.revoked}`,
  `Payments: ${preview.payments}; they stay, without the payer`,
  ...preview.refusals.map(
    ({ object, _id, mode, status }) => `Refused: ${object} ${_id} (${mode}) is ${status}`,
  ),
  ...preview.remaining.map(
    ({ place, until }) =>
      `Copies stay: ${place}, ${until ? `until ${until}` : "until you delete them"}`,
  ),
];
