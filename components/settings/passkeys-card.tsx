"use client";

import { useQuery } from "@tanstack/react-query";
import { KeyRound, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Confirm, Dialog } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { MenuItem, RowMenu } from "@/components/ui/menu";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Day } from "@/components/ui/time";
import { notify } from "@/lib/client/notices";
import {
  addPasskey,
  canUsePasskeys,
  deletePasskey,
  listPasskeys,
  type Passkey,
  renamePasskey,
} from "@/lib/client/passkeys";
import { type ApiProblem, problemText } from "@/lib/client/problem";
import { useInBrowser } from "@/lib/client/use-in-browser";
import { PasskeyName } from "@/lib/contract/names";
import { browserName } from "./browser-name";
import { accountKey, useAccountRefresh } from "./use-account";

const Named = z.object({ name: PasskeyName });
const nameOf = ({ name }: Passkey) => name || "Passkey";

/** The passkeys of the person signed in. */
export function PasskeysCard() {
  const answer = useQuery<Passkey[], ApiProblem>({
    queryKey: accountKey("passkeys"),
    queryFn: listPasskeys,
  });
  const [adding, setAdding] = useState(false);
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  // The server cannot know.
  const inBrowser = useInBrowser();
  const can = inBrowser && canUsePasskeys();
  return (
    <Card
      title="Passkeys"
      description="Sign in with a fingerprint, your face or the PIN of a device instead of a password."
      actions={can ? <Button onClick={() => setAdding(true)}>Add a passkey…</Button> : null}
    >
      {answer.data ? (
        <PasskeyList passkeys={answer.data} onRename={setRenaming} onRemove={setRemoving} />
      ) : answer.error ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <Loading label="Loading passkeys">
          <Skeleton className="w-2/3" />
        </Loading>
      )}
      {can || !inBrowser ? null : (
        <p className="mt-3 text-fine text-muted">
          Passkeys need https and a browser that supports them.
        </p>
      )}
      <Naming
        title="Add a passkey"
        begin={browserName(navigator.userAgent)}
        button="Add passkey"
        said="Passkey added"
        open={adding}
        onClose={() => setAdding(false)}
        submit={addPasskey}
      />
      <Naming
        title="Rename the passkey"
        begin={renaming ? nameOf(renaming) : ""}
        button="Save name"
        said="Passkey renamed"
        open={renaming !== null}
        onClose={() => setRenaming(null)}
        submit={(name) => renamePasskey(renaming?.id ?? "", name)}
      />
      <Removal passkey={removing} onClose={() => setRemoving(null)} />
    </Card>
  );
}

type PasskeyListProps = {
  passkeys: readonly Passkey[];
  onRename: (passkey: Passkey) => void;
  onRemove: (passkey: Passkey) => void;
};

function PasskeyList({ passkeys, onRename, onRemove }: PasskeyListProps) {
  if (passkeys.length === 0) return <p className="text-muted">You have none yet.</p>;
  return (
    <ul aria-label="Passkeys" className="grid gap-1">
      {passkeys.map((passkey) => (
        <li key={passkey.id} className="flex items-center gap-3">
          <KeyRound aria-hidden="true" className="size-4 shrink-0 text-muted" />
          <span className="min-w-0 flex-1">
            <span className="font-medium">{nameOf(passkey)}</span>{" "}
            <span className="text-fine text-muted">
              since <Day value={passkey.createdAt} />
            </span>
          </span>
          <RowMenu label={`Actions for ${nameOf(passkey)}`}>
            <MenuItem onSelect={() => onRename(passkey)} icon={<Pencil aria-hidden="true" />}>
              Rename…
            </MenuItem>
            <MenuItem
              tone="danger"
              onSelect={() => onRemove(passkey)}
              icon={<Trash2 aria-hidden="true" />}
            >
              Remove…
            </MenuItem>
          </RowMenu>
        </li>
      ))}
    </ul>
  );
}

type NamingProps = {
  title: string;
  begin: string;
  button: string;
  /** The notice afterwards. */
  said: string;
  open: boolean;
  onClose: () => void;
  /** False where the person closed the browser's own question. */
  submit: (name: string) => Promise<unknown>;
};

function Naming({ title, open, onClose, ...rest }: NamingProps) {
  return (
    <Dialog title={title} open={open} onOpenChange={(next) => !next && onClose()}>
      <NamingForm {...rest} onClose={onClose} />
    </Dialog>
  );
}

function NamingForm({ begin, button, onClose, submit, said }: Omit<NamingProps, "title" | "open">) {
  const refresh = useAccountRefresh();
  const form = useContractForm(Named, {
    defaults: { name: begin },
    guard: false,
    submit: ({ name }) => submit(name),
    onSaved: (done) => {
      if (done === false) return;
      refresh();
      notify({ title: said, tone: "good" });
      onClose();
    },
  });
  return (
    <Form form={form} label="Passkey">
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="A name you’ll recognise"
        autoComplete="off"
      />
      <SubmitButton className="justify-self-start">{button}</SubmitButton>
    </Form>
  );
}

function Removal({ passkey, onClose }: { passkey: Passkey | null; onClose: () => void }) {
  const [busy, setBusy] = useState(false);
  const refresh = useAccountRefresh();
  const remove = async () => {
    if (!passkey) return;
    setBusy(true);
    try {
      await deletePasskey(passkey.id);
      refresh();
      notify({ title: "Passkey removed", tone: "good" });
      onClose();
    } catch (error) {
      notify({ title: "That did not work", description: problemText(error), tone: "bad" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Confirm
      title={`Remove “${passkey ? nameOf(passkey) : ""}”?`}
      confirm="Remove passkey"
      cancel="Keep it"
      busy={busy}
      open={passkey !== null}
      onOpenChange={(open) => !open && onClose()}
      onConfirm={() => void remove()}
    >
      <p>It no longer works. Your device may still offer it until you remove it there too.</p>
    </Confirm>
  );
}
