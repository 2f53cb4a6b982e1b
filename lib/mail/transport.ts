import type { Readable } from "node:stream";
import type { Transporter } from "nodemailer";
import { assertNoTransaction } from "@/db/client";
import { oneLine } from "./one-line";

export type Mailbox = { address: string; name?: string };

/** `messageId` is `<id@host>`, the same on every try with the same content, so that a mailbox can drop a copy. */
export type MailMessage = {
  from: Mailbox;
  to: Mailbox;
  replyTo?: Mailbox | null;
  subject: string;
  html: string;
  text: string;
  messageId: string;
  headers?: Readonly<Record<string, string>>;
};

/**
 * `kept`: no mail server is set, the outbox row is the mail. `temporary`: certainly not accepted, worth another try.
 * `permanent`: certainly refused. `unknown`: the text was under way when the answer was lost; another try may send a second copy.
 */
export type SendOutcome =
  | { kind: "sent" }
  | { kind: "kept" }
  | { kind: "temporary" | "permanent" | "unknown"; reason: string };

/** `keeps` is set where no mail server is: nothing is ever sent. */
export type MailTransport = {
  send(message: MailMessage): Promise<SendOutcome>;
  close(): void;
  keeps?: true;
};

const CONNECT_LIMIT_MS = 5_000;
const TOTAL_LIMIT_MS = 30_000;

const ADDRESS =
  /^[^\s@"(),:;<>[\]\\\u0000-\u001f\u007f-\u009f]{1,64}@[^\s@"(),:;<>[\]\\\u0000-\u001f\u007f-\u009f]{1,255}$/;
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,75}$/;
const MESSAGE_ID = /^<[A-Za-z0-9._%+-]+@[A-Za-z0-9.:[\]-]+>$/;

/** One plain address: no list, group, comment, route or quoted part, nothing that could become a second recipient. */
export function isPlainAddress(address: string): boolean {
  return address.length <= 254 && ADDRESS.test(address);
}

function refusal({ from, to, replyTo, messageId, headers = {} }: MailMessage): string | null {
  if (!isPlainAddress(to.address)) return "The recipient is not one plain e-mail address.";
  if (!isPlainAddress(from.address)) return "The sender is not one plain e-mail address.";
  if (replyTo && !isPlainAddress(replyTo.address))
    return "The reply address is not one plain e-mail address.";
  if (!MESSAGE_ID.test(messageId)) return "The message id is malformed.";
  const wrong = Object.keys(headers).find((name) => !HEADER_NAME.test(name));
  return wrong === undefined ? null : "A header's name is malformed.";
}

const mailbox = ({ address, name }: Mailbox) => ({ address, name: oneLine(name ?? "") });

type SmtpError = { message: string; code?: unknown; command?: unknown; responseCode?: unknown };

/** `textLeft`: whether a byte of the mail itself had gone to the server. */
function classify(error: SmtpError, textLeft: boolean): SendOutcome {
  const { code, command, responseCode } = error;
  const reason = oneLine(error.message);
  const aboutThisMail = (code === "EENVELOPE" && command !== "MAIL FROM") || code === "EMESSAGE";
  if (aboutThisMail && typeof responseCode === "number")
    return { kind: responseCode >= 500 ? "permanent" : "temporary", reason };
  if (aboutThisMail && !textLeft) return { kind: "permanent", reason };
  // A refused sign-in, greeting or sender speaks of the set-up, not of this mail: it can be mended.
  if (typeof responseCode === "number") return { kind: "temporary", reason };
  return { kind: textLeft ? "unknown" : "temporary", reason };
}

/** A pool of SMTP connections. Takes `smtp://…` or `smtps://…`; `null` keeps every mail. Each mail has `limitMs` in all. */
export function createMailTransport(
  smtpUrl: string | null,
  limitMs = TOTAL_LIMIT_MS,
): MailTransport {
  if (smtpUrl === null)
    return { send: async (message) => kept(message), close: () => undefined, keeps: true };
  const streams = new Map<string, Readable>();
  let transporter: Promise<Transporter> | undefined;
  return {
    async send(message) {
      assertNoTransaction("mail");
      const refused = refusal(message);
      if (refused !== null) return { kind: "permanent", reason: refused };
      transporter ??= openPool(smtpUrl, limitMs, streams);
      try {
        const pool = await transporter;
        await pool.sendMail({ ...options(message), signal: AbortSignal.timeout(limitMs) });
        return { kind: "sent" };
      } catch (error) {
        return classify(
          error as SmtpError,
          streams.get(message.messageId)?.readableDidRead ?? false,
        );
      } finally {
        streams.delete(message.messageId);
      }
    },
    close: () => void transporter?.then((pool) => pool.close()),
  };
}

/** Processes that send no mail do not load nodemailer. `streams` gets the text of each mail under way, by message id. */
async function openPool(
  url: string,
  limitMs: number,
  streams: Map<string, Readable>,
): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  const transporter: Transporter = createTransport({
    url,
    pool: true,
    maxConnections: 4,
    maxMessages: 100,
    // Only mails of which nothing was sent are queued again by the pool.
    maxRequeues: 1,
    idleTimeout: 10_000,
    connectionTimeout: CONNECT_LIMIT_MS,
    greetingTimeout: CONNECT_LIMIT_MS,
    dnsTimeout: CONNECT_LIMIT_MS,
    socketTimeout: limitMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  transporter.use("stream", (mail, done) => {
    const { message } = mail;
    const create = message.createReadStream.bind(message);
    message.createReadStream = (options) => {
      const stream = create(options);
      streams.set(message.messageId(), stream);
      return stream;
    };
    done();
  });
  return transporter;
}

function options({ from, to, replyTo, subject, html, text, messageId, headers = {} }: MailMessage) {
  return {
    from: mailbox(from),
    to: mailbox(to),
    replyTo: replyTo ? mailbox(replyTo) : undefined,
    // A separate envelope: nothing written into a header can add a recipient.
    envelope: { from: from.address, to: [to.address] },
    subject: oneLine(subject),
    html,
    text,
    messageId,
    headers: {
      "Auto-Submitted": "auto-generated",
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, oneLine(value)])),
    },
  };
}

function kept(message: MailMessage): SendOutcome {
  const refused = refusal(message);
  return refused === null ? { kind: "kept" } : { kind: "permanent", reason: refused };
}
