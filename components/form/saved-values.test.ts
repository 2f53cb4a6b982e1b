import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { type ContractForm, useContractForm } from "./use-contract-form";

vi.mock("next/navigation", () => ({ useRouter: () => ({}) }));

const schema = z.object({ title: z.string(), secret: z.string().optional() });
type Form = ContractForm<"title" | "secret">;
type Setting = { submit: () => Promise<unknown>; put: (form: Form) => void };

function TitleForm({ submit, put }: Setting) {
  put(
    useContractForm(schema, { defaults: { title: "", secret: "" }, submit, spent: { secret: "" } }),
  );
  return null;
}

/** A form with its two fields, as a person writes in it. */
function drawn(submit: Setting["submit"]) {
  const forms: Form[] = [];
  renderToString(createElement(TitleForm, { submit, put: (form) => void forms.push(form) }));
  const [form] = forms;
  if (!form) throw new Error("not drawn");
  const { fields } = form;
  const inputs = { title: fields.register("title"), secret: fields.register("secret") };
  const write = (name: keyof typeof inputs, value: string) =>
    inputs[name].onChange({ target: { name, value }, type: "change" });
  const unsaved = () =>
    (["title", "secret"] as const).filter((name) => fields.getFieldState(name).isDirty);
  return { form, write, unsaved };
}

test("what is written while a save is under way stays unsaved, until it is saved too", async () => {
  let meanwhile = async (): Promise<unknown> => write("title", "Chairs and tables");
  const { form, write, unsaved } = drawn(() => meanwhile());
  await write("title", "Chairs");
  await form.onSubmit();
  expect(form.fields.getValues("title")).toBe("Chairs and tables");
  expect(unsaved()).toEqual(["title"]);
  meanwhile = () => Promise.resolve();
  await form.onSubmit();
  expect(form.fields.getValues("title")).toBe("Chairs and tables");
  expect(unsaved()).toEqual([]);
});

test("a field that a save uses up is empty afterwards, unless it was written anew meanwhile", async () => {
  let meanwhile = (): Promise<unknown> => Promise.resolve();
  const { form, write, unsaved } = drawn(() => meanwhile());
  await write("title", "Chairs");
  await write("secret", "first");
  await form.onSubmit();
  expect([form.fields.getValues("secret"), unsaved()]).toEqual(["", []]);
  meanwhile = async () => write("secret", "third");
  await write("secret", "second");
  await form.onSubmit();
  expect([form.fields.getValues("secret"), unsaved()]).toEqual(["third", ["secret"]]);
});
