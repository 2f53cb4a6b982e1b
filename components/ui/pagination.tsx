"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { Page } from "@/lib/contract/envelope";
import { zoneName } from "@/lib/client/use-zone";
import { pageSizes } from "@/lib/client/list-query";
import type { ListState } from "@/lib/client/list-state";
import { Button } from "./button";

type PaginationProps = {
  answer: Page<unknown>;
  list: Pick<ListState<string>, "page" | "setPage" | "perPage" | "setPerPage">;
  label: string;
  /** Of the moments in the rows. */
  zone: string;
  /** What all rows come to. */
  sums?: ReactNode;
};

/** "1 to 15 of 240", pages back and on, rows a page. Nothing while one short page holds all. */
export function Pagination({ answer, list, label, zone, sums }: PaginationProps) {
  if (!("current_page" in answer)) return null;
  const { from, to, total, last_page: last } = answer;
  return (
    <nav
      aria-label={`Pages of ${label.toLowerCase()}`}
      className="mt-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-1 text-fine text-muted"
    >
      <p>
        {from ?? 0} to {to ?? 0} of {total.toLocaleString("en-GB")}
        {sums} · Times in {zoneName(zone)}
      </p>
      <div className="flex items-center gap-2">
        {total > pageSizes[0] ? (
          <label className="mr-2 flex items-center gap-2">
            <span className="max-sm:sr-only">Rows a page</span>
            <select
              value={list.perPage}
              onChange={(event) => list.setPerPage(Number(event.target.value))}
              className="control min-h-8 w-auto py-0.5 text-fine"
            >
              {pageSizes.map((size) => (
                <option key={size}>{size}</option>
              ))}
            </select>
          </label>
        ) : null}
        {last > 1 ? (
          <>
            {/* Not `disabled`: the last press of one would lose the focus. */}
            <Button
              size="small"
              aria-disabled={list.page <= 1}
              onClick={() => list.setPage(list.page - 1)}
              aria-label="Previous page"
            >
              <ChevronLeft aria-hidden="true" className="size-4" />
            </Button>
            <span aria-current="page" className="sr-only">
              Page {list.page} of {last}
            </span>
            <form
              key={list.page}
              aria-label={`Go to a page of ${label.toLowerCase()}`}
              className="flex items-center gap-1.5"
              onSubmit={(event) => {
                event.preventDefault();
                const page = Number(new FormData(event.currentTarget).get("page"));
                // What is no page goes; the form of another page is a new one.
                event.currentTarget.reset();
                if (Number.isInteger(page)) list.setPage(Math.min(Math.max(1, page), last));
              }}
            >
              <label className="flex items-center gap-1.5">
                Page
                <input
                  name="page"
                  inputMode="numeric"
                  autoComplete="off"
                  defaultValue={list.page}
                  onFocus={(event) => event.currentTarget.select()}
                  className="control min-h-8 w-14 px-2 py-0.5 text-center text-fine"
                />
              </label>
              <span aria-hidden="true">of {last.toLocaleString("en-GB")}</span>
            </form>
            <Button
              size="small"
              aria-disabled={list.page >= last}
              onClick={() => list.setPage(list.page + 1)}
              aria-label="Next page"
            >
              <ChevronRight aria-hidden="true" className="size-4" />
            </Button>
          </>
        ) : null}
      </div>
    </nav>
  );
}
