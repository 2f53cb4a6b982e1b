import { existsSync, readFileSync } from "node:fs";

const loader = new URL("scripts/contract-loader.cjs", import.meta.url);
// An image, which builds nothing, comes without it.
const loaderText = existsSync(loader) ? readFileSync(loader, "utf8") : "";

/** @type {import("next").NextConfig} */
export default {
  turbopack: {
    root: import.meta.dirname,
    rules: {
      "*.ts": {
        condition: { all: ["browser", "production", { path: /^lib\/contract\// }] },
        // The cache of the build notices a change of a loader's options only.
        loaders: [{ loader: "./scripts/contract-loader.cjs", options: { text: loaderText } }],
      },
    },
  },
  poweredByHeader: false,
  reactStrictMode: true,
  compress: true,
  experimental: {
    // An idle web process holds 60 MB less, and starts sooner: a page is loaded when it is first asked for.
    preloadEntriesOnStart: false,
    // Node reads each map with its script: 50 MB more. The scripts of build/ have theirs.
    serverSourceMaps: false,
  },
  devIndicators: false,
  images: { unoptimized: true },
  typescript: { ignoreBuildErrors: true },
  // The files of public/. Their names carry no hash, so they are checked again after a day.
  headers: async () => [
    {
      source:
        "/:file(favicon.ico|icon.svg|icon-192.png|icon-512.png|icon-maskable-512.png|apple-touch-icon.png|social.png|manifest.webmanifest|robots.txt)",
      headers: [
        { key: "cache-control", value: "public, max-age=86400" },
        { key: "x-content-type-options", value: "nosniff" },
      ],
    },
  ],
  serverExternalPackages: ["pg", "postgres", "pino", "nodemailer", "piscina", "prom-client"],
};
