import { enter } from "../console/staff";
import { HEAVY_READ_CONNECTIONS } from "@/db/client";
import { expect, test } from "../fixtures";
import { besides, startService } from "../service";

const POOL = 2;
// As pages ask: numbered pages of lists have connections of their own.
const reads = ["/payment-links?page=1", "/payments?page=1", "/overview", "/business"];
const pages = ["", "/payment-links", "/payment-links/new", "/payments", "/settings"];

test("pages read through the connections of the API: rendering them opens no other", async () => {
  const service = await startService({ DATABASE_POOL: String(POOL) });
  try {
    const { name, value } = await enter(service, service.demo);
    const cookie = `${name}=${encodeURIComponent(value)}`;
    const business = String(service.demo.businessId);
    const get = async (path: string) => {
      const response = await fetch(service.url + path, {
        headers: { cookie, "x-kutip-business": business, "x-kutip-mode": "test" },
      });
      expect(response.status, path).toBe(200);
      return response.text();
    };
    const many = (paths: string[]) =>
      Promise.all(Array.from({ length: 8 }, () => paths.map(get)).flat());
    const connections = async () => {
      const rows = await besides(service, async (client) => {
        const found = await client.query<{ name: string; count: number }>(
          "SELECT application_name AS name, count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'kutip pool % (web)' GROUP BY 1",
        );
        return found.rows;
      });
      return Object.fromEntries(rows.map(({ name, count }) => [name.split(" ")[2], count]));
    };
    await many(reads.map((path) => `/api${path}`));
    expect(await connections()).toMatchObject({ request: POOL });
    const shown = await many(pages.map((path) => `/b/${business}/test${path}`));
    expect(shown[0]).toContain("collected_count");
    // A second pool would hold connections of its own beside those of the first. Health checks have a connection of their own, and look at what is due through the pool of long work.
    const { request, heavyRead, ...others } = await connections();
    expect(request).toBe(POOL);
    expect(heavyRead).toBeLessThanOrEqual(HEAVY_READ_CONNECTIONS);
    expect(["check", "long"]).toEqual(expect.arrayContaining(Object.keys(others)));
  } finally {
    await service.stop();
  }
});
