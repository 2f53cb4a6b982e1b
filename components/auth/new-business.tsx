"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Form, SubmitButton } from "@/components/form/form";
import { EmailField, TextField } from "@/components/form/inputs";
import { type ContractForm, useContractForm } from "@/components/form/use-contract-form";
import { Operator } from "@/components/mails/ask-operator";
import { LinkButton } from "@/components/ui/link-button";
import { ErrorState } from "@/components/ui/error-state";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { call } from "@/lib/client/call";
import { useEndpoint } from "@/lib/client/hooks";
import { later } from "@/lib/client/later";
import { useHashToken } from "@/lib/client/use-hash-token";
import { ApiProblem } from "@/lib/client/problem";
import {
  type Entered,
  NewOwner,
  type Offer,
  SetupInput,
  SignUpRequest,
} from "@/lib/contract/account";
import {
  getInstall,
  lookUpInvitation,
  requestSignUp,
  setUpInstall,
  signUp,
} from "@/lib/contract/operations";
import { notMadeOf } from "@/lib/contract/password";
import { Frame } from "./frame";
import { isGone } from "./gone";
import { NewPasswordField } from "./new-password-field";
import { TextLink } from "./text-link";
import { useEntered } from "./use-entered";

const FirstCommand = later(() => import("./first-command").then((module) => module.FirstCommand));

// The list of currencies comes after the page.
const DefaultCurrency = later(
  () => import("./default-currency").then((module) => module.DefaultCurrency),
  () => <Skeleton className="h-16" />,
);

const TimeZone = later(
  () => import("./time-zone").then((module) => module.TimeZone),
  () => <Skeleton className="h-16" />,
);

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
const blank = () => ({
  business_name: "",
  name: "",
  password: "",
  default_currency: "",
  time_zone: zone(),
});

/** The browser's time zone is sent unseen. A form asks for one once the server has refused that: it may be unknown there. */
function useZoneQuestion() {
  const [isAsked, setIsAsked] = useState(false);
  const noting = async <Answer,>(call: Promise<Answer>): Promise<Answer> => {
    try {
      return await call;
    } catch (error) {
      if (error instanceof ApiProblem && error.errors.time_zone) setIsAsked(true);
      throw error;
    }
  };
  return { isAsked, noting };
}

/** Signs the owner of a new business in and opens it in test mode. */
function useFirstLook(): (entered: Entered) => void {
  const entered = useEntered();
  return ({ business_id }) => entered(`/b/${business_id}/test`);
}

/** The first-run page of an empty install: a form for the code that `npm start` printed, or the command that makes the first business. */
export function Setup() {
  const install = useEndpoint(getInstall, {});
  const look = useFirstLook();
  const zoneQuestion = useZoneQuestion();
  const form = useContractForm(SetupInput, {
    defaults: { ...blank(), email: "", code: "" },
    guard: false,
    submit: (body) => zoneQuestion.noting(call(setUpInstall, { body }, { scope: null })),
    onSaved: look,
  });
  if (!install.data) return <NotLoaded query={install} />;
  if (!install.data.empty) {
    return (
      <Frame
        title="This Kutip is set up"
        description="It already has a business. Sign in, or ask one of its owners for an invitation."
      >
        <LinkButton href="/sign-in" variant="primary">
          Sign in
        </LinkButton>
      </Frame>
    );
  }
  if (install.data.has_setup_code === false)
    return <FirstCommand check={() => void install.refetch()} isChecking={install.isFetching} />;
  return (
    <Frame title="Set up Kutip" description="Create the first business. You will be its owner.">
      <Form form={form} label="Set up">
        <TextField
          form={form}
          name="code"
          label="Setup code"
          hint="Printed in the terminal by npm start."
          autoComplete="off"
          spellCheck={false}
        />
        <BusinessFields
          form={form}
          asksZone={zoneQuestion.isAsked}
          email={<EmailField form={form} name="email" autoComplete="username" />}
        />
        <SubmitButton>Create business</SubmitButton>
      </Form>
    </Frame>
  );
}

/** Creating a business where the install allows it: the address is proven by mail first. */
export function SignUp() {
  const token = useHashToken();
  const install = useEndpoint(getInstall, {});
  const foot = (
    <p>
      Have an account? <TextLink href="/sign-in">Sign in</TextLink>
    </p>
  );
  if (!install.data) return <NotLoaded query={install} />;
  if (token === undefined) return <Waiting />;
  if (token && install.data.sign_up !== "closed") return <SignUpForm token={token} />;
  if (install.data.sign_up === "open") return <AskToSignUp foot={foot} />;
  return (
    <Frame
      title="By invitation only"
      description={
        <>
          Businesses are created by <Operator contacts={install.data.operator_contacts} />. Their
          owners invite people.
        </>
      }
    >
      <LinkButton href="/sign-in" variant="primary">
        Sign in
      </LinkButton>
    </Frame>
  );
}

function AskToSignUp({ foot }: { foot: ReactNode }) {
  const [sent, setSent] = useState<string | null>(null);
  const form = useContractForm(SignUpRequest, {
    defaults: { email: "" },
    guard: false,
    submit: (body) => call(requestSignUp, { body }, { scope: null }),
    onSaved: ({ email }) => setSent(email),
  });
  if (sent) {
    return (
      <Frame title="Check your e-mail" foot={foot}>
        <p role="status" className="text-note">
          Open the link in the mail to <strong className="font-semibold">{sent}</strong> to
          continue. An address gets at most five such mails an hour.
        </p>
      </Frame>
    );
  }
  return (
    <Frame
      title="Create a business"
      description="First we send a mail to confirm your address."
      foot={foot}
    >
      <Form form={form} label="Sign up">
        <EmailField form={form} name="email" autoComplete="username" />
        <SubmitButton>Send the mail</SubmitButton>
      </Form>
    </Frame>
  );
}

const SignUpFields = notMadeOf(NewOwner.omit({ email: true }), ["business_name", "name"]);

function SignUpForm({ token }: { token: string }) {
  const look = useFirstLook();
  const zoneQuestion = useZoneQuestion();
  const offer = useQuery<Offer, ApiProblem>({
    queryKey: ["invitation", token],
    queryFn: ({ signal }) => call(lookUpInvitation, { body: { token } }, { scope: null, signal }),
  });
  const form = useContractForm(SignUpFields, {
    defaults: blank(),
    guard: false,
    submit: (values) =>
      zoneQuestion.noting(
        call(
          signUp,
          { body: { ...values, email: offer.data?.email ?? "", invitation: token } },
          { scope: null },
        ),
      ),
    onSaved: look,
  });
  if (isGone(offer.error)) {
    return (
      <Frame
        title="This link does not work"
        description="The link may be incomplete, already used or expired. Ask for a new one."
      >
        <LinkButton href="/sign-up" variant="primary">
          Sign up
        </LinkButton>
      </Frame>
    );
  }
  if (!offer.data) return <NotLoaded query={offer} />;
  return (
    <Frame
      title="Create a business"
      description={`You start in test mode, where no money moves. You sign in as ${offer.data.email}.`}
    >
      <Form form={form} label="Sign up">
        <input type="email" autoComplete="username" value={offer.data.email} readOnly hidden />
        <BusinessFields form={form} asksZone={zoneQuestion.isAsked} />
        <SubmitButton>Create business</SubmitButton>
      </Form>
    </Frame>
  );
}

type Owner = "business_name" | "default_currency" | "time_zone" | "name" | "password";

function BusinessFields({
  form,
  asksZone,
  email,
}: {
  form: ContractForm<Owner>;
  asksZone: boolean;
  email?: ReactNode;
}) {
  return (
    <>
      <TextField
        form={form}
        name="business_name"
        label="Business name"
        hint="Payers see it."
        autoComplete="organization"
      />
      <DefaultCurrency form={form} />
      {asksZone && <TimeZone form={form} />}
      <TextField form={form} name="name" label="Your name" autoComplete="name" />
      {email}
      <NewPasswordField form={form} name="password" />
    </>
  );
}

function Waiting() {
  return (
    <Frame title="One moment">
      <Loading>
        <Skeleton className="h-9" />
      </Loading>
    </Frame>
  );
}

type Query = { error: unknown; refetch: () => unknown };

/** In place of a page that lacks data. A later failure does not bring it back, so that an open form stays. */
function NotLoaded({ query: { error, refetch } }: { query: Query }) {
  if (!error) return <Waiting />;
  return (
    <main className="mx-auto max-w-md px-4 py-16">
      <ErrorState error={error} retry={() => void refetch()} />
    </main>
  );
}
