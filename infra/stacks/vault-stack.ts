import { CfnOutput, Duration } from "aws-cdk-lib";
import { PolicyDocument } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { vaultCallers } from "../../shared/contract/vault.ts";
import { DataTable } from "../constructs/data-table.ts";
import { grantItems } from "../constructs/grants.ts";
import { KeptKey } from "../constructs/kept-key.ts";
import { addLiveAliases } from "../constructs/live-alias.ts";
import { vaultName } from "../constructs/names.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import { vaultPermissions } from "../constructs/table-permissions.ts";
import {
  grantPaymentCryptography,
  VaultKey,
  type VaultKeyName,
  vaultKeyNames,
} from "../constructs/vault-key.ts";
import { denyAllButVault, itemActions, replicationRole } from "../constructs/vault-only.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

/** Card numbers and PINs: the table and the keys that only the vault function may use. */
export class VaultStack extends FunctionStack {
  readonly table: DataTable;
  readonly vault: ServiceFunction;

  constructor(scope: Construct, id: string, props: FunctionStackProps) {
    super(scope, id, { ...props, terminationProtection: true });
    const { settings } = this.functions.props;
    const key = new KeptKey(this, "VaultDataKey", {
      description: "Encrypts the vault's table of the card issuing platform.",
      enableKeyRotation: true,
      rotationPeriod: Duration.days(365),
    });
    const keys = new Map(vaultKeyNames.map((name) => [name, new VaultKey(this, name, settings.name)]));
    const arnOf = (name: VaultKeyName) => keys.get(name)?.keyArn ?? "";
    this.vault = this.functions.ofPrograms("Vault", "vault", "Card numbers, verification codes and PINs.", {
      // A batch for production has hundreds of cards.
      timeout: Duration.seconds(30),
      roleName: vaultName(settings.name),
      environment: {
        NUMBER_KEY: arnOf("NumberKey"),
        NUMBER_INDEX_KEY: arnOf("NumberIndexKey"),
        CVV_KEY: arnOf("CvvKey"),
        DEVICE_KEY: arnOf("DeviceKey"),
        PAYMENT_CRYPTOGRAPHY: settings.paymentCryptography
          ? JSON.stringify(settings.paymentCryptography)
          : "",
        CARD_KEY_INDEX: String(settings.cardKeyIndex),
      },
    });
    // An asynchronous invocation has no caller left that wants a repetition.
    const once = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
    this.vault.configureAsyncInvoke(once);
    const { alarms } = this.functions.props;
    addLiveAliases(this.vault, { alarms, names: Object.keys(vaultCallers), ...once });
    for (const one of keys.values()) one.grantUse(this.vault);
    grantPaymentCryptography(this.vault, settings.paymentCryptography);
    const policy = new PolicyDocument({
      statements: [denyAllButVault(this, settings.name, itemActions, [replicationRole(this)])],
    });
    const { tableUnits: units, secondRegion } = settings;
    // Without replicas no stream: nothing follows what the vault writes.
    this.table = new DataTable(this, "VaultTable", { key, units, secondRegion, policy, hasStream: false });
    // A failed creation leaves a protected table behind, so create everything else first.
    this.table.node.addDependency(key, ...keys.values());
    this.vault.addEnvironment("VAULT_TABLE", this.table.tableName);
    grantItems(this.table, this.vault, vaultPermissions);
    new CfnOutput(this, "VaultTableName", { value: this.table.tableName });
  }
}
