"use client";

import { type ComponentProps, useState } from "react";
import { Input } from "@/components/ui/fields";

/** A password: hidden while it is typed, unless the person asks to see it. */
export function HiddenInput(props: ComponentProps<"input">) {
  const [seen, setSeen] = useState(false);
  return (
    <span className="relative block">
      <Input {...props} type={seen ? "text" : "password"} className="pr-16" spellCheck={false} />
      <button
        type="button"
        aria-label={`${seen ? "Hide" : "Show"} characters`}
        onClick={() => setSeen(!seen)}
        className="absolute top-1/2 right-1.5 min-h-7 -translate-y-1/2 rounded-tag px-2 text-fine text-muted hover:text-ink"
      >
        {seen ? "Hide" : "Show"}
      </button>
    </span>
  );
}
