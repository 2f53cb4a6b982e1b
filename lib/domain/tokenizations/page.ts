import type { ActivationNotice } from "@/db/schema/tokenizations";
import { databaseNow } from "@/db/now";
import { type BusinessRow, findBusiness } from "../businesses/rows";
import { type TokenizationRow, unscopedFindById, unscopedFindByToken } from "./rows";
import { pageKind } from "./rules";

/** What a payer page may say about a token: nothing of the payer or the saved method. */
export type ActivationPage = {
  kind: ReturnType<typeof pageKind>;
  business: BusinessRow;
  mode: TokenizationRow["mode"];
  title: string;
  description: string;
  notice: ActivationNotice | null;
};

async function pageOf(row: TokenizationRow): Promise<ActivationPage> {
  const business = await findBusiness(row.businessId);
  if (!business) throw new Error("a tokenization without its business");
  return {
    kind: pageKind(row, await databaseNow()),
    business,
    mode: row.mode,
    title: row.title,
    description: row.description,
    notice: row.notice,
  };
}

/** The activation page of a token, or undefined. */
export async function activationPage(token: string): Promise<ActivationPage | undefined> {
  const row = await unscopedFindByToken(token);
  return row && pageOf(row);
}

/** The thank-you page of a record, by its id; undefined unless its method was saved. */
export async function thankYouPage(id: string): Promise<ActivationPage | undefined> {
  const row = /^[0-9a-f]{24}$/.test(id) ? await unscopedFindById(id) : undefined;
  return row?.status === "active" ? pageOf(row) : undefined;
}
