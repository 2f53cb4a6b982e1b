/** A command of the operator: how it is called, what it does, and its module, loaded when it is called. */
export type Command = {
  usage: string;
  help: string;
  load: () => Promise<(args: string[]) => Promise<unknown>>;
};

export const commands: Record<string, Command> = {
  start: {
    usage: "start [--no-demo] [--backup-taken] [--dev]",
    help: "database, web and worker process, until stopped (npm start)",
    load: async () => (await import("./start")).start,
  },
  migrate: {
    usage: "migrate [--backup-taken]",
    help: "brings the database to this version. Before an upgrade that cannot be undone it backs up an embedded database, and asks for an export of any other; --backup-taken skips this",
    load: async () => (await import("./migrate")).migrate,
  },
  backup: {
    usage: "backup FILE [--force]",
    help: "writes a consistent copy of the database, also beside a running server, with the secret where the data folder holds it",
    load: async () => (await import("./backup")).backup,
  },
  restore: {
    usage: "restore FILE [--force]",
    help: "puts a backup in place and checks it. A database with something in it is refused. With --force an embedded one is set aside, and that of DATABASE_URL is replaced for good",
    load: async () => (await import("./backup")).restore,
  },
  export: {
    usage: "export FILE [--passphrase] [--force]",
    help: "writes all records to a file that any Postgres from 15 on and any later Kutip can import, beside a running server too. With --passphrase the first line of stdin encrypts it",
    load: async () => (await import("./transfer")).exportInstall,
  },
  import: {
    usage: "import FILE [--passphrase] [--as-exported]",
    help: "fills an empty install, embedded or that of DATABASE_URL, with an export and upgrades it; --as-exported leaves it at the version of the export",
    load: async () => (await import("./transfer")).importInstall,
  },
  "backup:now": {
    usage: "backup:now",
    help: "writes an encrypted backup to BACKUP_TO at once, as the worker does by its schedule",
    load: async () => (await import("./backups")).backupNow,
  },
  "backup:list": {
    usage: "backup:list [--json]",
    help: "lists the backups in BACKUP_TO, the newest first, and which install made them",
    load: async () => (await import("./backups")).backupList,
  },
  "backup:verify": {
    usage: "backup:verify [NAME|FILE|latest] [--server URL]",
    help: "restores a backup into a scratch database, checks sums, rows and the books, and removes it. The database is on a Postgres of its own, or on that of --server",
    load: async () => (await import("./backup-verify")).backupVerify,
  },
  "backup:restore": {
    usage: "backup:restore [NAME|latest]",
    help: "fills an empty install, embedded or that of DATABASE_URL, with a backup in BACKUP_TO and upgrades it. A newest one without a business has to be named, and any in a store that several installs share",
    load: async () => (await import("./backups")).backupRestore,
  },
  "backup:restored": {
    usage: "backup:restored [--since MOMENT]",
    help: "run this after another tool, such as pgBackRest, has put the database back, and before Kutip starts: the worker then asks the gateways about all that came after. Where Kutip has run in between, stop it, and name with --since the moment that the database was put back to",
    load: async () => (await import("./backups")).backupRestored,
  },
  "citus:distribute": {
    usage: "citus:distribute [--shards N]",
    help: "spreads the install over the servers of a Citus cluster by business, 32 shards unless --shards says otherwise. DATABASE_URL names the coordinator; no process of Kutip runs meanwhile",
    load: async () => (await import("./citus")).citusDistribute,
  },
  "business:create": {
    usage:
      "business:create NAME --email ADDRESS [--name PERSON] [--time-zone ZONE] [--currency CODE]",
    help: "makes a business and its owner; prints the business's number and the password of a new account",
    load: async () => (await import("./business")).businessCreate,
  },
  "key:create": {
    usage: "key:create --business ID [--mode test|live] [--name NAME] [--json]",
    help: "makes an API key and prints it, this once",
    load: async () => (await import("./keys")).keyCreate,
  },
  "key:list": {
    usage: "key:list --business ID [--json]",
    help: "lists a business's API keys",
    load: async () => (await import("./keys")).keyList,
  },
  "key:revoke": {
    usage: "key:revoke --business ID KEY",
    help: "revokes an API key at once",
    load: async () => (await import("./keys")).keyRevoke,
  },
  "gateway:connect": {
    usage:
      "gateway:connect --business ID [--gateway stripe|chip|billplz] [--brand ID] [--collection ID] [--mode test|live] [--json] <FILE",
    help: "connects a gateway, Stripe by default; CHIP needs --brand, Billplz --collection. The secret key and then the webhook secret are read from stdin, a line each",
    load: async () => (await import("./gateways")).gatewayConnect,
  },
  "gateway:list": {
    usage: "gateway:list --business ID [--mode test|live] [--json]",
    help: "lists a business's gateway connections",
    load: async () => (await import("./gateways")).gatewayList,
  },
  "gateway:revoke": {
    usage: "gateway:revoke CONNECTION --business ID [--mode test|live]",
    help: "disconnects a gateway at once and deletes its keys",
    load: async () => (await import("./gateways")).gatewayRevoke,
  },
  "user:reset": {
    usage: "user:reset ADDRESS [--second-factor]",
    help: "prints a new password for a person, confirms their address and ends their sessions; --second-factor also removes their second factor and passkeys",
    load: async () => (await import("./user")).userReset,
  },
  "user:invite": {
    usage: "user:invite ADDRESS",
    help: "invites a person to create a business, where SIGN_UP is invite",
    load: async () => (await import("./user")).userInvite,
  },
  "secret:rotate": {
    usage: "secret:rotate",
    help: "replaces the install's secret while it runs and seals everything anew; backups made before need the old secret",
    load: async () => (await import("./secret")).secretRotate,
  },
  "payer:erase": {
    usage: "payer:erase ADDRESS (--business ID | --all-businesses) [--yes]",
    help: "erases a payer in both modes: cancels what is live, deletes the payer's keys, and keeps the books. Without --yes it only shows what would be done",
    load: async () => (await import("./payer")).payerErase,
  },
  "audit:verify": {
    usage: "audit:verify",
    help: "walks the audit log of every business and says where an entry was changed or is gone",
    load: async () => (await import("./audit")).auditVerify,
  },
  "mail:list": {
    usage: "mail:list [--account] [--limit N]",
    help: "lists the mails written last; --account leaves out those to payers",
    load: async () => (await import("./mail")).mailList,
  },
  "mail:show": {
    usage: "mail:show MAIL",
    help: "shows a mail as text",
    load: async () => (await import("./mail")).mailShow,
  },
  listen: {
    usage: "listen --forward-to URL [--url INSTALL] <FILE",
    help: "prints the events of test mode as they happen and sends them to an address of your machine, signed as webhooks are. An API key of test mode is read from stdin; --url names another install",
    load: async () => (await import("./listen")).listen,
  },
  trigger: {
    usage: "trigger EVENT [--url INSTALL] <FILE",
    help: "makes an event such as payment_link.paid happen in test mode: a link is created, and paid at the simulator. An API key of test mode is read from stdin",
    load: async () => (await import("./trigger")).trigger,
  },
  doctor: {
    usage: "doctor",
    help: "checks settings, data folder, database and server, and reports problems",
    load: async () => (await import("./doctor")).doctor,
  },
};
