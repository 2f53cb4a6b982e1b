"use client";

import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { ThemeProvider } from "next-themes";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { Reauthentication } from "./reauthentication";
import { latePart, useLater } from "@/lib/client/later";
import { isHeld } from "@/lib/client/leaving";
import { OriginContext } from "@/lib/client/origin";
import { signInAddress } from "@/lib/client/return-address";
import { makeQueryClient } from "@/lib/client/query-client";
import { useLostFocus } from "@/lib/client/use-lost-focus";

// Notices follow an action, so their code loads after the page.
const toaster = latePart(() => import("@/components/ui/toaster"));

type ProvidersProps = { nonce: string | undefined; origin: string; children: ReactNode };

/** Wraps every page of the dashboard: theme, cache, address state, notices. */
export function Providers({ nonce, origin, children }: ProvidersProps) {
  const [client] = useState(() => makeQueryClient(leaveToSignIn));
  useLostFocus();
  return (
    <ThemeProvider
      attribute="class"
      defaultTheme="system"
      enableColorScheme={false}
      disableTransitionOnChange={false}
      nonce={nonce}
      storageKey="kutip-theme"
    >
      <CSPProvider nonce={nonce} disableStyleElements>
        <QueryClientProvider client={client}>
          <OriginContext value={origin}>
            <NuqsAdapter>
              {children}
              <Notices />
              <Reauthentication />
            </NuqsAdapter>
          </OriginContext>
        </QueryClientProvider>
      </CSPProvider>
    </ThemeProvider>
  );
}

function Notices() {
  const parts = useLater(toaster, false);
  return parts ? <parts.Toaster /> : null;
}

// A whole load, so that nothing of the last session stays in memory; a form with something unsaved says it itself.
let leaving = false;
function leaveToSignIn(): void {
  if (leaving || isHeld() || !/^\/b\//.test(window.location.pathname)) return;
  leaving = true;
  window.location.replace(signInAddress(window.location.pathname + window.location.search));
}
