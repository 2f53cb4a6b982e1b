"use client";

import { useState } from "react";
import { AskOperator, Operator } from "@/components/mails/ask-operator";
import { Button } from "@/components/ui/button";
import { sendVerification } from "@/lib/client/account";
import { notify } from "@/lib/client/notices";
import { problemText } from "@/lib/client/problem";
import { signOut } from "@/lib/client/sign-in";
import type { Me } from "@/lib/contract/me";
import { Plain } from "./plain";

/** Sends the mail by which an address is confirmed. */
export function useConfirmationMail(email: string): { busy: boolean; send: () => Promise<void> } {
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await sendVerification(email);
      notify({
        title: "A mail is on its way",
        description: `Open the link in the mail to ${email}.`,
        tone: "good",
      });
    } catch (error) {
      notify({ title: "The mail was not sent", description: problemText(error), tone: "bad" });
    } finally {
      setBusy(false);
    }
  };
  return { busy, send };
}

/** What an account sees until its address is proven: it opens nothing yet. */
export function ConfirmAddress({ me: { user, sends_mail, operator_contacts } }: { me: Me }) {
  const { busy, send } = useConfirmationMail(user.email);
  return (
    <Plain
      title="Confirm your address"
      action={
        <>
          {sends_mail ? (
            <Button variant="primary" busy={busy} onClick={send}>
              Send the mail
            </Button>
          ) : null}
          <Button onClick={() => void signOut()}>Sign out</Button>
        </>
      }
    >
      {sends_mail ? (
        <>
          Your account opens nothing until you open the link in a mail to {user.email}. Open it in
          this browser to keep your password. If no mail comes, ask{" "}
          <Operator contacts={operator_contacts} />.
        </>
      ) : (
        <>
          Your account opens nothing until {user.email} is confirmed.{" "}
          <AskOperator contacts={operator_contacts} email={user.email}>
            It confirms the address and gives you a new password.
          </AskOperator>
        </>
      )}
    </Plain>
  );
}
