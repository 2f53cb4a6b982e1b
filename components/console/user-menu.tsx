"use client";

import { useId } from "react";
import { KeepFocus } from "@/components/ui/keep-focus";
import { usePress } from "@/components/ui/use-press";
import { latePart } from "@/lib/client/later";
import { UserButton } from "./user-button";

const choicePart = latePart(() => import("./user-choice"));

/** The person signed in. The menu comes after the page; a press on the way is kept. */
export function UserMenu() {
  const id = useId();
  const { loaded: choice, pressed, press, byArrows } = usePress(choicePart);
  return choice && pressed ? (
    <KeepFocus key="after" id={id}>
      <choice.UserChoice pressed={pressed} />
    </KeepFocus>
  ) : (
    <KeepFocus key="before" id={id}>
      <UserButton aria-haspopup="menu" aria-expanded={false} onClick={press} onKeyDown={byArrows} />
    </KeepFocus>
  );
}
