import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { BulkReport } from "@/lib/contract/bulk";
import type { SpreadsheetRows } from "@/lib/contract/spreadsheets";
import { provideEnv } from "@/lib/env";
import { sheetLimits } from "@/lib/contract/values";
import { api } from "../contract/setting";
import { sheetOf, workbook } from "../spreadsheets";
import {
  bearer,
  data,
  file,
  keyCall,
  link,
  member,
  newLink,
  newOffice,
  type Office,
  staffCall,
  written,
} from "./setting";

provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0", RATE_LIMIT_COST: "0" });
afterAll(closePool);

const path = "/payment-links/bulk/rows";
const bodyOf = (bytes: Buffer) => ({ file: bytes.toString("base64") });
const send = (office: Office, bytes: Buffer, sheet?: string) =>
  keyCall(office, "POST", path, { ...bodyOf(bytes), sheet });

test("a key gets the rows of a spreadsheet and can send them on as a bulk call", async () => {
  const office = await newOffice();
  const names = ["email", "title", "currency", "amount"];
  const file = workbook({
    shared: names.map((name) => `<t>${name}</t>`),
    sheets: {
      Links: `<row>${names.map((_, at) => `<c t="s"><v>${at}</v></c>`).join("")}</row><row><c t="inlineStr"><is><t>ana@example.com</t></is></c><c><v>1042</v></c><c t="str"><v>MYR</v></c><c><v>1250</v></c></row>`,
    },
  });
  const read = data<SpreadsheetRows>(await send(office, file));
  expect(read).toEqual({
    sheet: "Links",
    sheets: ["Links"],
    rows: [names, ["ana@example.com", "1042", "MYR", "1250"]],
    row_numbers: [1, 2],
    hidden_rows: 0,
    merged_cells: [],
  });
  const [head = [], ...rows] = read.rows;
  const report = data<{ created: number }>(
    await keyCall(office, "POST", "/payment-links/bulk", {
      rows: rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at]]))),
    }),
  );
  expect(report.created).toBe(1);
});

test("rows of an export, sent as a bulk call, find their links again, and a new row loses its apostrophes", async () => {
  const office = await newOffice();
  const references = ["-A1", "=B;+2", "'C", "D"];
  const ids: string[] = [];
  for (const reference of references)
    ids.push(await newLink(office, { reference, title: "@Ana", phone_no: "+60123456789" }));
  const exported = await file("/payment-links/export?sort=created_at", bearer(office.key));
  const lines: string[][] = parse(await exported.text(), { bom: true });
  const names = ["email", "currency", "amount", "title", "reference", "phone_no"];
  const at = names.map((name) => lines[0]?.indexOf(name) ?? -1);
  const csv = stringify(lines.map((cells) => at.map((column) => cells[column])));
  const { rows } = data<BulkReport>(
    await api("POST", "/payment-links/bulk", {
      key: office.key,
      raw: `${csv}eve@example.com,MYR,700,"'=Tea;'+1",'-NEW,'+60123456780\n`,
      headers: { "content-type": "text/csv" },
    }),
  );
  expect(rows.map(({ status, payment_link: one }) => [status, one?._id])).toEqual([
    ...ids.map((id) => ["exists", id]),
    ["created", expect.any(String)],
  ]);
  expect(rows.at(-1)?.payment_link).toMatchObject({
    title: "=Tea;+1",
    reference: "-NEW",
    phone_no: "+60123456780",
  });
});

test("a whole export, sent as a bulk call, finds its links again, whatever other columns it has", async () => {
  const office = await newOffice();
  const id = await newLink(office, { reference: "A1", due_at: "2031-03-30T01:00:00Z" });
  const exported = await file("/payment-links/export", bearer(office.key));
  const { rows } = data<BulkReport>(
    await api("POST", "/payment-links/bulk", {
      key: office.key,
      raw: await exported.text(),
      headers: { "content-type": "text/csv" },
    }),
  );
  expect(rows).toMatchObject([{ status: "exists", errors: {}, payment_link: { _id: id } }]);
});

test("what cannot be read is a 422 on its field, and neither file nor rows are in the request log", async () => {
  const office = await newOffice();
  const file = sheetOf([["Rosa Parks"], ["ana@example.com"]]);
  expect((await send(office, file, "Gone")).body).toMatchObject({
    errors: { sheet: ["The selected sheet is invalid."] },
  });
  for (const [bytes, sentence] of [
    [file.subarray(0, 300), /^The file is damaged/],
    [Buffer.alloc(sheetLimits.bytes + 1, 1), /must not be greater than 4096 kilobytes/],
  ] as const) {
    const { status, body } = await send(office, bytes);
    expect([status, (body.errors as { file: string[] }).file]).toEqual([
      422,
      [expect.stringMatching(sentence)],
    ]);
  }
  expect((await keyCall(office, "POST", path, { file: "not base64" })).body.errors).toHaveProperty(
    "file",
  );
  expect((await keyCall(office, "POST", path, { file: "A".repeat(6 << 20) })).status).toBe(413);
  expect((await send(office, file)).status).toBe(200);
  await written();
  const { rows } = await pool().query<{ request_body: string; response_body: string }>(
    "select request_body, response_body from request_log where business_id = $1",
    [office.businessId],
  );
  expect(rows).toHaveLength(6);
  expect(rows.filter(({ request_body }) => request_body !== null)).toEqual([]);
  expect(JSON.stringify(rows)).not.toContain("Rosa");
});

test("staff read spreadsheets, viewers do not", async () => {
  const office = await newOffice();
  const body = bodyOf(sheetOf([["a"]]));
  const as = async (role: "staff" | "viewer") =>
    (await staffCall(office, "POST", path, body, await member(office, role))).status;
  expect([await as("staff"), await as("viewer")]).toEqual([200, 403]);
});

test("hostile files end in a sentence, while the web thread serves others", async () => {
  const [office, other] = [await newOffice(), await newOffice()];
  const hostile = workbook({ sheets: { A: " ".repeat(63 << 20) }, shared: ["<t>x</t>"] });
  const reading = Promise.all([send(office, hostile), send(office, hostile)]);
  let served = 0;
  let done = false;
  const finished = reading.finally(() => {
    done = true;
  });
  while (!done) {
    expect((await keyCall(other, "POST", "/payment-links", link())).status).toBe(200);
    served++;
  }
  expect(served).toBeGreaterThan(1);
  for (const { status } of await finished) expect(status).toBe(422);
});
