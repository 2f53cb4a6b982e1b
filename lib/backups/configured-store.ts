import { env } from "@/lib/env";
import { folderStore } from "./folder-store";
import { s3Store } from "./s3-store";
import type { Store } from "./store";

/** The store of BACKUP_TO and the passphrase of its files; undefined where backups are not set up. */
export function backupStore(): { store: Store; passphrase: string } | undefined {
  const { BACKUP_TO: to, BACKUP_KEY: passphrase } = env;
  if (to === undefined || passphrase === undefined) return undefined;
  if (to.kind === "folder") return { store: folderStore(to.folder), passphrase };
  const store = s3Store({
    ...to,
    endpoint: env.BACKUP_S3_ENDPOINT ?? `https://s3.${env.BACKUP_S3_REGION}.amazonaws.com`,
    region: env.BACKUP_S3_REGION,
    accessKeyId: env.BACKUP_S3_ACCESS_KEY ?? "",
    secretAccessKey: env.BACKUP_S3_SECRET_KEY ?? "",
  });
  return { store, passphrase };
}
