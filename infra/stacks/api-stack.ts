import { CfnOutput, Duration } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { fundsMoves } from "../../shared/contract/routes.ts";
import { functionsByRoute } from "../constructs/api/api-document.ts";
import { HostedApi } from "../constructs/api/hosted-api.ts";
import { grantSignCertificates } from "../constructs/authority-key.ts";
import { addSelfService, addWebhookBaseUrl, type FunctionFactory } from "../constructs/function-factory.ts";
import {
  grantBulkLines,
  grantEvidenceUrls,
  grantInvoke,
  grantLongFiles,
  grantRecords,
  grantSecretRead,
  grantSend,
} from "../constructs/grants.ts";
import { addLiveAliases } from "../constructs/live-alias.ts";
import type { LongFileFolder } from "../constructs/long-files.ts";
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
    const { cards, ledger, statements } = resources;
    for (const reader of [cards, ledger, statements])
      grantRecords(this.functions.props.data.buckets.records, reader);
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
  const { data, alarms } = functions.props;
  const made = functions.plain("Authorizer", "authorizer", "Authorizes the callers of the APIs.", {
    timeout: Duration.seconds(5),
    environment: {
      ACCOUNTS_TABLE: data.accountsTable.tableName,
      KEY_PEPPER_SECRET_ID: data.keyPepper.secretArn,
      DNS_SERVERS: functions.reach.DNS_SERVERS,
      FUNDS_MOVES: fundsMoves.join(","),
    },
  });
  grantSecretRead(data.keyPepper, made);
  // It throws for every key that is not valid, which is no failure of a version.
  const [live = made] = addLiveAliases(made, { alarms, failedPercent: 50 });
  return live;
}

const webhookRoute = "POST /connections/{programId}/{connectionId}";
/** The page of the compliance provider that only the local environment has. */
const localPage = ["GET /kyc/{programId}/{sessionId}", "POST /kyc/{programId}/{sessionId}"];

function webhookReceiver(functions: FunctionFactory, queue: IQueue): ServiceFunction {
  const processor = processorFunctionName(functions.props.settings.name);
  const made = functions.bySettings(
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
  const { stack, props, reach } = functions;
  const { settings } = props;
  const webhookBaseUrl = addWebhookBaseUrl(stack, settings);
  const selfService = addSelfService(stack, settings);
  // These functions serve deprecated endpoints.
  const documentation = { DOCUMENTATION_URL: settings.documentationUrl };
  return {
    cardholders: functions.bySettings("Cardholders", "cardholders", "Cardholders and their KYC lifecycle.", {
      environment: {
        ...reach,
        KYC_BASE_URL: settings.kycBaseUrl,
        WEBHOOK_BASE_URL: webhookBaseUrl,
        ...documentation,
      },
    }),
    cards: functions.addVault(
      functions.ofDeposits("Cards", "cards", "Cards: issuing, status, balance, deposits, card data.", {
        environment: documentation,
      }),
      "cards",
    ),
    wallets: functions.ofDeposits("Wallets", "wallets", "Wallets, their deposits and transfers.", {
      environment: documentation,
    }),
    otp: functions.ofPrograms("Otp", "otp", "One-time passcodes and their subscriptions.", {
      environment: reach,
    }),
    controls: functions.bySettings("Controls", "controls", "Spend controls and authorization endpoints.", {
      environment: reach,
    }),
    authentications: functions.bySettings(
      "Authentications",
      "authentications",
      "3-D Secure: authentications of purchases, and the rules that decide them.",
    ),
    bulk: bulkFunction(functions),
    ...readersOfFiles(functions),
    disputes: disputesFunction(functions),
    tokens: functions.bySettings("Tokens", "tokens", "Digital wallet tokens, and the rules for them."),
    "external-accounts": externalAccountsFunction(functions),
    payouts: functions.bySettings("Payouts", "payouts", "Payouts from Wallets to external accounts."),
    account: functions.ofTenants("Account", "account", "A Tenant's Programs, keys, addresses and tickets.", {
      environment: { ...reach, WEBHOOK_BASE_URL: webhookBaseUrl, SELF_SERVICE: selfService },
    }),
    certificates: certificatesFunction(functions),
    settlements: functions.bySettings("Settlements", "settlements", "Settlements of a day, reconciled."),
    webhooks: functions.ofPrograms("Webhooks", "webhooks", "Webhook endpoints and their notifications.", {
      environment: reach,
      // A ping waits for its receiver.
      timeout: Duration.seconds(20),
    }),
  };
}

/** The vault keeps the accounts' numbers. */
function externalAccountsFunction(functions: FunctionFactory): ServiceFunction {
  const about = "Bank accounts that are paid to and pulled from.";
  return functions.addVault(functions.bySettings("ExternalAccounts", "external-accounts", about), "accounts");
}

/** Each signs URLs of files of its folder. */
function readersOfFiles(functions: FunctionFactory) {
  const reading = (folder: LongFileFolder, made: ServiceFunction) => {
    grantLongFiles(functions.props.data.buckets.files, [folder], made, "read");
    return made;
  };
  return {
    ledger: reading(
      "ledgers",
      functions.bySettings("Ledger", "ledger", "A Program's books of a day, by account.", {
        timeout: Duration.seconds(25),
      }),
    ),
    reports: reading(
      "program-reports",
      functions.bySettings("Reports", "reports", "Reports of a Program, which are files, and volumes.", {
        // A million transactions are added up within their request.
        memoryMegabytes: 1_769,
        timeout: Duration.seconds(25),
      }),
    ),
    statements: reading(
      "statements",
      functions.bySettings("Statements", "statements", "Statements of Cards and Wallets, by month.", {
        // A statement of many lines is rendered within its request.
        memoryMegabytes: 1_769,
        timeout: Duration.seconds(20),
      }),
    ),
  };
}

function bulkFunction(functions: FunctionFactory): ServiceFunction {
  const made = functions.ofPrograms("Bulk", "bulk", "Many Cardholders or Cards by one file.", {
    // It writes a file of 5 MB within its request.
    memoryMegabytes: 1_769,
    timeout: Duration.seconds(20),
  });
  grantBulkLines(functions.props.data.buckets.files, made, "begins");
  return made;
}

function disputesFunction(functions: FunctionFactory): ServiceFunction {
  const { evidence } = functions.props.data.buckets;
  const made = functions.bySettings("Disputes", "disputes", "Disputes of transactions, and their evidence.", {
    environment: { EVIDENCE_BUCKET: evidence.bucketName },
  });
  grantEvidenceUrls(evidence, made);
  return made;
}

/** Only this function can sign certificates with the CAs' keys. */
function certificatesFunction(functions: FunctionFactory): ServiceFunction {
  const { settings, data } = functions.props;
  const keys = [...data.authorityKeys].map(([name, { keyArn }]) => ({ name, keyArn }));
  const made = functions.bySettings(
    "Certificates",
    "certificates",
    "Signs, lists and revokes client certificates.",
    {
      roleName: roleNameIn(settings, certificatesFunctionName(settings.name)),
      environment: { AUTHORITY_KEYS: JSON.stringify(keys) },
    },
  );
  for (const { keyArn } of keys) grantSignCertificates(keyArn, made);
  return made;
}
