import { describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import type { GatewayHarness } from "./contract-harness";
import { charging, type ContractSetting, payment, prepared } from "./contract-requests";
import type { ListAnswer, ListedPayment } from "./gateway";

/** Finding payments of a time without knowing their references. */
export function listContract(
  name: string,
  harness: GatewayHarness,
  { connection, begin, paid }: ContractSetting,
): void {
  const { gateway } = harness;
  const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

  async function listed(since = anHourAgo(), at = connection()): Promise<ListedPayment[]> {
    const found: ListedPayment[] = [];
    for (let cursor: string | null = null; ; ) {
      const page: ListAnswer | undefined = await gateway.listSince?.(at, since, cursor);
      if (page?.kind !== "page") throw new Error(`no page of the list: ${page?.kind}`);
      found.push(...page.payments);
      if (page.next === null) return found;
      cursor = page.next;
    }
  }

  const hasList = !harness.lacks?.includes("list");
  test.runIf(!hasList)("a gateway without a list of payments says so", () => {
    expect(gateway.listSince).toBeNull();
  });

  describe.runIf(hasList)(`${name}: listing what was paid`, () => {
    test.runIf(harness.scripted)(
      "what took money is listed once with the link it was for; open, cancelled and declined attempts are not",
      async () => {
        const linkId = newId();
        const { reference } = await paid(payment({ linkId }));
        await begin(payment({ linkId }));
        const gone = payment({ linkId });
        await begin(gone);
        await gateway.cancel(connection(), gone.reference);
        await harness.press(await begin(payment({ linkId })), "decline");
        const [only, ...more] = await listed();
        expect(more).toEqual([]);
        expect(only).toMatchObject({ reference, linkId, subscriptionId: null, pending: false });
        expect(
          await gateway.find(connection(), reference, {
            gatewayId: only?.gatewayId ?? "",
            since: anHourAgo(),
          }),
        ).toMatchObject({ kind: "succeeded", amount: 12_345, currency: "MYR" });
      },
    );

    test.runIf(harness.scripted)("what is pending is listed as such", async () => {
      const request = payment();
      await harness.press(await begin(request), "approve_later");
      expect(await listed()).toMatchObject([
        { reference: request.reference, linkId: null, pending: true },
      ]);
    });

    test("a charge is listed with what was said of it: subscription, token, title and the business's reference", async () => {
      const request = {
        ...charging(await harness.saveMethod(connection(), "works")),
        subscriptionId: newId(),
        tokenizationId: newId(),
        title: "Nasi lemak, 炒饭 & teh",
        ownReference: "order 7",
      };
      await gateway.charge(connection(), await prepared(gateway, connection(), request));
      const { reference, subscriptionId, tokenizationId, title, ownReference } = request;
      expect(await listed()).toContainEqual(
        expect.objectContaining({
          reference,
          subscriptionId,
          tokenizationId,
          title,
          ownReference,
          linkId: null,
          pending: false,
        }),
      );
    });

    test.runIf(harness.scripted)(
      "earlier payments and those of another connection are left out, and a long list is whole",
      async () => {
        const method = await harness.saveMethod(connection(), "works");
        const references = new Set<string>();
        for (let count = 0; count < 103; count++) {
          const request = charging(method);
          references.add(request.reference);
          await gateway.charge(connection(), await prepared(gateway, connection(), request));
        }
        const found = (await listed()).map(({ reference }) => reference);
        expect(found).toHaveLength(103);
        expect(new Set(found)).toEqual(references);
        expect(await listed(new Date(Date.now() + 3_600_000).toISOString())).toEqual([]);
        expect(await listed(anHourAgo(), await harness.connect())).toEqual([]);
      },
    );
  });
}
