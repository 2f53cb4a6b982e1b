import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export type Keys = { privateKey: KeyObject; publicPem: string };

/** A key pair as CHIP has one for each company and for each webhook. */
export function newKeys(): Keys {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { privateKey, publicPem: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

/** The signature of these bytes as CHIP writes it in the header X-Signature. */
export const signed = (raw: Uint8Array | string, { privateKey }: Keys): string =>
  sign("sha256", Buffer.from(raw), privateKey).toString("base64");
