import type { Scope } from "@/lib/client/scope";

/** Where drawn pages are. */
export const drawnAt: Scope = { business: "1001", mode: "test" };

/** For `vi.mock("next/navigation", …)` in the file of a test that draws. */
export const navigation = {
  usePathname: () => `/b/${drawnAt.business}/${drawnAt.mode}`,
  useRouter: () => ({}),
};
