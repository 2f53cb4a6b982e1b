"use client";

import { useState } from "react";
import { Form, SubmitButton } from "@/components/form/form";
import { UrlField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Confirm } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { problemText } from "@/lib/client/problem";
import { useFresh } from "@/lib/client/use-fresh";
import { useMe, useMembership } from "@/lib/client/use-me";
import type { Me } from "@/lib/contract/me";
import { type NotificationSettings, NotificationSettingsInput } from "@/lib/contract/notifications";
import {
  getNotificationSettings,
  testNotification,
  updateNotificationSettings,
} from "@/lib/contract/operations";
import type { NotificationChannel } from "@/lib/contract/values";
import { KindsField } from "./kinds-field";

/** Which notifications of this business the person signed in gets, and where. */
export function Notifications() {
  const { data: me } = useMe();
  const { business } = useMembership();
  const answer = useEndpoint(getNotificationSettings, {});
  const isFresh = useFresh(answer);
  return (
    <>
      <PageHeader
        title="Notifications"
        description={`Notifications about ${business?.name ?? "this business"} while the dashboard is closed. Live mode only, and only for you: your colleagues choose their own.`}
      />
      {answer.data && isFresh && me ? (
        <Fields settings={answer.data} me={me} />
      ) : answer.error && !answer.data ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <Loading label="Loading notifications">
          <Skeleton className="mb-3 w-2/3" />
          <Skeleton className="w-1/2" />
        </Loading>
      )}
    </>
  );
}

function Fields({ settings, me }: { settings: NotificationSettings; me: Me }) {
  const { mail, chat, chat_address: saved } = settings;
  const update = useAction(updateNotificationSettings, { onProblem: () => undefined });
  const form = useContractForm(NotificationSettingsInput, {
    defaults: { mail, chat, chat_url: "" },
    // An address that is not written again stays.
    submit: (body) => update.runAsync({ body: { ...body, chat_url: body.chat_url ?? undefined } }),
    // The address is a secret, and is not shown again.
    spent: { chat_url: "" },
    onSaved: () => notify({ title: "Notifications saved", tone: "good" }),
  });
  return (
    <Form form={form} label="Notifications" className="grid max-w-3xl gap-5">
      <Card
        title="By e-mail"
        description={<MailState me={me} />}
        actions={<TestButton channel="mail" disabled={!me.sends_mail || !me.user.email_verified} />}
      >
        <KindsField form={form} name="mail" label="By e-mail" />
      </Card>
      <Card
        title="To a chat"
        description="To a channel or a direct message of Slack, Mattermost, Google Chat or Discord. Everyone who reads that chat sees amounts, payers and titles."
        actions={
          saved ? (
            <>
              <TestButton channel="chat" />
              <RemoveChat
                settings={settings}
                // What goes to the chat ends with it; everything else that was changed stays.
                onRemoved={() => form.fields.resetField("chat", { defaultValue: [] })}
              />
            </>
          ) : null
        }
      >
        <ChatState settings={settings} />
        <UrlField
          form={form}
          name="chat_url"
          label={saved ? "Replace the chat's address" : "The chat's address"}
          placeholder="https://hooks.slack.com/services/…"
          autoComplete="off"
          hint="The incoming-webhook address that the chat shows you. For Discord, add /slack at its end. It is a secret: it can be replaced here and is never shown again."
          className="mb-4"
        />
        <KindsField form={form} name="chat" label="To a chat" />
      </Card>
      <SubmitButton className="justify-self-start">Save notifications</SubmitButton>
    </Form>
  );
}

function MailState({ me: { user, sends_mail: sendsMail } }: { me: Me }) {
  if (!sendsMail)
    return "This install has no mail server, so no mail is sent. Ask its operator to set SMTP_URL.";
  if (!user.email_verified)
    return `Nothing is sent to ${user.email} until you have confirmed that the address is yours.`;
  return `To ${user.email}. Payments of the same minute come in one mail.`;
}

function ChatState({ settings }: { settings: NotificationSettings }) {
  const { chat_address: address, chat_off: off, chat_problem: problem } = settings;
  if (address === null) return null;
  return (
    <div className="mb-4 grid gap-1">
      <p className="flex flex-wrap items-center gap-2">
        <span className="break-all font-mono text-fine">{address}</span>
        {off ? <Badge tone="bad">Off</Badge> : <Badge tone="good">Saved</Badge>}
      </p>
      {problem ? <p className="text-fine text-bad">{problem}</p> : null}
    </div>
  );
}

function TestButton({ channel, disabled }: { channel: NotificationChannel; disabled?: boolean }) {
  const isChat = channel === "chat";
  const test = useAction(testNotification, {
    onSuccess: ({ recipient, error, answer }) =>
      notify(
        error === null
          ? {
              title: isChat ? `${recipient} accepted the message` : `Test mail to ${recipient}`,
              description: answer ? `It answered: ${answer}` : undefined,
              tone: "good",
            }
          : {
              title: `${recipient} did not accept the message`,
              description: [error, answer ? `It said: ${answer}` : ""].join(" ").trim(),
              tone: "bad",
            },
      ),
    onProblem: (problem) =>
      notify({ title: "Not sent", description: problemText(problem), tone: "bad" }),
  });
  return (
    <Button
      size="small"
      busy={test.busy}
      disabled={disabled}
      onClick={() => test.run({ body: { channel } })}
    >
      {isChat ? "Send a test message" : "Send a test mail"}
    </Button>
  );
}

type RemoveChatProps = { settings: NotificationSettings; onRemoved: () => void };

function RemoveChat({ settings, onRemoved }: RemoveChatProps) {
  const [asking, setAsking] = useState(false);
  const remove = useAction(updateNotificationSettings, {
    onSuccess: () => {
      setAsking(false);
      onRemoved();
      notify({ title: "Chat removed", tone: "good" });
    },
  });
  return (
    <>
      <Button size="small" onClick={() => setAsking(true)}>
        Remove chat…
      </Button>
      <Confirm
        title={`Remove ${settings.chat_address ?? "the chat"}?`}
        confirm="Remove chat"
        cancel="Keep it"
        busy={remove.busy}
        open={asking}
        onOpenChange={setAsking}
        onConfirm={() => remove.run({ body: { mail: settings.mail, chat: [], chat_url: null } })}
      >
        <p>
          Nothing is sent there any more. Kutip forgets the address and cannot show it again. To use
          the chat again, copy the address from it.
        </p>
      </Confirm>
    </>
  );
}
