/** Carries the caller's address, as the server found it, into better-auth. */
export const clientHeader = "x-kutip-client";
/** Marks a passkey that renews the proof of a session: it signs nobody in. */
export const proofHeader = "x-kutip-proof";
