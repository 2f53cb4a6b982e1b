import { reach } from "./call";

const headers = { accept: "application/json", "content-type": "application/json" };
const get = (path: string) =>
  reach(`/api/auth/passkey${path}`, {
    credentials: "same-origin",
    headers: { accept: "application/json" },
  });
const post = (path: string, body: object) =>
  reach(`/api/auth/passkey${path}`, {
    method: "POST",
    credentials: "same-origin",
    headers,
    body: JSON.stringify(body),
  });

/** Whether this browser and this address (https or localhost) can use passkeys. */
export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

// Closing the browser's own window is no failure to speak of.
const unlessDismissed = async (
  asked: Promise<Credential | null>,
): Promise<PublicKeyCredential | null> => {
  try {
    return (await asked) as PublicKeyCredential | null;
  } catch (error) {
    if (
      error instanceof DOMException &&
      (error.name === "NotAllowedError" || error.name === "AbortError")
    )
      return null;
    throw error;
  }
};

/** A passkey's answer to a fresh challenge; null when the person closed the browser's dialog. Throws ApiProblem. */
export async function passkeyAnswer(): Promise<Record<string, unknown> | null> {
  const options = (await get(
    "/generate-authenticate-options",
  )) as PublicKeyCredentialRequestOptionsJSON;
  const credential = await unlessDismissed(
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
    }),
  );
  return credential && (credential.toJSON() as unknown as Record<string, unknown>);
}

/** Signs in by passkey; false when the person closed the browser's question. Throws ApiProblem. */
export async function signInByPasskey(rememberMe: boolean): Promise<boolean> {
  const response = await passkeyAnswer();
  if (!response) return false;
  await post("/verify-authentication", { response, rememberMe });
  return true;
}

export type Passkey = { id: string; name?: string | null; createdAt: string };

/** The passkeys of the person signed in. Throws ApiProblem. */
export async function listPasskeys(): Promise<Passkey[]> {
  return (await get("/list-user-passkeys")) as Passkey[];
}

/** Gives a passkey another name. Throws ApiProblem. */
export async function renamePasskey(id: string, name: string): Promise<void> {
  await post("/update-passkey", { id, name });
}

/** Removes a passkey; the device may go on offering it, but it opens nothing. Throws ApiProblem. */
export async function deletePasskey(id: string): Promise<void> {
  await post("/delete-passkey", { id });
}

/** Adds a passkey to the person signed in; false when they closed the browser's question. Throws ApiProblem. */
export async function addPasskey(name: string): Promise<boolean> {
  const options = (await get(
    `/generate-register-options?name=${encodeURIComponent(name)}`,
  )) as PublicKeyCredentialCreationOptionsJSON;
  const credential = await unlessDismissed(
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    }),
  );
  if (!credential) return false;
  await post("/verify-registration", { response: credential.toJSON(), name });
  return true;
}
