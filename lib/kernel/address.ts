/** Appends parameters to an address. Existing parameters and the spelling of the rest stay. */
export function withParameters(
  address: string,
  parameters: ReadonlyArray<readonly [string, string]>,
): string {
  const taken = new URL(address).searchParams;
  const added = new URLSearchParams(
    parameters.filter(([name]) => !taken.has(name)).map(([name, value]) => [name, value]),
  ).toString();
  if (added === "") return address;
  const hash = address.indexOf("#");
  const [before, after] = hash < 0 ? [address, ""] : [address.slice(0, hash), address.slice(hash)];
  const joint = !before.includes("?") ? "?" : /[?&]$/.test(before) ? "" : "&";
  return `${before}${joint}${added}${after}`;
}
