import { expect, test, vi } from "vitest";
import { PaymentList } from "@/components/payments/list";
import { paymentFilters } from "@/components/payments/list-filters";
import { listQuery } from "@/lib/client/list-query";
import { Customer } from "@/lib/contract/customers";
import { listCustomers, listPayments } from "@/lib/contract/operations";
import { PaymentWithPayer } from "@/lib/contract/payments";
import { answered, drawn } from "@/tests/drawn";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const payment = PaymentWithPayer.parse(PaymentWithPayer.meta()?.examples?.[0]);
const customer = Customer.parse(Customer.meta()?.examples?.[0]);
const filters = Object.fromEntries(paymentFilters.map((name) => [name, ""]));

const saysOf = (name: string | null, email = payment.email) =>
  drawn(<PaymentList />, [
    answered(
      listPayments,
      { query: listQuery(filters, {}) },
      { next_page_url: null, prev_page_url: null, data: [{ ...payment, email }] },
    ),
    answered(
      listCustomers,
      { query: { payment_ids: payment._id, per_page: 100 } },
      { next_page_url: null, prev_page_url: null, data: [{ ...customer, name }] },
    ),
  ]);

test("a list of payments names the customers of its rows, whatever the case of the address", () => {
  expect(saysOf("Puan Zaleha", customer.email.toUpperCase())).toContain(">Puan Zaleha</bdi>");
  expect(saysOf("Puan Zaleha", "other@example.com")).not.toContain("Zaleha");
  expect(saysOf(null)).not.toContain("</bdi>");
});
