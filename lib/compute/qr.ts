import { toBuffer, toString as toText } from "qrcode";

const look = { errorCorrectionLevel: "M", margin: 4 } as const;

/** A QR code as a file of its own: black on white whatever it is laid on, sharp at any size. */
export const qrSvg = (text: string): Promise<string> => toText(text, { ...look, type: "svg" });

/** The same as PNG, large enough to print. */
export const qrPng = async (text: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await toBuffer(text, { ...look, type: "png", scale: 16 }));
