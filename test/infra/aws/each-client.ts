/**
 * Run as a program, with an emulator's address in its environment: has every client that the
 * platform and its tools make ask for something once.
 */

import { ListStreamsCommand } from "@aws-sdk/client-dynamodb-streams";
import { PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { S3Client } from "@aws-sdk/client-s3";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { authorityPublicKey } from "../../../functions/certificates/sign-certificate.ts";
import { eventBus } from "../../../functions/outbox-relay/bus.ts";
import { seal } from "../../../functions/vault/keys.ts";
import { findDeadLetters, findTarget } from "../../../infra/commands/dead-letters/target.ts";
import { ensureBootstrapped } from "../../../infra/commands/deploy/cdk.ts";
import { checkCredentials, hasBucketsInPath } from "../../../infra/commands/deploy/environment-checks.ts";
import { recordInParameterStore } from "../../../infra/commands/deploy/first-tenant-record.ts";
import { checkQuotas } from "../../../infra/commands/deploy/quotas.ts";
import { DeployedStacks } from "../../../infra/commands/deploy/stacks.ts";
import { clientCaBundleVersion } from "../../../infra/commands/deploy/truststore.ts";
import { openBucket } from "../../../infra/commands/feed.ts";
import { administer } from "../../../infra/commands/invoke-operator.ts";
import { readSettings } from "../../../infra/environments.ts";
import { connectPlatform } from "../../../infra/listener/platform.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { filesBucket } from "../../../shared/platform/file-store.ts";
import { sendBatch } from "../../../shared/platform/queue/send-batch.ts";
import { readSecret } from "../../../shared/platform/read-secret.ts";
import { sendEmail } from "../../../shared/platform/send-email.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { createUsageKeys } from "../../../shared/tenancy/usage/usage-keys.ts";

const { region } = readSettings("staging");
const queueUrl = `https://sqs.${region}.amazonaws.com/111122223333/queue`;
const target = await findTarget("staging");
const bootstrap = { version: 6, parameter: "/version" };
const stack = { displayName: "staging/data", stackName: "stack", template: {}, bootstrap };

const asked: readonly (() => Promise<unknown>)[] = [
  () => table.send(new GetCommand({ TableName: "table", Key: { pk: "pk", sk: "sk" } })),
  () => sendBatch(queueUrl, [{ body: {} }]),
  () => eventBus.send(new PutEventsCommand({ Entries: [{}] })),
  () => filesBucket.read("key"),
  () => openBucket("staging"),
  () => readSecret("secret"),
  () => sendEmail({ to: "to@customer.example", subject: "subject", text: "text" }),
  () => createUsageKeys(new Map()),
  () => authorityPublicKey("key"),
  () => seal(Buffer.from("text"), {}),
  () => connectPlatform(1).apply({} as ProcessorEvent),
  () => administer("staging", "list-tickets", {}),
  () => findDeadLetters(target, "processor-events"),
  () => target.streams.send(new ListStreamsCommand({})),
  () => checkCredentials(readSettings("staging")),
  () => checkQuotas({ settings: readSettings("staging"), stacks: [], isIgnored: true }),
  () => ensureBootstrapped({ settings: readSettings("staging"), stacks: [stack], mayBootstrap: false }),
  () => recordInParameterStore("staging", region, "key").read(),
  () => new DeployedStacks(region).find("stack"),
  () =>
    clientCaBundleVersion(new S3Client({ region, forcePathStyle: hasBucketsInPath(process.env) }), "bucket"),
];
for (const ask of asked) await ask().catch(() => undefined);
