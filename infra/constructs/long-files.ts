import { Duration } from "aws-cdk-lib";
import type { LifecycleRule } from "aws-cdk-lib/aws-s3";

/** What is made in the background, by its folders of the files' bucket. */
export const longFileFolders = ["statements", "ledgers"] as const;
export type LongFileFolder = (typeof longFileFolders)[number];

/** They are made again when they are requested again. */
export const longFileRules: LifecycleRule[] = longFileFolders.map((folder) => ({
  prefix: `${folder}/`,
  expiration: Duration.days(8),
  abortIncompleteMultipartUploadAfter: Duration.days(1),
}));
