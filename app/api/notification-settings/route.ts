import { getNotificationSettings, updateNotificationSettings } from "@/lib/contract/notifications";
import { getSettings, updateSettings, validateChat } from "@/lib/domain/notifications/settings";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getNotificationSettings, ({ ctx }) => getSettings(ctx));
export const PUT = defineRoute(
  updateNotificationSettings,
  ({ ctx, body }) => updateSettings(ctx, body),
  ({ body }) => validateChat(body),
);
