import { expect, test, vi } from "vitest";
import type * as Hooks from "@/lib/client/hooks";
import { ApiKey } from "@/lib/contract/api-keys";
import { MemberIntegration } from "@/lib/contract/integrations";
import { drawNotices, type Notice } from "@/lib/client/notices";
import { listMemberApiKeys, listMemberIntegrations } from "@/lib/contract/operations";
import { Member } from "@/lib/contract/team";
import { answered, drawn, failed } from "@/tests/drawn";
import { RemoveMember } from "./remove-member";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
const pressed = vi.hoisted(() => ({
  confirm: () => {},
  run: vi.fn(),
  removed: (_: { name: string }) => {},
}));
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
  useAction: (_: unknown, { onSuccess }: { onSuccess: typeof pressed.removed }) => {
    pressed.removed = onSuccess;
    return { run: pressed.run, busy: false };
  },
}));

const member = Member.parse(Member.meta()?.examples?.[0]);
const key = ApiKey.parse(ApiKey.meta()?.examples?.[0]);
const plugin = MemberIntegration.parse(MemberIntegration.meta()?.examples?.[0]);
const input = { params: { member_id: member._id } };

const questionOf = (answers: ReturnType<typeof failed>[], own = false) =>
  drawn(<RemoveMember member={member} own={own} onClose={() => undefined} />, answers);
const holding = (keys: ApiKey[], plugins: MemberIntegration[], own = false) =>
  questionOf(
    [answered(listMemberApiKeys, input, keys), answered(listMemberIntegrations, input, plugins)],
    own,
  );
const isOff = (html: string) => /<button[^>]*disabled=""[^>]*>Remove member/.test(html);

test.each([
  [failed(listMemberApiKeys, input), answered(listMemberIntegrations, input, [])],
  [answered(listMemberApiKeys, input, []), failed(listMemberIntegrations, input)],
])("a member is not removed while it is not known what they could still use", (...answers) => {
  const html = questionOf(answers);
  expect(html).toContain(`The API keys and shop plugins of ${member.name} did not load`);
  expect(html).toContain(">Retry</button>");
  expect(isOff(html)).toBe(true);
});

const held: [string, ApiKey[], MemberIntegration[]][] = [
  ["neither API keys nor shop plugins", [], []],
  ["API keys", [key], []],
  ["shop plugins", [], [plugin]],
];

test.each(held)("a member with %s is removed once that is known", (_, keys, plugins) => {
  const html = holding(keys, plugins);
  expect(isOff(html)).toBe(false);
  expect(html.includes("Revoke these keys")).toBe(keys.length > 0);
  expect(html.includes("Replace the keys of these plugins")).toBe(plugins.length > 0);
});

test.each(held)(
  "what a member with %s when asked can use ends, also what was made since",
  (_, keys, plugins) => {
    holding(keys, plugins);
    pressed.confirm();
    expect(pressed.run).toHaveBeenLastCalledWith({
      ...input,
      query: { revoke_api_keys: true, replace_integration_keys: true },
    });
  },
);

test.each([
  ["leaves", true, undefined],
  ["is removed", false, "Create a new password for their shop plugins"],
])("who %s closes shops only where someone can open them again", (_, own, words) => {
  const said: Notice[] = [];
  const release = drawNotices((notice) => said.push(notice));
  holding([], [plugin], own);
  pressed.confirm();
  pressed.removed(member);
  release();
  expect(pressed.run).toHaveBeenLastCalledWith({
    ...input,
    query: { revoke_api_keys: true, replace_integration_keys: !own },
  });
  expect(said.map(({ description }) => description?.toString().split(" under")[0])).toEqual([
    words,
  ]);
});
