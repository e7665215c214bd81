import type { FunctionName } from "../../infra/constructs/table-permissions.ts";

/** Grants that nothing makes use of on this machine, and why they stay. */
export interface UnusedGrants {
  /** Each of these actions is granted, and no test needs it. */
  readonly actions: readonly string[];
  /** Of these functions alone; of all that have it where there are none. */
  readonly functions?: readonly FunctionName[];
  /** Only on resources whose name has this in it. */
  readonly on?: string;
  /** Only through this service. */
  readonly via?: string;
  readonly reason: string;
}

/** test/grants verifies that these grants, and no others, are unused. */
export const unusedGrants: readonly UnusedGrants[] = [
  {
    actions: ["s3:GetObject"],
    on: "Records",
    reason: "Only months older than a year are moved to that bucket: no request of the tests is so late.",
  },
  {
    actions: ["kms:Decrypt"],
    functions: ["cards"],
    on: "DataKey",
    via: "s3",
    reason: "Of the same bucket's objects.",
  },
  {
    actions: ["kms:GenerateMac"],
    functions: ["vault"],
    on: "CvvKey",
    reason: "It hashes wrong codes, so that one counts once; no test sends one with the vault's own rights.",
  },
  {
    actions: ["s3:GetObject"],
    functions: ["background-jobs"],
    on: "program-reports",
    reason:
      "It looks whether a report was joined before its job was killed; no platform of the tests kills one there.",
  },
  {
    actions: ["s3:DeleteObject"],
    functions: ["bulk"],
    on: "bulk/",
    reason:
      "It deletes the lines of a bulk that is refused after they were written; no request over mutual TLS is.",
  },
  {
    actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
    reason: "Lambda writes a function's log in its name; on this machine its lines go to a file.",
  },
  {
    actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
    reason: "Lambda sends a function's traces in its name; on this machine there are none.",
  },
  {
    actions: [
      "kms:DescribeKey",
      "kms:Encrypt",
      "kms:GenerateDataKey",
      "kms:GenerateDataKeyWithoutPlaintext",
      "kms:ReEncryptFrom",
      "kms:ReEncryptTo",
    ],
    on: "DataKey",
    via: "dynamodb",
    reason:
      "DynamoDB's documentation names them beside kms:Decrypt as what it needs of a table's own key; which of them a call asks its caller for, only AWS can tell.",
  },
  {
    actions: ["s3:ListBucket"],
    functions: ["evidence", "files"],
    reason: "Without it, S3 answers 403 for an object that does not exist; on this machine it answers 404.",
  },
  {
    actions: ["sqs:SendMessage"],
    functions: ["evidence"],
    reason:
      "Another message goes on with evidence where two pieces of its Program are being checked, which does not happen on a test's platform.",
  },
  {
    actions: ["dynamodb:BatchGetItem"],
    functions: ["ledger"],
    reason: "It reads segments of lists; a test's platform has too few Cards and Wallets for one.",
  },
  {
    actions: ["ses:SendEmail"],
    functions: ["alert-delivery"],
    on: ":identity/notices@",
    reason:
      "SES asks for the right to the sender's address where that is verified itself; on this machine only its domain is.",
  },
];
