"use client";

import { ChevronUp, LogOut, ShieldCheck } from "lucide-react";
import { useTheme } from "next-themes";
import { Menu, MenuChoice, MenuItem, MenuLine, MenuLink } from "@/components/ui/menu";
import { Skeleton } from "@/components/ui/skeleton";
import { leave } from "@/lib/client/leaving";
import { signOut } from "@/lib/client/sign-in";
import { useMe } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { initials } from "./initials";

export const themes = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** The person signed in: their security, the theme, the way out. */
export function UserMenu() {
  const { data: me } = useMe();
  const { path } = useScope();
  const { theme = "system", setTheme } = useTheme();
  const trigger = (
    <button type="button" aria-label={`Account: ${me?.user.name ?? "loading"}`} className="flex min-h-11 w-full items-center gap-2.5 rounded-control px-2 text-start hover:bg-accent-soft">
      <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center rounded-full border border-line bg-surface text-fine font-semibold">{me ? initials(me.user.name) : ""}</span>
      <span className="min-w-0 flex-1">
        {me ? <span className="block truncate font-medium">{me.user.name}</span> : <Skeleton className="w-20" />}
        <span className="block truncate text-fine leading-tight text-muted">{me?.user.email ?? " "}</span>
      </span>
      <ChevronUp aria-hidden="true" className="size-4 shrink-0 text-muted" />
    </button>
  );
  return (
    <Menu trigger={trigger} align="start" side="top" className="w-56">
      <MenuLink href={path("/settings/security")} icon={<ShieldCheck aria-hidden="true" />}>Security</MenuLink>
      <MenuLine />
      <MenuChoice label="Theme" value={theme} onChange={setTheme} options={themes} />
      <MenuLine />
      <MenuItem icon={<LogOut aria-hidden="true" />} onSelect={() => leave(() => void signOut())}>Sign out</MenuItem>
    </Menu>
  );
}
