import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { describe, expect, test } from "vitest";
import { at, type Fields, type Json, readManifests, readText } from "./files";
import { objections } from "./manifest-schema";

const manifests = readManifests();
const nameOf = (manifest: Fields) =>
  `${String(manifest.kind)} ${String(at(manifest, "metadata.name"))}`;
const ofKind = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(String(kind)));
const named = (list: Fields[]) => list.map((one) => [nameOf(one), one] as const);
const workloads = ofKind("Deployment", "Job");
const labelsOf = (workload: Fields) => at(workload, "spec.template.metadata.labels") as Fields;
const container = (workload: Fields) => at(workload, "spec.template.spec.containers.0") as Fields;
// The kustomization adds it to every pod.
const podLabels = (workload: Fields) => ({
  ...labelsOf(workload),
  "app.kubernetes.io/name": "kutip",
});
/** Whether a selector by labels takes a workload's pods; `matchExpressions` of the operator In only. */
const takes = (selector: Json | undefined, workload: Fields) =>
  selects(at(selector, "matchLabels") ?? {}, workload) &&
  ((at(selector, "matchExpressions") ?? []) as Fields[]).every(
    ({ key, operator, values }) =>
      operator === "In" &&
      (values as Json[]).includes((podLabels(workload) as Fields)[String(key)] ?? null),
  );
const selects = (selector: Json | undefined, workload: Fields) =>
  Object.entries(selector as Fields).every(
    ([label, value]) => (podLabels(workload) as Fields)[label] === value,
  );

describe("the schema check of Kubernetes manifests", () => {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "a", labels: { any: "label" } },
    spec: { selector: { any: "pod" }, ports: [{ port: 80, targetPort: "http" }] },
  };

  test("accepts a whole one", () => {
    expect(objections(service)).toEqual([]);
  });

  test.each<[string, Fields, RegExp]>([
    [
      "a field that is unknown",
      { ports: [{ port: 80, taretPort: 1 }] },
      /^spec\/ports\/0\/taretPort is unknown$/,
    ],
    ["a value of another type", { ports: [{ port: "eighty" }] }, /port must be integer/],
    ["a field that is missing", { ports: [{ name: "http" }] }, /port/],
  ])("names %s", (_, spec, words) => {
    expect(objections({ ...service, spec }).join()).toMatch(words);
  });

  test("names a kind that it does not know", () => {
    expect(objections({ apiVersion: "v1", kind: "Pud" })).toEqual(["v1 Pud is not known here"]);
  });
});

test.each(named(manifests))("%s fits the schema of Kubernetes", (_, manifest) => {
  expect(objections(manifest)).toEqual([]);
});

test("the folder has all that an install needs, each name once", () => {
  const names = manifests.map(nameOf);
  expect(names).toEqual([...new Set(names)]);
  expect(names).toEqual(
    expect.arrayContaining([
      "Job kutip-migrate",
      "Deployment kutip-web",
      "Deployment kutip-worker",
      "Service kutip-web",
      "Ingress kutip",
      "NetworkPolicy kutip",
      "PodDisruptionBudget kutip-web",
      "PodDisruptionBudget kutip-worker",
      "HorizontalPodAutoscaler kutip-web",
      "HorizontalPodAutoscaler kutip-worker",
    ]),
  );
});

describe.each(named(workloads))("%s", (_, workload) => {
  test("runs as no root, without rights, on a read-only root", () => {
    const pod = at(workload, "spec.template.spec") as Fields;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      serviceAccountName: "kutip",
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 10_001,
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
        },
      ],
    });
    expect(pod.containers).toHaveLength(1);
    expect([pod.hostNetwork, pod.hostPID, pod.initContainers]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("runs the one image, which the kustomization names, and writes to /tmp alone", () => {
    const { images } = parse(readText("kubernetes/kustomization.yaml")) as { images: Fields[] };
    expect(images.map(({ name }) => name)).toEqual([container(workload).image]);
    expect(container(workload).volumeMounts).toEqual([{ name: "tmp", mountPath: "/tmp" }]);
    expect(container(workload)).toMatchObject({ resources: { requests: {}, limits: {} } });
  });

  test("gets its secrets by reference", () => {
    const env = container(workload).env as Fields[];
    expect(env.map(({ name }) => name)).toEqual(["DATABASE_URL", "KUTIP_SECRET"]);
    for (const one of env)
      expect(one.valueFrom).toEqual({ secretKeyRef: { name: "kutip", key: one.name } });
  });
});

test.each(named(ofKind("Deployment")))("%s selects its own pods and no others", (_, deployment) => {
  const found = workloads.filter((one) =>
    selects(at(deployment, "spec.selector.matchLabels"), one),
  );
  expect(found.map(nameOf)).toEqual([nameOf(deployment)]);
});

test.each(named(ofKind("PodDisruptionBudget")))(
  "%s keeps the pods of its deployment",
  (_, budget) => {
    const found = workloads.filter((one) => selects(at(budget, "spec.selector.matchLabels"), one));
    expect(found.map((one) => at(one, "metadata.name"))).toEqual([at(budget, "metadata.name")]);
  },
);

test.each(named(ofKind("HorizontalPodAutoscaler")))(
  "%s scales a deployment that leaves the number to it",
  (_, scaler) => {
    const target = ofKind("Deployment").find(
      (one) => at(one, "metadata.name") === at(scaler, "spec.scaleTargetRef.name"),
    );
    expect(target && at(target, "spec.replicas"), nameOf(scaler)).toBeUndefined();
    expect(target).toBeDefined();
  },
);

test("the service and the ingress lead to a port of the web pods", () => {
  const [service] = ofKind("Service");
  const web = workloads.filter((one) => selects(at(service, "spec.selector"), one));
  expect(web.map(nameOf)).toEqual(["Deployment kutip-web"]);
  const ports = container(web[0] as Fields).ports as Fields[];
  expect(ports.map(({ name }) => name)).toContain(at(service, "spec.ports.0.targetPort"));
  const backend = at(ofKind("Ingress")[0], "spec.rules.0.http.paths.0.backend.service");
  expect(backend).toEqual({ name: at(service, "metadata.name"), port: { name: "http" } });
});

test.each(named(ofKind("NetworkPolicy")))("%s holds for pods that there are", (_, policy) => {
  const found = workloads.filter((one) => takes(at(policy, "spec.podSelector"), one));
  expect(found.length).toBeGreaterThan(0);
});

test.each(named(ofKind("Deployment")))(
  "the probes of %s ask for the process itself before a restart, and for readiness before requests",
  (_, deployment) => {
    const probes = ["startupProbe", "livenessProbe", "readinessProbe"].map((name) =>
      at(container(deployment), `${name}.httpGet`),
    );
    const port = nameOf(deployment).endsWith("web") ? "http" : "metrics";
    const [live, ready] = ["/api/health/live", "/api/health/ready"];
    expect(probes).toEqual([live, live, ready].map((path) => ({ path, port })));
    const ports = container(deployment).ports as Fields[];
    expect(ports.map(({ name }) => name)).toContain(port);
  },
);

test("the metrics port is that of the settings, and open to the monitoring alone", () => {
  const settings = at(ofKind("ConfigMap")[0], "data") as Fields;
  for (const deployment of ofKind("Deployment")) {
    const ports = container(deployment).ports as Fields[];
    const metrics = ports.find(({ name }) => name === "metrics")?.containerPort;
    expect(settings.METRICS_ADDRESS).toBe(`0.0.0.0:${String(metrics)}`);
  }
  const [policy] = ofKind("NetworkPolicy").filter((one) => nameOf(one).endsWith("metrics"));
  expect(at(policy, "spec.ingress.0.from.0.namespaceSelector")).toBeDefined();
});

test("the workers are scaled by a metric that Kutip has", () => {
  const scaler = ofKind("HorizontalPodAutoscaler").find((one) => nameOf(one).endsWith("worker"));
  const adapter = parse(readText("kubernetes/prometheus-adapter.yaml")) as Fields;
  expect(at(scaler, "spec.metrics.0.external.metric.name")).toBe(
    at(adapter, "rules.external.0.name.as"),
  );
  const [, metric] = /"(\w+)"/.exec(String(at(adapter, "rules.external.0.seriesQuery"))) ?? [];
  expect(at(adapter, "rules.external.0.metricsQuery")).toContain(metric);
  expect(readFileSync("lib/worker/figures.ts", "utf8")).toContain(`"${metric}"`);
});

test("a pod has time for its drain before it is killed, and is out of service before the drain ends", () => {
  const settings = at(ofKind("ConfigMap")[0], "data") as Fields;
  const drain = Number(settings.DRAIN_SECONDS);
  const web = ofKind("Deployment").find((one) => nameOf(one).endsWith("web")) as Fields;
  // The requests under way get 25 s after the drain.
  expect(at(web, "spec.template.spec.terminationGracePeriodSeconds")).toBeGreaterThanOrEqual(
    drain + 25,
  );
  const { periodSeconds, failureThreshold } = container(web).readinessProbe as Record<
    string,
    number
  >;
  expect((periodSeconds ?? 10) * (failureThreshold ?? 3)).toBeLessThan(drain);
});
