import { backup } from "@/lib/operator/backup";
import { exportInstall } from "@/lib/operator/transfer";

// A command that writes a copy, as a process that a test can end.
const [name, ...args] = process.argv.slice(2);
await (name === "export" ? exportInstall : backup)(args);
