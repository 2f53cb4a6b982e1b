"use client";

import { useState } from "react";
import { useLater } from "@/lib/client/use-later";
import { UserButton } from "./user-button";

const loadChoice = () => import("./user-choice");

/** The person signed in. The menu comes after the page; a press on the way is kept. */
export function UserMenu() {
  const choice = useLater(loadChoice);
  const [pressed, setPressed] = useState(false);
  return choice ? <choice.UserChoice startOpen={pressed} /> : <UserButton onClick={() => setPressed(true)} />;
}
