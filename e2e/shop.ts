import { db } from "@/db/client";
import { createKey } from "@/lib/domain/api-keys/create";
import { createBusiness } from "@/lib/domain/businesses/create";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { insertConnection } from "@/lib/domain/gateway-connections/rows";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { Tokenization } from "@/lib/contract/tokenizations";
import { setTimes } from "@/lib/gateways/simulator/scripting";
import { newId, newToken } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { Api } from "./api-client";

/** A business of a test's own, with a key that calls the API as a client would. */
export type Shop = { id: number; name: string; key: string; api: Api; ctx: Ctx };

export const payer = "nur.payer@example.com";

/** Makes a business on the joined install. Its simulator approves what is pending soon, so that tests need not wait. */
export async function newShop(
  url: string,
  name = "Warung Kopi",
  mode: "test" | "live" = "test",
): Promise<Shop> {
  const business = await createBusiness({ name });
  if (mode === "live")
    await insertConnection(db, {
      businessId: business.id,
      mode,
      id: newId(),
      gateway: "simulator",
      secret: seal(newToken(), "gateway"),
    });
  const { secret: key } = await createKey({ businessId: business.id, mode }, "browser test");
  const ctx = systemCtx({ businessId: business.id, mode }, { kind: "operator" }, "browser-test");
  await setTimes((await resolveGateway(ctx)).connection, { approveAfterMs: 300 });
  return { id: business.id, name, key, api: new Api(url, key), ctx };
}

export const linkInput = {
  email: payer,
  currency: "MYR",
  amount: 1250,
  title: "Kopi order 7",
  reference: "INV-77",
  send_email: false,
};

/** A link made over the API. */
export async function newLink(
  shop: Shop,
  more: Record<string, unknown> = {},
): Promise<PaymentLink> {
  return shop.api.ok<PaymentLink>("POST", "/payment-links", { ...linkInput, ...more });
}

export const linkNow = (shop: Shop, id: string) =>
  shop.api.ok<PaymentLink>("GET", `/payment-links/${id}`);

/** A token made over the API. */
export async function newTokenization(
  shop: Shop,
  more: Record<string, unknown> = {},
): Promise<Tokenization> {
  return shop.api.ok<Tokenization>("POST", "/tokenizations/create-token", {
    email: payer,
    title: "Gold membership",
    description: "The monthly fee",
    ...more,
  });
}
