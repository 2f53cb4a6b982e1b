import type { BookedRefund, Connection, Gateway, Hint } from "./gateway";

/**
 * The gateway as Kutip calls it: with the ids and refunds that Kutip has stored. For gateways that find nothing by our reference alone. Another
 * connection, or an attempt without an answer, has none.
 */
export function withMemory(gateway: Gateway): Gateway {
  const ids = new Map<string, string>();
  const refunds = new Map<string, Map<string, BookedRefund>>();
  const nameOf = (connection: Connection, reference: string) => `${connection.id} ${reference}`;
  const known = (connection: Connection, reference: string, hint?: Hint): Hint =>
    hint ?? {
      gatewayId: ids.get(nameOf(connection, reference)) ?? null,
      since: new Date().toISOString(),
    };
  const booked = (connection: Connection, reference: string, key = ""): BookedRefund[] =>
    [...(refunds.get(nameOf(connection, reference)) ?? [])].flatMap(([other, refund]) =>
      other === key ? [] : [refund],
    );
  return {
    ...gateway,
    get origins() {
      return gateway.origins;
    },
    beginPayment: async (connection, payment) => {
      const answer = await gateway.beginPayment(connection, payment);
      if (answer.kind === "redirect")
        ids.set(nameOf(connection, payment.reference), answer.gatewayId);
      return answer;
    },
    saveMethod: async (connection, request) => {
      const answer = await gateway.saveMethod(connection, request);
      if (answer.kind === "redirect")
        ids.set(nameOf(connection, request.reference), answer.gatewayId);
      return answer;
    },
    find: (connection, reference, hint) =>
      gateway.find(connection, reference, known(connection, reference, hint)),
    cancel: (connection, reference, hint) =>
      gateway.cancel(connection, reference, known(connection, reference, hint)),
    refundSupport: (connection, attempt) =>
      gateway.refundSupport(connection, {
        ...attempt,
        hint: known(connection, attempt.reference, attempt.hint),
        booked: booked(connection, attempt.reference),
      }),
    refund: async (connection, asked) => {
      const { reference, key, amount, hint } = asked;
      const answer = await gateway.refund(connection, {
        ...asked,
        hint: known(connection, reference, hint),
        booked: booked(connection, reference, key),
      });
      if (answer.kind === "succeeded") {
        const name = nameOf(connection, reference);
        const own = refunds.get(name) ?? new Map<string, BookedRefund>();
        refunds.set(name, own.set(key, { refundId: answer.refundId, amount, recorded: false }));
      }
      return answer;
    },
    findRefund: (connection, asked) =>
      gateway.findRefund(connection, {
        ...asked,
        hint: known(connection, asked.reference, asked.hint),
        booked: booked(connection, asked.reference, asked.key),
      }),
    refundsAndDisputes: (connection, reference, hint) =>
      gateway.refundsAndDisputes(
        connection,
        reference,
        known(connection, reference, hint),
        booked(connection, reference),
      ),
  };
}
