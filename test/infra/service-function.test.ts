import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { tablePermissions } from "../../infra/constructs/table-permissions.ts";
import { environmentNames, readSettings } from "../../infra/environments.ts";
import { everyFunction, permissions, signWith } from "./function-permissions.ts";
import { permissionsOfRole } from "./role-permissions.ts";
import { type Resource, resolved, resource, resourcesOf, synthesized } from "./synthesized.ts";

const common = ["ENVIRONMENT_NAME", "LOG_LEVEL", "NODE_OPTIONS", "SERVICE_NAME"];
const reach = ["ALLOWED_RECEIVERS", "DNS_SERVERS"];
const sendingCallbacks = ["CALLBACK_DEAD_LETTERS_URL", "SLOW_ENDPOINT_QUEUE_URL", "ISSUING_TABLE", ...reach];
const changingAccounts = [
  "ACCOUNTS_TABLE",
  "CUSTODY_KEYS",
  "ISSUING_TABLE",
  "KEY_PEPPER_SECRET_ID",
  ...reach,
];
const variables: Record<string, string[]> = {
  authorizer: ["ACCOUNTS_TABLE", "DNS_SERVERS", "FUNDS_MOVES", "KEY_PEPPER_SECRET_ID"],
  cardholders: [
    "ACCOUNTS_TABLE",
    "DOCUMENTATION_URL",
    "ISSUING_TABLE",
    "KYC_BASE_URL",
    "WEBHOOK_BASE_URL",
    ...reach,
  ],
  cards: [
    "ACCOUNTS_TABLE",
    "RECORDS_BUCKET",
    "SIMULATED_BANK",
    "ISSUING_TABLE",
    "DOCUMENTATION_URL",
    "VAULT_FUNCTION",
  ],
  wallets: ["ACCOUNTS_TABLE", "SIMULATED_BANK", "ISSUING_TABLE", "DOCUMENTATION_URL"],
  ledger: ["ACCOUNTS_TABLE", "FILES_BUCKET", "ISSUING_TABLE", "RECORDS_BUCKET"],
  bulk: ["FILES_BUCKET", "ISSUING_TABLE"],
  reports: ["ACCOUNTS_TABLE", "FILES_BUCKET", "ISSUING_TABLE"],
  otp: ["ISSUING_TABLE", ...reach],
  controls: ["ACCOUNTS_TABLE", "ISSUING_TABLE", ...reach],
  authentications: ["ACCOUNTS_TABLE", "ISSUING_TABLE"],
  statements: ["ACCOUNTS_TABLE", "FILES_BUCKET", "ISSUING_TABLE", "RECORDS_BUCKET"],
  disputes: ["ACCOUNTS_TABLE", "EVIDENCE_BUCKET", "ISSUING_TABLE"],
  tokens: ["ACCOUNTS_TABLE", "ISSUING_TABLE"],
  "external-accounts": ["ACCOUNTS_TABLE", "ISSUING_TABLE", "VAULT_FUNCTION"],
  payouts: ["ACCOUNTS_TABLE", "ISSUING_TABLE"],
  webhooks: ["ISSUING_TABLE", ...reach],
  sandbox: ["ACCOUNTS_TABLE", "FILES_BUCKET", "ISSUING_TABLE", "VAULT_FUNCTION", ...reach],
  settlements: ["ACCOUNTS_TABLE", "ISSUING_TABLE"],
  operator: [...changingAccounts, "FILES_BUCKET", "VAULT_FUNCTION", "WEBHOOK_BASE_URL"],
  account: [...changingAccounts, "SELF_SERVICE", "WEBHOOK_BASE_URL"],
  "connection-webhooks": ["ACCOUNTS_TABLE", "ISSUING_TABLE", "PROCESSOR_FUNCTION", "PROCESSOR_QUEUE_URL"],
  certificates: ["ACCOUNTS_TABLE", "AUTHORITY_KEYS", "ISSUING_TABLE"],
  evidence: ["EVIDENCE_BUCKET", "EVIDENCE_LOCK", "EVIDENCE_QUEUE_URL", "ISSUING_TABLE"],
  files: ["ACCOUNTS_TABLE", "FILES_BUCKET", "FILES_QUEUE_URL", "ISSUING_TABLE", "VAULT_FUNCTION"],
  deadlines: [
    "ACCOUNTS_TABLE",
    "ALERT_QUEUE_URL",
    "FILES_BUCKET",
    "SLOW_ENDPOINT_QUEUE_URL",
    "SIMULATED_BANK",
    "ISSUING_TABLE",
    "VAULT_FUNCTION",
  ],
  "alert-delivery": [
    "ACCOUNTS_TABLE",
    "ALERT_DEAD_LETTERS_URL",
    "ALERT_QUEUE_URL",
    "ISSUING_TABLE",
    "SENDER_ADDRESS",
    ...reach,
  ],
  "webhook-fanout": ["CALLBACK_QUEUE_URL", "FANOUT_QUEUE_URL", "ISSUING_TABLE", "SLOW_ENDPOINT_QUEUE_URL"],
  "background-jobs": ["ACCOUNTS_TABLE", "FILES_BUCKET", "ISSUING_TABLE", "JOBS_QUEUE_URL", "RECORDS_BUCKET"],
  "callback-delivery": sendingCallbacks,
  "callback-delivery to slow endpoints": sendingCallbacks,
  "processor-events": ["ACCOUNTS_TABLE", "ISSUING_TABLE", ...reach],
  "outbox-relay": ["CALLBACK_QUEUE_URL", "EVENT_BUS_NAME", "ISSUING_TABLE", "SLOW_ENDPOINT_QUEUE_URL"],
  "list-indexer": ["ISSUING_TABLE"],
  vault: [
    "CARD_KEY_INDEX",
    "CAVV_KEY",
    "CVV_KEY",
    "DEVICE_KEY",
    "ISSUING_TABLE",
    "ACCOUNT_UPDATE_KEY",
    "NUMBER_INDEX_KEY",
    "NUMBER_KEY",
    "PAYMENT_CRYPTOGRAPHY",
    "VAULT_TABLE",
    "WALLETS",
  ],
};

describe.each(environmentNames)("functions of %s", (name) => {
  const templates = synthesized(name);
  const functions = resourcesOf(templates, "AWS::Lambda::Function");

  test("are those of the table of permissions, except for the sandbox in production", () => {
    const expected = Object.keys(permissions).filter(
      (folder) => name !== "production" || folder !== "sandbox",
    );
    expect(functions.map(([id, { Properties }]) => nameOf(id, Properties)).toSorted()).toEqual(
      expected.toSorted(),
    );
  });

  describe.each(
    functions.map(([id, resource]) => ({ folder: nameOf(id, resource.Properties), id, ...resource })),
  )("$folder", ({ folder, Properties }) => {
    test("have exactly the permissions that they need", () => {
      const granted = permissionsOfRole(
        templates,
        Properties.Role["Fn::GetAtt"][0],
        Properties.LoggingConfig.LogGroup.Ref,
      );
      const signing = folder === "certificates" ? signWith(readSettings(name).authorityKeys) : [];
      const expected = [...everyFunction, ...(permissions[folder] ?? []), ...signing].filter(
        (permission) => name !== "production" || !permission.includes("UsagePlanssandbox"),
      );
      expect(granted).toEqual([...new Set(expected)].toSorted());
    });

    test("have the variables that they read", () => {
      expect(Object.keys(Properties.Environment.Variables).toSorted()).toEqual(
        [...common, ...(name === "local" ? ["HAS_REPLICA"] : []), ...(variables[folder] ?? [])].toSorted(),
      );
    });

    test("run on Node 24 and arm64, with an encrypted log that expires", () => {
      expect(Properties).toMatchObject({
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
        Handler: "handler.handler",
        TracingConfig: { Mode: name === "staging" ? "Active" : "PassThrough" },
        // Lambda's lines of failed runs, all of our own.
        LoggingConfig: { LogFormat: "JSON", SystemLogLevel: "WARN" },
      });
      const [, log] = resource(templates, "AWS::Logs::LogGroup", Properties.LoggingConfig.LogGroup.Ref);
      expect(log.Properties.RetentionInDays).toBeGreaterThan(0);
      expect(resolved(templates, log.Properties.KmsKeyId)).toEqual({
        "Fn::GetAtt": ["LogKeyE83D0C1B", "Arn"],
      });
    });
  });

  test("share no role and no log", () => {
    for (const property of [
      ({ Properties }: Resource) => Properties.Role["Fn::GetAtt"][0],
      ({ Properties }: Resource) => Properties.LoggingConfig.LogGroup.Ref,
    ]) {
      expect(new Set(functions.map(([, resource]) => property(resource))).size).toBe(functions.length);
    }
  });
});

test("only administration functions can change settings and credentials", () => {
  const writers = Object.entries(tablePermissions).filter(([, { accounts = [] }]) =>
    accounts.some((permission) => !/^(Get|BatchGet|Query|PutItem #AUDIT$)/.test(permission)),
  );
  // The authorizer moves a key to its hash under another pepper, and updates its API user.
  expect(tablePermissions.authorizer.accounts?.filter((one) => !/^(BatchGet|Query)/.test(one))).toEqual([
    "PutItem KEY#*",
    "DeleteItem KEY#*",
    "UpdateItem tnt_*",
  ]);
  expect(writers.map(([name]) => name).toSorted()).toEqual([
    "account",
    "authorizer",
    "certificates",
    "operator",
  ]);
});

test("send no command that is not granted", () => {
  const granted: Record<string, string> = {
    GetCommand: "dynamodb:GetItem",
    BatchGetCommand: "dynamodb:BatchGetItem",
    BatchWriteCommand: "dynamodb:BatchWriteItem",
    QueryCommand: "dynamodb:Query",
    PutCommand: "dynamodb:PutItem",
    UpdateCommand: "dynamodb:UpdateItem",
    DeleteCommand: "dynamodb:DeleteItem",
    TransactGetCommand: "dynamodb:GetItem",
    TransactWriteCommand: "dynamodb:ConditionCheckItem",
    PutEventsCommand: "events:PutEvents",
    GetObjectCommand: "s3:GetObject",
    PutObjectCommand: "s3:PutObject",
    CreateMultipartUploadCommand: "s3:PutObject",
    UploadPartCommand: "s3:PutObject",
    CompleteMultipartUploadCommand: "s3:PutObject",
    DeleteObjectCommand: "s3:DeleteObject",
    SendEmailCommand: "ses:SendEmail",
    SendMessageBatchCommand: "sqs:SendMessage",
    GetSecretValueCommand: "secretsmanager:GetSecretValue",
    InvokeCommand: "lambda:InvokeFunction",
    CreateApiKeyCommand: "apigateway:POST",
    CreateUsagePlanKeyCommand: "apigateway:POST",
    DeleteUsagePlanKeyCommand: "apigateway:DELETE",
    GetPublicKeyCommand: "kms:GetPublicKey",
    SignCommand: "kms:Sign",
    DecryptCommand: "kms:Decrypt",
    DeriveSharedSecretCommand: "kms:DeriveSharedSecret",
    GenerateDataKeyCommand: "kms:GenerateDataKey",
    GenerateMacCommand: "kms:GenerateMac",
  };
  const sent = ["functions", "shared"]
    .flatMap((room) => globSync(`${room}/**/*.ts`))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/import \{([^}]*)\} from "@aws-sdk\//g)])
    .flatMap((match) => match[1]?.match(/\w+Command\b/g) ?? []);
  expect(sent).toContain("TransactWriteCommand");
  expect([...new Set(sent)].filter((command) => granted[command] === undefined)).toEqual([]);
  const everyRight = new Set(
    [...Object.values(permissions).flat(), ...signWith(["2026"])].map(
      (permission) => permission.split(" ")[0],
    ),
  );
  expect(Object.values(granted).filter((action) => !everyRight.has(action))).toEqual([]);
});

test("have the DNS servers as a parameter only in the local environment", () => {
  const dnsServersOf = (name: (typeof environmentNames)[number]) =>
    resourcesOf(synthesized(name), "AWS::Lambda::Function").find(([id]) => id.startsWith("Authorizer"))?.[1]
      .Properties.Environment.Variables.DNS_SERVERS;
  expect(dnsServersOf("local")).toEqual({ Ref: "DnsServers" });
  expect(dnsServersOf("staging")).toBe("");
  expect(dnsServersOf("production")).toBe("");
});

/** The folder of its code, of which one is in two functions. */
function nameOf(id: string, properties: Resource["Properties"]): string {
  const folder: string = properties.Environment.Variables.SERVICE_NAME;
  return id.includes("SlowCallbacks") ? `${folder} to slow endpoints` : folder;
}
