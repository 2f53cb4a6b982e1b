import { Deployment } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { Job } from "kubernetes-models/batch/v1";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Namespace, Service, ServiceAccount } from "kubernetes-models/v1";
import type { Fields, Json } from "./files";

const KINDS = new Map<string, { prototype: { validate: () => void } }>([
  ["apps/v1 Deployment", Deployment],
  ["autoscaling/v2 HorizontalPodAutoscaler", HorizontalPodAutoscaler],
  ["batch/v1 Job", Job],
  ["networking.k8s.io/v1 Ingress", Ingress],
  ["networking.k8s.io/v1 NetworkPolicy", NetworkPolicy],
  ["policy/v1 PodDisruptionBudget", PodDisruptionBudget],
  ["v1 ConfigMap", ConfigMap],
  ["v1 Namespace", Namespace],
  ["v1 Service", Service],
  ["v1 ServiceAccount", ServiceAccount],
]);

/** What Kubernetes would object to in a manifest, in words: violations of its JSON schema, and fields that it does not know. */
export function objections(manifest: Fields): string[] {
  const kind = `${String(manifest.apiVersion)} ${String(manifest.kind)}`;
  const model = KINDS.get(kind);
  if (!model) return [`${kind} is not known here`];
  const unread = new Set<string>();
  try {
    Reflect.apply(model.prototype.validate, watch(manifest, "", unread), []);
  } catch (error) {
    return (error as Error).message.split("\n");
  }
  const parentOf = (field: string) => field.slice(0, field.lastIndexOf("/"));
  return [...unread]
    .filter((field) => !unread.has(parentOf(field)))
    .map((field) => `${field} is unknown`);
}

// The schemas of Kubernetes allow unknown fields, and its servers drop them. A field that no validator has read is unknown.
function watch(value: Json, place: string, unread: Set<string>): Json {
  if (typeof value !== "object" || value === null) return value;
  const inner = new Map<string, Json>();
  for (const [key, one] of Object.entries(value)) {
    const here = place ? `${place}/${key}` : key;
    unread.add(here);
    inner.set(key, watch(one, here, unread));
  }
  return new Proxy(value, {
    get: (target, key) => {
      if (typeof key === "symbol" || !inner.has(key)) return Reflect.get(target, key) as Json;
      unread.delete(place ? `${place}/${key}` : key);
      return inner.get(key);
    },
  });
}
