import { Card } from "@/components/ui/card";

/** Instead of a form, for who may only look: `what` is what they would have made or changed, "payment links". */
export function NotAllowed({ what }: { what: string }) {
  return (
    <Card>
      <p className="font-medium">Your role can only view</p>
      <p className="mt-0.5 text-muted">
        To create or change {what}, ask an owner or admin for the role “staff”.
      </p>
    </Card>
  );
}
