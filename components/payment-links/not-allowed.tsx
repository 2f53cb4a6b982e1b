import { Card } from "@/components/ui/card";

/** Instead of a form, for who may only look. */
export function NotAllowed() {
  return (
    <Card>
      <p className="font-medium">Your role is to look</p>
      <p className="mt-0.5 text-muted">Ask an owner or admin of this business for the role “staff” to make and change payment links.</p>
    </Card>
  );
}
