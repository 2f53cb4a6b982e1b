"use client";

import { usePathname, useRouter } from "next/navigation";
import { useId, useState } from "react";
import { cx } from "@/components/ui/cx";
import { Switch } from "@/components/ui/fields";
import { KeepFocus } from "@/components/ui/keep-focus";
import { menuPress } from "@/components/ui/menu-press";
import { leave } from "@/lib/client/leaving";
import { switchScope } from "@/lib/client/scope";
import { useLater } from "@/lib/client/use-later";
import { useScope } from "@/lib/client/use-scope";
import { BusinessButton } from "./business-button";

const loadChoice = () => import("./business-choice");

/** The menu of businesses and modes. Both are part of the address, so a choice is a navigation. */
export function BusinessMenu() {
  const { business, mode } = useScope();
  const router = useRouter();
  const pathname = usePathname();
  // Menus come after the page; a press on the way is kept.
  const choice = useLater(loadChoice);
  const id = useId();
  const [pressed, setPressed] = useState(false);
  const change = (test: boolean) =>
    leave(() => router.push(switchScope(pathname, { business, mode: test ? "test" : "live" })));
  return (
    <div>
      {choice ? (
        <KeepFocus key="after" id={id}>
          <choice.BusinessChoice startOpen={pressed} />
        </KeepFocus>
      ) : (
        <KeepFocus key="before" id={id}>
          <BusinessButton {...menuPress(() => setPressed(true))} />
        </KeepFocus>
      )}
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
