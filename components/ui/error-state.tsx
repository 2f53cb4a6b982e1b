"use client";

import { TriangleAlert } from "lucide-react";
import { isGone } from "@/lib/client/gone";
import { ApiProblem, problemText } from "@/lib/client/problem";
import { Button } from "./button";

/** What failed to load, in the API's words, with a way to try again. */
export function ErrorState({
  error,
  retry,
  clear,
  title,
}: {
  error?: unknown;
  retry?: () => void;
  /** Takes the filters out: what they were refused for stays refused. */
  clear?: () => void;
  title?: string;
}) {
  const [lead, text] = said(error);
  return (
    <div
      role="alert"
      className="flex flex-col items-start gap-3 rounded-card bg-surface p-6 shadow-sheet sm:p-8"
    >
      <TriangleAlert aria-hidden="true" className="size-6 text-bad" />
      <div>
        <p className="text-lead font-semibold">{title ?? lead}</p>
        <p className="mt-1 max-w-prose text-muted">{text}</p>
      </div>
      {clear && isRefused(error) ? (
        <Button onClick={clear}>Clear filters</Button>
      ) : // What is not there is not there the next time either.
      retry && !isGone(error) ? (
        <Button onClick={retry}>Retry</Button>
      ) : null}
    </div>
  );
}

const isRefused = (error: unknown) => error instanceof ApiProblem && error.status === 422;

function said(error: unknown): [lead: string, text: string] {
  if (!(error instanceof ApiProblem))
    return ["This did not load", "Something went wrong on this page."];
  if (error.status === 0)
    return ["No connection", "Kutip cannot be reached. Check the connection and try again."];
  if (error.status === 404)
    return [
      "Not found",
      "It does not exist here, or it was deleted. It may belong to the other mode.",
    ];
  if (error.status === 403) return ["Not allowed", error.message];
  if (error.status === 422) return ["This did not load", problemText(error)];
  return [
    "This did not load",
    error.requestId ? `${error.message} Request ${error.requestId}.` : error.message,
  ];
}
