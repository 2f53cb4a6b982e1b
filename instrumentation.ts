import { developing } from "@/lib/env";

/** Called by Next.js when its server starts. Inside our own server there is nothing to do. */
export async function register(): Promise<void> {
  const { hasOwnServer, rememberSocketAddresses } = await import("@/lib/http/front-door");
  if (hasOwnServer()) return;
  const { joinInstall, refuse, requireSettings } = await import("@/lib/supervisor/entry");
  try {
    requireSettings("web");
    (await joinInstall("web")).joined.catch(refuse);
  } catch (error) {
    refuse(error);
  }
  rememberSocketAddresses();
  if (developing) return;
  const { printUnguarded } = await import("@/lib/http/unguarded");
  printUnguarded();
}
