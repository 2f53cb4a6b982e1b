/** @type {import("next").NextConfig} */
export default {
  turbopack: { root: import.meta.dirname },
  poweredByHeader: false,
  reactStrictMode: true,
  compress: true,
  devIndicators: false,
  images: { unoptimized: true },
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["pg", "postgres", "pg-boss", "pino", "nodemailer", "@react-pdf/renderer", "request-filtering-agent"],
};
