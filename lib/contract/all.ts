import * as account from "./account";
import * as apiKeys from "./api-keys";
import * as business from "./business";
import { declaredIn } from "./declared";
import type { Endpoint } from "./endpoint";
import * as files from "./files";
import * as gatewayConnections from "./gateway-connections";
import * as integrations from "./integrations";
import * as lastEdit from "./last-edit";
import * as lostAnswers from "./lost-answers";
import * as mails from "./mails";
import * as me from "./me";
import * as notifications from "./notifications";
import * as overview from "./overview";
import * as payers from "./payers";
import * as requestLog from "./request-log";
import * as savedViews from "./saved-views";
import * as search from "./search";
import * as stream from "./stream";
import * as team from "./team";
import * as work from "./work";

/** What only people call, signed in or about to be: the dashboard's own. */
export const staffEndpoints: readonly Endpoint[] = declaredIn([
  account,
  me,
  apiKeys,
  integrations,
  gatewayConnections,
  business,
  team,
  payers,
  mails,
  lostAnswers,
  lastEdit,
  requestLog,
  overview,
  savedViews,
  notifications,
  search,
  work,
]);

/** Endpoints that return a file or a stream instead of the envelope. */
export const fileEndpoints: readonly Endpoint[] = declaredIn([files, stream]);

/** Files that API keys may get. */
export const programFiles: readonly Endpoint[] = fileEndpoints.filter(
  ({ access }) => access === "key",
);
