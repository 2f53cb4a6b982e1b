import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { mails } from "@/db/schema/mails";
import type { SigningSecret } from "@/lib/contract/business";
import type { MemberSecrets } from "@/lib/contract/team";
import type { Mode } from "@/lib/contract/values";
import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import { record } from "@/lib/domain/audit/record";
import { addMember } from "@/lib/domain/users/create";
import { unseal } from "@/lib/kernel/secrets";
import { data, keyCall, newOffice, type Office, staffCall } from "../dashboard/setting";
import { as, somePerson } from "./person";

afterAll(closePool);

/** An owner's call, or one by these headers. */
type By = Record<string, string> | undefined;
type Admin = { userId: string; headers: (mode?: Mode) => Record<string, string> };

async function newMember({ businessId }: Office, role: "admin" | "owner" = "admin") {
  const person = await somePerson();
  await addMember(businessId, person.userId, role);
  const headers = (mode: Mode = "test") => as({ ...person, businessId }, mode);
  return { userId: person.userId, email: person.email, headers };
}

const own = "https://shop.example/hooks";
const elsewhere = "https://thief.example/hooks";
const newEndpoint = async (office: Office, by?: By, url = own) =>
  data<WebhookEndpoint>(await staffCall(office, "POST", "/webhook-endpoints", { url }, by))._id;
const endpointNow = async (office: Office, id: string, by?: By) =>
  data<WebhookEndpoint>(await staffCall(office, "GET", `/webhook-endpoints/${id}`, undefined, by));
const edit = async (office: Office, id: string, body: object, by?: By) =>
  data(await staffCall(office, "PUT", `/webhook-endpoints/${id}`, body, by));
const rotate = async (office: Office, id: string, by?: By) =>
  data(await staffCall(office, "POST", `/webhook-endpoints/${id}/rotate`, undefined, by));
const show = async (office: Office, by?: By) =>
  data<SigningSecret>(await staffCall(office, "GET", "/business/signing-secret", undefined, by))
    .secret;
const roll = async (office: Office, by?: By) =>
  data(await staffCall(office, "POST", "/business/signing-secret/roll", undefined, by));
const knownTo = async (office: Office, { userId }: Pick<Admin, "userId">) =>
  data<MemberSecrets>(await staffCall(office, "GET", `/team/members/${userId}/secrets`));
const pathOf = ({ userId }: Admin, query: string) => `/team/members/${userId}${query}`;

type Leaving = (office: Office, admin: Admin, query: string) => Promise<unknown>;
const leavings: [string, Leaving][] = [
  [
    "removed",
    async (office, admin, query) => data(await staffCall(office, "DELETE", pathOf(admin, query))),
  ],
  [
    "made less",
    async (office, admin, query) =>
      data(await staffCall(office, "PUT", pathOf(admin, query), { role: "staff" })),
  ],
];

test("the webhook endpoints that a member created, gave their address or rotated are listed, in both modes", async () => {
  const office = await newOffice();
  const admin = await newMember(office);
  const [made, edited, rotated, untouched] = [
    await newEndpoint(office, admin.headers("live")),
    await newEndpoint(office),
    await newEndpoint(office),
    await newEndpoint(office),
  ];
  await edit(office, edited, { url: elsewhere }, admin.headers());
  await rotate(office, rotated, admin.headers());
  await edit(office, untouched, { url: own, description: "Shop" }, admin.headers());
  const gone = await newEndpoint(office, admin.headers());
  await staffCall(office, "DELETE", `/webhook-endpoints/${gone}`);
  const { webhook_endpoints: listed } = await knownTo(office, admin);
  expect(listed).toEqual(
    [
      ...[{ _id: rotated, url: own, mode: "test", address_chosen: false, secret_shown: true }],
      ...[{ _id: edited, url: elsewhere, mode: "test", address_chosen: true, secret_shown: false }],
      ...[{ _id: made, url: own, mode: "live", address_chosen: true, secret_shown: true }],
    ].map((one) => ({ ...one, enabled: true })),
  );
});

test("an endpoint is no longer a member's once others chose its address and rotated its secret", async () => {
  const office = await newOffice();
  const admin = await newMember(office);
  const id = await newEndpoint(office, admin.headers(), elsewhere);
  // A form sends every field, the address that it read too.
  await edit(office, id, { url: elsewhere, description: "Shop" });
  expect((await knownTo(office, admin)).webhook_endpoints).toMatchObject([
    { address_chosen: true, secret_shown: true },
  ]);
  await edit(office, id, { url: own });
  expect((await knownTo(office, admin)).webhook_endpoints).toMatchObject([
    { address_chosen: false, secret_shown: true },
  ]);
  await rotate(office, id);
  expect((await knownTo(office, admin)).webhook_endpoints).toEqual([]);
});

test("of earlier edits, which do not say whether the address differed, the member's own count", async () => {
  const office = await newOffice();
  const [admin, other] = [await newMember(office), await newMember(office, "owner")];
  const objectId = await newEndpoint(office);
  for (const { userId } of [admin, other])
    await withTransaction((tx) =>
      record(
        tx,
        office.businessId,
        { kind: "person", id: userId },
        { action: "updateWebhookEndpoint", objectId, details: { fields: ["url", "events"] } },
      ),
    );
  expect((await knownTo(office, admin)).webhook_endpoints).toMatchObject([
    { _id: objectId, address_chosen: true, secret_shown: false },
  ]);
});

test.each(leavings)(
  "when a member is %s, the endpoints at addresses that they chose are disabled, if asked, and the owners are mailed",
  async (_, leave) => {
    const office = await newOffice();
    const owner = await newMember(office, "owner");
    const admin = await newMember(office);
    const theirs = await newEndpoint(office, admin.headers("live"), elsewhere);
    const seen = await newEndpoint(office);
    await rotate(office, seen, admin.headers());
    await leave(office, admin, "?disable_webhook_endpoints=true");
    expect(await endpointNow(office, theirs, owner.headers("live"))).toMatchObject({
      enabled: false,
      disabled_reason: null,
      version: 2,
    });
    expect(await endpointNow(office, seen)).toMatchObject({ enabled: true });
    const sent = await db.select().from(mails).where(eq(mails.recipient, owner.email));
    const notice = sent.find(({ subject }) => subject === "Webhook endpoints were disabled");
    expect(notice ? unseal(notice.text, "mail") : "").toMatch(/Mode:?\s+live/);
  },
);

test.each(leavings)(
  "when a member is %s, the signing secret that they saw is replaced, if asked, and no other",
  async (_, leave) => {
    const office = await newOffice();
    const [owner, admin] = [await newMember(office, "owner"), await newMember(office)];
    const before = await show(office, admin.headers("live"));
    const kept = await show(office);
    expect((await knownTo(office, admin)).signing_secrets).toEqual(["live"]);
    await leave(office, admin, "?roll_signing_secrets=true");
    expect(await show(office, owner.headers("live"))).not.toBe(before);
    expect(await show(office)).toBe(kept);
  },
);

test("a signing secret is known to those who saw it since it was last made, also by a removal", async () => {
  const office = await newOffice();
  const [admin, second] = [await newMember(office), await newMember(office)];
  await show(office, admin.headers());
  await show(office, second.headers());
  await roll(office, second.headers());
  expect((await knownTo(office, admin)).signing_secrets).toEqual([]);
  expect((await knownTo(office, second)).signing_secrets).toEqual(["test"]);
  await show(office, admin.headers());
  data(await staffCall(office, "DELETE", pathOf(second, "?roll_signing_secrets=true"), undefined));
  expect((await knownTo(office, admin)).signing_secrets).toEqual([]);
});

test.each(leavings)(
  "endpoints and signing secrets outlive a member who is %s, unless that is asked for",
  async (_, leave) => {
    const office = await newOffice();
    const admin = await newMember(office);
    const id = await newEndpoint(office, admin.headers());
    const secret = await show(office, admin.headers());
    await leave(office, admin, "");
    expect(await endpointNow(office, id)).toMatchObject({ enabled: true, version: 1 });
    expect(await show(office)).toBe(secret);
  },
);

test("what another business's member knows is not found, and an API key may not ask", async () => {
  const [office, other] = [await newOffice(), await newOffice()];
  const admin = await newMember(other);
  const path = `/team/members/${admin.userId}/secrets`;
  expect((await staffCall(office, "GET", path)).status).toBe(404);
  expect((await keyCall(other, "GET", path)).status).toBe(403);
});
