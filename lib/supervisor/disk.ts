import { statfsSync } from "node:fs";
import { gauge } from "@/lib/kernel/metrics";

/** Shows in the metrics how much room the disk of the data folder has. */
export function showDisk(folder: string): void {
  const room = (part: "bavail" | "blocks") => {
    const found = statfsSync(folder);
    return found[part] * found.bsize;
  };
  gauge("kutip_data_folder_free_bytes", "Room on the disk of the data folder.", [], function () {
    this.set(room("bavail"));
  });
  gauge("kutip_data_folder_size_bytes", "Size of the disk of the data folder.", [], function () {
    this.set(room("blocks"));
  });
}
