"use client";

import dynamic from "next/dynamic";
import { UserButton } from "./user-button";

const UserChoice = dynamic(() => import("./user-choice").then((module) => module.UserChoice), { ssr: false, loading: () => <UserButton /> });

/** The person signed in. */
export function UserMenu() {
  return <UserChoice />;
}
