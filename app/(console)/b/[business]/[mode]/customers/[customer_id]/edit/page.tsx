import type { Metadata } from "next";
import { EditCustomer } from "@/components/customers/form";

export const metadata: Metadata = { title: "Edit customer" };

type Props = { params: Promise<{ customer_id: string }> };

export default async function Page({ params }: Props) {
  return <EditCustomer id={(await params).customer_id} />;
}
