import { useDeferredValue } from "react";
import { useEndpoint } from "@/lib/client/hooks";
import { listTokenizations } from "@/lib/contract/operations";
import type { SeenTokenization } from "@/lib/contract/tokenizations";

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

type SavedMethod = {
  /** Undefined while it is not known, null where the address has none. */
  method: SeenTokenization | null | undefined;
  /** Asks once more; undefined where the answer did not come. */
  look: () => Promise<SeenTokenization | null | undefined>;
};

/** The saved method that a subscription of an address charges: the one that was saved last. */
export function useSavedMethod(typed: string): SavedMethod {
  const email = useDeferredValue(typed.trim());
  const answer = useEndpoint(
    listTokenizations,
    { query: { email, status: "active", per_page: 100 } },
    { enabled: ADDRESS.test(email) },
  );
  const newest = (data: typeof answer.data) =>
    data &&
    (data.data.toSorted((a, b) => (b.activated_at ?? "").localeCompare(a.activated_at ?? ""))[0] ??
      null);
  return {
    method: newest(answer.data),
    look: async () => {
      const { data, error } = await answer.refetch();
      return error ? undefined : newest(data);
    },
  };
}
