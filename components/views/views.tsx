"use client";

import { Columns3 } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Menu } from "@/components/ui/menu";
import { useLater } from "@/lib/client/use-later";
import type { ViewsProps } from "@/lib/client/views";
import type * as ChoicesPart from "./choices";

// Loaded after the page, which is there sooner without it.
let loaded: typeof ChoicesPart | undefined;
const load = async () => (loaded = await import("./choices"));
const SaveView = dynamic(() => import("./save").then((module) => module.SaveView), { ssr: false });
const ManageViews = dynamic(() => import("./manage").then((module) => module.ManageViews), {
  ssr: false,
});

/** The saved views of a list, and its columns. */
export function Views(props: ViewsProps) {
  const [asked, setAsked] = useState<"save" | "manage" | null>(null);
  const parts = useLater(load, loaded);
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
        {parts ? <parts.ViewChoices {...props} onAsk={setAsked} /> : null}
      </Menu>
      {asked === "save" ? <SaveView {...props} onClose={close} /> : null}
      {asked === "manage" ? <ManageViews of={props.of} onClose={close} /> : null}
    </>
  );
}
