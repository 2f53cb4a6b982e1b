"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { announce } from "@/lib/client/announce";
import { notify } from "@/lib/client/notices";
import { Button, IconButton } from "./button";

const shownMs = 2_000;

/** Copies a text; true once the clipboard has it. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

// Without https there is no clipboard API, and installs on a local network are often without.
function copyBySelection(text: string): boolean {
  const asked = document.activeElement;
  // Behind an open dialog nothing can be selected.
  const place = asked?.closest("[role=dialog],[role=alertdialog]") ?? document.body;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "sr-only";
  place.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (asked instanceof HTMLElement) asked.focus({ preventScroll: true });
  return done;
}

type CopyButtonProps = {
  text: string;
  label: string;
  icon?: boolean;
  size?: "regular" | "small";
  variant?: "primary" | "quiet" | "ghost";
  className?: string;
};

/** "Copy payment link": its name becomes "Copied" for two seconds, and that is announced. `icon` shows no words. */
export function CopyButton({
  text,
  label,
  icon = false,
  size,
  variant,
  className,
}: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const press = async () => {
    if (!(await copy(text)))
      return notify({
        title: "The browser did not let us copy",
        description: "Select the text and copy it by hand.",
        tone: "bad",
      });
    setCopied(true);
    announce("Copied");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), shownMs);
  };
  const name = copied ? "Copied" : label;
  const Icon = copied ? Check : Copy;
  if (icon) {
    return (
      <IconButton label={name} onClick={press} className={className}>
        <Icon aria-hidden="true" className={copied ? "text-good" : undefined} />
      </IconButton>
    );
  }
  return (
    <Button onClick={press} size={size} variant={variant} className={className}>
      <Icon aria-hidden="true" className="size-4" />
      {/* The wider of both names holds the place of what is beside it. */}
      <span className="grid justify-items-start">
        <span className="col-start-1 row-start-1">{name}</span>
        <span aria-hidden="true" className="invisible col-start-1 row-start-1">
          {copied ? label : "Copied"}
        </span>
      </span>
    </Button>
  );
}
