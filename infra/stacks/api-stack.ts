import { CfnOutput, Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { fundsMoves, routes } from "../../shared/contract/routes.ts";
import { ContractApi, CredentialsAuthorizer } from "../constructs/api/rest-api.ts";
import { addReach, type FunctionFactory, type Reach } from "../constructs/function-factory.ts";
import { grantSecretRead } from "../constructs/grants.ts";
import { certificatesFunctionName } from "../constructs/names.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

/**
 * The platform API and its functions. One stack deploys and rolls back a route with its function.
 */
export class ApiStack extends FunctionStack {
  readonly platformApi: ContractApi;
  /** Authorizes requests to both APIs. */
  readonly authorizer: ServiceFunction;
  /** Creates Programs, and a usage key for each. */
  readonly accountFunction: ServiceFunction;

  constructor(scope: Construct, id: string, props: FunctionStackProps) {
    super(scope, id, props);
    const { settings, logKey, alarms } = this.functions.props;
    const reach = addReach(this, settings);
    const resources = resourceFunctions(this.functions, reach);
    this.accountFunction = resources.account;
    this.authorizer = authorizerFunction(this.functions, reach);
    this.platformApi = new ContractApi(this, "PlatformApi", {
      settings,
      api: "platform",
      routes,
      functions: resources,
      authorizer: new CredentialsAuthorizer(this, "PlatformAuthorizer", this.authorizer),
      logKey,
    });
    this.platformApi.addAlarms(alarms);
    new CfnOutput(this, "CertificatesFunctionName", { value: resources.certificates.functionName });
  }
}

function authorizerFunction(functions: FunctionFactory, reach: Reach): ServiceFunction {
  const { data } = functions.props;
  const made = functions.plain("Authorizer", "authorizer", "Authorizes the callers of the APIs.", {
    timeout: Duration.seconds(5),
    environment: {
      ACCOUNTS_TABLE: data.accountsTable.tableName,
      KEY_PEPPER_SECRET_ID: data.keyPepper.secretArn,
      DNS_SERVERS: reach.DNS_SERVERS,
      FUNDS_MOVES: fundsMoves.join(","),
    },
  });
  grantSecretRead(data.keyPepper, made);
  return made;
}

function resourceFunctions(functions: FunctionFactory, reach: Reach) {
  const { settings } = functions.props;
  // These functions serve deprecated endpoints.
  const documentation = { DOCUMENTATION_URL: settings.documentationUrl };
  return {
    cardholders: functions.ofPrograms("Cardholders", "cardholders", "Cardholders and their KYC lifecycle.", {
      environment: { KYC_BASE_URL: settings.kycBaseUrl, ...documentation },
    }),
    cards: functions.ofDeposits("Cards", "cards", "Cards: issuing, status, balance, deposits.", {
      environment: documentation,
    }),
    wallets: functions.ofDeposits("Wallets", "wallets", "Wallets, their deposits and transfers.", {
      environment: documentation,
    }),
    otp: functions.ofPrograms("Otp", "otp", "One-time passcodes and their subscriptions.", {
      environment: { ...reach },
    }),
    controls: functions.bySettings("Controls", "controls", "Spend controls and authorization endpoints.", {
      environment: { ...reach },
    }),
    account: functions.ofTenants("Account", "account", "A Tenant's Programs, keys, addresses and tickets.", {
      environment: { ...reach },
    }),
    certificates: certificatesFunction(functions),
    webhooks: functions.ofPrograms("Webhooks", "webhooks", "Webhook endpoints and their notifications.", {
      environment: { ...reach },
      // A ping waits for its receiver.
      timeout: Duration.seconds(20),
    }),
  };
}

/** Only this function can sign certificates with the CAs' keys. */
function certificatesFunction(functions: FunctionFactory): ServiceFunction {
  const { settings, data } = functions.props;
  const { accountsTable, issuingTable, authorityKeys } = data;
  const keys = [...authorityKeys].map(([authority, { keyArn }]) => ({ name: authority, keyArn }));
  const made = functions.plain(
    "Certificates",
    "certificates",
    "Signs, lists and revokes client certificates.",
    {
      roleName: certificatesFunctionName(settings.name),
      environment: {
        ACCOUNTS_TABLE: accountsTable.tableName,
        ISSUING_TABLE: issuingTable.tableName,
        AUTHORITY_KEYS: JSON.stringify(keys),
      },
    },
  );
  for (const key of authorityKeys.values()) key.grantSignCertificates(made);
  return made;
}
