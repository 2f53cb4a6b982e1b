import type { Metadata } from "next";
import { FindCustomer } from "@/components/customers/find";
import type { Search } from "@/lib/client/list-query";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Customer" };

type Props = { searchParams: Promise<Search> };

export default async function Page({ searchParams }: Props) {
  return <FindCustomer email={oneOf((await searchParams).email) ?? ""} />;
}
