import { beforeAll, describe, expect, test } from "vitest";
import type { Role } from "@/lib/contract/values";
import type { LoggedRequestDetail } from "@/lib/contract/request-log";
import { addMember } from "@/lib/domain/users/create";
import { flushBatches } from "@/lib/http/batch";
import { api } from "../contract/setting";
import { as, someEmail, somePerson, someStaff } from "./person";

const origin = { origin: "http://localhost:3000" };
let owner: Awaited<ReturnType<typeof someStaff>>;

const call = async (method: string, path: string, body?: object) => {
  const answer = await api(method, path, {
    headers: { ...as(owner), ...origin },
    ...(body ? { body } : {}),
  });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.body.data as Record<string, string>;
};

/** All that a member of this role reads of the newest call at a path. */
async function logged(role: Role, path: string): Promise<{ text: string; restricted: boolean }> {
  await flushBatches();
  const person = await somePerson();
  await addMember(owner.businessId, person.userId, role);
  const headers = as({ ...person, businessId: owner.businessId });
  const list = await api("GET", `/request-log?path=${path}`, { headers });
  const [newest] = (list.body.data as { data: { _id: string }[] }).data;
  const detail = await api("GET", `/request-log/${newest?._id}`, { headers });
  const { restricted } = detail.body.data as LoggedRequestDetail;
  return { text: list.text + detail.text, restricted };
}

beforeAll(async () => {
  owner = await someStaff();
});

describe.each(["owner", "admin", "viewer"] as const)("a logged call shows no %s", (role) => {
  test("the link of an owner's invitation", async () => {
    const { _id } = await call("POST", "/team/invitations", { email: someEmail(), role: "owner" });
    const path = `/team/invitations/${_id}/link`;
    const { url = "" } = await call("POST", path, {});
    const [, token = ""] = url.split("#");
    expect(token).toMatch(/^[\w-]{43}$/);
    const { text, restricted } = await logged(role, path);
    expect(restricted).toBe(role === "viewer");
    expect(text).not.toContain(token);
  });

  test("a member's chat address, nor their choices", async () => {
    const chat_url = "https://hooks.slack.com/services/T0AB/B0CD/x9Yz";
    await call("PUT", "/notification-settings", { mail: ["daily"], chat: ["failures"], chat_url });
    const { text } = await logged(role, "/notification-settings");
    expect(text).not.toContain("T0AB");
    expect(text).not.toContain("failures");
  });

  test("what another member called their view, and what it lists", async () => {
    const filters = { q: "Ana's overdue" };
    const view = { name: "Mine alone", filters };
    await call("POST", "/saved-views", { list: "payment_links", ...view });
    const { text } = await logged(role, "/saved-views");
    expect(text).not.toContain("Mine alone");
    expect(text).not.toContain("Ana's");
  });
});
