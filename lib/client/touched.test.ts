import { QueryClient, type QueryKey, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import {
  getBalance,
  getCustomer,
  getEvent,
  getGoLive,
  getMail,
  getOverview,
  getPaymentLink,
  getStatement,
  getSubscriptionTimeline,
  getTokenizationTimeline,
  listAuditLog,
  listPackages,
  listPayments,
  listSavedViews,
  listStatementLines,
  listSubscriptions,
  search,
} from "@/lib/contract/operations";
import { keys } from "./keys";
import { askAgain } from "./ask-again";
import { touchedBy } from "./touched";
import { meKey } from "./use-me";

const scope = { business: "1001", mode: "test" } as const;
const token = { params: { token: "6".repeat(24) } };
const subscription = { params: { subscription_id: "5".repeat(24) } };

/** Which of these answers are asked for again. */
async function asked(all: Record<string, QueryKey>, ask: (client: QueryClient) => unknown) {
  const client = new QueryClient();
  for (const key of Object.values(all)) client.setQueryData(key, {});
  await ask(client);
  return Object.keys(all).filter((name) => client.getQueryState(all[name] ?? [])?.isInvalidated);
}

test.each(["payment.succeeded", "payment.flagged", "refund.succeeded"])(
  "%s is shown in the timelines of tokens and subscriptions, and changes no package",
  async (type) => {
    const all = {
      token: keys.call(scope, getTokenizationTimeline, token),
      subscription: keys.call(scope, getSubscriptionTimeline, subscription),
      packages: keys.call(scope, listPackages, {}),
    };
    const again = await asked(all, (client) => askAgain(client, scope, touchedBy(type)));
    expect(again).toEqual(["token", "subscription"]);
  },
);

test("a change of the business reaches its time zone in all filters, and all that the server computes in it", async () => {
  const all = {
    me: meKey,
    overview: keys.call(scope, getOverview, {}),
    steps: keys.call(scope, getGoLive, {}),
    balance: keys.call(scope, getBalance, {}),
    statement: keys.call(scope, getStatement, { params: { month: "2026-11" } }),
    lines: keys.call(scope, listStatementLines, { params: { month: "2026-11" } }),
    subscriptions: keys.call(scope, listSubscriptions, {}),
    link: keys.call(scope, getPaymentLink, { params: { payment_link_id: "6".repeat(24) } }),
  };
  const again = (type: string) => asked(all, (client) => askAgain(client, scope, touchedBy(type)));
  expect(await again("business.updated")).toEqual(Object.keys(all));
  expect(await again("package.updated")).toEqual(["subscriptions"]);
});

test("an erased payer is asked for again wherever a page may name them", async () => {
  const id = "6".repeat(24);
  const all = {
    customer: keys.call(scope, getCustomer, { params: { customer_id: id } }),
    link: keys.call(scope, getPaymentLink, { params: { payment_link_id: id } }),
    token: keys.call(scope, getTokenizationTimeline, token),
    subscription: keys.call(scope, getSubscriptionTimeline, subscription),
    payments: keys.call(scope, listPayments, {}),
    mail: keys.call(scope, getMail, { params: { mail_id: id } }),
    event: keys.call(scope, getEvent, { params: { event_id: id } }),
    audit: keys.call(scope, listAuditLog, {}),
    views: keys.call(scope, listSavedViews, {}),
    found: keys.call(scope, search, { query: { q: "ana" } }),
    packages: keys.call(scope, listPackages, {}),
  };
  const again = await asked(all, (client) => askAgain(client, scope, touchedBy("payer.erased")));
  expect(again).toEqual(Object.keys(all).filter((name) => name !== "packages"));
});

test("what changes a whole business is asked for again in both modes", async () => {
  const all = {
    test: keys.call(scope, listPayments, {}),
    live: keys.call({ ...scope, mode: "live" }, listPayments, {}),
    other: keys.call({ ...scope, business: "1002" }, listPayments, {}),
  };
  const again = await asked(all, (client) =>
    client.invalidateQueries({ queryKey: keys.business(scope.business) }),
  );
  expect(again).toEqual(["test", "live"]);
});

test("a first answer that is on its way when a change is heard is asked for once more", async () => {
  const client = new QueryClient();
  const answers: ((text: string) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: keys.call(scope, listPayments, {}),
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
  });
  const stop = observer.subscribe(() => undefined);
  const again = askAgain(client, scope, touchedBy("payment.succeeded"));
  expect(answers).toHaveLength(2);
  answers[0]?.("before");
  answers[1]?.("after");
  await again;
  expect(observer.getCurrentResult()).toMatchObject({ data: "after", status: "success" });
  stop();
});
