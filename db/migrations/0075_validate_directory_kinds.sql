ALTER TABLE "directory" VALIDATE CONSTRAINT "directory_kind_known";
