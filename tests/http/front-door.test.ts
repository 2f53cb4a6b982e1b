import { expect, test } from "vitest";
import { provideEnv } from "@/lib/env";
import { claimRoutes } from "@/lib/http/front-door";
import type { RouteHandler } from "@/lib/http/route-handler";
import { routeFiles } from "@/scripts/routes-plugin.mjs";

// Next.js calls a route file with its parameters and nothing else. Inside our server that means: past the matcher.

provideEnv({ KUTIP_SECRET: "x".repeat(32), DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
claimRoutes();

const files = routeFiles(process.cwd());
const methods = ["GET", "POST", "PUT", "DELETE", "PATCH"];

test("there are route files to look at", () => expect(files.length).toBeGreaterThan(80));

test.each(files.map(({ file }) => file))(
  "%s answers nothing that came past our matcher",
  { timeout: 60_000 },
  async (file) => {
    const module = (await import(`@/${file}`)) as Record<string, unknown>;
    const handlers = Object.entries(module).filter(([name]) => methods.includes(name));
    expect(handlers.length).toBeGreaterThan(0);
    for (const [method, handler] of handlers) {
      const response = await (handler as RouteHandler)(
        new Request("http://localhost:3000/", { method }),
        { params: Promise.resolve({}) },
      );
      expect(`${method} ${response.status} ${await response.text()}`).toBe(
        `${method} 404 {"message":"Not found.","code":"not_found","errors":{}}`,
      );
    }
  },
);
