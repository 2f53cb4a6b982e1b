import { describe, expect, test } from "vitest";
import { visitAsPayer } from "@/lib/operator/payer-browser";
import { newId } from "@/lib/kernel/ids";
import { newWorld } from "./own-setting";

const world = newWorld();

describe("an order whose payment method was changed", () => {
  const bank = { payment_method: "bacs", payment_method_title: "Direct bank transfer" };

  test("is paid by money that arrives through its link; a note says so, and it can be refunded on the order page", async () => {
    const id = world.shop.order("12.50");
    const { redirect = "" } = await world.shop.checkout(id);
    world.shop.edit(id, { ...bank, status: "on-hold" });
    await visitAsPayer(world.kutip.origin, redirect, "approve");
    await world.statusBecomes(id, "processing");
    expect(world.shop.read(id)).toMatchObject({
      completed: 1,
      payment_method: "kutip",
      payment_method_title: "Pay online",
    });
    const notes = world.shop.read(id).notes?.join() ?? "";
    expect(notes).toContain("although Direct bank transfer had been chosen instead");
    expect(await world.shop.refund(id, "5.00")).toEqual({ error: null });
  });

  test("that was paid in another way meanwhile gets a note about the second payment, and stays as it is", async () => {
    const id = world.shop.order("12.50");
    const { redirect = "" } = await world.shop.checkout(id);
    world.shop.edit(id, { ...bank, status: "processing" });
    await visitAsPayer(world.kutip.origin, redirect, "approve");
    await world.noteComes(id, "for this order, which is paid already. Refund it in Kutip.");
    expect(world.shop.read(id)).toMatchObject({ ...bank, status: "processing" });
    expect(world.shop.read(id)).not.toHaveProperty("completed");
  });

  test("after it was paid by Kutip still records refunds, and gets notes of disputes and failed refunds", async () => {
    const { id, payment } = await world.paidOrder();
    world.shop.edit(id, bank);
    await world.refundInKutip(payment, 400);
    await world.noteComes(id, "Kutip shows MYR 4.00 as given back.");
    expect(world.shop.read(id).refunds).toMatchObject([{ amount: "4.00" }]);
    const data = await world.read<object>(`/payments/${payment}`);
    const disputed = { _id: newId(), type: "payment.disputed", mode: "test", data };
    expect(await world.post(disputed)).toBe(200);
    expect(world.shop.read(id).notes?.join()).toContain("disputes payment");
    const [refund] = await world.refunds(payment);
    const failed = { _id: newId(), type: "refund.failed", mode: "test", data: refund };
    expect(await world.post(failed)).toBe(200);
    expect(world.shop.read(id).notes?.join()).toContain("the refund of MYR 4.00 failed");
  });

  test("and with it the transaction, still gets notes of failed refunds", async () => {
    const { id, payment } = await world.paidOrder();
    world.shop.edit(id, { ...bank, transaction_id: "bank-1" });
    const data = { payment_id: payment, amount: 400, message: "The bank sent it back." };
    expect(await world.post({ _id: newId(), type: "refund.failed", mode: "test", data })).toBe(200);
    expect(world.shop.read(id).notes?.join()).toContain("the refund of MYR 4.00 failed");
  });

  test("has its link cancelled with it", async () => {
    const id = world.shop.order("12.50");
    await world.shop.checkout(id);
    world.shop.edit(id, bank);
    await world.shop.setStatus(id, "cancelled");
    await world.shop.runScheduled();
    expect(await world.links()).toMatchObject([{ status: "Cancelled" }]);
  });
});
