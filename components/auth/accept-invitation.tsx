"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { AskOperator } from "@/components/mails/ask-operator";
import { TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Button } from "@/components/ui/button";
import { LinkButton } from "@/components/ui/link-button";
import { ErrorState } from "@/components/ui/error-state";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { call } from "@/lib/client/call";
import { ApiProblem, problemText } from "@/lib/client/problem";
import { signInAddress } from "@/lib/client/return-address";
import { signOut } from "@/lib/client/sign-in";
import { forgetToken, useHashToken } from "@/lib/client/use-hash-token";
import { useMe } from "@/lib/client/use-me";
import { AcceptInput, type Offer } from "@/lib/contract/account";
import type { Me } from "@/lib/contract/me";
import { PersonName } from "@/lib/contract/names";
import { Password } from "@/lib/contract/password";
import { acceptInvitation, lookUpInvitation } from "@/lib/contract/operations";
import { Frame } from "./frame";
import { isGone } from "./gone";
import { NewPasswordField } from "./new-password-field";
import { TextLink } from "./text-link";
import { useEntered } from "./use-entered";

const gone = {
  title: "This invitation does not work",
  description: "The link may be incomplete, already used, revoked or expired. Ask for a new one.",
};

const kept = "kutip-invitation";

export function AcceptInvitation() {
  const token = useHashToken(kept);
  const offer = useQuery<Offer, ApiProblem>({
    queryKey: ["invitation", token],
    queryFn: ({ signal }) =>
      call(lookUpInvitation, { body: { token: token ?? "" } }, { scope: null, signal }),
    enabled: Boolean(token),
  });
  const me = useMe();
  const accept = async (person?: NewPersonInput) => {
    try {
      return await call(
        acceptInvitation,
        { body: { token: token ?? "", ...person } },
        { scope: null },
      );
    } catch (error) {
      // Used or revoked since the page was opened.
      if (error instanceof ApiProblem && error.status === 404) void offer.refetch();
      throw error;
    }
  };
  if (token === null || isGone(offer.error)) {
    return (
      <Frame {...gone}>
        <LinkButton href="/sign-in">Sign in</LinkButton>
      </Frame>
    );
  }
  if (offer.error && !offer.data)
    return (
      <main className="mx-auto max-w-md px-4 py-16">
        <ErrorState error={offer.error} retry={() => void offer.refetch()} />
      </main>
    );
  if (!token || !offer.data || me.isPending) {
    return (
      <Frame title="Your invitation">
        <Loading>
          <Skeleton className="h-9" />
        </Loading>
      </Frame>
    );
  }
  const { business_name: business, email, role, known, resets } = offer.data;
  if (!business) {
    return (
      <Frame title="You’re invited to create a business" description={`For ${email}.`}>
        <LinkButton href={`/sign-up#${token}`} variant="primary">
          Continue
        </LinkButton>
      </Frame>
    );
  }
  const title = `Join ${business}`;
  const description = (
    <>
      You are invited as <strong className="font-semibold text-ink">{role}</strong>, with the
      address {email}.
    </>
  );
  const own = me.data?.user.email;
  if (own && (known || own.toLowerCase() !== email.toLowerCase()))
    return (
      <Frame title={title} description={description}>
        <AcceptSignedIn accept={accept} email={email} own={own} />
      </Frame>
    );
  if (known) {
    return (
      <Frame title={title} description={description}>
        <LinkButton href={signInAddress("/invitation")} variant="primary">
          Sign in to accept
        </LinkButton>
      </Frame>
    );
  }
  return (
    <Frame
      title={title}
      description={description}
      foot={
        resets ? undefined : (
          <p>
            Do you have an account with this address?{" "}
            <TextLink href={signInAddress("/invitation")}>Sign in to accept</TextLink>
          </p>
        )
      }
    >
      {resets && me.data ? <ResetWarning me={me.data} /> : null}
      <AcceptNew accept={accept} />
    </Frame>
  );
}

type Accept = (person?: NewPersonInput) => Promise<{ business_id: number }>;

function AcceptSignedIn({ accept, email, own }: { accept: Accept; email: string; own: string }) {
  const entered = useEntered();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  if (own.toLowerCase() !== email.toLowerCase()) {
    return (
      <div className="grid gap-4">
        <p role="status" className="text-note">
          You are signed in as {own}. Sign out first, then accept it as {email}.
        </p>
        <Button variant="primary" onClick={() => void signOut("/invitation")}>
          Sign out
        </Button>
      </div>
    );
  }
  const press = async () => {
    setBusy(true);
    try {
      const { business_id } = await accept();
      forgetToken(kept);
      entered(`/b/${business_id}/test`);
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  };
  return (
    <div className="grid gap-2">
      <Button variant="primary" busy={busy} onClick={press}>
        Accept
      </Button>
      {problem ? (
        <p role="alert" className="font-medium text-bad">
          {problem}
        </p>
      ) : null}
    </div>
  );
}

/** To an account with an address that is not confirmed: what accepting ends, and how to keep it. */
function ResetWarning({ me: { user, sends_mail, operator_contacts } }: { me: Me }) {
  return (
    <div role="status" className="mb-4 grid gap-2 text-note">
      <p>
        You are signed in as {user.email}, and this address is not confirmed. If you accept here,
        you choose a new password. The businesses that you belong to stay closed until the address
        is confirmed.
      </p>
      <p>
        {sends_mail ? (
          "To keep your account as it is, confirm the address first: Settings → Security sends the mail. Then open this invitation again."
        ) : (
          <AskOperator contacts={operator_contacts} email={user.email}>
            It confirms the address and gives you a new password. Then sign in with it and open this
            invitation again, to keep all your businesses.
          </AskOperator>
        )}
      </p>
    </div>
  );
}

const NewPerson = AcceptInput.omit({ token: true }).extend({
  name: PersonName,
  password: Password,
});

type NewPersonInput = z.output<typeof NewPerson>;

function AcceptNew({ accept }: { accept: Accept }) {
  const entered = useEntered();
  const form = useContractForm(NewPerson, {
    defaults: { name: "", password: "" },
    guard: false,
    submit: accept,
    onSaved: ({ business_id }) => {
      forgetToken(kept);
      entered(`/b/${business_id}/test`);
    },
  });
  return (
    <Form form={form} label="Accept the invitation">
      <TextField form={form} name="name" label="Your name" autoComplete="name" />
      <NewPasswordField form={form} name="password" />
      <SubmitButton>Accept</SubmitButton>
    </Form>
  );
}
