import path from "node:path";
import * as z from "zod";
import { origin, setting, whole } from "./forms";

/** Where backups go, how often, and how many are kept. */
export const backupSettings = {
  BACKUP_TO: setting({
    default: null,
    shown: "no backups are scheduled",
    help: "where the worker puts encrypted backups: a folder, or a bucket of S3 or of a store that speaks its protocol, for this install alone. Needs BACKUP_KEY",
    expected: "an absolute folder, or s3://bucket or s3://bucket/prefix",
    schema: z.string().transform(backupPlace).optional(),
  }),
  BACKUP_KEY: setting({
    default: null,
    shown: "no backups are scheduled",
    help: "passphrase of the backups; keep a copy elsewhere: without it no backup can be read",
    expected: "at least 20 characters, and another text than KUTIP_SECRET",
    secret: true,
    schema: z.string().min(20).optional(),
  }),
  BACKUP_EVERY_HOURS: setting({
    default: "24",
    help: "hours from one backup to the next",
    expected: "a number from 1 to 168",
    schema: whole(1, 168),
  }),
  BACKUP_AT: setting({
    default: "02:00",
    help: "time of day in UTC from which these hours are counted",
    expected: "a time of day such as 02:00",
    schema: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
      .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))),
  }),
  BACKUP_KEEP: setting({
    default: "30",
    help: "how many backups are kept; older ones are deleted after each new one",
    expected: "a number from 1 to 9999",
    schema: whole(1, 9_999),
  }),
  BACKUP_S3_ENDPOINT: setting({
    default: null,
    shown: "Amazon S3 in BACKUP_S3_REGION",
    help: "address of another store that speaks the protocol of S3",
    expected: "an http or https origin such as https://s3.example.com, without a path",
    schema: z.string().transform(origin).optional(),
  }),
  BACKUP_S3_REGION: setting({
    default: "us-east-1",
    help: "region of the bucket; stores without regions take any",
    expected: "a region such as eu-central-1",
    schema: z.string().regex(/^[\w-]+$/),
  }),
  BACKUP_S3_ACCESS_KEY: setting({
    default: null,
    shown: "a bucket cannot be used",
    help: "access key with s3:ListBucket and s3:ListBucketMultipartUploads on the bucket, and s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload below the prefix",
    expected: "an access key",
    schema: z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .optional(),
  }),
  BACKUP_S3_SECRET_KEY: setting({
    default: null,
    shown: "a bucket cannot be used",
    help: "secret key of this access key",
    expected: "a secret key",
    secret: true,
    schema: z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .optional(),
  }),
};

type BackupPlace =
  | { kind: "folder"; folder: string }
  | { kind: "s3"; bucket: string; prefix: string };

function backupPlace(text: string, ctx: z.RefinementCtx): BackupPlace {
  if (path.isAbsolute(text)) return { kind: "folder", folder: path.normalize(text) };
  const [, bucket, prefix = ""] =
    /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/([\w!.*'()/-]*))?$/.exec(text) ?? [];
  if (bucket !== undefined && !prefix.includes("//") && !prefix.startsWith("/"))
    return { kind: "s3", bucket, prefix: prefix.replace(/([^/])$/, "$1/") };
  ctx.addIssue({ code: "custom", message: "no place" });
  return z.NEVER;
}

/** What is missing where backups are scheduled. */
export function backupProblems(source: Record<string, string | undefined>): string[] {
  const given = (name: string) => source[name]?.trim();
  const to = given("BACKUP_TO");
  if (!to) return [];
  const needed = to.startsWith("s3://")
    ? (["BACKUP_KEY", "BACKUP_S3_ACCESS_KEY", "BACKUP_S3_SECRET_KEY"] as const)
    : (["BACKUP_KEY"] as const);
  const problems = needed
    .filter((name) => !given(name))
    .map((name) => `${name} must be set while BACKUP_TO is`);
  const secrets = [given("KUTIP_SECRET"), given("KUTIP_SECRET_PREVIOUS")];
  if (given("BACKUP_KEY") && secrets.includes(given("BACKUP_KEY")))
    problems.push("BACKUP_KEY must be another text than KUTIP_SECRET");
  return problems;
}
