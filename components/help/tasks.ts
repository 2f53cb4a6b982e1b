import type { Operation } from "@/lib/contract/endpoint";
import {
  bulkCreatePaymentLinks,
  chargeToken,
  connectGateway,
  createApiKey,
  createBatch,
  createInvitation,
  createPaymentLink,
  createRefund,
  createSavedView,
  getOverview,
  getStatement,
  listPaymentLinks,
  listPayments,
  recordPayment,
  resendMail,
  undoBatch,
  updatePaymentLink,
  updateSubscription,
} from "@/lib/contract/operations";

type Task = {
  title: string;
  text: string;
  /** The screen where it begins. */
  to: string;
  /** The call that it leads to. */
  needs: Pick<Operation, "roles">;
};

/** What an office does, and where. */
export const tasks: readonly { heading: string; tasks: readonly Task[] }[] = [
  {
    heading: "Ask for money",
    tasks: [
      {
        title: "Bill one payer",
        text: "Create a payment link. Send it by e-mail, or copy it into a message. Amounts such as RM 1,200.50 are understood.",
        to: "/payment-links/new",
        needs: createPaymentLink,
      },
      {
        title: "Bill many payers from a spreadsheet",
        text: "Import an .xlsx or CSV file. Say which column is what, and read what each row becomes. Then create all links at once.",
        to: "/payment-links/import",
        needs: bulkCreatePaymentLinks,
      },
      {
        title: "Remind those who have not paid",
        text: "In the list of open links, select the links and press Remind. It starts after half a minute, and until then you can stop it.",
        to: "/payment-links?open=true",
        needs: createBatch,
      },
      {
        title: "See who has not opened the page",
        text: "Payment links, More filters: “Payment page opened: No”, and “Open: Yes” for those that are not paid.",
        to: "/payment-links?open=true&opened=false",
        needs: listPaymentLinks,
      },
      {
        title: "Give more time",
        text: "Select links and press Extend. By days, it moves the due dates too, which payers read on the page and in mails.",
        to: "/payment-links?open=true",
        needs: createBatch,
      },
      {
        title: "Correct an amount or an e-mail address",
        text: "Open the link and press Edit. The payer does not learn of it: send the link again from its page.",
        to: "/payment-links",
        needs: updatePaymentLink,
      },
      {
        title: "Undo a wrong import",
        text: "Open the import under Imports and changes, and undo it. Its open and expired links are cancelled, and paid ones stay.",
        to: "/payment-links/batches",
        needs: undoBatch,
      },
      {
        title: "Keep filters for the next time",
        text: "Set the filters of a list, then View, Save this view. It is in the same menu from then on, for you or for the team.",
        to: "/payment-links",
        needs: createSavedView,
      },
    ],
  },
  {
    heading: "Money that came, and money that goes back",
    tasks: [
      {
        title: "See what came in",
        text: "Choose a range on the overview. Each figure opens the list of what it counts, with the same sum below.",
        to: "",
        needs: getOverview,
      },
      {
        title: "Find the payment of a bank line",
        text: "Press Ctrl+K, or the search at the top, and write the amount. It finds amounts before and after fees. Names, addresses and phone numbers are found there too.",
        to: "/payments",
        needs: listPayments,
      },
      {
        title: "Note cash or a bank transfer",
        text: "In the menu “…” of the link, choose Record a payment. The link is then paid, and gets no more reminders.",
        to: "/payment-links?open=true",
        needs: recordPayment,
      },
      {
        title: "Deal with a card that was refused",
        text: "The overview names failed charges under Needs attention. The page of the payment says why, and can charge the saved method again.",
        to: "/payments?attention=payment_failed",
        needs: chargeToken,
      },
      {
        title: "Give money back",
        text: "Open the payment and press Refund. You can give back all or a part.",
        to: "/payments?collected=true",
        needs: createRefund,
      },
      {
        title: "Send a receipt again",
        text: "Open the payment. Receipt (PDF) downloads it. Under Mails, you can send the mail with it again.",
        to: "/payments?collected=true",
        needs: resendMail,
      },
      {
        title: "Give the accountant a month",
        text: "The monthly statement can be printed, or downloaded as PDF and CSV. It has payments on the day they were booked.",
        to: "/balance/statement",
        needs: getStatement,
      },
      {
        title: "Stop a regular payment",
        text: "Find the customer by name or phone number, open the subscription, and cancel it. The question says what is not charged any more.",
        to: "/subscriptions?status=active",
        needs: updateSubscription,
      },
    ],
  },
  {
    heading: "Set up",
    tasks: [
      {
        title: "Bring in a colleague",
        text: "Invite them under Team, and choose what they may do. Without a mail server you get a link to hand over.",
        to: "/settings/team",
        needs: createInvitation,
      },
      {
        title: "Let a programmer in",
        text: "Create an API key under Developers. A key of test mode moves no money.",
        to: "/developers",
        needs: createApiKey,
      },
      {
        title: "Take real money",
        text: "Go live lists what is still missing, such as the payment provider. Then switch Test mode off at the top.",
        to: "/settings/go-live",
        needs: connectGateway,
      },
    ],
  },
];
