import { reach } from "./call";
import { ApiProblem } from "./problem";

const headers = { accept: "application/json", "content-type": "application/json" };

const post = async (path: string, body: object): Promise<unknown> => {
  try {
    return await reach(`/api/auth${path}`, {
      method: "POST",
      credentials: "same-origin",
      headers,
      body: JSON.stringify(body),
    });
  } catch (error) {
    throw error instanceof ApiProblem ? atField(error) : error;
  }
};

// What the sign-in library refuses, at the field that is wrong and in words for people.
const fields: Record<string, [field: string, text: string]> = {
  INVALID_PASSWORD: ["password", "This is not your password."],
  password_guessable: ["new_password", "The new password is too easy to guess."],
  INVALID_CODE: ["code", "This is not the code the app shows now."],
  code_used: ["code", "This code was already used. Wait for the next one."],
};

function atField(problem: ApiProblem): ApiProblem {
  const [field, text] = fields[problem.code] ?? [];
  return field && text
    ? new ApiProblem(422, problem.code, text, { [field]: [text] }, problem.requestId)
    : problem;
}

/** Changes the password of the person signed in, which ends their other sessions. Throws ApiProblem, 422 on `password` for a wrong one. */
export async function changePassword(password: string, newPassword: string): Promise<void> {
  await post("/change-password", { currentPassword: password, newPassword });
}

export type AuthenticatorOffer = { totpURI: string; backupCodes: string[] };

/** Begins with an authenticator app: the address its QR code holds, and recovery codes. It counts once a code of the app was given. Throws as above. */
export async function beginTwoFactor(password: string): Promise<AuthenticatorOffer> {
  return (await post("/two-factor/enable", { password })) as AuthenticatorOffer;
}

/** Finishes it with a code the app shows. Throws ApiProblem, 422 on `code` for a wrong one. */
export async function finishTwoFactor(code: string): Promise<void> {
  await post("/two-factor/verify-totp", { code: code.replace(/\s/g, "") });
}

/** From now on the password alone opens. Throws as `changePassword`. */
export async function removeTwoFactor(password: string): Promise<void> {
  await post("/two-factor/disable", { password });
}

/** New recovery codes; the old ones open nothing any more. Throws as `changePassword`. */
export async function renewRecoveryCodes(password: string): Promise<string[]> {
  return ((await post("/two-factor/generate-backup-codes", { password })) as AuthenticatorOffer)
    .backupCodes;
}

/** Sends the mail by which an address is confirmed once more. Throws ApiProblem. */
export async function sendVerification(email: string): Promise<void> {
  await post("/send-verification-email", { email });
}
