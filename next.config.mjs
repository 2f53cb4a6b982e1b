/** @type {import("next").NextConfig} */
export default {
  turbopack: { root: import.meta.dirname },
  poweredByHeader: false,
  reactStrictMode: true,
  compress: true,
  devIndicators: false,
  images: { unoptimized: true },
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["pg", "postgres", "pino", "nodemailer", "piscina"],
};
