import { startCluster, stopCluster } from "@/db/embedded/cluster";

/** `start FOLDER` prints the address of an embedded Postgres there; `stop FOLDER` ends it. */
const [verb, folder = ""] = process.argv.slice(2);
if (verb === "start") process.stdout.write((await startCluster(folder)).url);
else stopCluster(folder);
