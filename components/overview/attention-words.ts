import { attentionLabels, lateText } from "@/components/payments/words";
import type { Tone } from "@/components/ui/badge";
import type { Attention } from "@/lib/contract/overview";

type Words = {
  label: string;
  tone: Tone;
  text: string;
  /** The list of exactly these; null without such a list. */
  all: string | null;
};

/** The words of each kind that needs a person. */
export const attentionWords: Record<Attention["kind"], Words> = {
  payment_failed: {
    label: attentionLabels.payment_failed,
    tone: "bad",
    text: "Declined, and not paid since. Open it to see why, and to charge or ask again.",
    all: "/payments?attention=payment_failed",
  },
  payment_unknown: {
    label: attentionLabels.payment_unknown,
    tone: "warn",
    text: "The provider has not answered yet. Kutip keeps asking. After 24 hours an owner or admin can resolve it.",
    all: "/payments?attention=payment_unknown",
  },
  payment_mismatch: {
    label: attentionLabels.payment_mismatch,
    tone: "bad",
    text: "The provider reports another amount than you asked for.",
    all: "/payments?attention=payment_mismatch",
  },
  payment_duplicate: {
    label: attentionLabels.payment_duplicate,
    tone: "bad",
    text: "The link was already paid. Refund it.",
    all: "/payments?attention=payment_duplicate",
  },
  payment_late: {
    label: attentionLabels.payment_late,
    tone: "warn",
    text: lateText,
    all: "/payments?attention=payment_late",
  },
  refund_failed: {
    label: "Refund failed",
    tone: "bad",
    text: "Nothing was refunded. Try again, or return the money another way.",
    all: null,
  },
  refund_unknown: {
    label: "Refund unknown",
    tone: "warn",
    text: "The provider has not confirmed it. Kutip keeps asking. After 24 hours an owner or admin can resolve it.",
    all: null,
  },
  mail_failed: {
    label: "Mail failed",
    tone: "bad",
    text: "It could not be sent, and is not tried again.",
    all: null,
  },
  subscription_past_due: {
    label: "Past due",
    tone: "warn",
    text: "A period is not paid.",
    all: "/subscriptions?status=past_due",
  },
  subscription_halted: {
    label: "Halted",
    tone: "bad",
    text: "No further charge is tried.",
    all: "/subscriptions?status=halted",
  },
  webhook_failed: {
    label: "Webhooks fail",
    tone: "bad",
    text: "The last event failed after all its retries. Send it again once the endpoint works.",
    all: null,
  },
  webhook_gone: {
    label: "Webhooks stopped",
    tone: "bad",
    text: "The endpoint answered 410 Gone and was disabled: enable it, or delete it.",
    all: null,
  },
};
