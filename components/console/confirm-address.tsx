"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { sendVerification } from "@/lib/client/account";
import { notify } from "@/lib/client/notices";
import { problemText } from "@/lib/client/problem";
import { signOut } from "@/lib/client/sign-in";
import { Plain } from "./plain";

/** Sends the mail by which an address is confirmed once more. */
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
export function ConfirmAddress({ email }: { email: string }) {
  const { busy, send } = useConfirmationMail(email);
  return (
    <Plain
      title="Confirm your address"
      action={
        <>
          <Button variant="primary" busy={busy} onClick={send}>
            Send the mail
          </Button>
          <Button onClick={() => void signOut()}>Sign out</Button>
        </>
      }
    >
      Your account opens nothing until you open the link in a mail to {email}. Open it in this
      browser to keep your password. If no mail comes, ask the operator of this Kutip.
    </Plain>
  );
}
