import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { ApiProblem } from "@/lib/client/problem";
import { type RefundInput, RefundInput as schema } from "@/lib/contract/refunds";
import { type ContractForm, type FieldName, useContractForm } from "./use-contract-form";

vi.mock("next/navigation", () => ({ useRouter: () => ({}) }));

type Form = ContractForm<FieldName<typeof schema>>;
type RefundFormProps = { submit: (body: RefundInput) => Promise<void>; put: (form: Form) => void };

function RefundForm({ submit, put }: RefundFormProps) {
  const defaults = { amount: "", made_at_gateway: false, reason: "" };
  put(useContractForm(schema, { defaults, submit }));
  return null;
}

/** The form as it was drawn, with these fields on the page. */
function drawn(submit: RefundFormProps["submit"], labels: Record<string, string>): Form {
  const forms: Form[] = [];
  renderToString(createElement(RefundForm, { submit, put: (form) => void forms.push(form) }));
  const [form] = forms;
  if (!form) throw new Error("not drawn");
  for (const [name, label] of Object.entries(labels)) form.labels.set(name, label);
  return form;
}

test("a refusal is said at the fields that are on the page, and at no other field of the schema", async () => {
  const errors = { amount: ["Too much."], reason: ["Too long."] };
  const form = drawn(() => Promise.reject(new ApiProblem(422, "invalid_data", "", errors)), {
    reason: "Reason",
  });
  await form.onSubmit();
  expect(form.fields.getFieldState("reason").error?.message).toBe("Too long.");
  expect(form.fields.getFieldState("amount").error).toBeUndefined();
});
