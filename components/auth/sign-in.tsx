"use client";

import { KeyRound } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { CheckboxField, EmailField, PasswordField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { useFieldValue } from "@/components/form/use-field";
import { Button } from "@/components/ui/button";
import { canUsePasskeys, signInByPasskey } from "@/lib/client/passkeys";
import { problemText } from "@/lib/client/problem";
import { wayIn } from "@/lib/client/return-address";
import { dropOfEndedSession, signIn } from "@/lib/client/sign-in";
import { useEndpoint } from "@/lib/client/hooks";
import { AccountEmail } from "@/lib/contract/fields";
import { getInstall } from "@/lib/contract/operations";
import { Frame } from "./frame";
import { TextLink } from "./text-link";
import { useEntered } from "./use-entered";

const Credentials = z.object({
  email: AccountEmail,
  password: z.string().min(1),
  rememberMe: z.boolean(),
});

export function SignIn({ next }: { next: string | null }) {
  const router = useRouter();
  const entered = useEntered();
  const install = useEndpoint(getInstall, {});
  const form = useContractForm(Credentials, {
    defaults: { email: "", password: "", rememberMe: false },
    guard: false,
    submit: signIn,
    onSaved: (secondStep) =>
      secondStep ? router.replace(wayIn("/two-factor", next)) : entered(next),
  });
  const remember = useFieldValue(form, "rememberMe");
  useEffect(() => void dropOfEndedSession(), []);
  useEffect(() => {
    if (install.data?.empty) router.replace("/setup");
  }, [install.data, router]);

  return (
    <Frame
      title="Sign in"
      foot={
        install.data && install.data.sign_up !== "closed" ? (
          <p>
            New here? <TextLink href="/sign-up">Create a business</TextLink>
          </p>
        ) : null
      }
    >
      <Form form={form} label="Sign in">
        <EmailField form={form} name="email" autoComplete="username webauthn" />
        <PasswordField form={form} name="password" label="Password" />
        <CheckboxField
          form={form}
          name="rememberMe"
          label="Remember me"
          hint="Stay signed in on this device until you don’t use it for seven days, 30 days at most. Otherwise you’re signed out when the browser closes, after 12 hours at most."
        />
        <SubmitButton className="mt-1">Sign in</SubmitButton>
      </Form>
      <Passkey remember={remember === true} onEntered={() => entered(next)} />
      <p className="mt-4 text-center">
        <TextLink href={wayIn("/forgot-password", next)}>Forgot your password?</TextLink>
      </p>
    </Frame>
  );
}

function Passkey({ remember, onEntered }: { remember: boolean; onEntered: () => void }) {
  const [can, setCan] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => setCan(canUsePasskeys()), []);
  if (!can) return null;
  const press = async () => {
    setBusy(true);
    setProblem(null);
    try {
      if (await signInByPasskey(remember)) onEntered();
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="mt-2.5 grid gap-2">
      <Button busy={busy} onClick={press}>
        <KeyRound aria-hidden="true" className="size-4" />
        Sign in with a passkey
      </Button>
      {problem ? (
        <p role="alert" className="text-fine font-medium text-bad">
          {problem}
        </p>
      ) : null}
    </div>
  );
}
