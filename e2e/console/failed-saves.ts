import type { Page } from "@playwright/test";
import { unfold } from "./screen";

/** A form of the dashboard, and how a person gets to it. */
export type FormCase = {
  /** Its file below components, and its label. */
  file: string;
  label: string;
  /** With the ids of the furnished business in place of `[names]`. */
  address: string;
  /** Presses what opens it. */
  open?: (page: Page) => Promise<unknown>;
  /** More texts to write, by label. */
  values?: Record<string, string>;
  /** The API's name of a field that can be refused, where the page does not have it. */
  field?: string;
  /** Presses what the form asks after it is sent. */
  confirm?: (page: Page) => Promise<unknown>;
  /** Without a definite answer it finds out what happened: `lost-answers.spec.ts`. */
  money?: true;
};

/** The payer of a furnished link, without a payment under way. */
const furnishedPayer = "a.rather.long.name@a-rather-long-domain.example";

const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true }).first().click();
const dialogButton = (page: Page, name: string | RegExp) =>
  page.getByRole("alertdialog").getByRole("button", { name }).last().click();

async function menu(page: Page, entry: string, button: string | RegExp = /^(Actions|More)/) {
  await page.getByRole("button", { name: button }).first().click();
  await page.getByRole("menuitem", { name: entry }).click();
}

/** Every form behind the sign-in that a person can get to without a step that cannot be made here. */
export const consoleForms: readonly FormCase[] = [
  {
    file: "developers/create-key.tsx",
    label: "New API key",
    address: "/developers",
    open: (page) => press(page, "Create key"),
  },
  {
    file: "developers/roll-key.tsx",
    label: "Roll key",
    address: "/developers",
    open: (page) => menu(page, "Roll…"),
  },
  {
    file: "shop-plugins/dialogs.tsx",
    label: "New shop plugin",
    address: "/settings/shop-plugins",
    open: (page) => press(page, "Connect a plugin"),
  },
  {
    file: "payment-links/record-payment.tsx",
    label: "Record a payment",
    address: "/payment-links/[payment_link_id]",
    open: (page) => menu(page, "Record a payment…"),
    field: "note",
    values: { Note: "Kept" },
    money: true,
  },
  {
    file: "payment-links/extend-form.tsx",
    label: "Extend payment links",
    address: "/payment-links",
    open: async (page) => {
      await page.getByRole("checkbox", { name: /^Select A title/ }).click();
      await page
        .getByRole("region", { name: "Selected payment links" })
        .getByRole("button", { name: "Extend" })
        .click();
    },
    field: "extend_days",
  },
  { file: "payment-links/link-form.tsx", label: "Payment link", address: "/payment-links/new" },
  { file: "packages/create.tsx", label: "Package", address: "/packages/new" },
  { file: "packages/edit.tsx", label: "Package", address: "/packages/[package_id]/edit" },
  {
    file: "views/save.tsx",
    label: "View",
    address: "/payment-links?status=Active",
    open: async (page) => {
      if ((page.viewportSize()?.width ?? 0) < 640) await unfold(page);
      await menu(page, "Save this view…", /^View/);
    },
  },
  { file: "customers/form.tsx", label: "Customer", address: "/customers/new" },
  { file: "customers/form.tsx", label: "Customer", address: "/customers/[customer_id]/edit" },
  { file: "settings/payers.tsx", label: "Find the payer", address: "/settings/payers" },
  {
    file: "settings/payers.tsx",
    label: "Erase the payer",
    address: `/settings/payers?email=${furnishedPayer}`,
    open: async (page) => {
      await press(page, "Show records");
      // Its button needs the address.
      await page.getByLabel("Type the address to confirm").fill(furnishedPayer);
    },
  },
  {
    file: "settings/gateway/connect.tsx",
    label: "Connect a payment provider",
    address: "/settings/gateway",
    values: { "Secret key": `sk_test_${"a".repeat(40)}` },
  },
  { file: "settings/business.tsx", label: "Business", address: "/settings" },
  {
    file: "settings/notifications.tsx",
    label: "Notifications",
    address: "/settings/notifications",
    field: "chat_url",
    values: { "The chat's address": "https://hooks.example/secret" },
  },
  {
    file: "settings/password-card.tsx",
    label: "Change password",
    address: "/settings/security",
    field: "password",
  },
  {
    file: "settings/profile-card.tsx",
    label: "Your name",
    address: "/settings/security",
    values: { Name: "Mei Tan" },
  },
  {
    file: "settings/invite.tsx",
    label: "Invitation",
    address: "/settings/team",
    open: (page) => press(page, "Invite"),
  },
  {
    file: "settings/role-dialog.tsx",
    label: "Role",
    address: "/settings/team",
    open: (page) => menu(page, "Change role…", /^Actions for/),
  },
  {
    file: "payments/refund-dialog.tsx",
    label: "Refund",
    address: "/payments/[succeeded_id]",
    open: (page) => press(page, "Refund"),
    field: "reason",
    money: true,
  },
  {
    file: "webhooks/endpoint-dialogs.tsx",
    label: "New webhook endpoint",
    address: "/developers/webhooks",
    open: (page) => press(page, "Add endpoint"),
  },
  {
    file: "webhooks/endpoint-dialogs.tsx",
    label: "Webhook endpoint",
    address: "/developers/webhooks/[webhook_endpoint_id]",
    open: (page) => menu(page, "Edit…", "Manage"),
  },
  {
    file: "webhooks/endpoint-dialogs.tsx",
    label: "Events to send again",
    address: "/developers/webhooks/[webhook_endpoint_id]",
    open: (page) => menu(page, "Send events again…", "Manage"),
    field: "from",
  },
  { file: "tokens/issue.tsx", label: "Token", address: "/tokens/new" },
  {
    file: "tokens/charge.tsx",
    label: "Charge",
    address: "/tokens/[token_id]/charge",
    confirm: (page) => dialogButton(page, /^Charge/),
    money: true,
  },
  {
    file: "subscriptions/edit.tsx",
    label: "Subscription",
    address: "/subscriptions/[subscription_id]/edit",
  },
  {
    file: "subscriptions/subscribe.tsx",
    label: "Subscription",
    address: "/subscriptions/new?package=[package_id]",
    values: { "E-mail": "nobody@example.com" },
    money: true,
  },
];

/** Forms of people who are not signed in. */
export const entryForms: readonly FormCase[] = [
  { file: "auth/sign-in.tsx", label: "Sign in", address: "/sign-in" },
  { file: "auth/reset-password.tsx", label: "New password", address: "/reset-password#some-token" },
  { file: "auth/two-factor.tsx", label: "Second step", address: "/two-factor" },
];

/** Forms that are not walked here, and why. They are the same `Form`. */
export const notWalked: Readonly<Record<string, string>> = {
  "auth/new-business.tsx: Set up": "needs an install without a business",
  "auth/new-business.tsx: Sign up": "needs an install that lets people sign up",
  "auth/forgot-password.tsx: Forgotten password": "needs a mail server",
  "auth/accept-invitation.tsx: Accept the invitation": "needs a fresh invitation for each try",
  "settings/gateway/callbacks.tsx: Webhook secret": "needs an account at Stripe",
  "settings/gateway/replace-key.tsx: Replace the secret key": "needs an account at Stripe",
  "settings/ask-password.tsx: Your password": "needs a second factor",
  "settings/two-factor-setup.tsx: Code of the app": "needs a second factor",
  "settings/passkeys-card.tsx: Passkey": "needs a passkey",
  "console/proof-dialog.tsx: Confirm that it’s you": "reauthentication.spec.ts",
  "payments/resolve-dialog.tsx: Resolve payment": "needs a payment of another amount",
  "payments/resolve-refund-dialog.tsx: Resolve refund": "needs a refund that is unknown for a day",
};
