import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { createKey } from "@/lib/domain/api-keys/create";
import { batchWork } from "@/lib/flows/batch/job";
import { mailComposition } from "@/lib/flows/mailing/job";
import { provideEnv } from "@/lib/env";
import { isLocalTime } from "@/lib/kernel/local-columns";
import { harmlessCell } from "@/lib/kernel/spreadsheet";
import { press } from "../money/setting-verbs";
import { choose } from "../money/setting";
import { runAll } from "../run-once";
import {
  bearer,
  data,
  file,
  keyCall,
  link,
  member,
  newOffice,
  type Office,
  staffCall,
  written,
} from "./setting";

provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0", RATE_LIMIT_COST: "0" });
afterAll(closePool);

type Fields = Record<string, unknown>;
type Row = Record<string, string>;
/** Secrets and contents of the office that no list shows. */
const secrets: string[] = [];
const formula = "=HYPERLINK(1)";

let office: Office;
let stranger: Office;
let readers: Record<string, Record<string, string>>;
/** When the records were there: reading the lists is logged too. */
let until: string;

beforeAll(async () => {
  [office, stranger] = [await newOffice(), await newOffice()];
  readers = {
    owner: office.headers,
    admin: await member(office, "admin"),
    staff: await member(office, "staff"),
    viewer: await member(office, "viewer"),
    key: bearer(office.key),
  };
  const { secret } = await createKey({ businessId: office.businessId, mode: "test" }, formula);
  const send = async (body: object) =>
    data<{ _id: string }>(await keyCall({ ...office, key: secret }, "POST", "/payment-links", body))
      ._id;
  const ids = [
    await send(link({ title: formula, reference: "-1+2", send_email: true })),
    await send(link({ title: "Ana; =1", email: "bo@example.com", send_email: true })),
    await send(link({ title: "Third" })),
  ];
  const session = await press(office.shop.ctx, ids[0] ?? "");
  if (session) await choose(office.shop, session, "approve");
  const sent = data<{ secret: string; _id: string }>(
    await keyCall(office, "POST", "/webhook-endpoints", { url: "https://hooks.example/kutip" }),
  );
  const range = { from: "2020-01-01T00:00:00Z" };
  data(await keyCall(office, "POST", `/webhook-endpoints/${sent._id}/redeliver`, range));
  const token = { email: "cy@example.com", title: "Card", description: "Monthly" };
  const saved = data<{ token: string }>(
    await keyCall(office, "POST", "/tokenizations/create-token", token),
  );
  const customer = { email: "di@example.com", name: formula, notes: "private-notes" };
  data(await keyCall(office, "POST", "/customers", customer));
  data(await keyCall(office, "POST", "/batches", { action: "cancel", ids: ids.slice(1) }));
  await runAll(batchWork, office.businessId);
  await runAll(mailComposition, office.businessId);
  const invited = { email: "ed@example.com", role: "staff" };
  await staffCall(office, "POST", "/invitations", invited);
  await staffCall(office, "POST", "/api-keys", { name: formula });
  await keyCall(stranger, "POST", "/payment-links", link({ title: "Strange", send_email: true }));
  await runAll(mailComposition, stranger.businessId);
  await written();
  until = new Date(Date.now() + 1).toISOString();
  secrets.push(sent.secret, saved.token, secret, office.key, "private-notes");
});

/** What the list shows of a record, by the columns of the export. */
function shown(record: Fields): Fields {
  const named = (value: unknown) => (value as { name?: string | null } | null)?.name;
  const { data: object, actor, details, ...own } = record as Record<string, Fields | undefined>;
  const ofActor = Object.entries(actor ?? {}).map(([name, value]) => [`actor_${name}`, value]);
  return {
    ...(object && { ...object, object_id: object._id }),
    ...own,
    ...Object.fromEntries(ofActor),
    ...(details && { details: JSON.stringify(details) }),
    ...(record.api_key !== undefined && { api_key: named(record.api_key) }),
    ...(record.person !== undefined && { person: named(record.person) }),
    ...(record.created_by !== undefined && { created_by: named(record.created_by) }),
  };
}

const lists = [
  ["/events", ["", "type=payment_link.created", "sort=created_at", "type=package.deleted"]],
  ["/batches", ["", "status=done", "status=waiting"]],
  ["/mails", ["", "kind=payment_link", "q=bo@example.com", "email=BO@example.com", "status=sent"]],
  [
    "/webhook-deliveries",
    ["", "status=pending", "type=payment_link.created", "type=package.deleted"],
  ],
  ["/request-log", ["", "caller=key", "method=POST", "status=4xx", "path=/batches"]],
  ["/audit-log", ["", "action=createApiKey", "q=sign", "sort=created_at"]],
] as const;
const owned = new Set(["/audit-log"]);
const forKeys = new Set(["/events", "/batches", "/webhook-deliveries"]);

const address = (path: string, query: string) =>
  `${path}?created_to=${encodeURIComponent(until)}${query === "" ? "" : `&${query}`}`;
const csvOf = async (path: string, query: string, headers: Record<string, string>) => {
  const answer = await file(address(`${path}/export`, query), headers);
  const text = await answer.text();
  return { status: answer.status, text };
};

describe.each(lists)("the export of %s", (path, queries) => {
  test.each(queries)(
    "with %j holds what the list shows, for everyone who may see it",
    async (query) => {
      for (const [who, headers] of Object.entries(readers)) {
        const listed = await staffCall(
          office,
          "GET",
          `${address(path, query)}&per_page=100`,
          undefined,
          headers,
        );
        const { status, text } = await csvOf(path, query, headers);
        expect([who, status]).toEqual([who, listed.status]);
        const may = who === "key" ? forKeys.has(path) : !owned.has(path) || /owner|admin/.test(who);
        expect([who, status]).toEqual([who, may ? 200 : 403]);
        if (!may) continue;
        const rows = parse(text, { columns: true }) as Row[];
        const records = data<{ data: Fields[] }>(listed).data.map(shown);
        expect(rows.map(({ _id }) => _id)).toEqual(records.map(({ _id }) => _id));
        for (const [at, row] of rows.entries())
          for (const [name, value] of Object.entries(row)) {
            if (isLocalTime(name, Object.keys(row))) continue;
            expect([who, name, value]).toEqual([
              who,
              name,
              harmlessCell(String(records[at]?.[name] ?? "")),
            ]);
          }
        for (const secret of secrets) expect(text).not.toContain(secret);
        if (query === "") expect(rows.length).toBeGreaterThan(0);
      }
    },
  );

  test("holds nothing of another business, and nothing of the other mode that its list does not hold", async () => {
    const own = parse((await csvOf(path, "", office.headers)).text, { columns: true }) as Row[];
    const theirs = await csvOf(path, "", stranger.headers);
    for (const { _id } of own) expect(theirs.text).not.toContain(_id);
    const live = { ...office.headers, "x-kutip-mode": "live" };
    const { text } = await csvOf(path, "", live);
    const listed = data<{ data: Fields[] }>(
      await staffCall(office, "GET", `${address(path, "")}&per_page=100`, undefined, live),
    ).data;
    expect((parse(text, { columns: true }) as Row[]).map(({ _id }) => _id)).toEqual(
      listed.map(({ _id }) => _id),
    );
  });

  test("is refused without a caller and with a filter that the list refuses", async () => {
    expect((await csvOf(path, "", {})).status).toBe(401);
    expect((await csvOf(path, "sort=wrong", office.headers)).status).toBe(422);
  });
});

test("a call that a viewer may not make is exported without its query and key, as the list shows it", async () => {
  const rows = parse((await csvOf("/request-log", "caller=key", readers.viewer ?? {})).text, {
    columns: true,
  }) as Row[];
  const created = rows.filter(({ method }) => method === "POST");
  expect(created.length).toBeGreaterThan(0);
  for (const row of created)
    expect([row.restricted, row.query, row.idempotency_key]).toEqual(["true", "", ""]);
});

test("no cell of any export begins a formula", async () => {
  for (const [path] of lists) {
    const { text } = await csvOf(path, "", office.headers);
    for (const cells of parse(text) as string[][])
      for (const one of cells) expect(one).not.toMatch(/^[\s"]*[=+\-@]/);
    if (path === "/events" || path === "/request-log") expect(text).toContain("'=HYPERLINK");
  }
});
