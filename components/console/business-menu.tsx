"use client";

import { usePathname, useRouter } from "next/navigation";
import { useId } from "react";
import { cx } from "@/components/ui/cx";
import { Switch } from "@/components/ui/fields";
import { KeepFocus } from "@/components/ui/keep-focus";
import { usePress } from "@/components/ui/use-press";
import { latePart } from "@/lib/client/later";
import { leave } from "@/lib/client/leaving";
import { switchScope } from "@/lib/client/scope";
import { useScope } from "@/lib/client/use-scope";
import { BusinessButton } from "./business-button";

const choicePart = latePart(() => import("./business-choice"));

/** The menu of businesses and modes. Both are part of the address, so a choice is a navigation. */
export function BusinessMenu() {
  const { business, mode } = useScope();
  const router = useRouter();
  const pathname = usePathname();
  const id = useId();
  // Menus come after the page; a press on the way is kept.
  const { loaded: choice, pressed, press, byArrows } = usePress(choicePart);
  const change = (test: boolean) =>
    leave(() => router.push(switchScope(pathname, { business, mode: test ? "test" : "live" })));
  return (
    <div>
      {choice && pressed ? (
        <KeepFocus key="after" id={id}>
          <choice.BusinessChoice pressed={pressed} />
        </KeepFocus>
      ) : (
        <KeepFocus key="before" id={id}>
          <BusinessButton
            aria-haspopup="menu"
            aria-expanded={false}
            onClick={press}
            onKeyDown={byArrows}
          />
        </KeepFocus>
      )}
      {mode === "live" ? (
        <p className="mt-1.5 px-3 text-fine font-semibold">Live mode: real money</p>
      ) : null}
      <KeepFocus id="mode">
        <Switch
          label="Test mode"
          checked={mode === "test"}
          onChange={(event) => change(event.target.checked)}
          className={cx(
            "mt-1.5 w-full flex-row-reverse justify-between rounded-control px-3 py-1.5",
            mode === "test" ? "text-warn" : "text-muted",
          )}
        />
      </KeepFocus>
    </div>
  );
}
