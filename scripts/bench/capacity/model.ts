/** What one piece of work takes: processor milliseconds of each part, WAL bytes, transactions, rows written, and bytes that stay on disk. */
export type Cost = {
  webMs: number;
  workerMs: number;
  databaseMs: number;
  walBytes: number;
  transactions: number;
  rows: number;
  diskBytes: number;
};
export const works = ["create", "get", "list", "page", "pay", "renew"] as const;
export type Work = (typeof works)[number];
export type Costs = Record<Work, Cost>;

/** What an operator may put in: how links are used, and what the machines have. */
export type Assumptions = {
  /** For each link that is made. `pay` includes the webhook of the payment and the mails' rows. */
  perLink: Record<Work, number>;
  /** The busiest second of a day against its average second. */
  peak: number;
  /** Processor cores of the database server, and of each web or worker machine. */
  databaseCores: number;
  cores: number;
  /** How busy a core may be at the peak. */
  busy: number;
  /** WAL that one primary writes and ships in a second, in MB of 1,000,000 bytes. */
  walMbPerSecond: number;
  /** Of the database's server, in TB. */
  diskTb: number;
};

export const usual: Assumptions = {
  perLink: { create: 1, get: 3, list: 1, page: 2, pay: 0.7, renew: 0.2 },
  peak: 10,
  databaseCores: 16,
  cores: 8,
  busy: 0.6,
  walMbPerSecond: 100,
  diskTb: 8,
};

export type Load = {
  linksADay: number;
  /** In the busiest second. */
  linksPerSecond: number;
  webCores: number;
  workerCores: number;
  databaseCores: number;
  walMbPerSecond: number;
  transactionsPerSecond: number;
  diskGbADay: number;
  rowsADay: number;
  webMachines: number;
  /** How often over the database server's processors, WAL and one year of disk this is; above 1 it does not fit. */
  ofDatabase: number;
  ofWal: number;
  ofYearOfDisk: number;
};

const SECONDS_A_DAY = 86_400;

/** What a number of links a day takes in its busiest second, by these costs. Every figure is linear in the number. */
export function loadOf(linksADay: number, costs: Costs, given: Assumptions): Load {
  const sum = (key: keyof Cost) =>
    works.reduce((all, work) => all + given.perLink[work] * costs[work][key], 0);
  const linksPerSecond = (linksADay / SECONDS_A_DAY) * given.peak;
  const cores = (key: "webMs" | "workerMs" | "databaseMs") =>
    (linksPerSecond * sum(key)) / 1_000 / given.busy;
  const databaseCores = cores("databaseMs");
  const walMbPerSecond = (linksPerSecond * sum("walBytes")) / 1e6;
  const diskGbADay = (linksADay * sum("diskBytes")) / 1e9;
  return {
    linksADay,
    linksPerSecond,
    webCores: cores("webMs"),
    workerCores: cores("workerMs"),
    databaseCores,
    walMbPerSecond,
    transactionsPerSecond: linksPerSecond * sum("transactions"),
    diskGbADay,
    rowsADay: linksADay * sum("rows"),
    webMachines: Math.ceil((cores("webMs") + cores("workerMs")) / given.cores),
    ofDatabase: databaseCores / given.databaseCores,
    ofWal: walMbPerSecond / given.walMbPerSecond,
    ofYearOfDisk: (diskGbADay * 365) / (given.diskTb * 1_000),
  };
}

/** The most links a day that one primary takes, and what ends it. */
export function endOfOnePrimary(
  costs: Costs,
  given: Assumptions,
): { linksADay: number; by: string } {
  const one = loadOf(1_000_000, costs, given);
  const limits = {
    "its processors": one.ofDatabase,
    "its WAL": one.ofWal,
    "a year of its disk": one.ofYearOfDisk,
  };
  const [by = "", share = 0] = Object.entries(limits).sort(([, a], [, b]) => b - a)[0] ?? [];
  return { linksADay: Math.floor(1_000_000 / share), by };
}
