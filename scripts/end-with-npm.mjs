// Loaded first into what bootstrap.mjs becomes below npm: it ends with npm instead of going on and holding the port.
import { whenNpmGoes } from "./npm-parents.mjs";

const parents = process.env.KUTIP_NPM_PARENTS?.split(" ").map(Number);
// What this process starts has parents of its own.
delete process.env.KUTIP_NPM_PARENTS;
const loaded = process.execArgv.indexOf("--import");
if (loaded >= 0) process.execArgv.splice(loaded, 2);
if (parents) whenNpmGoes(parents, () => process.kill(process.pid, "SIGTERM"));
