"use client";

import { useId, useState } from "react";
import { KeepFocus } from "@/components/ui/keep-focus";
import { menuPress } from "@/components/ui/menu-press";
import { useLater } from "@/lib/client/use-later";
import { UserButton } from "./user-button";

const loadChoice = () => import("./user-choice");

/** The person signed in. The menu comes after the page; a press on the way is kept. */
export function UserMenu() {
  const choice = useLater(loadChoice);
  const id = useId();
  const [pressed, setPressed] = useState(false);
  return choice ? (
    <KeepFocus key="after" id={id}>
      <choice.UserChoice startOpen={pressed} />
    </KeepFocus>
  ) : (
    <KeepFocus key="before" id={id}>
      <UserButton {...menuPress(() => setPressed(true))} />
    </KeepFocus>
  );
}
