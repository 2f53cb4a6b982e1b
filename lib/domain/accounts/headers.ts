/** Carries the caller's address, as the server found it, into better-auth. */
export const clientHeader = "x-kutip-client";
/** Marks a passkey challenge that renews a session's proof and opens no session. */
export const proofHeader = "x-kutip-proof";
