import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { dayIn } from "@/lib/client/ranges";
import { fileEndpoints } from "@/lib/contract/all";
import { batchWork } from "@/lib/flows/batch/job";
import { mailComposition } from "@/lib/flows/mailing/job";
import { provideEnv } from "@/lib/env";
import { runAll } from "../run-once";
import {
  data,
  file,
  keyCall,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
  written,
} from "./setting";

provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0", RATE_LIMIT_COST: "0" });
afterAll(closePool);

const paths = fileEndpoints.flatMap(({ media, path }) => (media === "text/csv" ? [path] : []));

let office: Office;
beforeAll(async () => {
  office = await newOffice();
  const send = async (path: string, body: object) =>
    data<{ _id: string }>(await keyCall(office, "POST", path, body))._id;
  const paid = await newLink(office, {
    email: "season@example.com",
    due_at: "2031-03-30T00:59:59.999999Z",
    expires_at: "2031-10-26T00:30:00Z",
    send_email: true,
  });
  await newLink(office, {
    email: "season@example.com",
    due_at: "2031-03-30T01:00:00Z",
    expires_at: "2031-10-26T01:30:00Z",
  });
  await pay(office, paid);
  await send(`/payment-links/${await newLink(office)}/payments`, {
    method: "cash",
    received_at: "2026-07-01T22:30:00Z",
  });
  const terms = { amount: 4_900, currency: "MYR", frequency: "monthly", name: "Gold" };
  const sold = await send("/packages", { ...terms, date_charge_start: "2031-01-31" });
  await send("/subscriptions", { email: "bo@example.com", package_id: sold });
  const token = { email: "cy@example.com", title: "Card", description: "Monthly" };
  await send("/tokenizations/create-token", token);
  const hook = await send("/webhook-endpoints", { url: "https://hooks.example/kutip" });
  await send(`/webhook-endpoints/${hook}/redeliver`, { from: "2020-01-01T00:00:00Z" });
  await send("/batches", { action: "cancel", ids: [await newLink(office)] });
  await staffCall(office, "POST", "/api-keys", { name: "Till" });
  await runAll(batchWork, office.businessId);
  await runAll(mailComposition, office.businessId);
  await written();
});

async function exported(path: string, zone: string) {
  await pool().query("update businesses set time_zone = $2 where id = $1", [
    office.businessId,
    zone,
  ]);
  const month = dayIn(zone, new Date()).slice(0, 7);
  const answer = await file(path.replace("{month}", month), office.headers);
  const [header = [], ...rows] = parse(await answer.text()) as string[][];
  return { header, rows };
}

/** Moments on the clocks of a zone, as Postgres has it. */
async function shownIn(zone: string, moments: string[]): Promise<string[]> {
  const { rows } = await pool().query<{ shown: string }>(
    `select coalesce(to_char(nullif(moment, '')::timestamptz at time zone $2, 'YYYY-MM-DD HH24:MI:SS'), '') as shown
     from unnest($1::text[]) with ordinality as given (moment, place) order by place`,
    [moments, zone],
  );
  return rows.map(({ shown }) => shown);
}

describe.each(["Europe/Berlin", "Asia/Kolkata"])("in %s", (zone) => {
  test.each(paths)(
    "the export %s repeats each moment in the business's time, behind all other columns",
    async (path) => {
      const { header, rows } = await exported(path, zone);
      expect(rows.length).toBeGreaterThan(0);
      const moments = header.filter((name, at) =>
        rows.some(
          (cells) => name.endsWith("_at") || /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(cells[at] ?? ""),
        ),
      );
      expect(moments).toContain("created_at");
      expect(header.slice(-moments.length)).toEqual(moments.map((name) => `${name} (${zone})`));
      const column = (name: string) => rows.map((cells) => cells[header.indexOf(name)] ?? "");
      for (const name of moments)
        expect([name, column(`${name} (${zone})`)]).toEqual([
          name,
          await shownIn(zone, column(name)),
        ]);
    },
  );
});

test.each([
  ["Europe/Berlin", "01:59:59", "03:00:00", "02:30:00", "02:30:00"],
  ["Asia/Kolkata", "06:29:59", "06:30:00", "06:00:00", "07:00:00"],
])("around changes of the clocks an export has the times of %s", async (zone, ...times) => {
  const { header, rows } = await exported(
    "/payment-links/export?email=season@example.com&sort=created_at",
    zone,
  );
  const shown = (name: string) => rows.map((cells) => cells[header.indexOf(`${name} (${zone})`)]);
  expect([...shown("due_at"), ...shown("expires_at")]).toEqual(
    times.map((time, at) => `${at < 2 ? "2031-03-30" : "2031-10-26"} ${time}`),
  );
});

test("the header of an export without rows names the zone too", async () => {
  const { header, rows } = await exported(
    "/payment-links/export?email=none@example.com",
    "Asia/Kathmandu",
  );
  expect([header.at(-1), rows]).toEqual(["due_at (Asia/Kathmandu)", []]);
});
