import {
  Bell,
  CircleHelp,
  CreditCard,
  Download,
  KeyRound,
  Layers,
  Layers2,
  type LucideIcon,
  Palette as PaletteIcon,
  Plug,
  Plus,
  Repeat,
  Rocket,
  Scale,
  Ticket,
  Upload,
  UserPlus,
} from "lucide-react";
import type { Operation } from "@/lib/contract/endpoint";
import {
  bulkCreatePaymentLinks,
  connectGateway,
  createApiKey,
  createCustomer,
  createInvitation,
  createPackage,
  createPaymentLink,
  createSubscription,
  createToken,
  exportCustomers,
  exportPaymentLinks,
  exportPayments,
  getMe,
  getNotificationSettings,
  getStatement,
  listBatches,
  listPayments,
  updateBusiness,
} from "@/lib/contract/operations";

type Deed = {
  label: string;
  icon: LucideIcon;
  to: string;
  words: string;
  /** The call that it leads to. */
  needs: Pick<Operation, "roles">;
};

/** What can be done elsewhere, and what each is called by those who look for it. */
export const deeds: readonly Deed[] = [
  {
    label: "Create a payment link",
    icon: Plus,
    to: "/payment-links/new",
    words: "new invoice",
    needs: createPaymentLink,
  },
  {
    label: "Import payment links",
    icon: Upload,
    to: "/payment-links/import",
    words: "csv spreadsheet bulk upload",
    needs: bulkCreatePaymentLinks,
  },
  {
    label: "Add a customer",
    icon: UserPlus,
    to: "/customers/new",
    words: "new payer person",
    needs: createCustomer,
  },
  {
    label: "Export customers",
    icon: Download,
    to: "/customers",
    words: "csv download",
    needs: exportCustomers,
  },
  {
    label: "Undo an import, or see changes of many links",
    icon: Layers2,
    to: "/payment-links/batches",
    words: "undo import batches bulk cancel extend remind stop",
    needs: listBatches,
  },
  {
    label: "Issue a token",
    icon: Ticket,
    to: "/tokens/new",
    words: "new save card method",
    needs: createToken,
  },
  {
    label: "Create a package",
    icon: Layers,
    to: "/packages/new",
    words: "new package plan price",
    needs: createPackage,
  },
  {
    label: "Subscribe a payer",
    icon: Repeat,
    to: "/subscriptions/new",
    words: "new subscription recurring",
    needs: createSubscription,
  },
  {
    label: "Failed payments",
    icon: CreditCard,
    to: "/payments?status=failed",
    words: "payments failed declined refused",
    needs: listPayments,
  },
  {
    label: "Export payments",
    icon: Download,
    to: "/payments",
    words: "csv download accountant",
    needs: exportPayments,
  },
  {
    label: "Monthly statement",
    icon: Scale,
    to: "/balance/statement",
    words: "month balance accountant pdf csv print fees net",
    needs: getStatement,
  },
  {
    label: "Export payment links",
    icon: Download,
    to: "/payment-links",
    words: "csv download",
    needs: exportPaymentLinks,
  },
  {
    label: "Invite a colleague",
    icon: UserPlus,
    to: "/settings/team",
    words: "team member invitation role",
    needs: createInvitation,
  },
  {
    label: "Connect a payment provider",
    icon: Plug,
    to: "/settings/gateway",
    words: "gateway stripe chip billplz live",
    needs: connectGateway,
  },
  {
    label: "Help",
    icon: CircleHelp,
    to: "/help",
    words: "how to tasks shortcuts what's new health contact operator support",
    needs: getMe,
  },
  {
    label: "Go live",
    icon: Rocket,
    to: "/settings/go-live",
    words: "checklist real money test mail ready",
    needs: getMe,
  },
  {
    label: "Change colour and logo",
    icon: PaletteIcon,
    to: "/settings",
    words: "brand accent business name time zone",
    needs: updateBusiness,
  },
  {
    label: "Choose notifications",
    icon: Bell,
    to: "/settings/notifications",
    words: "alerts e-mail chat slack daily summary",
    needs: getNotificationSettings,
  },
  {
    label: "Add a passkey",
    icon: KeyRound,
    to: "/settings/security",
    words: "password second factor security sessions",
    needs: getMe,
  },
  {
    label: "Create an API key",
    icon: KeyRound,
    to: "/developers",
    words: "new key secret",
    needs: createApiKey,
  },
];
