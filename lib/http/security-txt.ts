const VALID_DAYS = 180;
const DAY_MS = 86_400_000;

/**
 * The security.txt of RFC 9116. `Expires` is required and less than a year away: the contact is a setting of the running process,
 * so it is current whenever it is read.
 */
export function securityTxt(contacts: readonly string[], baseUrl: string, now: Date): string {
  const expires = new Date(now.getTime() + VALID_DAYS * DAY_MS);
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString().slice(0, 10)}T00:00:00Z`,
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    "",
  ].join("\n");
}
