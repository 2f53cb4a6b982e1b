import { expect, test, vi } from "vitest";
import { Integration, IntegrationWithPassword } from "@/lib/contract/integrations";
import { getIntegration } from "@/lib/contract/operations";
import { answered, drawn } from "@/tests/drawn";
import { ShopPlugin } from "./detail";
import { NewPassword } from "./dialogs";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
vi.mock("@/components/ui/dialog", () => import("@/tests/drawn-dialog"));

const example = IntegrationWithPassword.parse(IntegrationWithPassword.meta()?.examples?.[0]);
const at = "2026-11-28T10:00:00.000000Z";

test.each([
  ["that was never replaced", null, null, true],
  ["that its shop has retrieved", at, at, true],
  ["that its shop has not retrieved", at, null, false],
])(
  "a new password for a plugin with an API key %s says whether it takes payments",
  (_, keys_replaced_at, keys_read_at, takes) => {
    const plugin = { ...example, keys_replaced_at, keys_read_at };
    const { _id } = plugin;
    const html = drawn(<ShopPlugin id={_id} />, [
      answered(getIntegration, { params: { integration_id: _id } }, Integration.parse(plugin)),
    ]);
    const [, question = ""] =
      /aria-label="Create a new password\?">(.*?)<\/section>/s.exec(html) ?? [];
    expect(question.includes("keeps taking payments")).toBe(takes);
    expect(question.includes("takes no new payments until")).toBe(!takes);
    const shown = drawn(<NewPassword made={plugin} onClose={() => undefined} />, []);
    expect(shown.includes("press “Retrieve key” and save")).toBe(!takes);
  },
);
