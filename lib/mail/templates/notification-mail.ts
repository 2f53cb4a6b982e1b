import { oneLine } from "../one-line";
import { type RenderedMail, renderMail } from "./layout";

export type NotificationMailProps = {
  businessName: string;
  heading: string;
  lines: readonly string[];
  /** Where the dashboard shows it. */
  address: string;
};

/** The mail to a member about what happened in a business. */
export function renderNotificationMail({
  businessName,
  heading,
  lines,
  address,
}: NotificationMailProps): RenderedMail {
  const name = oneLine(businessName, 100);
  return renderMail({
    business: null,
    test: false,
    facts: [{ label: "Business", value: name }],
    subject: oneLine(`${heading} · ${name}`, 150),
    preview: oneLine(lines[0] ?? heading, 150),
    heading: oneLine(heading, 200),
    paragraphs: lines,
    button: { label: "Open the dashboard", address, note: "Or open this link:" },
    reason: `You’re receiving this e-mail because you chose it in the settings of ${name}, under Notifications.`,
  });
}
