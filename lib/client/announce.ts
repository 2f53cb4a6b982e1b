let region: HTMLElement | undefined;

/** Says a few words to screen readers, politely. The same words twice are said twice. */
export function announce(text: string): void {
  if (!region?.isConnected) {
    region = document.createElement("div");
    region.setAttribute("role", "status");
    region.setAttribute("aria-live", "polite");
    region.className = "sr-only";
    document.body.append(region);
  }
  const line = document.createElement("p");
  line.textContent = text;
  region.replaceChildren(line);
}
