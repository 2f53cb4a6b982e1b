"use client";

import { Card } from "@/components/ui/card";
import { PageHeader } from "@/components/ui/page-header";
import { useScope } from "@/lib/client/use-scope";
import { ChangeList } from "./change-list";
import type { Version } from "./changes";

/** Every version of the changelog. */
export function AllChanges({ versions }: { versions: readonly Version[] }) {
  const { path } = useScope();
  return (
    <>
      <PageHeader title="What’s new" back={{ href: path("/help"), label: "Help" }} />
      <div className="grid gap-5">
        {versions.map(({ name, changes }) => (
          <Card key={name} title={name}>
            <ChangeList changes={changes} />
          </Card>
        ))}
        {versions.length === 0 ? (
          <p className="text-muted">This install has no changelog.</p>
        ) : null}
      </div>
    </>
  );
}
