import { CfnOutput, Duration } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { fundsMoves } from "../../shared/contract/routes.ts";
import { functionsByRoute } from "../constructs/api/api-document.ts";
import { HostedApi } from "../constructs/api/hosted-api.ts";
import { grantSignCertificates } from "../constructs/authority-key.ts";
import { addSelfService, addWebhookBaseUrl, type FunctionFactory } from "../constructs/function-factory.ts";
import { grantInvoke, grantSend } from "../constructs/grants.ts";
import { addLiveAliases } from "../constructs/live-alias.ts";
import { certificatesFunctionName, processorFunctionName } from "../constructs/names.ts";
import { eachPeriod, silence } from "../constructs/operations/alarms.ts";
import { roleNameIn } from "../constructs/second-region-settings.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

/**
 * The platform API and its functions. One stack deploys and rolls back a route with its function.
 */
export class ApiStack extends FunctionStack {
  readonly platformApi: HostedApi;
  /** Takes the webhooks of connected parties. They sign each one, which its function verifies. */
  readonly webhookApi: HostedApi;
  /** Authorizes requests to both APIs: an alias. */
  readonly authorizer: IFunction;
  /** Creates Programs, and a usage key for each. */
  readonly accountFunction: ServiceFunction;

  constructor(
    scope: Construct,
    id: string,
    { processorQueue, ...props }: FunctionStackProps & { readonly processorQueue: IQueue },
  ) {
    super(scope, id, props);
    const { settings, logKey, alarms } = this.functions.props;
    const resources = resourceFunctions(this.functions);
    this.accountFunction = resources.account;
    this.authorizer = authorizerFunction(this.functions);
    this.platformApi = new HostedApi(this, "PlatformApi", {
      settings,
      api: "platform",
      functions: functionsByRoute("platform", resources),
      authorizer: this.authorizer,
      logKey,
    });
    this.platformApi.addAlarms(alarms);
    if (settings.silence?.requests !== undefined) {
      alarms.add("RequestsSilent", {
        metric: this.platformApi.metricCount(eachPeriod),
        ...silence(settings.silence.requests),
        impact: "No request has come for longer than there ever should be none: customers may not reach us.",
      });
    }
    const receiver = webhookReceiver(this.functions, processorQueue);
    const webhookRoutes = settings.name === "local" ? [webhookRoute, ...localPage] : [webhookRoute];
    this.webhookApi = new HostedApi(this, "WebhookApi", {
      settings,
      api: "webhooks",
      functions: new Map(webhookRoutes.map((route) => [route, receiver])),
      logKey,
    });
    this.webhookApi.addAlarms(alarms);
    new CfnOutput(this, "CertificatesFunctionName", { value: resources.certificates.functionName });
  }
}

function authorizerFunction(functions: FunctionFactory): IFunction {
  const made = functions.make("Authorizer", "authorizer", "Authorizes the callers of the APIs.", {
    timeout: Duration.seconds(5),
    hashesKeys: true,
    environment: { DNS_SERVERS: functions.reach.DNS_SERVERS, FUNDS_MOVES: fundsMoves.join(",") },
  });
  // It throws for every key that is not valid, which is no failure of a version.
  const [live = made] = addLiveAliases(made, { alarms: functions.props.alarms, failedPercent: 50 });
  return live;
}

const webhookRoute = "POST /connections/{programId}/{connectionId}";
/** The page of the compliance provider that only the local environment has. */
const localPage = ["GET /kyc/{programId}/{sessionId}", "POST /kyc/{programId}/{sessionId}"];

function webhookReceiver(functions: FunctionFactory, queue: IQueue): ServiceFunction {
  const processor = processorFunctionName(functions.props.settings.name);
  const made = functions.make(
    "ConnectionWebhooks",
    "connection-webhooks",
    "Takes the webhooks of connected card networks, compliance providers, banks and custodians.",
    { environment: { PROCESSOR_QUEUE_URL: queue.queueUrl, PROCESSOR_FUNCTION: processor } },
  );
  grantSend(queue, made);
  grantInvoke(processor, made);
  return made;
}

function resourceFunctions(functions: FunctionFactory) {
  const keys = [...functions.props.data.authorityKeys].map(([name, { keyArn }]) => ({ name, keyArn }));
  const made = makeResourceFunctions(functions, JSON.stringify(keys));
  // Only this function can sign certificates with the CAs' keys.
  for (const { keyArn } of keys) grantSignCertificates(keyArn, made.certificates);
  return made;
}

/** A whole core: what is long is rendered, or added up, within its request. */
const wholeCore = { memoryMegabytes: 1_769, timeout: Duration.seconds(20) };

function makeResourceFunctions(functions: FunctionFactory, authorityKeys: string) {
  const { stack, props, reach, bank, custody } = functions;
  const { settings } = props;
  const webhooks = { WEBHOOK_BASE_URL: addWebhookBaseUrl(stack, settings) };
  const selfService = { SELF_SERVICE: addSelfService(stack, settings) };
  // These functions serve deprecated endpoints.
  const documentation = { DOCUMENTATION_URL: settings.documentationUrl };
  return functions.makeAll({
    cardholders: [
      "Cardholders and their KYC lifecycle.",
      { environment: { ...reach, KYC_BASE_URL: settings.kycBaseUrl, ...webhooks, ...documentation } },
    ],
    cards: [
      "Cards: issuing, status, balance, deposits, card data.",
      { vault: "cards", environment: { ...bank, ...documentation } },
    ],
    wallets: ["Wallets, their deposits and transfers.", { environment: { ...bank, ...documentation } }],
    otp: ["One-time passcodes and their subscriptions.", { environment: reach }],
    controls: ["Spend controls and authorization endpoints.", { environment: reach }],
    authentications: ["3-D Secure: authentications of purchases, and the rules that decide them."],
    bulk: ["Many Cardholders or Cards by one file.", wholeCore],
    ledger: ["A Program's books of a day, by account.", { timeout: Duration.seconds(25) }],
    reports: [
      "Reports of a Program, which are files, and volumes.",
      { ...wholeCore, timeout: Duration.seconds(25) },
    ],
    statements: ["Statements of Cards and Wallets, by month.", wholeCore],
    disputes: ["Disputes of transactions, and their evidence."],
    tokens: ["Digital wallet tokens, and the rules for them."],
    // The vault keeps the accounts' numbers.
    "external-accounts": ["Bank accounts that are paid to and pulled from.", { vault: "accounts" }],
    payouts: ["Payouts from Wallets to external accounts."],
    account: [
      "A Tenant's Programs, keys, addresses and tickets.",
      { hashesKeys: true, environment: { ...custody, ...reach, ...webhooks, ...selfService } },
    ],
    certificates: [
      "Signs, lists and revokes client certificates.",
      {
        roleName: roleNameIn(settings, certificatesFunctionName(settings.name)),
        environment: { AUTHORITY_KEYS: authorityKeys },
      },
    ],
    settlements: ["Settlements of a day, reconciled."],
    // A ping waits for its receiver.
    webhooks: [
      "Webhook endpoints and their notifications.",
      { environment: reach, timeout: Duration.seconds(20) },
    ],
  });
}
