import type { AddressInfo } from "node:net";
import { makeServer } from "@/lib/http/serve";
import { routeFiles } from "@/scripts/routes-plugin.mjs";

/** The install's own routes, API and payer pages, behind a server on this machine. The dashboard is not there. */
export async function serveRoutes(): Promise<{ origin: string; close: () => Promise<void> }> {
  const routes = await Promise.all(
    routeFiles(process.cwd()).map(async ({ file, pattern }) => ({
      pattern,
      module: (await import(`@/${file}`)) as Record<string, unknown>,
    })),
  );
  const server = makeServer(routes, (_, response) => void response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
