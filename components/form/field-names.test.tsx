import { expectTypeOf, test } from "vitest";
import type * as z from "zod";
import type { PaymentLinkInput, PaymentLinkUpdate } from "@/lib/contract/payment-links";
import type { TextField } from "./inputs";
import type { ContractForm, FieldName } from "./use-contract-form";

type LinkForm = ContractForm<FieldName<typeof PaymentLinkInput>>;
type NameOf<F> = F extends ContractForm<infer Name> ? Name : never;

test("a field takes the names of its form and no other", () => {
  expectTypeOf<NameOf<LinkForm>>().toEqualTypeOf<keyof z.input<typeof PaymentLinkInput>>();
  type Props = Parameters<typeof TextField<NameOf<LinkForm>>>[0];
  expectTypeOf<{ form: LinkForm; name: "title"; label: string }>().toExtend<Props>();
  expectTypeOf<{ form: LinkForm; name: "titel"; label: string }>().not.toExtend<Props>();
});

test("a form with more fields serves where fewer are needed, and not the other way round", () => {
  type UpdateForm = ContractForm<FieldName<typeof PaymentLinkUpdate>>;
  expectTypeOf<UpdateForm>().toExtend<LinkForm>();
  expectTypeOf<LinkForm>().not.toExtend<UpdateForm>();
  expectTypeOf<LinkForm>().toExtend<ContractForm<never>>();
});
