import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { db } from "@/db/client";
import { create as createKey } from "@/lib/domain/api-keys/manage";
import { linkExpiry } from "@/lib/flows/expiry/job";
import { bulk } from "@/lib/domain/payment-links/bulk";
import { create } from "@/lib/domain/payment-links/create";
import { get } from "@/lib/domain/payment-links/get";
import { newShop, press } from "./setting";
import { runAll } from "../run-once";

const DAY_MS = 86_400_000;
afterEach(() => void vi.useRealTimers());

const link = {
  email: "payer@example.com",
  currency: "MYR",
  amount: 1_250,
  title: "Satay for two",
  send_email: false,
};
const passed = { status: 422, options: { errors: { expires_at: [expect.any(String)] } } };
const rows = (expiresAt: string) => [
  new TextEncoder().encode(JSON.stringify([{ input: { ...link, expires_at: expiresAt } }])),
];

// The moments are real ones: only this process believes that it is another day.
describe.each([
  ["a day ahead", DAY_MS],
  ["a day behind", -DAY_MS],
])("a process whose clock is %s", (_, shift) => {
  const moment = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

  it("takes an expiry that is to come and refuses one that has passed", async () => {
    const shop = await newShop();
    const [soon, before] = [moment(30), moment(-30)];
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + shift });
    expect((await create(shop.ctx, { ...link, expires_at: soon })).status).toBe("Active");
    await expect(create(shop.ctx, { ...link, expires_at: before })).rejects.toMatchObject(passed);
    await createKey(shop.ctx, { name: "soon", expires_at: soon });
    await expect(createKey(shop.ctx, { name: "past", expires_at: before })).rejects.toMatchObject(
      passed,
    );
    const choice = {
      dryRun: true,
      onConflict: { otherwise: "skip", create: new Set<number>() },
      importId: undefined,
    } as const;
    expect((await bulk(shop.ctx, rows(soon), choice)).rows[0]).toMatchObject({ status: "valid" });
    expect((await bulk(shop.ctx, rows(before), choice)).rows[0]).toMatchObject({
      status: "invalid",
    });
  });

  it("opens a page for a link that has not expired, and expires only one that has", async () => {
    const shop = await newShop();
    const open = await create(shop.ctx, { ...link, expires_at: moment(30) });
    const over = await create(shop.ctx, { ...link, expires_at: moment(30) });
    await db.execute(
      sql`update payment_links set expires_at = now() - interval '1 minute' where id = ${over._id}`,
    );
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + shift });
    expect(await press(shop, over._id)).toBeUndefined();
    await runAll(linkExpiry, shop.ctx.businessId);
    expect((await get(shop.ctx, over._id)).status).toBe("Expired");
    expect((await get(shop.ctx, open._id)).status).toBe("Active");
    expect(await press(shop, open._id)).toBeDefined();
  });
});
