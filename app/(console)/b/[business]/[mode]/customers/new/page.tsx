import type { Metadata } from "next";
import { CreateCustomer } from "@/components/customers/form";
import type { Search } from "@/lib/client/list-query";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Add customer" };

type Props = { searchParams: Promise<Search> };

export default async function Page({ searchParams }: Props) {
  return <CreateCustomer email={oneOf((await searchParams).email)} />;
}
