"use client";

import { Columns3 } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { Button } from "@/components/ui/button";
import { Menu } from "@/components/ui/menu";
import { latePart, later, useLater } from "@/lib/client/later";
import type { ViewsProps } from "@/lib/client/views";
import type { ViewChoices } from "./choices";

// Loaded after the page, which is there sooner without it.
const choices = latePart(() => import("./choices"));
const SaveView = later(() => import("./save").then((module) => module.SaveView));
const ManageViews = later(() => import("./manage").then((module) => module.ManageViews));

/** The saved views of a list, and its columns. */
export function Views(props: ViewsProps) {
  const [asked, setAsked] = useState<"save" | "manage" | null>(null);
  useLater(choices, false);
  const close = () => setAsked(null);
  return (
    <>
      <Menu
        className="w-64"
        trigger={
          <Button className="font-normal">
            <Columns3 aria-hidden="true" className="size-4 text-muted" />
            View
          </Button>
        }
      >
        <Choices {...props} onAsk={setAsked} />
      </Menu>
      {asked === "save" ? <SaveView {...props} onClose={close} /> : null}
      {asked === "manage" ? <ManageViews of={props.of} onClose={close} /> : null}
    </>
  );
}

/** Drawn while the menu is open. */
function Choices(props: ComponentProps<typeof ViewChoices>) {
  const parts = useLater(choices, true);
  return parts ? <parts.ViewChoices {...props} /> : null;
}
