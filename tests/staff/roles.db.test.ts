import type { Role } from "@/lib/contract/values";
import { beforeAll, describe, expect, test } from "vitest";
import { staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { exampleBody, exampleParams } from "@/lib/contract/examples";
import { createKey } from "@/lib/domain/api-keys/create";
import { addMember } from "@/lib/domain/users/create";
import { api } from "../contract/setting";
import { as, type Person, somePerson, someStaff } from "./person";

const roles: readonly Role[] = ["owner", "admin", "staff", "viewer"];
const unsafe = (endpoint: Endpoint) => endpoint.method !== "GET";
const managed = staffEndpoints.filter(({ access }) => access === "staff");
const own = staffEndpoints.filter(({ access }) => access === "person");
const origin = { origin: "http://localhost:3000" };
const named = (list: readonly Endpoint[]) =>
  list.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

let team: Record<Role, Person & { businessId: number }>;
let stranger: Person & { businessId: number };
let key: string;

beforeAll(async () => {
  const owner = await someStaff("owner");
  const others = await Promise.all(
    roles.slice(1).map(async (role) => {
      const person = await somePerson();
      await addMember(owner.businessId, person.userId, role);
      return [role, { ...person, businessId: owner.businessId }] as const;
    }),
  );
  team = { owner, ...Object.fromEntries(others) } as typeof team;
  stranger = await someStaff("owner");
  key = (await createKey({ businessId: owner.businessId, mode: "test" }, "roles")).secret;
});

function ask(endpoint: Endpoint, headers: Record<string, string>) {
  const params = exampleParams(endpoint);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
  return api(endpoint.method, path, {
    headers: { ...(unsafe(endpoint) ? origin : {}), ...headers },
    ...(endpoint.body ? { body: exampleBody(endpoint) ?? {} } : {}),
  });
}

describe.each(named([...endpoints, ...managed]))("%s", (_, endpoint) => {
  test.each(roles)("lets a signed-in %s in, or answers 403, as declared", async (role) => {
    const refusedBy = async (headers: Record<string, string>) =>
      (await ask(endpoint, headers)).status === 403;
    // An owner's call would change the team that this test uses.
    if (endpoint.roles.includes(role) && unsafe(endpoint) && endpoint.tag === "Team") return;
    expect(await refusedBy(as(team[role]))).toBe(!endpoint.roles.includes(role));
  });

  test("is closed to viewers when it changes anything of others", () => {
    if (unsafe(endpoint) && !endpoint.ownOnly) expect(endpoint.roles).not.toContain("viewer");
  });

  test("is closed to another business's owner", async () => {
    expect(
      (await ask(endpoint, as({ ...stranger, businessId: team.owner.businessId }))).status,
    ).toBe(403);
  });

  test("is closed without a session", async () => {
    expect(
      (
        await ask(endpoint, {
          "x-kutip-business": String(team.owner.businessId),
          "x-kutip-mode": "test",
        })
      ).status,
    ).toBe(401);
    expect(
      (await ask(endpoint, { ...as(team.owner), cookie: "kutip.session_token=nobody.x" })).status,
    ).toBe(401);
  });

  test("is closed to pages of other sites when it changes anything", async () => {
    if (!unsafe(endpoint)) return;
    const forms: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    ];
    for (const form of forms) {
      const answer = await ask(endpoint, { ...as(team.owner), ...form });
      expect([answer.status, answer.body.code]).toEqual([403, "cross_origin"]);
    }
  });
});

describe.each(named(managed))("%s", (_, endpoint) => {
  test("answers 403 to an API key", async () => {
    const answer = await ask(endpoint, { authorization: `Bearer ${key}` });
    expect([answer.status, answer.body.code]).toEqual([403, "key_cannot_do_this"]);
  });
});

describe.each(named(own))("%s", (_, endpoint) => {
  test("is for a person who is signed in, never for an API key", async () => {
    expect((await ask(endpoint, {})).status).toBe(401);
    expect((await ask(endpoint, { authorization: `Bearer ${key}` })).status).toBe(401);
    if (unsafe(endpoint))
      expect(
        (await ask(endpoint, { cookie: team.viewer.cookie, origin: "https://evil.example" }))
          .status,
      ).toBe(403);
  });
});
