import { enter } from "../console/staff";
import { expect, test } from "../fixtures";
import { besides, startService } from "../service";

const POOL = 2;
// As pages ask: numbered pages of lists have connections of their own.
const reads = ["/payment-links?page=1", "/payments?page=1", "/overview", "/business"];
const pages = ["", "/payment-links", "/payment-links/new", "/payments", "/settings"];

test("pages read through the connections of the API: rendering them opens no other", async () => {
  const service = await startService({ DATABASE_POOL: String(POOL) });
  const worker = service.process("worker");
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
    const connections = () =>
      besides(service, async (client) => {
        const { rows } = await client.query<{ pid: number }>(
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = '' AND backend_type = 'client backend' ORDER BY pid",
        );
        return rows.map(({ pid }) => pid);
      });
    // Paused, so that every new connection is the web's.
    process.kill(worker, "SIGSTOP");
    await many(reads.map((path) => `/api${path}`));
    const before = await connections();
    expect(before.length).toBeGreaterThan(POOL);
    const shown = await many(pages.map((path) => `/b/${business}/test${path}`));
    expect(shown[0]).toContain("collected_count");
    expect(await connections()).toEqual(before);
  } finally {
    process.kill(worker, "SIGCONT");
    await service.stop();
  }
});
