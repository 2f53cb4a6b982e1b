import { Card } from "@/components/ui/card";

/** Instead of a form, for who may only look: `what` is what they would have made or changed, "payment links". */
export function NotAllowed({ what }: { what: string }) {
  return (
    <Card>
      <p className="font-medium">Your role is to look</p>
      <p className="mt-0.5 text-muted">
        Ask an owner or admin of this business for the role “staff” to make and change {what}.
      </p>
    </Card>
  );
}
