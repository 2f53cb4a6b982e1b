import { expect, test, vi } from "vitest";
import type * as Hooks from "@/lib/client/hooks";
import { ApiKey } from "@/lib/contract/api-keys";
import { listMemberApiKeys } from "@/lib/contract/operations";
import { Member } from "@/lib/contract/team";
import { answered, drawn, failed } from "@/tests/drawn";
import { RemoveMember } from "./remove-member";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
const pressed = vi.hoisted(() => ({ confirm: () => {}, run: vi.fn() }));
vi.mock("@/components/ui/dialog", async () => {
  const dialogs = await import("@/tests/drawn-dialog");
  const Confirm = (props: Parameters<typeof dialogs.Confirm>[0]) => {
    pressed.confirm = props.onConfirm;
    return dialogs.Confirm(props);
  };
  return { ...dialogs, Confirm };
});
vi.mock("@/lib/client/hooks", async (original) => ({
  ...(await original<typeof Hooks>()),
  useAction: () => ({ run: pressed.run, busy: false }),
}));

const member = Member.parse(Member.meta()?.examples?.[0]);
const key = ApiKey.parse(ApiKey.meta()?.examples?.[0]);
const input = { params: { member_id: member._id } };

const questionOf = (answer: ReturnType<typeof failed>) =>
  drawn(<RemoveMember member={member} own={false} onClose={() => undefined} />, [answer]);
const isOff = (html: string) => /<button[^>]*disabled=""[^>]*>Remove member/.test(html);

test("a member is not removed while it is not known which API keys they would leave behind", () => {
  const html = questionOf(failed(listMemberApiKeys, input));
  expect(html).toContain(`The API keys that ${member.name} created did not load`);
  expect(html).toContain(">Retry</button>");
  expect(isOff(html)).toBe(true);
});

test.each([
  ["no API keys", []],
  ["API keys", [key]],
])("a member with %s is removed once that is known", (_keys, keys) => {
  const html = questionOf(answered(listMemberApiKeys, input, keys));
  expect(isOff(html)).toBe(false);
  expect(html.includes("Revoke these keys")).toBe(keys.length > 0);
});

test.each([
  ["no API keys", []],
  ["API keys", [key]],
])("the keys of a member with %s when asked are revoked, also those made since", (_keys, keys) => {
  questionOf(answered(listMemberApiKeys, input, keys));
  pressed.confirm();
  expect(pressed.run).toHaveBeenLastCalledWith({ ...input, query: { revoke_api_keys: true } });
});
