import * as account from "./account";
import * as apiKeys from "./api-keys";
import * as batches from "./batches";
import * as bulk from "./bulk";
import * as customers from "./customers";
import * as business from "./business";
import type { Endpoint } from "./endpoint";
import * as events from "./events";
import * as files from "./files";
import * as gatewayConnections from "./gateway-connections";
import * as lastEdit from "./last-edit";
import * as ledger from "./ledger";
import * as lostAnswers from "./lost-answers";
import * as mails from "./mails";
import * as me from "./me";
import * as notifications from "./notifications";
import * as overview from "./overview";
import * as packages from "./packages";
import * as paymentLinks from "./payment-links";
import * as payers from "./payers";
import * as payments from "./payments";
import * as refunds from "./refunds";
import * as requestLog from "./request-log";
import * as savedViews from "./saved-views";
import * as statements from "./statements";
import * as search from "./search";
import * as spreadsheets from "./spreadsheets";
import * as stream from "./stream";
import * as subscriptions from "./subscriptions";
import * as team from "./team";
import * as timeline from "./timeline";
import * as testClocks from "./test-clocks";
import * as tokenizations from "./tokenizations";
import * as webhooks from "./webhooks";
import * as work from "./work";

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" && value !== null && "method" in value && "path" in value;

// A module hands out its exports by the alphabet; people read create, list, get, update, delete, then what else can be done.
const order = ({ method, params, path }: Endpoint) =>
  params
    ? 2 + path.split("}/").length * 4 + ["GET", "PUT", "DELETE", "POST"].indexOf(method)
    : method === "POST"
      ? 0
      : 1;

const declaredIn = (nouns: readonly object[]): readonly Endpoint[] =>
  nouns.flatMap((noun) =>
    Object.values(noun)
      .filter(isEndpoint)
      .sort((a, b) => order(a) - order(b)),
  );

/** What programs call: feeds the OpenAPI document, the reference page and the generated tests. */
export const endpoints: readonly Endpoint[] = declaredIn([
  paymentLinks,
  bulk,
  spreadsheets,
  batches,
  timeline,
  customers,
  tokenizations,
  packages,
  subscriptions,
  testClocks,
  payments,
  refunds,
  ledger,
  statements,
  events,
  webhooks,
]);

/** What only people call, signed in or about to be: the dashboard's own. */
export const staffEndpoints: readonly Endpoint[] = declaredIn([
  account,
  me,
  apiKeys,
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

/** What answers with a file or a stream instead of the envelope. */
export const fileEndpoints: readonly Endpoint[] = declaredIn([files, stream]);
