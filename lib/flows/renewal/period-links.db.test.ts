import pg from "pg";
import { afterAll, describe, expect, test, vi } from "vitest";
import { closePool } from "@/db/client";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { create as createPackage } from "@/lib/domain/packages/create";
import { presentLink } from "@/lib/domain/payment-links/present";
import { findLink } from "@/lib/domain/payment-links/rows";
import { get } from "@/lib/domain/subscriptions/get";
import { list } from "@/lib/domain/subscriptions/list";
import { remove } from "@/lib/flows/subscription-change/remove";
import { update } from "@/lib/flows/subscription-change/update";
import {
  address,
  ctx,
  liveCount,
  periodLink,
  statusOf,
  subscribe,
  terms,
  typesOf,
} from "@/tests/domain/subscription-setting";
import { begin as beginPayment } from "../checkout/steps";

afterAll(closePool);

describe("period links", () => {
  test("come newest first, at most 25, each subscription its own, in one and in the list", async () => {
    const own = await createPackage(ctx, terms);
    const [many, few, none] = [
      await subscribe(address(), own._id),
      await subscribe(address(), own._id),
      await subscribe(address(), own._id),
    ];
    const months = Array.from({ length: 27 }, (_, index) =>
      new Date(Date.UTC(2027, index, 1)).toISOString().slice(0, 10),
    );
    for (const month of months) await periodLink(many._id, month);
    await periodLink(few._id, "2027-01-01");
    const listed = (await list(ctx, { package_id: own._id }, new URLSearchParams())).data;
    expect(listed.map((one) => [one._id, one.payment_links.length])).toEqual([
      [none._id, 0],
      [few._id, 1],
      [many._id, 25],
    ]);
    const starts = (await get(ctx, many._id)).payment_links.map((link) => link.period_start);
    expect(starts).toEqual(months.toReversed().slice(0, 25));
    expect(listed.at(-1)?.payment_links.map((link) => link.period_start)).toEqual(starts);
  });

  test("a list takes two statements however long it is", async () => {
    const own = await createPackage(ctx, terms);
    const queries = async () => {
      const spy = vi.spyOn(pg.Client.prototype, "query");
      await list(ctx, { package_id: own._id, per_page: 100 }, new URLSearchParams());
      const { length } = spy.mock.calls;
      spy.mockRestore();
      return length;
    };
    for (const count of [1, 9]) {
      for (let made = 0; made < count; made++) await subscribe(address(), own._id);
      expect(await queries()).toBe(2);
    }
  });

  test("that are open are cancelled with the subscription, with one event each; paid ones and other payers' stay", async () => {
    const [{ _id }, other] = [await subscribe(), await subscribe()];
    const [paid, open, theirs] = [
      await periodLink(_id, "2027-01-31", "status = 'Paid', paid_at = now()"),
      await periodLink(_id, "2028-01-31"),
      await periodLink(other._id, "2027-01-31"),
    ];
    const cancelled = await update(ctx, _id, { status: "cancel" });
    expect(cancelled.payment_links.map((link) => [link._id, link.status])).toEqual([
      [open, "Cancelled"],
      [paid, "Paid"],
    ]);
    expect(await typesOf(open)).toEqual(["payment_link.created", "payment_link.cancelled"]);
    expect(await typesOf(paid)).toEqual(["payment_link.created"]);
    expect((await findLink(ctx, theirs))?.status).toBe("Active");
  });

  test("whose payer is at the gateway take no money after the cancelling", async () => {
    const { _id } = await subscribe();
    const open = await periodLink(_id, "2027-01-31");
    const begun = await beginPayment(ctx, open, 1);
    if (begun.kind !== "redirect") throw new Error(begun.kind);
    const paymentId = (await findLink(ctx, open))?.openPaymentId ?? "";
    await update(ctx, _id, { status: "cancel" });
    expect(await findLink(ctx, open)).toMatchObject({ status: "Cancelled", openPaymentId: null });
    const { gateway, connection } = await resolveGateway(ctx);
    expect((await gateway.find(connection, paymentId)).kind).toBe("cancelled");
    expect(await beginPayment(ctx, open, 1)).toEqual({ kind: "show" });
  });

  test("are open for a payer again in no case once the subscription is deleted", async () => {
    const { _id } = await subscribe();
    const open = await periodLink(_id, "2027-01-31");
    expect((await remove(ctx, _id)).payment_links.map((link) => link.status)).toEqual(["Active"]);
    const link = await findLink(ctx, open);
    expect(link && presentLink(link).status).toBe("Cancelled");
  });
});

test("cancelled and deleted by many at once, it ends once, and its package counts it out once", async () => {
  for (let round = 0; round < 15; round++) {
    const own = await createPackage(ctx, terms);
    const { _id } = await subscribe(address(), own._id);
    const link = await periodLink(_id, "2027-01-31");
    const cancel = () => statusOf(update(ctx, _id, { status: "cancel" }));
    const outcomes = await Promise.all([
      cancel(),
      statusOf(remove(ctx, _id)),
      cancel(),
      statusOf(remove(ctx, _id)),
      statusOf(update(ctx, _id, { phone_no: null })),
    ]);
    expect(outcomes.slice(0, 4).filter((status) => status === 200).length).toBeGreaterThan(0);
    const types = await typesOf(_id);
    expect(types.filter((type) => type === "subscription.deleted")).toHaveLength(1);
    expect(types.filter((type) => type === "subscription.cancelled").length).toBe(
      outcomes[0] === 200 || outcomes[2] === 200 ? 1 : 0,
    );
    expect(await typesOf(link)).toEqual(["payment_link.created", "payment_link.cancelled"]);
    expect(await liveCount(own._id)).toBe(0);
  }
});
