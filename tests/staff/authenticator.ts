import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const origin = "http://localhost:3000";
const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest();

type Cbor = number | string | Uint8Array | Map<number | string, Cbor>;

function head(kind: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(kind << 5) | value]);
  return value < 256
    ? Buffer.from([(kind << 5) | 24, value])
    : Buffer.from([(kind << 5) | 25, value >> 8, value & 255]);
}

function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Map)
    return Buffer.concat([
      head(5, value.size),
      ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)]),
    ]);
  return Buffer.concat([head(2, value.length), value]);
}

/** A device with one passkey (ES256, no attestation), as a browser would show it to the server. `verifies`: it asks who the person is. */
export function newAuthenticator(verifies = true) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(32);
  let count = 0;
  const data = (flags: number, more: Uint8Array = Buffer.alloc(0)) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(++count);
    return Buffer.concat([
      sha256("localhost"),
      Buffer.from([flags | 1 | (verifies ? 4 : 0)]),
      counter,
      more,
    ]);
  };
  const client = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  const credential = (response: Record<string, unknown>) => ({
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    clientExtensionResults: {},
    authenticatorAttachment: "platform",
    response,
  });
  return {
    register(challenge: string, from = origin) {
      const key = new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]);
      const attested = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        cbor(key),
      ]);
      const attestation = new Map<string, Cbor>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", data(0x40, attested)],
      ]);
      return credential({
        clientDataJSON: client("webauthn.create", challenge, from).toString("base64url"),
        attestationObject: cbor(attestation).toString("base64url"),
        transports: ["internal"],
      });
    },
    answer(challenge: string, from = origin) {
      const clientData = client("webauthn.get", challenge, from);
      const authenticatorData = data(0);
      const signature = sign(
        "sha256",
        Buffer.concat([authenticatorData, sha256(clientData)]),
        privateKey,
      );
      return credential({
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        signature: signature.toString("base64url"),
      });
    },
  };
}
