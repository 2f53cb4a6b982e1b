"use client";

import Link from "next/link";
import type { ComponentProps } from "react";
import { buttonClass, type Look } from "./button";

export type LinkButtonProps = ComponentProps<typeof Link> & Look;

/** A link that looks like a button. */
export function LinkButton({ variant, size, className, ...rest }: LinkButtonProps) {
  return <Link {...rest} className={buttonClass({ variant, size }, className)} />;
}
