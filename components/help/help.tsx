"use client";

import { useQuery } from "@tanstack/react-query";
import { BookOpen } from "lucide-react";
import { ShortcutList } from "@/components/console/shortcut-list";
import { Badge } from "@/components/ui/badge";
import { AnchorButton } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { PageHeader } from "@/components/ui/page-header";
import { useMe } from "@/lib/client/use-me";
import type { Changes } from "./changes";

/** Where help is: the reference, the operator, the state of this install, shortcuts, and what is new. */
export function Help({ changes }: { changes: readonly Changes[] }) {
  return (
    <>
      <PageHeader
        title="Help"
        actions={
          <AnchorButton href="/docs/api" target="_blank" rel="noreferrer">
            <BookOpen aria-hidden="true" className="size-4" />
            API reference
          </AnchorButton>
        }
      />
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <Contact />
        <Health />
        <Card title="Keyboard shortcuts" description="They don’t work while you type.">
          <ShortcutList />
        </Card>
        <WhatsNew changes={changes} />
      </div>
    </>
  );
}

function Contact() {
  const { data } = useMe();
  const contacts = data?.operator_contacts ?? [];
  return (
    <Card title="The operator of this install">
      {contacts.length === 0 ? (
        <p className="text-muted">
          No contact is set. The operator can set{" "}
          <code className="font-mono text-fine">OPERATOR_CONTACT</code>.
        </p>
      ) : (
        <ul className="grid gap-1">
          {contacts.map((contact) => (
            <li key={contact}>
              <a
                href={contact}
                className="inline-block min-h-6 text-accent underline underline-offset-3"
              >
                {contact.replace(/^mailto:/, "")}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const POLL_MS = 10_000;

function Health() {
  const { data: me } = useMe();
  const { data: healthy, isError } = useQuery({
    queryKey: ["health"],
    queryFn: async ({ signal }) => (await fetch("/api/health", { signal })).ok,
    refetchInterval: POLL_MS,
  });
  return (
    <Card title="Health of this install">
      <p className="flex flex-wrap items-center gap-2.5">
        {isError ? (
          <Badge tone="bad">Cannot be reached</Badge>
        ) : healthy === undefined ? (
          <span className="text-muted">Checking…</span>
        ) : healthy ? (
          <Badge tone="good">Healthy</Badge>
        ) : (
          <Badge tone="bad">Needs the operator</Badge>
        )}
        {me ? <span className="text-muted">Kutip {me.kutip_version}</span> : null}
      </p>
    </Card>
  );
}

function WhatsNew({ changes }: { changes: readonly Changes[] }) {
  return (
    <Card title="What’s new">
      {changes.length === 0 ? (
        <p className="text-muted">This install has no changelog.</p>
      ) : (
        changes.map(({ heading, entries }) => (
          <section key={heading} className="mb-4 last:mb-0">
            <h3 className="font-medium">{heading}</h3>
            <ul className="mt-1 list-disc space-y-1 pl-5 text-muted">
              {entries.map((entry) => (
                <li key={entry}>
                  {entry.split("`").map((text, index) =>
                    index % 2 ? (
                      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text
                      <code key={index} className="font-mono text-fine">
                        {text}
                      </code>
                    ) : (
                      text
                    ),
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))
      )}
    </Card>
  );
}
