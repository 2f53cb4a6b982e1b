import type { Tasks } from "@/lib/compute/tasks";

/** The entry of the compute threads. What a task needs is loaded with its first run. */

export const receipt: Tasks["receipt"] = async (content) =>
  (await import("@/components/receipt/document")).receiptPdf(content);

export const qrPng: Tasks["qrPng"] = async (text) => (await import("@/lib/compute/qr")).qrPng(text);

export const qrSvg: Tasks["qrSvg"] = async (text) => (await import("@/lib/compute/qr")).qrSvg(text);

export const logo: Tasks["logo"] = async (bytes) =>
  (await import("@/lib/compute/logo")).encodeLogo(bytes);

export const bulk: Tasks["bulk"] = async (body) =>
  (await import("@/lib/http/check-bulk")).checkBulk(body);
