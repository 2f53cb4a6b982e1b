import { expect } from "vitest";
import { db, pool } from "@/db/client";
import { createKey } from "@/lib/domain/api-keys/create";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { insertConnection } from "@/lib/domain/gateway-connections/rows";
import { systemCtx } from "@/lib/domain/context";
import { mailComposition } from "@/lib/flows/mailing/job";
import { addMember } from "@/lib/domain/users/create";
import type { Role } from "@/lib/contract/values";
import { flushBatches } from "@/lib/http/batch";
import { newId, newToken } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { handlerOf, matcher } from "@/lib/http/match";
import { type Answer, api, routes } from "../contract/setting";
import { choose, type Shop } from "../money/setting";
import { press } from "../money/setting-verbs";
import { as, type Person, someAddress, somePerson, someStaff } from "../staff/person";
import { runOnce } from "../run-once";

export type Office = Person & {
  businessId: number;
  key: string;
  liveKey: string;
  shop: Shop;
  headers: Record<string, string>;
};

/** A business of a test's own with an owner who is signed in, keys of both modes, and a line to the simulator. */
export async function newOffice(): Promise<Office> {
  const staff = await someStaff();
  const ctx = systemCtx(
    { businessId: staff.businessId, mode: "test" },
    { kind: "payer" },
    "dashboard-test",
  );
  const key = async (mode: "test" | "live") =>
    (await createKey({ businessId: staff.businessId, mode }, "Web shop")).secret;
  return {
    ...staff,
    key: await key("test"),
    liveKey: await key("live"),
    shop: { ctx, account: await resolveGateway(ctx) },
    headers: as(staff),
  };
}

/** Connects a gateway in live mode, which links need. */
export const connectLive = ({ businessId }: Pick<Office, "businessId">): Promise<void> =>
  insertConnection(db, {
    businessId,
    mode: "live",
    id: newId(),
    gateway: "simulator",
    secret: seal(newToken(), "gateway"),
  });

/** The headers of another member with a role. */
export async function member(office: Office, role: Role): Promise<Record<string, string>> {
  const person = await somePerson();
  await addMember(office.businessId, person.userId, role);
  return as({ ...person, businessId: office.businessId });
}

/** A call by the office's owner; `headers` are those of another person. */
export const staffCall = (
  office: Office,
  method: string,
  path: string,
  body?: unknown,
  headers = office.headers,
): Promise<Answer> =>
  api(method, path, {
    headers: { ...headers, ...(method === "GET" ? {} : { origin: "http://localhost:3000" }) },
    body,
  });

export const keyCall = (
  office: Office,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> => api(method, path, { key: office.key, body });

const match = matcher(routes);

/** What a route of files answers, unread. */
export async function file(path: string, headers: Record<string, string>): Promise<Response> {
  const url = new URL(`http://localhost:3000/api${path}`);
  const found = match(url.pathname);
  const handler = found && handlerOf(found.module, "GET");
  if (!found || !handler) throw new Error(`no route for GET ${path}`);
  return handler(new Request(url, { headers }), {
    params: found.params,
    clientAddress: someAddress(),
  });
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export function data<T = Record<string, unknown>>(answer: Answer): T {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return answer.body.data as T;
}

export const link = (values: Record<string, unknown> = {}) => ({
  email: "ana@example.com",
  currency: "MYR",
  amount: 1_250,
  title: "Satay for two",
  send_email: false,
  ...values,
});

/** A link made by the office's key. */
export const newLink = async (
  office: Office,
  values: Record<string, unknown> = {},
): Promise<string> =>
  data<{ _id: string }>(await keyCall(office, "POST", "/payment-links", link(values)))._id;

/** The payer presses pay and chooses an outcome at the gateway. */
export async function pay(office: Office, linkId: string, outcome = "approve"): Promise<void> {
  const session = await press(office.shop.ctx, linkId);
  if (!session) throw new Error("the link cannot be paid");
  await choose(office.shop, session, outcome);
}

/** Waits until a link has so many mails: another test may be collecting them, or hold up what may be collected. */
export async function mailed(linkId: string, mails: number): Promise<void> {
  const count = async () => {
    await runOnce(mailComposition);
    return (
      await pool().query<{ n: number }>(
        "select count(*)::int as n from mails where object_id = $1",
        [linkId],
      )
    ).rows[0]?.n;
  };
  await expect.poll(count, { timeout: 15_000, interval: 50 }).toBe(mails);
}

/** Writes what was noted off the request's path. */
export const written = flushBatches;
