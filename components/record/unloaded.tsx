import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { DetailSkeleton } from "./detail-skeleton";

type UnloadedProps = {
  title: string;
  back: { href: string; label: string };
  answer: { error: unknown; refetch: () => unknown };
};

/** A record's page while it loads, or when it failed to. */
export function Unloaded({ title, back, answer }: UnloadedProps) {
  return (
    <>
      <PageHeader title={title} back={back} />
      {answer.error ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <DetailSkeleton />
      )}
    </>
  );
}
