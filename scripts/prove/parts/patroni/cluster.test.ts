import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { membersAt } from "./cluster";
import type { Node } from "./config";

test("a node that stops in the middle of its answer counts as one that does not answer", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"members":[');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const node = { host: "127.0.0.1", ports: { patroni: port } } as Node;
    expect(await membersAt(node)).toBeUndefined();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
