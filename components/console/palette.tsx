"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { Bookmark, Keyboard, LogOut, type LucideIcon, Moon, Search } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { type ReactNode, useEffect, useState } from "react";
import { StatusBadge } from "@/components/ui/badge";
import { leave } from "@/lib/client/leaving";
import { signOut } from "@/lib/client/sign-in";
import { switchScope } from "@/lib/client/scope";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useEndpoint } from "@/lib/client/hooks";
import { useZone } from "@/lib/client/use-zone";
import { addressOf, listName } from "@/lib/client/views";
import { listSavedViews } from "@/lib/contract/operations";
import { keys } from "@/lib/client/keys";
import { deeds } from "./deeds";
import { find } from "./find";
import { sections } from "./sections";
import { themes } from "./themes";

const item =
  "flex min-h-9 items-center gap-3 rounded-control px-3 py-1 data-[selected=true]:bg-accent-soft [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted";
const group =
  "[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-fine [&_[cmdk-group-heading]]:text-muted";

const settleMs = 150;

type PaletteProps = { open: boolean; onOpenChange: (open: boolean) => void; onHelp: () => void };

/** Search by name, phone number, e-mail, reference or id, and every place and deed of the console by name. */
export function Palette({ open, onOpenChange, onHelp }: PaletteProps) {
  const { business, mode, path } = useScope();
  const scope = { business, mode };
  const { may } = useMembership();
  const router = useRouter();
  const pathname = usePathname();
  const { setTheme } = useTheme();
  const [text, setText] = useState("");
  const wanted = useSettled(text.trim());
  const found = useQuery({
    queryKey: [...keys.scope(scope), "palette", wanted],
    queryFn: ({ signal }) => find(wanted, scope, signal),
    enabled: wanted.length > 1,
    placeholderData: (last) => last,
  });
  const records = wanted.length > 1 ? (found.data ?? []) : [];
  const failed = wanted.length > 1 && found.isError;
  const zone = useZone();
  const views = useEndpoint(listSavedViews, { query: {} }, { enabled: open });
  const typed = text.trim().toLowerCase().split(/\s+/);
  const matches = (words: string) => typed.every((word) => words.toLowerCase().includes(word));
  const then = (act: () => void) => () => {
    onOpenChange(false);
    act();
  };
  const go = (to: string) => then(() => leave(() => router.push(to)));
  const other = mode === "test" ? "live" : "test";
  const actions: { label: string; icon: LucideIcon; run: () => void; words?: string }[] = [
    ...deeds
      .filter(({ needs }) => may(needs))
      .map(({ label, icon, to, words }) => ({ label, icon, words, run: go(path(to)) })),
    {
      label: `Switch to ${other} mode`,
      icon: Search,
      run: go(switchScope(pathname, { business, mode: other })),
    },
    ...themes.map(({ value, label }) => ({
      label: `Theme: ${label.toLowerCase()}`,
      icon: Moon,
      run: then(() => setTheme(value)),
    })),
    { label: "Keyboard shortcuts", icon: Keyboard, run: then(onHelp) },
    {
      label: "Sign out",
      icon: LogOut,
      run: then(() => leave(() => void signOut())),
      words: "leave",
    },
  ];
  const isMatch = ({ label, words = "" }: { label: string; words?: string }) =>
    matches(`${label} ${words}`);
  const shownSections = sections.filter(isMatch);
  const shownActions = actions.filter(isMatch);
  const shownViews = (views.data ?? []).flatMap((view) => {
    const of = listName(view);
    return isMatch({ label: `${view.name} ${of}`, words: "saved view" })
      ? [{ ...view, of, to: path(addressOf(view, new Date(), zone)) }]
      : [];
  });
  // Enter may come before the answer does. The first entry is chosen then, be it a record, a place, a saved view or an action; none where
  // the search failed, since it may have been a record. Without a network there are no records, and a place waits for it.
  const [hasty, setHasty] = useState(false);
  const settled = wanted === text.trim() && !found.isFetching && !views.isLoading;
  const record = records[0]?.rows[0];
  const place = record ?? shownSections[0];
  const to = place ? path(place.path) : shownViews[0]?.to;
  const first = to ? go(to) : shownActions[0]?.run;
  useEffect(() => {
    if (!hasty || !settled) return;
    setHasty(false);
    if (!failed || !navigator.onLine) first?.();
  });

  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil fixed inset-0 z-50 bg-veil" />
        <Dialog.Popup className="appear fixed inset-x-4 top-[12svh] z-50 mx-auto flex max-h-[70svh] max-w-xl flex-col overflow-hidden rounded-card bg-surface shadow-float focus:outline-none">
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <Command label="Search" shouldFilter={false} loop className="flex min-h-0 flex-col">
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Search aria-hidden="true" className="size-4 shrink-0 text-muted" />
              <Command.Input
                value={text}
                onValueChange={(next) => {
                  setText(next);
                  setHasty(false);
                }}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" || settled || text.trim().length < 2) return;
                  event.preventDefault();
                  event.stopPropagation();
                  setHasty(true);
                }}
                placeholder="Name, e-mail, amount, or a place"
                className="h-12 min-w-0 flex-1 bg-transparent text-note outline-none"
              />
            </div>
            <Command.List className="min-h-0 overflow-y-auto p-1.5">
              {failed ? (
                <p role="alert" className="px-3 py-2 text-bad">
                  The search for records failed.
                </p>
              ) : null}
              <Command.Empty className="px-3 py-8 text-center text-muted">
                {found.isFetching || wanted !== text.trim()
                  ? "Searching…"
                  : failed
                    ? "Nothing else found"
                    : "Nothing found"}
              </Command.Empty>
              {records.map(({ heading, icon: Icon, rows, all }) => (
                <Command.Group key={heading} heading={heading} className={group}>
                  {rows.map((row) => (
                    <Command.Item
                      key={row.id}
                      value={`${heading} ${row.id}`}
                      onSelect={go(path(row.path))}
                      className={item}
                    >
                      <Icon aria-hidden="true" />
                      <span className="min-w-0 flex-1 wrap-anywhere sm:flex sm:items-center sm:gap-3">
                        <span className="block min-w-0 flex-1 sm:truncate">{row.title}</span>
                        <span className="block text-fine text-muted sm:max-w-[60%] sm:truncate">
                          {row.detail}
                        </span>
                      </span>
                      {row.status === null ? null : <StatusBadge status={row.status} />}
                    </Command.Item>
                  ))}
                  {all === undefined ? null : (
                    <Command.Item
                      value={`all ${heading}`}
                      onSelect={go(path(all))}
                      className={item}
                    >
                      <Search aria-hidden="true" />
                      All {heading.toLowerCase()} with “{wanted}”
                    </Command.Item>
                  )}
                </Command.Group>
              ))}
              <Entries heading="Go to">
                {shownSections.map((section) => (
                  <Command.Item
                    key={section.label}
                    value={`go ${section.label}`}
                    onSelect={go(path(section.path))}
                    className={item}
                  >
                    <section.icon aria-hidden="true" />
                    {section.label}
                    <kbd className="ml-auto font-sans text-fine text-muted">g {section.key}</kbd>
                  </Command.Item>
                ))}
              </Entries>
              <Entries heading="Saved views">
                {shownViews.map((view) => (
                  <Command.Item
                    key={view._id}
                    value={`view ${view._id}`}
                    onSelect={go(view.to)}
                    className={item}
                  >
                    <Bookmark aria-hidden="true" />
                    <span className="min-w-0 flex-1 truncate" dir="auto" lang="">
                      {view.name}
                    </span>
                    <span className="max-w-[40%] truncate text-fine text-muted">{view.of}</span>
                  </Command.Item>
                ))}
              </Entries>
              <Entries heading="Do">
                {shownActions.map(({ label, icon: Icon, run }) => (
                  <Command.Item key={label} value={`do ${label}`} onSelect={run} className={item}>
                    <Icon aria-hidden="true" />
                    {label}
                  </Command.Item>
                ))}
              </Entries>
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A text once writing has paused, so that a word is one search and not one a letter. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function Entries({ heading, children }: { heading: string; children: ReactNode[] }) {
  return children.length > 0 ? (
    <Command.Group heading={heading} className={group}>
      {children}
    </Command.Group>
  ) : null;
}
