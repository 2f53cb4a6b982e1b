import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { visitAsPayer } from "@/lib/operator/payer-browser";
import { line, newWorld, silence } from "./own-setting";
import type { Storage } from "./wordpress";

const world = newWorld();
const bank = { payment_method: "bacs", payment_method_title: "Direct bank transfer" };
const statuses = async () => (await world.links()).map(({ status }) => status).sort();
const notesOf = (id: number, words: string) =>
  world.shop.read(id).notes?.filter((note) => note.includes(words));
const byBank = async (id: number) => {
  await world.shop.update(id, bank);
  await world.shop.setStatus(id, "processing");
};

/** Runs scheduled actions until none is left. Returns how many ran. */
async function runAll(): Promise<number> {
  let all = 0;
  for (let ran = -1; ran !== 0; all += ran) ran = await world.shop.runScheduled();
  return all;
}

/** An order with a link that can be paid. */
async function openOrder(): Promise<number> {
  const id = world.shop.order("12.50");
  await world.shop.checkout(id);
  return id;
}

/** An order with a link that was made, and the shop has not got the answer. */
async function losesAnAnswer(): Promise<number> {
  const id = world.shop.order("12.50");
  const bad = await line(world.kutip.origin, () => "unanswered");
  onTestFinished(bad.close);
  world.connect(bad.origin);
  expect((await world.shop.checkout(id)).notices).toEqual([
    expect.stringContaining("does not answer right now"),
  ]);
  expect(await statuses()).toEqual(["Active"]);
  world.connect();
  return id;
}

describe.each<Storage>(["posts", "tables"])("orders that are kept as %s", (storage) => {
  beforeEach(() => world.shop.keepOrdersAs(storage));

  test.each<[string, (id: number) => Promise<unknown>]>([
    ["is cancelled", (id) => world.shop.setStatus(id, "cancelled")],
    ["is paid in another way", byBank],
    ["is marked as paid by hand", (id) => world.shop.setStatus(id, "completed")],
    ["is refunded", (id) => world.shop.setStatus(id, "refunded")],
    ["costs another amount", (id) => world.shop.update(id, { total: "99.00" })],
    ["has another currency", (id) => world.shop.update(id, { currency: "SGD" })],
    ["has another address", (id) => world.shop.update(id, { billing_email: "sitti@example.com" })],
    ["is put into the bin", (id) => world.shop.remove(id, "trash")],
    ["is put into the bin by a program", (id) => world.shop.remove(id, "trash", { rest: true })],
    ["is deleted", (id) => world.shop.remove(id, "delete")],
    ["is deleted by a program", (id) => world.shop.remove(id, "delete", { rest: true })],
  ])(
    "the link of one that %s is cancelled by one action, and the request that changes it waits for no call",
    async (_name, change) => {
      const id = await openOrder();
      const dead = await silence();
      onTestFinished(dead.close);
      world.connect(dead.origin);
      const notes = world.shop.read(id).notes;
      await change(id);
      expect(await statuses()).toEqual(["Active"]);
      world.connect();
      expect(await world.shop.runScheduled()).toBe(1);
      expect(await statuses()).toEqual(["Cancelled"]);
      expect(await world.shop.runScheduled()).toBe(0);
      expect(notes).toHaveLength(1);
    },
  );

  test("a change that leaves what the link asks for leaves the link", async () => {
    const id = await openOrder();
    await world.shop.update(id, { billing_email: "Siti@Example.com", total: "12.5" });
    await world.shop.update(id, bank);
    await world.shop.setStatus(id, "on-hold");
    expect(await world.shop.runScheduled()).toBe(0);
    expect(await statuses()).toEqual(["Active"]);
  });

  test("an order that Kutip paid keeps its link, and nothing is asked of Kutip again", async () => {
    const { id } = await world.paidOrder();
    const { notes } = world.shop.read(id);
    await world.shop.update(id, { total: "20.00" });
    for (const status of ["completed", "on-hold", "refunded"])
      await world.shop.setStatus(id, status);
    await world.shop.remove(id, "trash");
    expect(world.shop.read(id).notes).toEqual(notes);
    await world.shop.remove(id, "delete");
    expect(await world.shop.runScheduled()).toBe(0);
    expect(await statuses()).toEqual(["Paid"]);
  });

  test("a cancelled order that is opened again gets a link of its own", async () => {
    const id = await openOrder();
    await world.shop.setStatus(id, "cancelled");
    await world.shop.runScheduled();
    expect(notesOf(id, "asks for no more money, so its payment link was cancelled")).toHaveLength(
      1,
    );
    await world.shop.setStatus(id, "pending");
    await world.pay(id);
    await world.statusBecomes(id, "processing");
    expect(await statuses()).toEqual(["Cancelled", "Paid"]);
  });

  test("an order that is cancelled cannot be paid: no link is made", async () => {
    const id = world.shop.order("12.50");
    await world.shop.setStatus(id, "cancelled");
    expect(await world.shop.checkout(id)).toEqual({
      result: "failure",
      notices: [expect.stringContaining("error: This order cannot be paid any more.")],
    });
    expect(await world.links()).toEqual([]);
  });

  /** The payer presses pay, and the link of the order is made when it is let through. */
  async function linkIsBeingMade() {
    const asked = Promise.withResolvers<void>();
    const allowed = Promise.withResolvers<void>();
    const slow = await line(world.kutip.origin, async (method, path) => {
      if (method !== "POST" || path !== "/api/payment-links") return true;
      asked.resolve();
      await allowed.promise;
      return true;
    });
    onTestFinished(slow.close);
    world.connect(slow.origin);
    const id = world.shop.order("12.50");
    const pressed = world.shop.checkout(id);
    await asked.promise;
    return { id, pressed, letThrough: allowed.resolve };
  }

  test.each<[string, (id: number) => Promise<unknown>, string]>([
    ["cancelled", (id) => world.shop.setStatus(id, "cancelled"), "cannot be paid any more"],
    ["changed", (id) => world.shop.update(id, { total: "20.00" }), "was changed just now"],
  ])(
    "a link that is being made while its order is %s is cancelled, and the payer is not sent there",
    async (_name, change, words) => {
      const { id, pressed, letThrough } = await linkIsBeingMade();
      await change(id);
      letThrough();
      expect(await pressed).toEqual({
        result: "failure",
        notices: [expect.stringContaining(words)],
      });
      await world.shop.runScheduled();
      expect(await statuses()).toEqual(["Cancelled"]);
      expect(notesOf(id, "so its payment link was cancelled")).toHaveLength(1);
      expect(await world.shop.runScheduled()).toBe(0);
    },
  );

  test("while another process works on a cancelled order staff read that the link can be paid, and the shop tries again", async () => {
    const { id, pressed, letThrough } = await linkIsBeingMade();
    await world.shop.setStatus(id, "cancelled");
    world.shop.waitForOrders(0);
    await world.shop.runScheduled();
    world.shop.waitForOrders(25);
    expect(notesOf(id, "can still be paid")).toHaveLength(1);
    letThrough();
    await pressed;
    await world.shop.runScheduled();
    expect(await statuses()).toEqual(["Cancelled"]);
    expect(notesOf(id, "so its payment link was cancelled")).toHaveLength(1);
  });
});

test("while Kutip does not answer staff read that the link can be paid, and the shop tries again for a week", async () => {
  const id = await openOrder();
  world.connect("http://127.0.0.1:9");
  await world.shop.setStatus(id, "cancelled");
  // Twelve within an hour, then one an hour. What the shop notes saves the order: that makes it look once more.
  expect(await runAll()).toBe(1 + 12 + 24 * 7 + 1);
  expect(notesOf(id, "The shop tries again to cancel it.")).toHaveLength(1);
  expect(notesOf(id, "could not be cancelled for an hour")).toHaveLength(1);
  expect(notesOf(id, "Please cancel it in Kutip.")).toHaveLength(1);
  // The next change of the order tries it anew.
  world.connect();
  await world.shop.update(id, {});
  await world.shop.runScheduled();
  expect(await statuses()).toEqual(["Cancelled"]);
});

test("an order that is saved again while the shop tries again is tried at once, by no second series", async () => {
  const id = await openOrder();
  world.connect("http://127.0.0.1:9");
  await world.shop.setStatus(id, "cancelled");
  await world.shop.runScheduled();
  await world.shop.runScheduled();
  await world.shop.update(id, {});
  expect(await world.shop.runScheduled()).toBe(2);
  expect(await world.shop.runScheduled()).toBe(1);
  expect(notesOf(id, "can still be paid")).toHaveLength(1);
});

describe("a link that was made while its answer was lost", () => {
  const yearsAgo = (id: number) => {
    const { meta } = world.shop.read(id);
    const request = { ...JSON.parse(String(meta?._kutip_link_request)), at: 1 };
    world.shop.edit(id, { meta: { ...meta, _kutip_link_request: JSON.stringify(request) } });
  };
  const nothing = () => undefined;

  test.each<[string, (id: number) => void]>([
    ["by its key", nothing],
    ["in Kutip's list, after the key is kept no more", yearsAgo],
  ])("is the one that the payer gets on the next press: it is found %s", async (_name, wait) => {
    const id = await losesAnAnswer();
    wait(id);
    const { redirect = "" } = await world.shop.checkout(id);
    const [link] = await world.links();
    expect(redirect).toContain(`id=${link?._id}`);
    expect(await world.links()).toHaveLength(1);
  });

  test.each<[string, (id: number) => void]>([
    ["by its key", nothing],
    ["in Kutip's list", yearsAgo],
  ])(
    "is cancelled before a link over the changed amount is made: it is found %s",
    async (_name, wait) => {
      const id = await losesAnAnswer();
      wait(id);
      await world.shop.update(id, { total: "20.00" });
      await world.pay(id);
      await world.statusBecomes(id, "processing");
      expect(await statuses()).toEqual(["Cancelled", "Paid"]);
      await world.shop.runScheduled();
      expect(await statuses()).toEqual(["Cancelled", "Paid"]);
    },
  );

  test.each<[string, (id: number) => Promise<unknown>]>([
    ["is cancelled", (id) => world.shop.setStatus(id, "cancelled")],
    ["is paid in another way", byBank],
    ["is changed", (id) => world.shop.update(id, { billing_email: "sitti@example.com" })],
    ["is deleted", (id) => world.shop.remove(id, "delete")],
  ])("is cancelled when its order %s", async (_name, change) => {
    const id = await losesAnAnswer();
    await change(id);
    await world.shop.runScheduled();
    await world.shop.runScheduled();
    expect(await statuses()).toEqual(["Cancelled"]);
    expect(await world.shop.runScheduled()).toBe(0);
  });

  test.each<[string, (id: number) => void]>([
    ["by its key", nothing],
    ["in Kutip's list", yearsAgo],
  ])(
    "pays the order, if staff sent the link to its payer meanwhile: it is found %s",
    async (_name, wait) => {
      const id = await losesAnAnswer();
      wait(id);
      const [link] = await world.links();
      world.connect("http://127.0.0.1:9");
      await visitAsPayer(world.kutip.origin, link?.payment_url ?? "", "approve");
      const [{ _id: payment } = { _id: "" }] = await world.payments();
      const data = await world.read<object>(`/payments/${payment}`);
      const event = { _id: newId(), type: "payment.succeeded", mode: "test", data };
      // Kutip sends it again.
      expect(await world.post(event)).toBe(503);
      world.connect();
      expect(await world.post(event)).toBe(200);
      expect(world.shop.read(id)).toMatchObject({
        status: "processing",
        transaction_id: payment,
        completed: 1,
      });
      expect(await statuses()).toEqual(["Paid"]);
    },
  );

  test.each([
    "https://Kedai.Example:443",
    "https://kedai.example/kedai-é",
    "https://kedai.example",
  ])(
    "is found in Kutip's list, in which the shop's address has its normal form: %s",
    async (address) => {
      world.shop.nameAddress(address);
      const id = await losesAnAnswer();
      yearsAgo(id);
      await world.shop.setStatus(id, "cancelled");
      await runAll();
      expect(await statuses()).toEqual(["Cancelled"]);
    },
  );

  test("is asked for again in the very words that were sent", async () => {
    world.shop.rename('Kedai \\ "Dua"');
    const id = await losesAnAnswer();
    await world.shop.checkout(id);
    expect(await world.links()).toMatchObject([{ status: "Active" }]);
    await world.shop.setStatus(id, "cancelled");
    await world.shop.runScheduled();
    expect(await statuses()).toEqual(["Cancelled"]);
  });

  test("is looked for until Kutip answers, and no other link is made meanwhile", async () => {
    const id = await losesAnAnswer();
    world.connect("http://127.0.0.1:9");
    await world.shop.update(id, { total: "20.00" });
    expect((await world.shop.checkout(id)).result).toBe("failure");
    await world.shop.runScheduled();
    // Whether there is such a link is not known.
    expect(
      notesOf(id, `with the reference ${id} may have been made. If so, it can still be paid.`),
    ).toHaveLength(1);
    world.connect();
    await runAll();
    expect(await statuses()).toEqual(["Cancelled"]);
  });

  test("of which Kutip has none needs no cancellation", async () => {
    const id = world.shop.order("12.50");
    world.connect("http://127.0.0.1:9");
    await world.shop.checkout(id);
    yearsAgo(id);
    world.connect();
    await world.shop.setStatus(id, "cancelled");
    expect(await world.shop.runScheduled()).toBe(1);
    expect(await world.links()).toEqual([]);
    await world.shop.setStatus(id, "refunded");
    expect(await world.shop.runScheduled()).toBe(0);
  });
});
