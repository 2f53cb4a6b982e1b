import { remindersText } from "@/lib/contract/reminder-text";
import type { Reminder } from "@/lib/contract/reminders";
import { parse } from "csv-parse/sync";
import * as z from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formValues } from "@/components/form/edits";
import { importColumns } from "@/components/payment-links/import-file";
import { bodyOf } from "@/components/packages/use-package-actions";
import { closePool, pool } from "@/db/client";
import { staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { BulkRowInput } from "@/lib/contract/bulk";
import { GET as exportCustomers } from "@/app/api/customers/export/route";
import { GET as exportPackages } from "@/app/api/packages/export/route";
import { GET as exportSubscriptions } from "@/app/api/subscriptions/export/route";
import { GET as exportTokenizations } from "@/app/api/tokenizations/export/route";
import { GET as exportLinks } from "@/app/api/payment-links/export/route";
import { GET as exportPayments } from "@/app/api/payments/export/route";
import { openEvents } from "@/lib/domain/payers/rows";
import { newId } from "@/lib/kernel/ids";
import { readyPath } from "../contract/fixtures";
import { plainLink, samples } from "./field-samples";
import { data, newOffice, type Office, staffCall } from "./setting";

/**
 * A declared field cannot get lost: every field of every create and update is written and read back from the answer, GET, list, row, event,
 * export and form. The fields come from the contract; a new one fails here until it has a sample.
 */

type Value = unknown;
type Fields = Record<string, Value>;

/** A field of a body that is no field of the record. */
const conditions = new Set(["version", "made_at_gateway"]);

type WriteCase = {
  write: string;
  /** Where it is written: for a create the path, for an update the id of what the create before it made. */
  path: (office: Office) => Promise<string> | string;
  table: string;
  get?: (id: string) => string;
  list?: (path: string) => string;
  event?: string;
  csv?: typeof exportLinks;
  form?: (record: never) => Fields;
  update?: Omit<WriteCase, "path" | "table" | "get" | "list" | "update"> & {
    path: (id: string) => string;
  };
  /** Ids of records that a field names. */
  refers?: (office: Office) => Promise<Fields>;
  /** Columns of another name. */
  columns?: Record<string, string>;
  /** Fields that only the row holds. */
  rowOnly?: readonly string[];
};

const made = async (office: Office, path: string, body: Fields): Promise<string> =>
  data<{ _id: string }>(await staffCall(office, "POST", path, body))._id;
const newLink = (office: Office) => made(office, "/payment-links", plainLink);
const newPackage = (office: Office) =>
  made(office, "/packages", {
    ...{ name: "Gold", amount: 4_900, currency: "MYR" },
    ...{ frequency: "monthly", date_charge_start: "2031-01-31" },
  });
const paid = async (office: Office) =>
  made(office, `/payment-links/${await newLink(office)}/payments`, { method: "cash" });

/** What the form that edits a record begins with. */
const formOf = (id: string) => (record: never) =>
  formValues(declared(id).body as z.ZodObject, record) as Fields;

const one = (collection: string) => (id: string) => `${collection}/${id}`;
const all = (path: string) => path;
const payments = {
  table: "payments",
  get: one("/payments"),
  list: () => "/payments",
  csv: exportPayments,
} as const;

const newClock = (office: Office) =>
  made(office, "/test-clocks", { name: "C", now: "2026-01-01T00:00:00Z" });

const writeCases: WriteCase[] = [
  {
    write: "createPaymentLink",
    path: () => "/payment-links",
    table: "payment_links",
    get: one("/payment-links"),
    list: all,
    event: "payment_link.created",
    csv: exportLinks,
    form: formOf("createPaymentLink"),
    rowOnly: ["send_email"],
    refers: async (office) => ({ test_clock_id: await newClock(office) }),
    update: {
      write: "updatePaymentLink",
      path: one("/payment-links"),
      event: "payment_link.updated",
      csv: exportLinks,
      form: formOf("updatePaymentLink"),
      rowOnly: ["send_email"],
    },
  },
  {
    write: "createPackage",
    path: () => "/packages",
    table: "packages",
    get: one("/packages"),
    list: all,
    event: "package.created",
    csv: exportPackages,
    form: bodyOf as never,
    update: {
      write: "updatePackage",
      path: one("/packages"),
      event: "package.updated",
      csv: exportPackages,
      form: bodyOf as never,
    },
  },
  {
    write: "createCustomer",
    path: () => "/customers",
    table: "customers",
    get: one("/customers"),
    list: all,
    csv: exportCustomers,
    // An address has one customer.
    refers: async () => ({ email: `${newId()}@example.com` }),
    update: {
      write: "updateCustomer",
      path: one("/customers"),
      csv: exportCustomers,
      form: formOf("updateCustomer"),
    },
  },
  {
    write: "createSubscription",
    path: () => "/subscriptions",
    table: "subscriptions",
    get: one("/subscriptions"),
    list: all,
    event: "subscription.created",
    csv: exportSubscriptions,
    refers: async (office) => ({
      package_id: await newPackage(office),
      test_clock_id: await newClock(office),
    }),
    update: {
      write: "updateSubscription",
      path: one("/subscriptions"),
      event: "subscription.cancelled",
      form: formOf("updateSubscription"),
    },
  },
  {
    write: "createToken",
    path: () => "/tokenizations/create-token",
    table: "tokenizations",
    get: one("/tokenizations"),
    list: () => "/tokenizations",
    event: "tokenization.created",
    csv: exportTokenizations,
  },
  {
    write: "createWebhookEndpoint",
    path: () => "/webhook-endpoints",
    table: "webhook_endpoints",
    get: one("/webhook-endpoints"),
    list: all,
    update: { write: "updateWebhookEndpoint", path: one("/webhook-endpoints") },
  },
  {
    write: "updateBusiness",
    path: () => "/business",
    table: "businesses",
    get: () => "/business",
    form: formOf("updateBusiness"),
    update: { write: "updateBusiness", path: () => "/business", form: formOf("updateBusiness") },
  },
  {
    write: "createRefund",
    path: async (office) => `/payments/${await paid(office)}/refunds`,
    table: "refunds",
    list: all,
  },
  {
    ...payments,
    write: "recordPayment",
    path: async (office) => `/payment-links/${await newLink(office)}/payments`,
    event: "payment.succeeded",
  },
  {
    ...payments,
    write: "resolvePayment",
    path: async ({ shop }) => readyPath(declared("resolvePayment"), shop.ctx),
  },
  {
    ...payments,
    write: "chargeToken",
    path: async ({ shop }) => readyPath(declared("chargeToken"), shop.ctx),
    event: "payment.succeeded",
    rowOnly: ["title"],
  },
  {
    write: "createTestClock",
    path: () => "/test-clocks",
    table: "test_clocks",
    get: one("/test-clocks"),
    list: all,
    columns: { now: "time" },
  },
  { write: "createApiKey", path: () => "/api-keys", table: "api_keys", list: all },
];

/** Bodies that are no create or update of a record that is read back whole. Bulk rows have a test of their own. */
const actions = new Set([
  ...["erasePayer", "previewErasure"],
  // Account and team: no record of this business that these words are read back from.
  ...["acceptInvitation", "lookUpInvitation", "reauthenticate", "requestSignUp", "setUpInstall"],
  ...["signUp", "updateMe", "changeMember", "createInvitation"],
  // A person's own: saved-views.db.test.ts reads them back.
  ...["createSavedView", "updateSavedView"],
  // Secrets and files, which are never shown again.
  ...["connectGateway", "updateGatewayConnection", "putLogo", "rollApiKey", "readSpreadsheet"],
  ...["updateNotificationSettings", "testNotification", "createIntegration"],
  // What is to be done.
  ...["advanceTestClock", "bulkCreatePaymentLinks", "cancelPaymentLink", "reopenPaymentLink"],
  ...["createBatch", "redeliverEvent", "replayEvents", "settleRequest", "resolveRefund"],
]);

function declared(id: string): Endpoint {
  const found = [...endpoints, ...staffEndpoints].find((endpoint) => endpoint.id === id);
  if (!found) throw new Error(`no endpoint ${id}`);
  return found;
}

function bodyOfCase(id: string, turn: 0 | 1, refers: Fields): Fields {
  const { body } = declared(id);
  if (!(body instanceof z.ZodObject)) throw new Error(`${id} has no fields`);
  const names = Object.keys(body.shape as Fields).filter((name) => !conditions.has(name));
  return Object.fromEntries(
    names.map((name) => {
      const sample = name in refers ? [refers[name], refers[name]] : samples[name];
      if (!sample) throw new Error(`write a sample for ${id}.${name}`);
      return [name, sample[turn]];
    }),
  );
}

const moment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
/** The same value as different places write it: moments of rows have another form, cells of an export are texts. */
const plain = (value: Value): Value =>
  typeof value === "string" && moment.test(value) ? new Date(value).toISOString() : value;
const cell = (value: Value): Value =>
  Array.isArray(value)
    ? typeof value[0] === "object"
      ? remindersText(value as Reminder[])
      : value.join(" ")
    : plain(String(value));

let office: Office;
beforeAll(async () => {
  office = await newOffice();
});
afterAll(closePool);

async function exported(handler: typeof exportLinks, id: string): Promise<Record<string, string>> {
  const request = new Request("http://localhost:3000/api/x/export", {
    headers: { authorization: `Bearer ${office.key}` },
  });
  const rows = parse(await (await handler(request, { params: {} })).text(), {
    columns: true,
  }) as Record<string, string>[];
  return rows.find((row) => row._id === id) ?? {};
}

type Reading = Pick<
  WriteCase,
  "table" | "get" | "list" | "event" | "csv" | "form" | "columns" | "rowOnly"
>;

/** Fails naming each place and field where what was sent is not found. */
async function assertKept(
  writeCase: Reading,
  path: string,
  sent: Fields,
  answer: Fields,
): Promise<void> {
  const id = String(answer._id ?? answer.business_id);
  const shown = Object.keys(sent).filter((name) => !writeCase.rowOnly?.includes(name));
  const only = (record: Fields | undefined, names: string[], form = plain) =>
    Object.fromEntries(names.map((name) => [name, form(record?.[name])]));
  const of = (names: string[], form = plain) => only(sent, names, form);
  const read = async (address: string) =>
    data<Fields & { data?: Fields[] }>(await staffCall(office, "GET", address));

  expect(only(answer, shown), "the answer").toEqual(of(shown));
  if (writeCase.get) expect(only(await read(writeCase.get(id)), shown), "GET").toEqual(of(shown));
  if (writeCase.list) {
    const { data: listed } = await read(`${writeCase.list(path)}?per_page=100`);
    expect(
      only(
        listed?.find((row) => row._id === id),
        shown,
      ),
      "the list",
    ).toEqual(of(shown));
  }
  const { rows } = await pool().query<{ row: Fields }>(
    `select to_jsonb(t) as row from ${writeCase.table} t where t.id = $1`,
    [writeCase.table === "businesses" ? Number(id) : id],
  );
  const row = rows[0]?.row;
  const columns = Object.fromEntries(
    Object.keys(sent).map((name) => [name, row?.[writeCase.columns?.[name] ?? name]]),
  );
  expect(only(columns, Object.keys(sent)), "the row").toEqual(of(Object.keys(sent)));
  if (writeCase.event) {
    const { rows: events } = await pool().query<{ businessId: number; data: Fields }>(
      'select business_id as "businessId", data from events where object_id = $1 and type = $2 order by seq desc limit 1',
      [id, writeCase.event],
    );
    const [event] = await openEvents(events);
    expect(only(event?.data, shown), "the event").toEqual(of(shown));
  }
  if (writeCase.csv)
    expect(only(await exported(writeCase.csv, id), shown, cell), "the export").toEqual(
      of(shown, cell),
    );
  if (writeCase.form) {
    const inForm = shown.filter((name) => name !== "status");
    expect(only(writeCase.form(answer as never), inForm), "the form").toEqual(of(inForm));
  }
}

describe.each(writeCases.map((writeCase) => [writeCase.write, writeCase] as const))(
  "%s",
  (_, writeCase) => {
    test("keeps every field, and so does its update", async () => {
      const refers = (await writeCase.refers?.(office)) ?? {};
      const path = await writeCase.path(office);
      const { method } = declared(writeCase.write);
      const sent = bodyOfCase(writeCase.write, 0, refers);
      const answer = data<Fields>(await staffCall(office, method, path, sent));
      await assertKept(writeCase, path, sent, answer);
      if (!writeCase.update) return;
      const { update, ...kept } = writeCase;
      const id = String(answer._id);
      const changed = bodyOfCase(update.write, 1, refers);
      const after = data<Fields>(
        await staffCall(office, declared(update.write).method, update.path(id), changed),
      );
      const reading = { ...kept, event: undefined, form: undefined, csv: undefined, ...update };
      await assertKept({ ...reading, table: writeCase.table }, path, changed, after);
    });
  },
);

test("bulk rows keep every field of a payment link, from JSON and from CSV", async () => {
  const writeCase = writeCases[0] as WriteCase;
  const { test_clock_id: _, ...sent } = bodyOfCase("createPaymentLink", 0, { test_clock_id: null });
  const names = Object.keys(sent);
  const csv = (row: Fields) =>
    [
      names,
      names.map((name) => `"${Array.isArray(row[name]) ? cell(row[name]) : String(row[name])}"`),
    ]
      .map((cells) => cells.join(","))
      .join("\n");
  for (const type of ["application/json", "text/csv"]) {
    const row = { ...sent, reference: `Bulk ${type}` };
    const { POST } = await import("@/app/api/payment-links/bulk/route");
    const request = new Request("http://localhost:3000/api/payment-links/bulk", {
      method: "POST",
      headers: { authorization: `Bearer ${office.key}`, "content-type": type },
      body: type === "text/csv" ? csv(row) : JSON.stringify({ rows: [row] }),
    });
    const answer = (await (await POST(request, { params: {} })).json()) as {
      data: { rows: { payment_link: Fields }[] };
    };
    await assertKept(writeCase, "/payment-links", row, answer.data.rows[0]?.payment_link ?? {});
  }
});

test("the import of the dashboard takes every field of a row", () => {
  const taken = importColumns.map(({ name }) => (name === "amount_decimal" ? "amount" : name));
  expect(taken.sort()).toEqual(Object.keys(BulkRowInput.shape).sort());
});

test("every body of the contract is a record's, or says what to do", () => {
  const bodies = [...endpoints, ...staffEndpoints].filter(({ body }) => body).map(({ id }) => id);
  const written = writeCases.flatMap(({ write, update }) => [write, update?.write ?? write]);
  expect(bodies.filter((id) => !written.includes(id)).sort()).toEqual([...actions].sort());
});
