import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { NuqsTestingAdapter } from "nuqs/adapters/testing";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import type { Asked, Data, Known } from "@/lib/client/call";
import { keys } from "@/lib/client/keys";
import { ApiProblem } from "@/lib/client/problem";
import { meKey } from "@/lib/client/use-me";
import type { Me } from "@/lib/contract/me";
import type { Role } from "@/lib/contract/values";
import { drawnAt } from "./drawn-at";

const owner: Me = {
  user: {
    _id: "6740f1c39a3be27d51c8e400",
    name: "Mei Tan",
    email: "mei@example.com",
    email_verified: true,
    two_factor_enabled: false,
  },
  session_id: "6740f1c39a3be27d51c8e401",
  businesses: [
    { business_id: 1001, name: "Tide & Co", time_zone: "UTC", role: "owner", logo: null },
  ],
  sends_mail: true,
  operator_contacts: [],
  kutip_version: "0.0.0",
};

type Answer = { key: QueryKey; data?: unknown; problem?: ApiProblem };

/** What the API answers to a call of a drawn page; `gone`: this was before, and now it is a 404. */
export const answered = <O extends Known>(
  endpoint: O,
  input: Asked<O>,
  data: Partial<Data<O>>,
  gone = false,
): Answer => ({
  key: keys.call(drawnAt, endpoint, input),
  data,
  ...(gone ? { problem: new ApiProblem(404, "not_found", "Not found.") } : {}),
});

/** A call of a drawn page that has had no answer but an error. */
export const failed = <O extends Known>(endpoint: O, input: Asked<O>): Answer => ({
  key: keys.call(drawnAt, endpoint, input),
  problem: new ApiProblem(500, "internal_error", "Something went wrong."),
});

/** The HTML of a part of the dashboard, as its owner or another role sees it. An answer that is not among these has not arrived. */
export function drawn(
  part: ReactNode,
  answers: readonly Answer[],
  { role = "owner", ...me }: Partial<Me> & { role?: Role } = {},
): string {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Infinity, retryOnMount: false } },
  });
  const businesses = owner.businesses.map((business) => ({ ...business, role }));
  client.setQueryData(meKey, { ...owner, businesses, ...me });
  for (const { key, data, problem } of answers) {
    client.setQueryData(key, data);
    if (problem)
      client
        .getQueryCache()
        .build(client, { queryKey: key })
        .setState({ status: "error", error: problem });
  }
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <NuqsTestingAdapter>{part}</NuqsTestingAdapter>
    </QueryClientProvider>,
  );
}
