import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Refusal } from "@/db/embedded/refusal";
import type { Event } from "@/lib/contract/events";
import { type ApiClient, apiClient, keyFromStdin } from "./api-client";
import { visitAsPayer } from "./payer-browser";
import { print, UsageError } from "./usage";

type Made = { _id: string; payment_url: string; activation_url: string };
type Scenario = (client: ApiClient) => Promise<unknown>;

const payer = "trigger@example.com";
const linkBody = {
  email: payer,
  currency: "MYR",
  amount: 1_250,
  title: "Triggered payment link",
  send_email: false,
};
const packageBody = {
  name: "Triggered package",
  amount: 4_900,
  currency: "MYR",
  frequency: "monthly",
  date_charge_start: "2999-01-31",
};

const newLink = ({ call }: ApiClient) => call<Made>("POST", "/payment-links", linkBody);
const newPackage = ({ call }: ApiClient) => call<Made>("POST", "/packages", packageBody);
const newToken = ({ call }: ApiClient) =>
  call<Made>("POST", "/tokenizations/create-token", {
    email: payer,
    title: "Triggered token",
    description: "A card for tests",
  });
const newSubscription = async (client: ApiClient) =>
  client.call<Made>("POST", "/subscriptions", {
    package_id: (await newPackage(client))._id,
    email: payer,
  });

async function paidLink(client: ApiClient): Promise<Made> {
  const link = await newLink(client);
  await visitAsPayer(client.origin, link.payment_url, "approve");
  return link;
}

/** A scenario of one more call on a record that was made for it. */
const then =
  (
    make: (client: ApiClient) => Promise<Made>,
    method: string,
    path: string,
    body?: unknown,
  ): Scenario =>
  async (client) =>
    client.call(method, path.replace("{id}", (await make(client))._id), body);

async function refund(client: ApiClient): Promise<void> {
  const link = await paidLink(client);
  const { data } = await client.call<{ data: Made[] }>(
    "GET",
    `/payments?payment_link_id=${link._id}`,
  );
  const [payment] = data;
  if (!payment) throw new Refusal("the link was not paid");
  await client.call("POST", `/payments/${payment._id}/refunds`, {});
}

const link = "/payment-links/{id}";
const subscription = "/subscriptions/{id}";

/** What makes each event happen. Other events need time to pass or a gateway's own doing. */
export const scenarios: Partial<Record<Event["type"], Scenario>> = {
  "payment_link.created": newLink,
  "payment_link.updated": then(newLink, "PUT", link, { ...linkBody, title: "Another title" }),
  "payment_link.deleted": then(newLink, "DELETE", link),
  "payment_link.paid": paidLink,
  "payment_link.cancelled": then(newLink, "POST", `${link}/cancel`, {}),
  "payment_link.reopened": async (client) => {
    const { _id } = await newLink(client);
    await client.call("POST", `/payment-links/${_id}/cancel`, {});
    await client.call("POST", `/payment-links/${_id}/reopen`, {});
  },
  "payment.succeeded": paidLink,
  "payment.failed": async (client) =>
    visitAsPayer(client.origin, (await newLink(client)).payment_url, "decline"),
  "payment.refunded": refund,
  "tokenization.created": newToken,
  "tokenization.activated": async (client) =>
    visitAsPayer(client.origin, (await newToken(client)).activation_url, "approve"),
  "tokenization.revoked": then(newToken, "DELETE", "/tokenizations/{id}"),
  "customer.link_moved": then(newLink, "PUT", link, { ...linkBody, email: "moved@example.com" }),
  "package.created": newPackage,
  "package.updated": then(newPackage, "PUT", "/packages/{id}", { ...packageBody, name: "Renamed" }),
  "package.deleted": then(newPackage, "DELETE", "/packages/{id}"),
  "subscription.created": newSubscription,
  "subscription.updated": then(newSubscription, "PUT", subscription, { phone_no: "+60123456789" }),
  "subscription.cancelled": then(newSubscription, "PUT", subscription, { status: "cancel" }),
  "subscription.deleted": then(newSubscription, "DELETE", subscription),
};

const WAIT_ROUNDS = 60;
const POLL_MS = 500;
/** The clocks of this machine and of the install may be so far apart. */
const NEAR_MS = 60 * 60_000;

/** Makes an event happen in test mode and prints it. Throws where it does not happen within half a minute. */
export async function triggerEvent(
  client: ApiClient,
  type: string,
  pollMs = POLL_MS,
): Promise<Event> {
  const scenario = Object.hasOwn(scenarios, type) ? scenarios[type as Event["type"]] : undefined;
  if (!scenario)
    throw new UsageError(`name one of these events: ${Object.keys(scenarios).join(", ")}`);
  // Of about now: an event of a test clock in the future is listed before all others.
  const [from, to] = [-NEAR_MS, NEAR_MS].map((ms) => new Date(Date.now() + ms).toISOString());
  const path = `/events?per_page=100&type=${type}&created_from=${from}&created_to=${to}`;
  const near = async () => (await client.call<{ data: Event[] }>("GET", path)).data;
  const before = new Set((await near()).map(({ _id }) => _id));
  await scenario(client);
  for (let round = 0; round < WAIT_ROUNDS; round++) {
    const event = (await near()).find(({ _id }) => !before.has(_id));
    if (event) return event;
    await sleep(pollMs);
  }
  throw new Refusal(`${type} did not happen: does the worker run?`);
}

/** Makes an event happen in test mode, as it happens to real payers, and prints it. */
export async function trigger(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { url: { type: "string" } },
  });
  const [type = ""] = positionals;
  if (positionals.length !== 1)
    throw new UsageError(`name one of these events: ${Object.keys(scenarios).join(", ")}`);
  const client = apiClient(await keyFromStdin(), values.url);
  print(JSON.stringify(await triggerEvent(client, type)));
}
