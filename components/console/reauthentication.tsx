"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { later } from "@/lib/client/later";
import { drawReauthentication } from "@/lib/client/reauthentication";

const ProofDialog = later(() => import("./proof-dialog").then((module) => module.ProofDialog));

/** Opens the proof dialog when a call needs it. The caller's form keeps what was typed. */
export function Reauthentication() {
  const [open, setOpen] = useState(false);
  const [used, setUsed] = useState(false);
  const answer = useRef<((confirmed: boolean) => void) | undefined>(undefined);
  useEffect(
    () =>
      drawReauthentication(
        () =>
          new Promise((resolve) => {
            answer.current = resolve;
            setUsed(true);
            setOpen(true);
          }),
      ),
    [],
  );
  const close = useCallback((confirmed: boolean) => {
    setOpen(false);
    answer.current?.(confirmed);
  }, []);
  return used ? <ProofDialog open={open} onClose={close} /> : null;
}
