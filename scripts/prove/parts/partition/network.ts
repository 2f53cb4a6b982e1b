import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** This process's own address in the drill's network; the gateway is there too. */
export const HUB = "10.0.0.1";

/** Addresses between which packets are lost, in both directions; `port` limits it to one TCP port of `to`. */
export type Cut = { from: string; to?: string; port?: number };

/** The rules of a switch that swallows the packets of these cuts. */
export function cutRules(cuts: readonly Cut[]): string {
  const rules = cuts.flatMap(({ from, to, port }) => {
    if (to === undefined) return [`ip saddr ${from} drop`, `ip daddr ${from} drop`];
    const [there, back] =
      port === undefined ? ["", ""] : [` tcp dport ${port}`, ` tcp sport ${port}`];
    return [
      `ip saddr ${from} ip daddr ${to}${there} drop`,
      `ip saddr ${to} ip daddr ${from}${back} drop`,
    ];
  });
  // Between machines, and between a machine and the hub.
  const chains = ["forward", "input", "output"].map(
    (hook) =>
      `  chain ${hook} {\n    type filter hook ${hook} priority 0;\n${rules.map((rule) => `    ${rule}\n`).join("")}  }\n`,
  );
  return `table bridge cut {\n${chains.join("")}}\n`;
}

function run(program: string, args: readonly string[], input?: string): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8", input });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr}`);
}

/** Gives a network of the drill's own its loopback. */
export const openLoopback = (): void => run("ip", ["link", "set", "lo", "up"]);

/** A switch with this process at the hub. Needs a network and mounts of the drill's own. */
export function openSwitch(): void {
  mkdirSync("/run/netns", { recursive: true });
  run("mount", ["-t", "tmpfs", "none", "/run/netns"]);
  openLoopback();
  run("ip", ["link", "add", "hub", "type", "bridge"]);
  run("ip", ["address", "add", `${HUB}/24`, "dev", "hub"]);
  run("ip", ["link", "set", "hub", "up"]);
}

/** A machine at the switch, with its own loopback. */
export function addMachine(name: string, address: string): void {
  run("ip", ["netns", "add", name]);
  run("ip", ["link", "add", `v-${name}`, "type", "veth", "peer", "name", "e0", "netns", name]);
  run("ip", ["link", "set", `v-${name}`, "master", "hub", "up"]);
  run("ip", ["-n", name, "address", "add", `${address}/24`, "dev", "e0"]);
  for (const link of ["e0", "lo"]) run("ip", ["-n", name, "link", "set", link, "up"]);
}

/** What is put before a command to run it on a machine. */
export const onMachine = (name: string): string[] => ["ip", "netns", "exec", name];

/** Leads a port of the machine's loopback to the same port of the hub: a test gateway must have an address of the loopback. */
export function leadToHub(name: string, port: number): void {
  run("ip", ["netns", "exec", name, "sysctl", "-qw", "net.ipv4.conf.all.route_localnet=1"]);
  run(
    "ip",
    ["netns", "exec", name, "nft", "-f", "-"],
    `table ip lead {
  chain output { type nat hook output priority -100; ip daddr 127.0.0.1 tcp dport ${port} dnat to ${HUB}:${port}
  }
  chain postrouting { type nat hook postrouting priority 100; ip daddr ${HUB} tcp dport ${port} masquerade
  }
}
`,
  );
}

/** Packets of these cuts are lost from now on; `mend` ends that. */
export function lose(cuts: readonly Cut[]): void {
  run("nft", ["-f", "-"], cutRules(cuts));
}

export function mend(): void {
  run("nft", ["delete", "table", "bridge", "cut"]);
}
