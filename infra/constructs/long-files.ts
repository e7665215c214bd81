import { Duration } from "aws-cdk-lib";
import type { LifecycleRule } from "aws-cdk-lib/aws-s3";
import { reportDays } from "../../shared/contract/reports.ts";

/** What is made in the background, by its folders of the files' bucket. */
export const longFileFolders = ["statements", "ledgers", "report-parts", "program-reports"] as const;
export type LongFileFolder = (typeof longFileFolders)[number];

/** A report is not made again. Others are, when they are requested again. */
const keptDays = (folder: LongFileFolder) => (folder === "program-reports" ? reportDays : 8);

export const longFileRules: LifecycleRule[] = longFileFolders.map((folder) => ({
  prefix: `${folder}/`,
  expiration: Duration.days(keptDays(folder)),
  abortIncompleteMultipartUploadAfter: Duration.days(1),
}));
