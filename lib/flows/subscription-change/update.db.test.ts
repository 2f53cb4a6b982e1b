import { afterAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { eventsAbout } from "@/lib/domain/events/rows";
import { create as createPackage } from "@/lib/domain/packages/create";
import { get } from "@/lib/domain/subscriptions/get";
import { update } from "@/lib/flows/subscription-change/update";
import { api } from "@/tests/contract/setting";
import {
  activeToken,
  address,
  ctx,
  liveCount,
  subscribe,
  tenant,
  terms,
  typesOf,
} from "@/tests/domain/subscription-setting";

afterAll(closePool);

describe("an update", () => {
  test("leaves what is absent, clears the phone by null, and writes nothing when nothing changes", async () => {
    const made = await subscribe();
    expect(await update(ctx, made._id, {})).toEqual(made);
    expect(await update(ctx, made._id, { email: made.email, phone_no: "+60 12" })).toEqual(made);
    expect(await typesOf(made._id)).toEqual(["subscription.created"]);
    const cleared = await update(ctx, made._id, { phone_no: null });
    expect(cleared).toEqual({
      ...made,
      phone_no: null,
      version: 2,
      updated_at: expect.any(String),
    });
    expect((await eventsAbout(ctx, made._id)).map((event) => [event.type, event.data])[0]).toEqual([
      "subscription.updated",
      cleared,
    ]);
    expect(await typesOf(made._id)).toEqual(["subscription.created", "subscription.updated"]);
  });

  test("of the address forgets the token, and takes none that the other payer saved before", async () => {
    const [one, other, third] = [address(), address(), address()];
    const tokenOfOne = await activeToken(one);
    await activeToken(other);
    const { _id, tokenization_id } = await subscribe(one);
    expect(tokenization_id).toBe(tokenOfOne);
    expect(await update(ctx, _id, { email: third })).toMatchObject({
      email: third,
      tokenization_id: null,
    });
    expect(await update(ctx, _id, { email: other })).toMatchObject({
      email: other,
      tokenization_id: null,
    });
  });

  test("of the address's case keeps the token", async () => {
    const email = address();
    const token = await activeToken(email);
    const { _id } = await subscribe(email);
    await activeToken(email);
    expect(await update(ctx, _id, { email: email.toUpperCase() })).toMatchObject({
      email: email.toUpperCase(),
      tokenization_id: token,
    });
  });

  test.each(["cancel", "cancelled", "canceled"])(
    "with status %s cancels for good",
    async (status) => {
      const own = await createPackage(ctx, terms);
      const { _id } = await subscribe(address(), own._id);
      const answer = await api("PUT", `/subscriptions/${_id}`, {
        key: tenant.keys.test,
        body: { status },
      });
      expect(answer.body.data).toMatchObject({
        status: "cancel",
        cancelled_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      });
      for (const body of [{}, { status }, { email: address() }])
        expect(
          (await api("PUT", `/subscriptions/${_id}`, { key: tenant.keys.test, body })).status,
        ).toBe(409);
      expect(await typesOf(_id)).toEqual(["subscription.created", "subscription.cancelled"]);
      expect(await liveCount(own._id)).toBe(0);
    },
  );

  test.each(["created", "active", "past_due", "halted", "Cancel", "deleted", 1, true, []])(
    "with status %j is a 422 that lists what is allowed",
    async (status) => {
      const { _id } = await subscribe();
      const answer = await api("PUT", `/subscriptions/${_id}`, {
        key: tenant.keys.test,
        body: { status },
      });
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        { status: ["The selected status is invalid. Allowed: cancel, cancelled, canceled."] },
      ]);
      expect((await get(ctx, _id)).status).toBe("created");
    },
  );

  test("that changes the address and cancels writes an event for each, with what that one changed", async () => {
    const { _id } = await subscribe();
    const email = address();
    expect(await update(ctx, _id, { email, status: "cancel" })).toMatchObject({
      email,
      status: "cancel",
    });
    const events = (await eventsAbout(ctx, _id))
      .reverse()
      .map((event) => [
        event.type,
        event.data.status,
        event.data.email === email,
        Object.keys(event.previous ?? {}).sort(),
      ]);
    expect(events.slice(1)).toEqual([
      ["subscription.updated", "created", true, ["email"]],
      ["subscription.cancelled", "cancel", true, ["cancelled_at", "next_charge_at", "status"]],
    ]);
  });
});
