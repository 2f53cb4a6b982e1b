import {
  environmentManager,
  MutationObserver,
  QueryClient,
  QueryClientProvider,
  QueryObserver,
} from "@tanstack/react-query";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, onTestFinished, test, vi } from "vitest";
import type { CursorPage } from "@/lib/contract/envelope";
import {
  cancelPaymentLink,
  getMe,
  getPaymentLink,
  getSigningSecret,
  listEvents,
  listPaymentLinks,
} from "@/lib/contract/operations";
import { type PaymentLink, paymentLinkExample } from "@/lib/contract/payment-links";
import { addressOf } from "./call";
import { changed, useEndpoint, type WaitedFor } from "./hooks";
import { keys } from "./keys";
import { ApiProblem } from "./problem";
import { makeQueryClient } from "./query-client";
import { meAddress, meKey } from "./use-me";

const scope = { business: "1001", mode: "test" } as const;
const live = { business: "1001", mode: "live" } as const;
const link = paymentLinkExample as PaymentLink;
const page: CursorPage<PaymentLink> = {
  data: [link],
  path: "",
  per_page: 15,
  next_cursor: null,
  next_page_url: null,
  prev_cursor: null,
  prev_page_url: null,
};
const cancelled = { ...link, status: "Cancelled" as const };

test("an optimistic change is seen in every list and detail of this mode, and undone whole", async () => {
  const client = new QueryClient();
  const first = keys.call(scope, listPaymentLinks, { query: { page: 1 } });
  const second = keys.call(scope, listPaymentLinks, { query: { page: 1, status: "Active" } });
  const detail = keys.call(scope, getPaymentLink, { params: { payment_link_id: link._id } });
  const other = keys.call(live, listPaymentLinks, { query: { page: 1 } });
  for (const key of [first, second, other]) client.setQueryData(key, page);
  client.setQueryData(detail, link);

  const undo = await changed(client, scope, cancelPaymentLink, (draft) => {
    draft.change(
      listPaymentLinks,
      (data) => ({ ...data, data: data.data.map(() => cancelled) }) as typeof data,
    );
    draft.change(getPaymentLink, () => cancelled);
    draft.change(getPaymentLink, (data) => ({ ...data, title: "Twice" }));
  });
  expect(client.getQueryData<typeof page>(first)?.data[0]?.status).toBe("Cancelled");
  expect(client.getQueryData<typeof page>(second)?.data[0]?.status).toBe("Cancelled");
  expect(client.getQueryData<PaymentLink>(detail)).toMatchObject({
    status: "Cancelled",
    title: "Twice",
  });
  expect(client.getQueryData(other)).toBe(page);

  undo();
  for (const key of [first, second]) expect(client.getQueryData(key)).toEqual(page);
  expect(client.getQueryData(detail)).toEqual(link);
});

test("what a person has is one entry, whichever business is looked at", () => {
  expect(keys.call(scope, getMe, {})).toEqual(meKey);
  expect(addressOf(getMe, {})).toBe(meAddress);
});

test("a filter that is not set and one that is absent are the same entry", () => {
  expect(keys.call(scope, listPaymentLinks, { query: { page: 1, q: "" } })).toEqual(
    keys.call(scope, listPaymentLinks, { query: { page: 1 } }),
  );
});

const Freshness = () => String(useEndpoint(getMe, {}).isStale);

test("an answer of a moment ago is fresh: a screen that shows it again asks for nothing", () => {
  const client = makeQueryClient(() => undefined);
  client.setQueryData(keys.call(null, getMe, {}), { name: "Mei" });
  const page = createElement(QueryClientProvider, { client }, createElement(Freshness));
  expect(renderToString(page)).toBe("false");
});

const Polled = () => useEndpoint(listEvents, { query: { page: 1 } }, { every: 5_000 }).status;

test.each([
  ["has 10 rows", { current_page: 1, total: 10 }, 0, 24],
  ["has 30,000 rows", { current_page: 1, total: 30_000 }, 0, 8],
  ["has 1,000,000 rows", { current_page: 1, total: 1_000_000 }, 0, 2],
  ["finds 10 rows in a second", { current_page: 1, total: 10 }, 1_000, 5],
  ["is not counted", { next_cursor: null }, 1_000, 20],
  ["is refused after 8 seconds", undefined, 8_000, 1],
])("a list that %s is asked for as often as its work allows", async (_is, page, ms, times) => {
  vi.useFakeTimers();
  environmentManager.setIsServer(() => false);
  onTestFinished(() => {
    environmentManager.setIsServer(() => typeof window === "undefined");
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  const fetched = vi.fn(async () => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return page ? Response.json({ data: page }) : Response.json({}, { status: 429 });
  });
  vi.stubGlobal("fetch", fetched);
  const client = makeQueryClient(() => undefined);
  renderToString(createElement(QueryClientProvider, { client }, createElement(Polled)));
  const queryKey = keys.call(null, listEvents, { query: { page: 1 } });
  const options = client.getQueryCache().find({ queryKey })?.options;
  const stop = new QueryObserver(client, { ...options, queryKey }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(ms);
  fetched.mockClear();
  await vi.advanceTimersByTimeAsync(122_000);
  expect(fetched).toHaveBeenCalledTimes(times);
  stop();
});

/** What the hook would do with a secret that is shown: whether it counts as old, and whether it is asked for at all. */
function Secret() {
  const { isStale, isEnabled } = useEndpoint(getSigningSecret, {}, { once: true });
  return `${isStale ? "old" : "fresh"}, ${isEnabled ? "asked" : "not asked"}`;
}
const secretKey = keys.call(null, getSigningSecret, {});
const drawnSecret = (client: QueryClient) =>
  renderToString(createElement(QueryClientProvider, { client }, createElement(Secret)));

test("what needed a proof is not read again after another change of its tag, also where a call put it there", async () => {
  const client = makeQueryClient(() => undefined);
  expect(drawnSecret(client)).toBe("old, asked");
  client.setQueryData(secretKey, { mode: "test", secret: "9f2c" });
  await client.invalidateQueries({ queryKey: keys.tag(null, getSigningSecret.tag) });
  expect(drawnSecret(client)).toBe("fresh, asked");
});

test("a proof that was refused is asked for again only when the person wants it", async () => {
  const client = makeQueryClient(() => undefined);
  const refused = new ApiProblem(403, "reauthentication_required", "Confirm who you are.");
  await client.prefetchQuery({ queryKey: secretKey, queryFn: () => Promise.reject(refused) });
  await client.invalidateQueries({ queryKey: keys.tag(null, getSigningSecret.tag) });
  expect(drawnSecret(client)).toContain("not asked");
});

test("an action that is refused since nobody is signed in leads to the sign-in, but not from a form that shows it", async () => {
  let left = 0;
  const client = makeQueryClient(() => (left += 1));
  const act = async (status: number, showsProblems: boolean, isWaitedFor = false) => {
    const mutationFn = (_: WaitedFor) => Promise.reject(new ApiProblem(status, "", ""));
    const onError = () => undefined;
    const action = new MutationObserver(client, { mutationFn, onError, meta: { showsProblems } });
    await action.mutate({ isWaitedFor }).catch(() => undefined);
    return left;
  };
  expect(await act(409, false)).toBe(0);
  expect(await act(401, false)).toBe(1);
  expect(await act(401, true)).toBe(1);
  expect(await act(401, false, true)).toBe(1);
});
