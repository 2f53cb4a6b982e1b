import { constants, setPriority } from "node:os";
import { isMainThread } from "node:worker_threads";
import type { Tasks } from "@/lib/compute/tasks";

/** The entry of the compute threads. What a task needs is loaded with its first run. */

// On Linux priority 0 means the calling thread: the web thread keeps its own and gets the processor first.
if (!isMainThread && process.platform === "linux")
  setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

export const receipt: Tasks["receipt"] = async (content) =>
  (await import("@/lib/compute/receipt")).receiptPdf(content);

export const payerReceipt: Tasks["payerReceipt"] = receipt;

export const statement: Tasks["statement"] = async (content) =>
  (await import("@/lib/compute/statement")).statementPdf(content);

export const qrPng: Tasks["qrPng"] = async (text) => (await import("@/lib/compute/qr")).qrPng(text);

export const qrSvg: Tasks["qrSvg"] = async (text) => (await import("@/lib/compute/qr")).qrSvg(text);

export const logo: Tasks["logo"] = async (bytes) =>
  (await import("@/lib/compute/logo")).encodeLogo(bytes);

export const bulk: Tasks["bulk"] = async (body) =>
  (await import("@/lib/http/check-bulk")).checkBulk(body);

export const spreadsheet: Tasks["spreadsheet"] = async (text) =>
  (await import("@/lib/http/check-spreadsheet")).checkSpreadsheet(text);
