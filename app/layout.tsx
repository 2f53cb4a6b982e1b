import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { Providers } from "@/components/console/providers";
import { themeVariables } from "@/components/ui/theme-variables";
import { env } from "@/lib/env";
import { dark, light } from "@/lib/kernel/tokens";
import { inter } from "./fonts";
import "./globals.css";

const description = "Payment links, saved methods and subscriptions.";

export const generateMetadata = (): Metadata => ({
  metadataBase: new URL(env.BASE_URL),
  title: { default: "Kutip", template: "%s · Kutip" },
  description,
  robots: { index: false, follow: false },
  manifest: "/manifest.webmanifest",
  icons: { icon: "/icon.svg", apple: "/apple-touch-icon.png" },
  openGraph: { siteName: "Kutip", description, images: "/social.png" },
});

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: light.page },
    { media: "(prefers-color-scheme: dark)", color: dark.page },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <html lang="en" className={inter.variable} suppressHydrationWarning>
      <head>
        <style
          nonce={nonce}
          suppressHydrationWarning
          dangerouslySetInnerHTML={{ __html: themeVariables }}
        />
      </head>
      <body>
        <Providers nonce={nonce} origin={new URL(env.BASE_URL).origin}>
          {children}
        </Providers>
      </body>
    </html>
  );
}
