/** A command of the operator: how it is called, what it does, and its module, loaded when it is called. */
export type Command = { usage: string; help: string; load: () => Promise<(args: string[]) => Promise<unknown>> };

export const commands: Record<string, Command> = {
  start: {
    usage: "start [--no-demo] [--dev]",
    help: "database, web and worker process, until stopped (npm start)",
    load: async () => (await import("./start")).start,
  },
  migrate: { usage: "migrate", help: "brings the database to this version", load: async () => (await import("./migrate")).migrate },
  backup: {
    usage: "backup FILE [--force]",
    help: "writes a consistent copy of the database, and of the secret when it is embedded, beside a running server too",
    load: async () => (await import("./backup")).backup,
  },
  restore: {
    usage: "restore FILE [--force]",
    help: "puts a backup in place and checks it; what is there is refused, or set aside with --force",
    load: async () => (await import("./backup")).restore,
  },
  doctor: { usage: "doctor", help: "looks at settings, data folder, database and server, and says what is wrong", load: async () => (await import("./doctor")).doctor },
};
