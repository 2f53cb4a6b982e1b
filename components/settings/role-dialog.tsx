"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { RadioField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { useFieldValue } from "@/components/form/use-field";
import { Dialog } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useMe, useMembership } from "@/lib/client/use-me";
import {
  changeMember,
  getMe,
  listApiKeys,
  listIntegrations,
  listInvitations,
  listWebhookEndpoints,
} from "@/lib/contract/operations";
import { type Member, RoleInput } from "@/lib/contract/team";
import { HeldKeys, afterWords, useHeldKeys } from "./held-keys";
import { endingWords, isLess, manages, roleLabel, rolesFor } from "./roles";

/** Gives a member another role; open while `member` is given. */
export function RoleDialog({ member, onClose }: { member: Member | null; onClose: () => void }) {
  return (
    <Dialog
      title={`Role of ${member?.name ?? ""}`}
      description="Takes effect immediately."
      open={member !== null}
      onOpenChange={(open) => !open && onClose()}
    >
      {member ? <Choice member={member} onClose={onClose} /> : null}
    </Dialog>
  );
}

function Choice({ member, onClose }: { member: Member; onClose: () => void }) {
  const { role: own } = useMembership();
  const { data: me } = useMe();
  const isOwn = member._id === me?.user._id;
  const held = useHeldKeys(member, isOwn);
  /** Whether it is a change to a role that may make neither API keys nor shop plugins. */
  const isWithout = (role: unknown) =>
    role !== member.role && (role === "staff" || role === "viewer");
  const change = useAction(changeMember, {
    invalidates: [getMe, listInvitations, listApiKeys, listIntegrations, listWebhookEndpoints],
    onProblem: () => undefined,
  });
  const form = useContractForm(RoleInput, {
    guard: false,
    defaults: { role: member.role },
    submit: (body) =>
      change.runAsync({
        params: { member_id: member._id },
        query: isWithout(body.role) ? held.query : {},
        body,
      }),
    onSaved: ({ name, role }) => {
      held.forget();
      notify({
        title: `${name} is ${roleLabel(role).toLowerCase()} now`,
        description: isWithout(role) ? afterWords(held) : undefined,
        tone: "good",
      });
      onClose();
    },
  });
  const chosen = useFieldValue(form, "role");
  const asks = isWithout(chosen);
  return (
    <Form form={form} label="Role" className="gap-5!">
      <RadioField form={form} name="role" label="Role" options={rolesFor(own)} />
      {manages(member.role) && isLess(chosen, member.role) ? (
        <p>{endingWords(member.role, isOwn)}</p>
      ) : null}
      {asks ? <HeldKeys held={held} member={member} /> : null}
      <SubmitButton
        className="justify-self-start"
        disabled={asks && (held.isPending || held.error !== null)}
      >
        Change role
      </SubmitButton>
    </Form>
  );
}
