import type { AddressInfo } from "node:net";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { sessions } from "@/db/schema/auth";
import { memberships } from "@/db/schema/businesses";
import { endStreams } from "@/lib/http/live";
import { addMember } from "@/lib/domain/users/create";
import { provideEnv } from "@/lib/env";
import { withPageReads } from "@/lib/http/page-reads";
import { makeServer } from "@/lib/http/serve";
import { pageReads } from "@/lib/kernel/page-reads";
import { routes } from "../contract/setting";
import { member, newLink, newOffice, staffCall } from "../dashboard/setting";
import { as, someAddress, somePerson } from "../staff/person";

// A page that shows the answers to what its query asks for, in place of Next.js.
const server = makeServer(
  routes,
  withPageReads(routes, async (request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://localhost");
    const headers = {
      "x-kutip-business": searchParams.get("business") ?? "",
      "x-kutip-mode": searchParams.get("mode") ?? "",
    };
    const read = searchParams.get("read") ?? "";
    const answer = await pageReads()
      ?.read(read, headers)
      .catch((error: Error) => new Response(error.message, { status: 599 }));
    response.writeHead(answer?.status ?? 500).end(await answer?.text());
  }),
);
let origin = "";
beforeAll(async () => {
  provideEnv({ TRUSTED_PROXIES: "127.0.0.1" });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  endStreams();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await closePool();
});

async function page(
  read: string,
  business: number,
  headers: Record<string, string>,
  mode = "test",
) {
  const query = new URLSearchParams({ read, business: String(business), mode });
  // Pages of one address are limited.
  const response = await fetch(`${origin}/b?${query}`, {
    headers: { "x-forwarded-for": someAddress(), ...headers },
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const cookieOf = ({ cookie = "" }: Record<string, string>) => ({ cookie });

test("a page reads what its person may read, as the API returns it", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const own = cookieOf(office.headers);
  const read = await page(`/api/payment-links/${id}`, office.businessId, own);
  expect(read.status).toBe(200);
  expect(JSON.parse(read.text).data).toEqual(
    (await staffCall(office, "GET", `/payment-links/${id}`)).body.data,
  );
  const viewer = cookieOf(await member(office, "viewer"));
  expect((await page("/api/payment-links", office.businessId, viewer)).status).toBe(200);
  expect((await page("/api/api-keys", office.businessId, viewer)).status).toBe(403);
  expect((await page("/api/business/signing-secret", office.businessId, viewer)).status).toBe(403);
});

test("a page reads nothing of another business, and nothing for a stranger", async () => {
  const [office, other] = [await newOffice(), await newOffice()];
  const id = await newLink(other);
  const own = cookieOf(office.headers);
  expect((await page(`/api/payment-links/${id}`, other.businessId, own)).status).toBe(403);
  expect((await page(`/api/payment-links/${id}`, office.businessId, own)).status).toBe(404);
  expect((await page("/api/payment-links", office.businessId, {})).status).toBe(401);
  // A page is asked for by a person: keys in its headers are not passed on.
  const key = { authorization: `Bearer ${office.key}` };
  expect((await page("/api/payment-links", office.businessId, key)).status).toBe(401);
});

test("a page reads nothing of the other mode", async () => {
  const office = await newOffice();
  const id = await newLink(office);
  const own = cookieOf(office.headers);
  const read = `/api/payment-links/${id}`;
  expect((await page(read, office.businessId, own)).status).toBe(200);
  expect((await page(read, office.businessId, own, "live")).status).toBe(404);
  const list = await page("/api/payment-links", office.businessId, own, "live");
  expect(JSON.parse(list.text).data.data).toEqual([]);
});

test("pages that are rendered at the same time read each for its own person", async () => {
  const offices = [await newOffice(), await newOffice()];
  const links = await Promise.all(offices.map((office) => newLink(office)));
  const reads = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const [office, id] = [offices[index % 2], links[index % 2]];
      if (!office) throw new Error("no office");
      const own = cookieOf(office.headers);
      const read = await page("/api/payment-links", office.businessId, own);
      const me = await page("/api/me", office.businessId, own);
      return {
        ids: JSON.parse(read.text).data.data.map((link: { _id: string }) => link._id),
        expected: [id],
        businesses: JSON.parse(me.text).data.businesses.map(
          (one: { business_id: number }) => one.business_id,
        ),
        business: [office.businessId],
      };
    }),
  );
  for (const { ids, expected, businesses, business } of reads) {
    expect(ids).toEqual(expected);
    expect(businesses).toEqual(business);
  }
});

test("an ended session reads nothing from the next page on", async () => {
  const office = await newOffice();
  const own = cookieOf(office.headers);
  expect((await page("/api/me", office.businessId, own)).status).toBe(200);
  const { session_id } = JSON.parse((await page("/api/me", office.businessId, own)).text).data;
  expect((await staffCall(office, "DELETE", `/me/sessions/${session_id}`)).status).toBe(200);
  expect((await page("/api/me", office.businessId, own)).status).toBe(401);
  expect((await page("/api/payment-links", office.businessId, own)).status).toBe(401);
});

test("a session or a membership that another process ended reads nothing from the next page on", async () => {
  const office = await newOffice();
  const [left, out] = [await somePerson(), await somePerson()];
  for (const { userId } of [left, out]) await addMember(office.businessId, userId, "staff");
  const cookies = [left, out].map((person) =>
    cookieOf(as({ ...person, businessId: office.businessId })),
  );
  const statuses = () =>
    Promise.all(
      cookies.flatMap((cookie) =>
        ["/api/me", "/api/payment-links"].map(
          async (read) => (await page(read, office.businessId, cookie)).status,
        ),
      ),
    );
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  await db.delete(memberships).where(eq(memberships.userId, left.userId));
  await db.delete(sessions).where(eq(sessions.userId, out.userId));
  expect(await statuses()).toEqual([200, 403, 401, 401]);
});

test("pages read addresses of the API alone, and only while a page is rendered", async () => {
  const office = await newOffice();
  const own = cookieOf(office.headers);
  for (const address of ["/pay", "/b/1/test", "/api/no-such-thing"])
    expect((await page(address, office.businessId, own)).status).not.toBe(200);
  await expect(pageReads()?.read("/api/me", own)).rejects.toThrow("no page can read /api/me");
});
