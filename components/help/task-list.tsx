"use client";

import Link from "next/link";
import { Card } from "@/components/ui/card";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { tasks } from "./tasks";

/** How to do the work of an office, without what this person may not do. */
export function TaskList() {
  const { path } = useScope();
  const { may } = useMembership();
  const groups = tasks
    .map((group) => ({ ...group, tasks: group.tasks.filter(({ needs }) => may(needs)) }))
    .filter((group) => group.tasks.length > 0);
  return (
    <Card title="How do I …?" className="xl:col-span-2">
      <div className="grid gap-6 lg:grid-cols-2 2xl:grid-cols-3">
        {groups.map(({ heading, tasks: own }) => (
          <section key={heading} aria-label={heading} className="min-w-0">
            <h3 className="text-fine font-medium text-muted">{heading}</h3>
            <dl className="mt-2 grid gap-3">
              {own.map(({ title, text, to }) => (
                <div key={title}>
                  <dt>
                    <Link
                      href={path(to)}
                      prefetch={false}
                      className="inline-block min-h-6 font-medium text-accent underline underline-offset-3"
                    >
                      {title}
                    </Link>
                  </dt>
                  <dd className="text-pretty text-muted">{text}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Card>
  );
}
