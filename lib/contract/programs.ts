import * as batches from "./batches";
import * as bulk from "./bulk";
import * as customers from "./customers";
import * as events from "./events";
import * as ledger from "./ledger";
import * as listTotals from "./list-totals";
import * as packages from "./packages";
import * as paymentLinks from "./payment-links";
import * as payments from "./payments";
import * as refunds from "./refunds";
import * as spreadsheets from "./spreadsheets";
import * as statements from "./statements";
import * as subscriptions from "./subscriptions";
import * as testClocks from "./test-clocks";
import * as timeline from "./timeline";
import * as tokenizations from "./tokenizations";
import * as webhooks from "./webhooks";
import { declaredIn } from "./declared";
import type { Endpoint } from "./endpoint";

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
  listTotals,
  refunds,
  ledger,
  statements,
  events,
  webhooks,
]);
