"use client";

import { useQueries } from "@tanstack/react-query";
import { call, type Known } from "@/lib/client/call";
import { keys } from "@/lib/client/keys";
import { useScope } from "@/lib/client/use-scope";
import {
  listEvents,
  listLedgerEntries,
  listPackages,
  listPaymentLinks,
  listPayments,
  listSubscriptions,
  listTestClocks,
  listTokenizations,
} from "@/lib/contract/operations";

/** Where the newest record behind a parameter or field is found, and what it is called. */
const sources: Record<string, { list: Known; noun: string }> = {
  payment_link_id: { list: listPaymentLinks, noun: "payment link" },
  token: { list: listTokenizations, noun: "token" },
  package_id: { list: listPackages, noun: "package" },
  subscription_id: { list: listSubscriptions, noun: "subscription" },
  payment_id: { list: listPayments, noun: "payment" },
  ledger_entry_id: { list: listLedgerEntries, noun: "ledger entry" },
  event_id: { list: listEvents, noun: "event" },
  test_clock_id: { list: listTestClocks, noun: "test clock" },
};

type RealIds = { ids: Record<string, string>; missing: string[]; loading: boolean };

/** Ids of this business's newest records for the named parameters; `missing` names the nouns without records. */
export function useRealIds(names: readonly string[]): RealIds {
  const { business, mode } = useScope();
  const scope = { business, mode };
  const known = names.filter((name) => name in sources);
  const input = { query: { per_page: 1 } };
  const answers = useQueries({
    queries: known.map((name) => {
      const list = sources[name]?.list ?? listPaymentLinks;
      return {
        queryKey: keys.call(scope, list, input),
        queryFn: async ({ signal }: { signal: AbortSignal }) =>
          (await call(list, input as never, { scope, signal })) as { data: { _id: string }[] },
      };
    }),
  });
  const ids: Record<string, string> = {};
  const missing: string[] = [];
  for (const [index, name] of known.entries()) {
    const answer = answers[index];
    const id = answer?.data?.data[0]?._id;
    if (id) ids[name] = id;
    else if (answer && !answer.isPending) missing.push(sources[name]?.noun ?? name);
  }
  return { ids, missing, loading: answers.some(({ isPending }) => isPending) };
}
