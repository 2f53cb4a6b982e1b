import { beforeEach, expect, test, vi } from "vitest";
import type * as Contracts from "@/components/form/use-contract-form";
import type * as Fields from "@/components/form/use-field";
import type * as Hooks from "@/lib/client/hooks";
import { MemberIntegration } from "@/lib/contract/integrations";
import {
  getMemberSecrets,
  listMemberApiKeys,
  listMemberIntegrations,
} from "@/lib/contract/operations";
import { Member, MemberSecrets } from "@/lib/contract/team";
import { type Role, roles } from "@/lib/contract/values";
import { answered, drawn } from "@/tests/drawn";
import { RoleDialog } from "./role-dialog";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
vi.mock("@/components/ui/dialog", () => import("@/tests/drawn-dialog"));
const page = vi.hoisted(() => ({
  chosen: "",
  submit: (_: object): unknown => undefined,
  run: vi.fn(),
}));
vi.mock("@/components/form/use-contract-form", async (original) => {
  const forms = await original<typeof Contracts>();
  const useContractForm: typeof forms.useContractForm = (schema, setting) => {
    page.submit = setting.submit as typeof page.submit;
    return forms.useContractForm(schema, setting);
  };
  return { ...forms, useContractForm };
});
vi.mock("@/components/form/use-field", async (original) => ({
  ...(await original<typeof Fields>()),
  useFieldValue: () => page.chosen,
}));
vi.mock("@/lib/client/hooks", async (original) => ({
  ...(await original<typeof Hooks>()),
  useAction: () => ({ runAsync: page.run, busy: false }),
}));
beforeEach(() => void page.run.mockReset());

const plugin = MemberIntegration.parse(MemberIntegration.meta()?.examples?.[0]);
const known = MemberSecrets.parse(MemberSecrets.meta()?.examples?.[0]);
const member = { ...Member.parse(Member.meta()?.examples?.[0]), role: "admin" as const };
const input = { params: { member_id: member._id } };

/** Gives the member this role; returns what was asked before. */
function give(role: Role): string {
  page.chosen = role;
  const html = drawn(<RoleDialog member={member} onClose={() => undefined} />, [
    answered(listMemberApiKeys, input, []),
    answered(listMemberIntegrations, input, [plugin]),
    answered(getMemberSecrets, input, known),
  ]);
  page.submit({ role });
  return html;
}

test.each(roles.map((role) => [role, role === "staff" || role === "viewer"] as const))(
  "of an admin who becomes %s it is asked what ends of the shop plugins and webhooks that they know: %s",
  (role, asked) => {
    const html = give(role);
    // Roles that are less here are those of which it is asked.
    expect(html.includes("stop working and must be copied anew")).toBe(asked);
    for (const words of ["Replace the keys of these plugins", "Disable the endpoints"])
      expect(html.includes(words), words).toBe(asked);
    expect(page.run).toHaveBeenLastCalledWith({
      ...input,
      query: asked
        ? {
            revoke_api_keys: true,
            replace_integration_keys: true,
            disable_webhook_endpoints: true,
            roll_signing_secrets: true,
          }
        : {},
      body: { role },
    });
  },
);
