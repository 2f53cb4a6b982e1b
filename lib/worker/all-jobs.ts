import { collectJobs } from "@/lib/jobs/define";
import { jobFiles } from "./job-files";

/** Every job and task of the house. */
export const allJobs = collectJobs(jobFiles);
