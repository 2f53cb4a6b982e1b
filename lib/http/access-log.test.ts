import { expect, test, vi } from "vitest";
import { log } from "@/lib/kernel/log";
import { noteAccess } from "./access-log";

const logged = (target: string) => {
  const info = vi.spyOn(log, "info").mockImplementation(() => undefined);
  noteAccess("POST", target, new Response(null, { status: 401 }), 1, undefined, "203.0.113.7");
  const line = info.mock.calls[0]?.[0] as unknown as Record<string, unknown>;
  info.mockRestore();
  return line;
};

test.each([
  "/api/auth/sign-in/email",
  "/api/me/reauthentication",
  "/api/sign-up",
  "/api/setup?x=1",
  "/api/v1/auth/sign-in",
])("the access log names the caller's address at %s", (target) =>
  expect(logged(target).client_address).toBe("203.0.113.7"),
);

test.each(["/api/payment-links", "/api/menu"])("and not at %s", (target) =>
  expect(logged(target).client_address).toBeUndefined(),
);
