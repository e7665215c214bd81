import { Duration, RemovalPolicy } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type CfnBucket,
  ObjectLockRetention,
  ObjectOwnership,
} from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { keptEvidenceDays } from "../../shared/contract/evidence.ts";
import { keptRecordDays } from "../../shared/contract/records.ts";
import type { Settings } from "../environments.ts";
import { acknowledge } from "./acknowledge.ts";
import { longFileRules } from "./long-files.ts";

/** Not replicated: the second region has buckets of its own. */
export interface DataBuckets {
  /** What clients' certificates are checked against. */
  readonly truststore: Bucket;
  /** What is fed as a file, and the reports on it. */
  readonly files: Bucket;
  /** What customers upload for their disputes. */
  readonly evidence: Bucket;
  /** Closed months of the journal. */
  readonly records: Bucket;
  readonly accessLogs: Bucket;
}

const closedBucket = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
};

export function addDataBuckets(
  scope: Construct,
  encryptionKey: IKey,
  { objectLock }: Pick<Settings, "objectLock">,
): DataBuckets {
  const accessLogs = accessLogsBucket(scope);
  const encrypted = (id: string, props: BucketProps) =>
    new Bucket(scope, id, {
      ...closedBucket,
      encryption: BucketEncryption.KMS,
      encryptionKey,
      bucketKeyEnabled: true,
      serverAccessLogsBucket: accessLogs,
      serverAccessLogsPrefix: `${id.toLowerCase()}/`,
      ...props,
    });
  return {
    truststore: truststoreBucket(scope, accessLogs),
    files: filesBucket(encrypted),
    evidence: evidenceBucket(encrypted),
    records: recordsBucket(encrypted, objectLock),
    accessLogs,
  };
}

/** Its id says where its access logs are. */
type Encrypted = (id: string, props: BucketProps) => Bucket;

function accessLogsBucket(scope: Construct): Bucket {
  const accessLogs = new Bucket(scope, "TruststoreAccessLogs", {
    ...closedBucket,
    encryption: BucketEncryption.S3_MANAGED,
    versioned: true,
    lifecycleRules: [{ expiration: Duration.days(400), noncurrentVersionExpiration: Duration.days(30) }],
  });
  acknowledge(accessLogs, {
    "PCI.DSS.321-S3DefaultEncryptionKMS":
      "S3 delivers server access logs only to buckets with its own managed encryption.",
    "PCI.DSS.321-S3BucketReplicationEnabled":
      "Access logs are versioned and retained, but not worth a second region.",
    "PCI.DSS.321-S3BucketLoggingEnabled": "A log bucket that logged into itself would never end.",
    "AwsSolutions-S1": "A log bucket that logged into itself would never end.",
  });
  return accessLogs;
}

function truststoreBucket(scope: Construct, serverAccessLogsBucket: Bucket): Bucket {
  const truststore = new Bucket(scope, "Truststore", {
    ...closedBucket,
    encryption: BucketEncryption.S3_MANAGED,
    versioned: true,
    serverAccessLogsBucket,
  });
  acknowledge(truststore, {
    "PCI.DSS.321-S3DefaultEncryptionKMS":
      "It contains only CA certificates, which are public. API Gateway has no permission to use a key.",
    "PCI.DSS.321-S3BucketReplicationEnabled":
      "The accounts table stores the same certificates, and the next deployment uploads them again.",
  });
  return truststore;
}

/** Not versioned: a clearing file has card numbers, and must be gone once it is deleted. */
function filesBucket(encrypted: Encrypted): Bucket {
  const files = encrypted("Files", {
    lifecycleRules: [
      // A file is deleted with its report: this is for those whose messages failed.
      {
        prefix: "in/",
        expiration: Duration.days(30),
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
      { prefix: "progress/", expiration: Duration.days(30) },
      { prefix: "reports/", expiration: Duration.days(400) },
      // Lines are deleted when their bulk is done: this is for those that never began.
      { prefix: "bulk/", expiration: Duration.days(8) },
      ...longFileRules,
    ],
  });
  announce(files);
  acknowledge(files, {
    "PCI.DSS.321-S3BucketVersioningEnabled":
      "A clearing file contains card numbers: once it is processed, no version of it may remain.",
    "PCI.DSS.321-S3BucketReplicationEnabled":
      "A file is here until it is processed, and its sender has it. Its effects are in the tables.",
  });
  return files;
}

/** Versioned: what was accepted stays, whatever is written or deleted after it. */
function evidenceBucket(encrypted: Encrypted): Bucket {
  const evidence = encrypted("Evidence", {
    versioned: true,
    // Each accepted file is locked as it is written; uploads are not.
    objectLockEnabled: true,
    lifecycleRules: [
      // An upload is deleted when it is checked: this is for its versions, and for failed checks.
      {
        prefix: "uploads/",
        expiration: Duration.days(15),
        noncurrentVersionExpiration: Duration.days(1),
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
      {
        prefix: "evidence/",
        expiration: Duration.days(keptEvidenceDays),
        noncurrentVersionExpiration: Duration.days(30),
      },
    ],
  });
  announce(evidence);
  acknowledge(evidence, {
    "PCI.DSS.321-S3BucketReplicationEnabled":
      "The customer has the file, and it was sent on with the dispute. The table has its hash.",
  });
  return evidence;
}

/** Closed months of the journal, with their statements: locked as they are written. */
function recordsBucket(encrypted: Encrypted, mode: Settings["objectLock"]): Bucket {
  const kept = Duration.days(keptRecordDays);
  const records = encrypted("Records", {
    versioned: true,
    objectLockDefaultRetention:
      mode === "COMPLIANCE" ? ObjectLockRetention.compliance(kept) : ObjectLockRetention.governance(kept),
    lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }],
  });
  acknowledge(records, {
    "PCI.DSS.321-S3BucketReplicationEnabled":
      "The second copy (docs/second-copy.md) has it, in another account and region.",
  });
  return records;
}

/** To EventBridge. The construct's own property would add a function that sets it. */
function announce(bucket: Bucket) {
  (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
    eventBridgeConfiguration: { eventBridgeEnabled: true },
  };
}
