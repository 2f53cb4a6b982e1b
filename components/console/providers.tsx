"use client";

import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import { QueryClientProvider } from "@tanstack/react-query";
import { ThemeProvider } from "next-themes";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { Toaster } from "@/components/ui/toaster";
import { signInAddress } from "@/lib/client/return-address";
import { makeQueryClient } from "@/lib/client/query-client";

/** What every page of the dashboard stands in: theme, cache, address state, notices. */
export function Providers({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  const [client] = useState(() => makeQueryClient(leaveToSignIn));
  return (
    <ThemeProvider attribute="class" defaultTheme="system" enableColorScheme={false} disableTransitionOnChange={false} nonce={nonce} storageKey="kutip-theme">
      <CSPProvider nonce={nonce} disableStyleElements>
        <QueryClientProvider client={client}>
          <NuqsAdapter>
            <Tooltip.Provider delay={500}>
              <Toaster>{children}</Toaster>
            </Tooltip.Provider>
          </NuqsAdapter>
        </QueryClientProvider>
      </CSPProvider>
    </ThemeProvider>
  );
}

// A whole load, so that nothing of the last session stays in memory.
function leaveToSignIn(): void {
  if (/^\/b\//.test(window.location.pathname)) window.location.replace(signInAddress(window.location.pathname + window.location.search));
}
