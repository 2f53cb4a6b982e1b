import { PageSkeleton } from "@/components/console/page-skeleton";

export default function Loading() {
  return <PageSkeleton />;
}
