import { expect, test, vi } from "vitest";
import type * as Hooks from "@/lib/client/hooks";
import { ApiKey } from "@/lib/contract/api-keys";
import { MemberIntegration } from "@/lib/contract/integrations";
import { drawNotices, type Notice } from "@/lib/client/notices";
import {
  getMemberSecrets,
  listMemberApiKeys,
  listMemberIntegrations,
} from "@/lib/contract/operations";
import { Member, MemberSecrets } from "@/lib/contract/team";
import { roles } from "@/lib/contract/values";
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
const known = MemberSecrets.parse(MemberSecrets.meta()?.examples?.[0]);
const nothing: MemberSecrets = { webhook_endpoints: [], signing_secrets: [] };
const input = { params: { member_id: member._id } };

const questionOf = (answers: ReturnType<typeof failed>[], own = false) =>
  drawn(<RemoveMember member={member} own={own} onClose={() => undefined} />, answers);
const holding = (
  keys: ApiKey[],
  plugins: MemberIntegration[],
  secrets: MemberSecrets = nothing,
  own = false,
) =>
  questionOf(
    [
      answered(listMemberApiKeys, input, keys),
      answered(listMemberIntegrations, input, plugins),
      answered(getMemberSecrets, input, secrets),
    ],
    own,
  );
const endings = (value: boolean) => ({
  replace_integration_keys: value,
  disable_webhook_endpoints: value,
  roll_signing_secrets: value,
});
const copied = "stop working and must be copied anew";
const isOff = (html: string) => /<button[^>]*disabled=""[^>]*>Remove member/.test(html);

const reads = [
  answered(listMemberApiKeys, input, []),
  answered(listMemberIntegrations, input, []),
  answered(getMemberSecrets, input, nothing),
];

test.each([
  failed(listMemberApiKeys, input),
  failed(listMemberIntegrations, input),
  failed(getMemberSecrets, input),
])("a member is not removed while it is not known what they could still use", (lost) => {
  const html = questionOf(
    reads.map((read) => (String(read.key) === String(lost.key) ? lost : read)),
  );
  expect(html).toContain(`What ${member.name} can still use did not load`);
  expect(html).toContain(">Retry</button>");
  expect(isOff(html)).toBe(true);
});

const held: [string, ApiKey[], MemberIntegration[], MemberSecrets][] = [
  ["neither keys nor secrets", [], [], nothing],
  ["API keys", [key], [], nothing],
  ["shop plugins", [], [plugin], nothing],
  ["webhooks and a signing secret", [], [], known],
];

test.each(held)("a member with %s is removed once that is known", (_, keys, plugins, secrets) => {
  const html = holding(keys, plugins, secrets);
  expect(isOff(html)).toBe(false);
  expect(html.includes("Revoke these keys")).toBe(keys.length > 0);
  expect(html.includes("Replace the keys of these plugins")).toBe(plugins.length > 0);
  for (const words of [
    "https://shop.example/webhooks",
    "(live, address and secret)",
    "Disable the endpoints with an address that Ana Costa may have chosen",
    "Rotate it on the page of its endpoint.",
    "The signing secret of live mode was shown to Ana Costa.",
    "Create a new signing secret",
  ])
    expect(html.includes(words), words).toBe(secrets === known);
});

test.each(held)(
  "what a member with %s when asked can use ends, also what was made since",
  (_, keys, plugins, secrets) => {
    holding(keys, plugins, secrets);
    pressed.confirm();
    expect(pressed.run).toHaveBeenLastCalledWith({
      ...input,
      query: { revoke_api_keys: true, ...endings(true) },
    });
  },
);

test.each([
  ["leaves", true, undefined],
  [
    "is removed",
    false,
    "Create a new password for their shop plugins under Settings → Shop plugins. Enable the endpoints that are yours under Developers → Webhooks. Rotate the webhook secrets that they saw. Give your programs the new signing secret, under Settings → Signing secret.",
  ],
])("who %s closes shops only where someone can open them again", (_, own, words) => {
  const said: Notice[] = [];
  const release = drawNotices((notice) => said.push(notice));
  holding([], [plugin], known, own);
  pressed.confirm();
  pressed.removed(member);
  release();
  expect(pressed.run).toHaveBeenLastCalledWith({
    ...input,
    query: { revoke_api_keys: true, ...endings(!own) },
  });
  expect(said.map(({ description }) => description)).toEqual([words]);
});

test("an endpoint that no longer sends anything is listed, and not to be disabled", () => {
  const webhooks = known.webhook_endpoints.map((one) => ({ ...one, enabled: false }));
  const html = holding([], [], { webhook_endpoints: webhooks, signing_secrets: [] });
  expect(html).toContain("https://shop.example/webhooks");
  expect(html).not.toContain("Disable the endpoints");
});

test.each(roles.map((role) => [role, role === "owner" || role === "admin"] as const))(
  "who removes a member who is %s reads that copied links of others end: %s",
  (role, said) => {
    const html = drawn(
      <RemoveMember member={{ ...member, role }} own={false} onClose={() => undefined} />,
      reads,
    );
    expect(html.includes(copied)).toBe(said);
    expect(html.includes("but for those of owners")).toBe(role === "admin");
  },
);
