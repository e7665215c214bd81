import { CfnCondition, CfnParameter, Duration, Fn, type Stack } from "aws-cdk-lib";
import { fundsMoves, routes } from "../../shared/contract/routes.ts";
import { grantSecretRead } from "../data-rights.ts";
import type { Settings } from "../environments.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { output } from "../output.ts";
import type { Reach } from "../reach.ts";
import { CredentialsAuthorizer } from "./authorizer.ts";
import { certificatesFunction } from "./certificates.ts";
import { MutualTlsDomain, type MutualTlsDomainProps } from "./domain.ts";
import { GatewayAccount } from "./gateway-account.ts";
import { ContractApi } from "./rest-api.ts";
import { UsagePlans } from "./usage-plans.ts";
import { WebAcl } from "./web-acl.ts";

/** The REST APIs with the functions behind them and the hosts in front of them. Gives the plans by which their requests are limited. */
export function addApis(stack: Stack, functions: FunctionFactory, reach: Reach): UsagePlans {
  const { settings, data, logKey, alarms } = functions.props;
  const { accountsTable } = data;
  const resources = resourceFunctions(functions, reach);

  const authorizer = functions.plain("Authorizer", "authorizer", "Decides who may call the APIs.", {
    timeout: Duration.seconds(5),
    environment: {
      ACCOUNTS_TABLE: accountsTable.tableName,
      KEY_PEPPER_SECRET_ID: data.keyPepper.secretArn,
      DNS_SERVERS: reach.DNS_SERVERS,
      FUNDS_MOVES: fundsMoves.join(","),
    },
  });
  grantSecretRead(data.keyPepper, authorizer);

  const account = new GatewayAccount(stack, "GatewayAccount");
  const common = { settings, routes, functions: resources, logKey };
  const platform = new ContractApi(stack, "PlatformApi", {
    ...common,
    api: "platform",
    authorizer: new CredentialsAuthorizer(stack, "PlatformAuthorizer", authorizer),
  });
  platform.deploymentStage.node.addDependency(account);
  const sandbox =
    settings.sandboxHost &&
    new ContractApi(stack, "SandboxApi", {
      ...common,
      api: "sandbox",
      authorizer: new CredentialsAuthorizer(stack, "SandboxAuthorizer", authorizer),
    });
  sandbox?.deploymentStage.node.addDependency(account);
  const apis = sandbox ? [platform, sandbox] : [platform];
  for (const api of apis) api.addAlarms(alarms);
  const usagePlans = new UsagePlans(stack, "UsagePlans", { settings, platform, sandbox });
  usagePlans.grantAssign(resources.account, "Account");

  new WebAcl(stack, "WebAcl", {
    settings,
    stages: {
      Platform: platform.deploymentStage,
      ...(sandbox && { Sandbox: sandbox.deploymentStage }),
    },
    logKey,
  });

  const truststore = {
    truststoreBucket: data.truststoreBucket,
    ...truststoreVersion(stack, settings),
  };
  new MutualTlsDomain(stack, "PlatformDomain", {
    ...truststore,
    host: settings.platformHost,
    mappings: { v2: platform, ...(sandbox && { "v2/sandbox": sandbox }) },
  });
  output(stack, "CertificatesFunctionName", resources.certificates.functionName);
  output(stack, "PlatformBaseUrl", `https://${settings.platformHost.hostName}/v2`);
  if (settings.sandboxHost && sandbox) {
    new MutualTlsDomain(stack, "SandboxDomain", {
      ...truststore,
      host: settings.sandboxHost,
      mappings: { v2: sandbox },
    });
    output(stack, "SandboxBaseUrl", `https://${settings.sandboxHost.hostName}/v2`);
  }
  return usagePlans;
}

/** The function of each resource; without a sandbox host the environment has no sandbox at all. */
function resourceFunctions(functions: FunctionFactory, reach: Reach) {
  const { settings } = functions.props;
  // Each of these has a deprecated endpoint.
  const documentation = { DOCUMENTATION_URL: settings.documentationUrl };
  return {
    cardholders: functions.ofPrograms("Cardholders", "cardholders", "Cardholders and their KYC lifecycle.", {
      environment: { KYC_BASE_URL: settings.kycBaseUrl, ...documentation },
    }),
    cards: functions.bySettings("Cards", "cards", "Cards: issuing, status, balance, deposits.", {
      environment: documentation,
    }),
    wallets: functions.bySettings("Wallets", "wallets", "Wallets, their deposits and transfers.", {
      environment: documentation,
    }),
    otp: functions.ofPrograms("Otp", "otp", "One-time passcodes and the subscriptions to them.", {
      environment: { ...reach },
    }),
    account: functions.ofTenants(
      "Account",
      "account",
      "What Tenants manage: Programs, keys, addresses, tickets.",
      {
        environment: { ...reach },
      },
    ),
    certificates: certificatesFunction(functions),
    webhooks: functions.ofPrograms("Webhooks", "webhooks", "Webhook endpoints and what was sent to them.", {
      environment: { ...reach },
      // A ping waits for its receiver.
      timeout: Duration.seconds(20),
    }),
    ...(settings.sandboxHost === undefined
      ? {}
      : {
          sandbox: functions.bySettings("Sandbox", "sandbox", "Emulates the card network and compliance."),
        }),
  };
}

/** The version of the truststore, and the condition that there is one; on this machine the gateway reads it from a file. */
function truststoreVersion(
  stack: Stack,
  settings: Settings,
): Pick<MutualTlsDomainProps, "truststoreVersion" | "condition"> {
  if (!settings.versionedTruststore) return {};
  const { valueAsString } = new CfnParameter(stack, "TruststoreVersion", {
    description:
      "S3 version of the clients' CA bundle, which the deploy command uploads. Before there is one there are no hosts: the first CA comes from what is deployed.",
    default: "",
  });
  const expression = Fn.conditionNot(Fn.conditionEquals(valueAsString, ""));
  const condition = new CfnCondition(stack, "HasTruststore", { expression });
  return { truststoreVersion: valueAsString, condition };
}
