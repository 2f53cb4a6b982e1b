"use client";

import { LogOut, ShieldCheck } from "lucide-react";
import { useTheme } from "next-themes";
import { Menu, MenuChoice, MenuItem, MenuLine, MenuLink } from "@/components/ui/menu";
import type { Pressed } from "@/components/ui/use-press";
import { leave } from "@/lib/client/leaving";
import { signOut } from "@/lib/client/sign-in";
import { useScope } from "@/lib/client/use-scope";
import { themes } from "./themes";
import { UserButton } from "./user-button";

/** What the person can do for themselves: their security, the theme, the way out. */
export function UserChoice({ pressed }: { pressed: Pressed }) {
  const { path } = useScope();
  const { theme = "system", setTheme } = useTheme();
  return (
    <Menu pressed={pressed} trigger={<UserButton />} align="start" side="top" className="w-56">
      <MenuLink href={path("/settings/security")} icon={<ShieldCheck aria-hidden="true" />}>
        Security
      </MenuLink>
      <MenuLine />
      <MenuChoice label="Theme" value={theme} onChange={setTheme} options={themes} />
      <MenuLine />
      <MenuItem icon={<LogOut aria-hidden="true" />} onSelect={() => leave(() => void signOut())}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
