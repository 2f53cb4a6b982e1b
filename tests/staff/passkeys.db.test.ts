import { expect, test } from "vitest";
import * as meRoute from "@/app/api/me/route";
import { signInRoute } from "@/lib/http/sign-in";
import { newAuthenticator } from "./authenticator";
import { call, cookiesOf, somePerson } from "./person";

type Device = ReturnType<typeof newAuthenticator>;
const get = (path: string, cookie: string) =>
  call(signInRoute, `/auth/passkey${path}`, { headers: { cookie } });
const post = (path: string, cookie: string, body: unknown) =>
  call(signInRoute, `/auth/passkey${path}`, { method: "POST", headers: { cookie }, body });

async function ask(path: string, cookie: string): Promise<{ challenge: string; cookie: string }> {
  const options = await get(path, cookie);
  return {
    challenge: ((await options.json()) as { challenge: string }).challenge,
    cookie: cookiesOf(options, cookie),
  };
}

async function register(device: Device, cookie: string): Promise<Response> {
  const asked = await ask("/generate-register-options?name=Laptop", cookie);
  return post("/verify-registration", asked.cookie, {
    response: device.register(asked.challenge),
    name: "Laptop",
  });
}

async function signIn(device: Device, from?: string): Promise<Response> {
  const asked = await ask("/generate-authenticate-options", "");
  return post("/verify-authentication", asked.cookie, {
    response: device.answer(asked.challenge, from),
  });
}

test("a passkey signs its person in, without a password", async () => {
  const person = await somePerson();
  const device = newAuthenticator();
  expect((await register(device, person.cookie)).status).toBe(200);
  const answer = await signIn(device);
  expect(answer.status).toBe(200);
  const body = (await answer.json()) as { session: object };
  expect(body.session).not.toHaveProperty("token");
  const me = await (
    await call(meRoute.GET, "/me", { headers: { cookie: cookiesOf(answer) } })
  ).json();
  expect(me).toMatchObject({ data: { user: { email: person.email } } });
});

test("an answer to a passkey's challenge works once", async () => {
  const { cookie } = await somePerson();
  const device = newAuthenticator();
  await register(device, cookie);
  const asked = await ask("/generate-authenticate-options", "");
  const response = device.answer(asked.challenge);
  expect((await post("/verify-authentication", asked.cookie, { response })).status).toBe(200);
  expect((await post("/verify-authentication", asked.cookie, { response })).status).toBe(400);
});

test("a passkey that did not check who holds it neither registers nor signs in", async () => {
  const { cookie } = await somePerson();
  const careless = newAuthenticator(false);
  expect((await register(careless, cookie)).status).toBe(401);
  expect((await signIn(careless)).status).toBe(401);
});

test("a passkey answer made for another site is refused", async () => {
  const { cookie } = await somePerson();
  const device = newAuthenticator();
  await register(device, cookie);
  expect((await signIn(device, "https://evil.example")).status).toBe(400);
});

test("an unknown passkey is refused", async () => {
  expect((await signIn(newAuthenticator())).status).toBe(401);
});

test("a passkey is removed by its own person only, and then opens nothing", async () => {
  const { cookie } = await somePerson();
  const device = newAuthenticator();
  await register(device, cookie);
  const [listed] = (await (await get("/list-user-passkeys", cookie)).json()) as {
    id: string;
    name: string;
  }[];
  expect(listed).toMatchObject({ name: "Laptop" });
  const remove = (by: string) => post("/delete-passkey", by, { id: listed?.id });
  expect((await remove((await somePerson()).cookie)).status).toBe(401);
  expect((await remove(cookie)).status).toBe(200);
  expect((await signIn(device)).status).toBe(401);
});

test("an id that is none is as unknown as that of no passkey", async () => {
  const { cookie } = await somePerson();
  for (const id of ["x", "", "6740f1c09a3be27d51c8e4f0", "0b0e5a3c-5c3e-4b39-9d1c-1f0f3a6d2e11"])
    for (const [path, body] of [
      ["/delete-passkey", { id }],
      ["/update-passkey", { id, name: "Phone" }],
    ] as const)
      expect([id, path, (await post(path, cookie, body)).status]).toEqual([id, path, 404]);
});

test("a passkey has a name on one line, of 60 characters at most", async () => {
  const { cookie } = await somePerson();
  await register(newAuthenticator(), cookie);
  const list = async () =>
    (await (await get("/list-user-passkeys", cookie)).json()) as { id: string; name: string }[];
  const [{ id } = { id: "" }] = await list();
  for (const name of ["x".repeat(61), "a\nb", "a\u202eb"]) {
    const renamed = await post("/update-passkey", cookie, { id, name });
    expect([renamed.status, await renamed.json()]).toEqual([
      422,
      expect.objectContaining({ errors: { name: [expect.stringMatching(/^The name /)] } }),
    ]);
    expect((await post("/verify-registration", cookie, { response: {}, name })).status).toBe(422);
    const query = `/generate-register-options?name=${encodeURIComponent(name)}`;
    expect((await get(query, cookie)).status).toBe(422);
  }
  expect((await post("/update-passkey", cookie, { id, name: "x".repeat(60) })).status).toBe(200);
  expect(await list()).toMatchObject([{ name: "x".repeat(60) }]);
});

test("registering takes a session", async () => {
  expect((await get("/generate-register-options", "")).status).toBe(401);
});
