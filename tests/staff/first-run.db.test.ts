import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import * as meRoute from "@/app/api/me/route";
import * as packagesRoute from "@/app/api/packages/route";
import * as setupRoute from "@/app/api/setup/route";
import { offerSetup } from "@/lib/domain/accounts/setup";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { env, provideEnv } from "@/lib/env";
import { makeDemo } from "@/lib/supervisor/demo";
import { ownDatabaseEach } from "../own-database";
import { dataOf } from "./office";
import { as, call, cookiesOf, password, signIn, someEmail } from "./person";

const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-first-run-"));

ownDatabaseEach();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const input = (code: string, email = someEmail()) => ({
  business_name: "First Shop",
  name: "First Owner",
  email,
  password,
  code,
});
const setUp = (body: unknown) => call(setupRoute.POST, "/setup", { method: "POST", body });

test("the first business of an empty install takes the code that its start printed", async () => {
  const code = (await offerSetup()) ?? "";
  expect(await dataOf(call(setupRoute.GET, "/setup"))).toEqual({
    empty: true,
    has_setup_code: true,
    sign_up: "closed",
    sends_mail: false,
    operator_contacts: [],
  });
  const wrong = await setUp(input("guess"));
  expect([wrong.status, await wrong.json()]).toMatchObject([
    422,
    { errors: { code: [expect.any(String)] } },
  ]);
  const answer = await setUp(input(code));
  const session = answer.headers.getSetCookie().find((line) => line.includes("session_token="));
  expect(session).not.toMatch(/Max-Age|Expires/i);
  const { business_id } = await dataOf<{ business_id: number }>(answer);
  const me = await dataOf(call(meRoute.GET, "/me", { headers: { cookie: cookiesOf(answer) } }));
  expect(me).toMatchObject({
    user: { email_verified: true },
    businesses: [{ business_id, role: "owner" }],
  });
  expect((await setUp(input(code))).status).toBe(403);
  expect(await offerSetup()).toBeNull();
  expect(await dataOf(call(setupRoute.GET, "/setup"))).toMatchObject({
    empty: false,
    has_setup_code: false,
  });
});

test("each start prints another code, and only the last one counts", async () => {
  const first = (await offerSetup()) ?? "";
  const second = (await offerSetup()) ?? "";
  expect((await setUp(input(first))).status).toBe(422);
  expect((await setUp(input(second))).status).toBe(200);
});

test("two who set up at once make one business", async () => {
  const code = (await offerSetup()) ?? "";
  const answers = await Promise.all([setUp(input(code)), setUp(input(code)), setUp(input(code))]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
});

test("without a code nothing can be set up, and the page can say so", async () => {
  expect(await dataOf(call(setupRoute.GET, "/setup"))).toMatchObject({
    empty: true,
    has_setup_code: false,
  });
  expect((await setUp(input("anything"))).status).toBe(422);
});

test("the demo of a first start can sign in, and its key works", async () => {
  const file = path.join(folder, "first-run.json");
  const values = await makeDemo(file);
  expect(values).toEqual(JSON.parse(readFileSync(file, "utf8")));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const {
    email,
    password: given,
    api_key,
    business_id,
    base_url,
  } = values ?? { email: "", password: "", api_key: "", business_id: 0, base_url: "" };
  expect(base_url).toBe(env.BASE_URL);
  expect(await verifyAudit()).toMatchObject([{ businessId: business_id, entries: 1, fault: null }]);
  const cookie = cookiesOf(await signIn(email, { password: given }));
  expect(
    (
      await call(packagesRoute.GET, "/packages", {
        headers: as({ cookie, businessId: business_id }),
      })
    ).status,
  ).toBe(200);
  expect(
    (
      await call(packagesRoute.GET, "/packages", {
        headers: { authorization: `Bearer ${api_key}` },
      })
    ).status,
  ).toBe(200);
  expect(await makeDemo(file)).toBeNull();
});

test("an install that others can reach gets no demo", async () => {
  const before = env.BASE_URL;
  provideEnv({ BASE_URL: "https://pay.example.com" });
  expect(await makeDemo(path.join(folder, "none.json"))).toBeNull();
  provideEnv({ BASE_URL: before });
});
