/** Carries the caller's address, as the server found it, into better-auth. */
export const clientHeader = "x-kutip-client";
/** Marks a sign-in by passkey that ends with the browser. Carries what the sign-in by password has in its body. */
export const briefHeader = "x-kutip-brief";
/** Marks a passkey challenge that renews a session's proof and opens no session. */
export const proofHeader = "x-kutip-proof";
