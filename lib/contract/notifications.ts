import * as z from "zod";
import { endpoint } from "./endpoint";
import { WebUrl } from "./fields";
import { notificationChannels, notificationKinds, roles } from "./values";

const Kinds = z.array(z.enum(notificationKinds)).max(notificationKinds.length).meta({
  description:
    "`payments`: each payment that arrives. `failures`: charges of saved methods that failed, disputes, and payments that need a person. `daily`: a summary of the day before, in the morning of the business.",
});

export const NotificationSettings = z
  .object({
    mail: Kinds,
    chat: Kinds,
    chat_address: z
      .string()
      .nullable()
      .meta({ description: "Host and last characters of the chat's address, which is a secret." }),
    chat_off: z.boolean().meta({
      description:
        "True after the chat has answered that it is gone. Saving an address or a test message that arrives ends it.",
    }),
    chat_problem: z
      .string()
      .nullable()
      .meta({ description: "Why the last message did not arrive, in plain words." }),
  })
  .meta({
    id: "NotificationSettings",
    description: "Which notifications of this business the caller gets, and where.",
    examples: [
      {
        mail: ["daily"],
        chat: ["payments", "failures"],
        chat_address: "hooks.slack.com…x9Yz",
        chat_off: false,
        chat_problem: null,
      },
    ],
  });
export type NotificationSettings = z.output<typeof NotificationSettings>;

export const NotificationSettingsInput = z
  .object({
    mail: Kinds,
    chat: Kinds,
    chat_url: WebUrl.nullable()
      .optional()
      .describe(
        "The chat's incoming-webhook address: of Slack, Mattermost, Google Chat, or Discord's with `/slack` behind it. Absent keeps the saved one, null removes it.",
      ),
  })
  .meta({
    id: "NotificationSettingsInput",
    examples: [
      {
        mail: ["daily"],
        chat: ["payments", "failures"],
        chat_url: "https://hooks.slack.com/services/T0/B0/secret",
      },
    ],
  });
export type NotificationSettingsInput = z.output<typeof NotificationSettingsInput>;

export const NotificationTest = z
  .object({
    recipient: z.string().meta({ description: "The mail's address, or the chat as it is shown." }),
    error: z.string().nullable().meta({ description: "Why the message did not arrive." }),
    answer: z.string().nullable().meta({ description: "What the chat answered, shortened." }),
  })
  .meta({
    id: "NotificationTest",
    examples: [{ recipient: "hooks.slack.com…x9Yz", error: null, answer: "ok" }],
  });
export type NotificationTest = z.output<typeof NotificationTest>;

// Each member chooses for themselves, so a viewer may too.
const own = { tag: "Notifications", access: "staff", roles, ownOnly: true } as const;

export const getNotificationSettings = endpoint({
  ...own,
  id: "getNotificationSettings",
  method: "GET",
  path: "/notification-settings",
  summary: "Your notifications of this business",
  response: NotificationSettings,
});
export const updateNotificationSettings = endpoint({
  ...own,
  id: "updateNotificationSettings",
  method: "PUT",
  path: "/notification-settings",
  summary: "Choose your notifications of this business",
  reauthenticate: "address",
  body: NotificationSettingsInput,
  response: NotificationSettings,
});
export const testNotification = endpoint({
  ...own,
  id: "testNotification",
  method: "POST",
  path: "/notification-settings/test",
  summary: "Send yourself a test notification",
  body: z.object({ channel: z.enum(notificationChannels) }).meta({
    id: "NotificationTestInput",
    examples: [{ channel: "chat" }],
  }),
  response: NotificationTest,
  description:
    "A mail goes to the caller's own confirmed address, a chat message to the saved address; the answer is what the chat answered.",
  conflict: "There is no mail server, or no chat is saved.",
});
