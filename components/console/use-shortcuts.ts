"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { leave } from "@/lib/client/leaving";
import { isTyping, keyReader } from "@/lib/client/shortcuts";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { sections } from "./sections";

type Doing = { palette: () => void; help: () => void };

/** The shortcuts besides Ctrl/Cmd+K and undo; the help lists each. */
export const names = ["c", "?", "/", ...sections.map(({ key }) => `g ${key}`)];

/** Single keys for what is done most, and Ctrl/Cmd+K. None fires while something is being written. */
export function useShortcuts(doing: Doing): void {
  const router = useRouter();
  const { path } = useScope();
  const { role } = useMembership();
  const now = useRef({ doing, path, role });
  now.current = { doing, path, role };

  useEffect(() => {
    const read = keyReader(names);
    const press = (event: KeyboardEvent) => {
      const at = now.current;
      if (
        (event.ctrlKey || event.metaKey) &&
        !event.altKey &&
        !event.shiftKey &&
        event.key.toLowerCase() === "k"
      ) {
        event.preventDefault();
        // A dialog asks before what it holds is lost, and the palette would leave past it.
        return document.querySelector("[data-modal]") ? undefined : at.doing.palette();
      }
      if (event.defaultPrevented || event.repeat || isTyping(event.target)) return;
      const found = read(event, event.timeStamp);
      if (!found) return;
      if (found === "c" && (!at.role || at.role === "viewer")) return;
      event.preventDefault();
      if (found === "?") return at.doing.help();
      if (found === "/") return at.doing.palette();
      const section = sections.find(({ key }) => found === `g ${key}`);
      leave(() => router.push(at.path(section ? section.path : "/payment-links/new")));
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [router]);
}
