"use client";

import { Search } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Button, IconButton } from "@/components/ui/button";
import { LinkButton } from "@/components/ui/link-button";
import { ErrorState } from "@/components/ui/error-state";
import { KeepFocus } from "@/components/ui/keep-focus";
import { Skeleton } from "@/components/ui/skeleton";
import { usePress } from "@/components/ui/use-press";
import { rememberPlace } from "@/lib/client/last-place";
import { latePart, later } from "@/lib/client/later";
import { useMe, useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { BusinessMenu } from "./business-menu";
import { ConfirmAddress } from "./confirm-address";
import { HelpLink } from "./help-link";
import { Offline } from "./offline";
import { PageSkeleton } from "./page-skeleton";
import { PageProgress } from "./page-progress";
import { PhoneNavButton } from "./phone-nav-button";
import { Plain } from "./plain";
import { SectionNav } from "./section-nav";
import { useShortcuts } from "./use-shortcuts";
import { UserMenu } from "./user-menu";

const loadPalette = () => import("./palette");
const Palette = later(() => loadPalette().then((module) => module.Palette));
const phoneNav = latePart(() => import("./phone-nav"));
const Live = later(() => import("./live").then((module) => module.Live));
const ShortcutHelp = later(() => import("./shortcut-help").then((module) => module.ShortcutHelp));

type ShellProps = {
  /** The position from which changes are missing in the data that came with the page. */
  since: string | undefined;
  children: ReactNode;
};

/** The frame of every console page: who, where, in which mode, and the ways around. Shows its children to members only. */
export function Shell({ since, children }: ShellProps) {
  const { business, mode } = useScope();
  const me = useMe();
  const membership = useMembership();
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const { loaded: phone, pressed, press } = usePress(phoneNav);
  useShortcuts({ palette: () => setPalette((open) => !open), help: () => setHelp(true) });

  useEffect(() => rememberPlace({ business, mode }), [business, mode]);
  useEffect(() => {
    // Offline it comes when it is asked for.
    const timer = setTimeout(() => loadPalette().catch(() => undefined), 2_000);
    return () => clearTimeout(timer);
  }, []);

  if (me.data && !membership.business)
    return me.data.user.email_verified ? <NotAMember /> : <ConfirmAddress me={me.data} />;
  const open = () => setPalette(true);
  return (
    <>
      <a
        href="#content"
        className="sr-only rounded-control bg-ink px-4 py-2 text-surface focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-60"
      >
        Skip to content
      </a>
      <PageProgress />
      {mode === "test" ? <TestBanner /> : null}
      <header className="sticky top-(--banner) z-30 flex h-13 items-center gap-2 border-b border-line bg-page px-3 lg:hidden print:hidden">
        {phone && pressed ? (
          <KeepFocus key="after" id="navigation">
            <phone.PhoneNav />
          </KeepFocus>
        ) : (
          <KeepFocus key="before" id="navigation">
            <PhoneNavButton aria-haspopup="dialog" aria-expanded={false} onClick={press} />
          </KeepFocus>
        )}
        <div className="min-w-0 flex-1 leading-tight">
          <p className="truncate font-semibold">
            {membership.business?.name ?? <Skeleton className="w-28" />}
          </p>
          {mode === "live" ? (
            <p className="truncate text-fine text-muted">Live: real money</p>
          ) : null}
        </div>
        <IconButton label="Search" onClick={open} hint={false}>
          <Search aria-hidden="true" />
        </IconButton>
      </header>
      <div className="mx-auto flex w-full max-w-352">
        <aside className="sticky top-(--banner) flex h-[calc(100svh-var(--banner))] w-60 shrink-0 flex-col overflow-y-auto p-3 pr-1 max-lg:hidden print:hidden">
          <BusinessMenu />
          <button
            type="button"
            onClick={open}
            aria-keyshortcuts="Control+K Meta+K"
            className="mt-3 flex min-h-9 items-center gap-2.5 rounded-control border border-line bg-surface px-3 text-muted hover:border-edge"
          >
            <Search aria-hidden="true" className="size-4" />
            Search
            <kbd className="ml-auto font-sans text-fine">Ctrl K</kbd>
          </button>
          <SectionNav className="mt-3" />
          <Foot />
        </aside>
        <main
          id="content"
          tabIndex={-1}
          className="min-w-0 flex-1 px-4 pt-5 pb-16 outline-none sm:px-6 lg:pt-7 lg:pr-8 lg:pl-6"
        >
          <Guarded
            pending={me.isPending}
            error={me.data ? null : me.error}
            retry={() => void me.refetch()}
          >
            {children}
          </Guarded>
          {me.data ? (
            <footer className="mt-12 text-fine text-muted print:hidden">
              Kutip {me.data.kutip_version}
            </footer>
          ) : null}
        </main>
      </div>
      <Offline />
      {membership.business ? <Live since={since} /> : null}
      {palette ? <Palette open onOpenChange={setPalette} onHelp={() => setHelp(true)} /> : null}
      {help ? <ShortcutHelp open onOpenChange={setHelp} /> : null}
    </>
  );
}

function TestBanner() {
  return (
    <div
      role="status"
      className="hatched sticky top-0 z-40 flex h-8 items-center justify-center px-4 text-center text-fine print:static"
    >
      <span className="truncate">
        <strong className="font-semibold">Test mode.</strong> No real money moves here.
      </span>
    </div>
  );
}

function Foot() {
  return (
    <div className="mt-auto flex items-center gap-1 pt-4">
      <div className="min-w-0 flex-1">
        <UserMenu />
      </div>
      <HelpLink />
    </div>
  );
}

type GuardedProps = {
  pending: boolean;
  error: { status: number } | null;
  retry: () => void;
  children: ReactNode;
};

function Guarded({ pending, error, retry, children }: GuardedProps) {
  // Signed-out people are already on the way to the sign-in page: providers.tsx redirects on every 401.
  if (pending || error?.status === 401) return <PageSkeleton />;
  if (error) return <ErrorState error={error} retry={retry} />;
  return children;
}

function NotAMember() {
  return (
    <Plain
      title="You are not a member of this business"
      action={
        <>
          <LinkButton href="/" variant="primary">
            Go to your business
          </LinkButton>
          <Button onClick={() => window.history.back()}>Back</Button>
        </>
      }
    >
      Ask one of its owners for an invitation, or check the address.
    </Plain>
  );
}
