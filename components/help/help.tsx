"use client";

import { useQuery } from "@tanstack/react-query";
import { BookOpen } from "lucide-react";
import { ShortcutList } from "@/components/console/shortcut-list";
import { Badge } from "@/components/ui/badge";
import { AnchorButton } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { LinkButton } from "@/components/ui/link-button";
import { PageHeader } from "@/components/ui/page-header";
import { useMe } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { ChangeList } from "./change-list";
import type { Version } from "./changes";
import { TaskList } from "./task-list";

/** How to do an office's work, then the operator, the state of this install, shortcuts, what is new, and the reference for programs. */
export function Help({ newest }: { newest: Version | undefined }) {
  return (
    <>
      <PageHeader title="Help" />
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <TaskList />
        <Contact />
        <Health />
        <Card title="Keyboard shortcuts" description="They don’t work while you type.">
          <ShortcutList />
        </Card>
        <div className="grid min-w-0 gap-5">
          <WhatsNew version={newest} />
          <Card title="For programmers">
            <AnchorButton href="/docs/api" target="_blank" rel="noreferrer">
              <BookOpen aria-hidden="true" className="size-4" />
              API reference
            </AnchorButton>
          </Card>
        </div>
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
          No contact is set. The people who run Kutip for you can set{" "}
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

/** Of each part, what came last. */
const NEWEST_ENTRIES = 3;

function WhatsNew({ version }: { version: Version | undefined }) {
  const { path } = useScope();
  return (
    <Card
      title={
        version && version.name !== "Unreleased" ? `What’s new in ${version.name}` : "What’s new"
      }
      actions={
        <LinkButton size="small" href={path("/help/changes")} prefetch={false}>
          All changes
        </LinkButton>
      }
    >
      {version ? (
        <ChangeList changes={version.changes} each={NEWEST_ENTRIES} />
      ) : (
        <p className="text-muted">This install has no changelog.</p>
      )}
    </Card>
  );
}
