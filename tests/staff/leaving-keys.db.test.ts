import { afterAll, expect, test } from "vitest";
import { eq } from "drizzle-orm";
import { closePool, db, pool, withTransaction } from "@/db/client";
import { mails } from "@/db/schema/mails";
import type { ApiKey, NewApiKey } from "@/lib/contract/api-keys";
import type { IntegrationWithPassword, MemberIntegration } from "@/lib/contract/integrations";
import type { Mode } from "@/lib/contract/values";
import { record } from "@/lib/domain/audit/record";
import { addMember } from "@/lib/domain/users/create";
import { provideEnv } from "@/lib/env";
import { unseal } from "@/lib/kernel/secrets";
import { api } from "../contract/setting";
import { data, newOffice, type Office, staffCall } from "../dashboard/setting";
import { retrieve, signIn, v1 } from "../plugins/setting";
import { runBatches } from "../upgrade/batches";
import { as, somePerson } from "./person";

provideEnv({ RATE_LIMIT_SIGN_IN: "0" });
afterAll(closePool);

/** An owner's call, or one by these headers. */
type By = Record<string, string> | undefined;
type Admin = { userId: string; headers: (mode?: Mode) => Record<string, string> };

async function newAdmin({ businessId }: Office): Promise<Admin> {
  const person = await somePerson();
  await addMember(businessId, person.userId, "admin");
  return { userId: person.userId, headers: (mode = "test") => as({ ...person, businessId }, mode) };
}

const newKey = async (office: Office, by: By) =>
  data<NewApiKey>(await staffCall(office, "POST", "/api-keys", { name: "Till" }, by)).key;
const answerTo = async (key: string) => (await api("GET", "/packages", { key })).status;
const newPlugin = async (office: Office, by?: By) => {
  const body = { name: "Web shop", plugin: "woocommerce" };
  return data<IntegrationWithPassword>(await staffCall(office, "POST", "/integrations", body, by));
};
const newPassword = async (office: Office, { _id }: IntegrationWithPassword, by?: By) => {
  const answer = await staffCall(office, "POST", `/integrations/${_id}/password`, undefined, by);
  return data<IntegrationWithPassword>(answer);
};
const linksAnswer = async (key: string) => (await v1("GET", "/payment-links", { key })).status;
const heldBy = async <T>(office: Office, { userId }: Admin, what: "api-keys" | "integrations") =>
  data<T[]>(await staffCall(office, "GET", `/team/members/${userId}/${what}`));

type Leaving = (office: Office, admin: Admin, query?: string) => Promise<unknown>;
const remove: Leaving = async (office, { userId }, query = "") =>
  data(await staffCall(office, "DELETE", `/team/members/${userId}${query}`));
const leavings: [string, Leaving][] = [
  ["removed", remove],
  [
    "made less",
    async (office, { userId }, query = "") =>
      data(await staffCall(office, "PUT", `/team/members/${userId}${query}`, { role: "viewer" })),
  ],
];

test.each(leavings)(
  "the keys that a member made are listed in both modes, and end when the member is %s, if asked",
  async (_, leave) => {
    const office = await newOffice();
    const admin = await newAdmin(office);
    const keys = [
      await newKey(office, admin.headers("test")),
      await newKey(office, admin.headers("live")),
    ];
    const kept = await newKey(office, undefined);
    const listed = await heldBy<ApiKey>(office, admin, "api-keys");
    expect(listed.map(({ mode }) => mode).sort()).toEqual(["live", "test"]);
    await leave(office, admin, "?revoke_api_keys=true");
    for (const key of keys) expect(await answerTo(key)).toBe(401);
    expect(await answerTo(kept)).toBe(200);
  },
);

test.each(leavings)(
  "the shop plugins of which a member saw a password are listed in both modes, and their keys end when the member is %s, if asked",
  async (_, leave) => {
    const office = await newOffice();
    const admin = await newAdmin(office);
    const [first, live, second, other] = [
      await newPlugin(office, admin.headers()),
      await newPlugin(office, admin.headers("live")),
      await newPlugin(office),
      await newPlugin(office),
    ];
    const { password } = await newPassword(office, second, admin.headers());
    const known = [
      await retrieve(first.password),
      await retrieve(live.password),
      await retrieve(password),
    ];
    // Another's new password ends the old one, and not what was read with it.
    known.push(await retrieve((await newPassword(office, first)).password));
    const kept = await retrieve(other.password);
    const listed = await heldBy<MemberIntegration>(office, admin, "integrations");
    expect(listed.map(({ _id }) => _id).sort()).toEqual(
      [first, live, second].map(({ _id }) => _id).sort(),
    );
    await leave(office, admin, "?replace_integration_keys=true");
    for (const one of known) {
      expect(await linksAnswer(one.apiKey)).toBe(401);
      expect((await v1("GET", "/approved-businesses", { key: one.token })).status).toBe(401);
      expect((await signIn(one.password)).status).toBe(422);
    }
    expect(await linksAnswer(kept.apiKey)).toBe(200);
    const again = await retrieve((await newPassword(office, first)).password);
    expect(await linksAnswer(again.apiKey)).toBe(200);
    expect(again.signatureKey).not.toBe(known[0]?.signatureKey);
  },
);

test.each(leavings)(
  "when a member is %s, the owners are mailed which mode has shops that need new keys",
  async (_, leave) => {
    const office = await newOffice();
    const owner = await somePerson();
    await addMember(office.businessId, owner.userId, "owner");
    const admin = await newAdmin(office);
    await newPlugin(office, admin.headers("live"));
    await leave(office, admin, "?replace_integration_keys=true");
    const sent = await db.select().from(mails).where(eq(mails.recipient, owner.email));
    const notice = sent.find(
      ({ subject }) => subject === "The keys of a shop plugin were replaced",
    );
    const text = notice ? unseal(notice.text, "mail") : "";
    expect(text).toContain("The shop takes no new payments until");
    expect(text).toMatch(/Mode:?\s+live/);
    expect(sent).toHaveLength(3);
  },
);

test.each(leavings)(
  "keys and shop plugins outlive a member who is %s, unless that is asked for",
  async (_, leave) => {
    const office = await newOffice();
    const admin = await newAdmin(office);
    const key = await newKey(office, admin.headers());
    const { apiKey } = await retrieve((await newPlugin(office, admin.headers())).password);
    await leave(office, admin);
    expect([await answerTo(key), await linksAnswer(apiKey)]).toEqual([200, 200]);
  },
);

test("a plugin with replaced keys is no more of those whose password it was", async () => {
  const office = await newOffice();
  const admin = await newAdmin(office);
  const plugin = await newPlugin(office, admin.headers());
  const replaced = await staffCall(office, "POST", `/integrations/${plugin._id}/keys`);
  expect(data<IntegrationWithPassword>(replaced).password_shown_to).toHaveLength(1);
  expect(await heldBy(office, admin, "integrations")).toEqual([]);
});

/** As a version before leaves the plugins of a business: nothing says who was shown their passwords but the audit log. */
const forgetShown = ({ businessId }: Office) =>
  pool().query("update integrations set password_shown_to = '{}' where business_id = $1", [
    businessId,
  ]);

test.each(["passwords_of_earlier_plugins", "passwords_again"])(
  "of plugins from before, the audit log knows who was shown a password: %s",
  async (migration) => {
    const office = await newOffice();
    const admin = await newAdmin(office);
    const plugin = await newPlugin(office);
    await newPassword(office, plugin, admin.headers());
    await forgetShown(office);
    expect(await heldBy(office, admin, "integrations")).toEqual([]);
    await runBatches(migration);
    const listed = await heldBy<MemberIntegration>(office, admin, "integrations");
    expect(listed.map(({ _id }) => _id)).toEqual([plugin._id]);
    const shown = await staffCall(office, "GET", `/integrations/${plugin._id}`);
    expect(data<IntegrationWithPassword>(shown).password_shown_to).toHaveLength(2);
  },
);

test("who was shown a password before the keys were replaced is not added again", async () => {
  const office = await newOffice();
  const admin = await newAdmin(office);
  const plugin = await newPlugin(office, admin.headers());
  await staffCall(office, "POST", `/integrations/${plugin._id}/keys`);
  await runBatches("passwords_again");
  expect(await heldBy(office, admin, "integrations")).toEqual([]);
});

test("whom an earlier version shows a password, beside this one or after going back, is noted by its audit entry", async () => {
  const office = await newOffice();
  const admin = await newAdmin(office);
  const plugin = await newPlugin(office);
  // It changes the password, and knows no list.
  await withTransaction((tx) =>
    record(
      tx,
      office.businessId,
      { kind: "person", id: admin.userId },
      { action: "renewIntegrationPassword", mode: "test", objectId: plugin._id },
    ),
  );
  const listed = await heldBy<MemberIntegration>(office, admin, "integrations");
  expect(listed.map(({ _id }) => _id)).toEqual([plugin._id]);
});

test("the keys and plugins of another business's member are not found", async () => {
  const [office, other] = [await newOffice(), await newOffice()];
  const admin = await newAdmin(other);
  for (const what of ["api-keys", "integrations"])
    expect((await staffCall(office, "GET", `/team/members/${admin.userId}/${what}`)).status).toBe(
      404,
    );
});
