import { spawnSync } from "node:child_process";

/** The languages of the code that the reference shows, each with its Debian package. */
const RUNTIMES = [
  { program: "php", probe: ["--version"], name: "php-cli" },
  { program: "python3", probe: ["--version"], name: "python3" },
  { program: "go", probe: ["version"], name: "golang-go" },
];

/** Brings PHP, Python and Go where they are missing, by apt-get. Throws with what to do. */
export function runtimes(say) {
  const missing = RUNTIMES.filter((one) => !runs(one));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name);
  say(`getting ${names.join(", ")}`);
  if (process.getuid?.() === 0 && spawnSync("apt-get", ["--version"]).status === 0) {
    const options = { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    spawnSync("apt-get", ["update", "-qq"], options);
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], options);
  }
  const left = missing.filter((one) => !runs(one)).map(({ name }) => name);
  if (left.length > 0)
    throw new Error(`the examples in other languages cannot run: install ${left.join(", ")}`);
}

const runs = ({ program, probe }) => spawnSync(program, probe, { timeout: 60_000 }).status === 0;
