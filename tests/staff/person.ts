import { randomBytes } from "node:crypto";
import type { Mode, Role } from "@/lib/contract/values";
import { createBusiness } from "@/lib/domain/businesses/create";
import { addMember, createUser } from "@/lib/domain/users/create";
import type { RouteHandler } from "@/lib/http/route-handler";
import { signInRoute } from "@/lib/http/sign-in";

const origin = "http://localhost:3000";
export const password = "correct horse battery";

export const someEmail = () => `p${randomBytes(6).toString("hex")}@example.com`;
export const someAddress = () => `10.${[...randomBytes(3)].join(".")}`;

/** Calls a route file the way the server does, from a browser on our own page by default. */
export async function call(
  handler: RouteHandler,
  path: string,
  options: {
    method?: string;
    body?: unknown;
    headers?: Record<string, string>;
    params?: Record<string, string>;
    address?: string;
  } = {},
): Promise<Response> {
  const method = options.method ?? "GET";
  const request = new Request(`${origin}/api${path}`, {
    method,
    headers: {
      ...(method === "GET" ? {} : { origin }),
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  return handler(request, {
    params: options.params ?? {},
    clientAddress: options.address ?? someAddress(),
  });
}

/** The Cookie header a browser would send after this answer, on top of what it had. */
export function cookiesOf(answer: Response, before = ""): string {
  const kept = new Map(
    before
      .split("; ")
      .filter(Boolean)
      .map((pair) => [pair.split("=", 1)[0] ?? "", pair]),
  );
  for (const line of answer.headers.getSetCookie()) {
    const [pair = ""] = line.split(";", 1);
    const name = pair.split("=", 1)[0] ?? "";
    if (/max-age=0/i.test(line)) kept.delete(name);
    else kept.set(name, pair);
  }
  return [...kept.values()].join("; ");
}

export async function signIn(
  email: string,
  options: { password?: string; address?: string; rememberMe?: boolean } = {},
): Promise<Response> {
  const { rememberMe } = options;
  return call(signInRoute, "/auth/sign-in/email", {
    method: "POST",
    body: { email, password: options.password ?? password, rememberMe },
    address: options.address,
  });
}

export type Person = { userId: string; email: string; cookie: string };

/** A new person, signed in; their address is proven by default. */
export async function somePerson(emailVerified = true): Promise<Person> {
  const email = someEmail();
  const user = await createUser({ email, password, name: "Some Body", emailVerified });
  return { userId: user.id, email, cookie: cookiesOf(await signIn(email)) };
}

/** A new business with one signed-in member of the given role. */
export async function someStaff(role: Role = "owner"): Promise<Person & { businessId: number }> {
  const business = await createBusiness({ name: "Some Shop" });
  const person = await somePerson();
  await addMember(business.id, person.userId, role);
  return { ...person, businessId: business.id };
}

/** The headers of a call that staff make for a business and mode. */
export const as = (
  staff: { cookie: string; businessId: number },
  mode: Mode = "test",
): Record<string, string> => ({
  cookie: staff.cookie,
  "x-kutip-business": String(staff.businessId),
  "x-kutip-mode": mode,
});
