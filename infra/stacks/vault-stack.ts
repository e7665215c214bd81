import { CfnOutput, Duration, type Stack } from "aws-cdk-lib";
import { PolicyDocument } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { vaultCallers } from "../../shared/contract/vault.ts";
import { DataTable, type KeptTable } from "../constructs/data-table.ts";
import { grantItems } from "../constructs/grants.ts";
import { KeptKey } from "../constructs/kept-key.ts";
import { addLiveAliases } from "../constructs/live-alias.ts";
import { vaultName } from "../constructs/names.ts";
import { ofFirst, replicaTable } from "../constructs/second-region.ts";
import { isSecond, roleNameIn } from "../constructs/second-region-settings.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import { vaultPermissions } from "../constructs/table-permissions.ts";
import {
  grantPaymentCryptography,
  grantVaultKey,
  VaultKey,
  type VaultKeyName,
  vaultKeyNames,
} from "../constructs/vault-key.ts";
import { denyAllButVault, itemActions, replicationRole } from "../constructs/vault-only.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

/** Card numbers and PINs: the table and the keys that only the vault function may use. */
export class VaultStack extends FunctionStack {
  readonly table: KeptTable;
  readonly vault: ServiceFunction;

  constructor(scope: Construct, id: string, props: FunctionStackProps) {
    super(scope, id, { ...props, terminationProtection: true });
    const { settings } = this.functions.props;
    const kept = isSecond(settings) ? replicaKeys(this) : this.makeKeys(settings);
    this.vault = this.functions.make("Vault", "vault", "Card numbers, verification codes and PINs.", {
      // A batch for production has hundreds of cards.
      timeout: Duration.seconds(30),
      // It waits for KMS and tables most of the time. What is kept started is billed by its memory.
      memoryMegabytes: 384,
      roleName: roleNameIn(settings, vaultName(settings.name)),
      environment: {
        ...Object.fromEntries([...kept.arns].map(([name, arn]) => [toVariable(name), arn])),
        PAYMENT_CRYPTOGRAPHY: settings.paymentCryptography
          ? JSON.stringify(settings.paymentCryptography)
          : "",
        CARD_KEY_INDEX: String(settings.cardKeyIndex),
        WALLETS: JSON.stringify({ ...settings.wallets, isSimulated: settings.sandboxHost !== undefined }),
      },
    });
    // An asynchronous invocation has no caller left that wants a repetition.
    const once = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
    this.vault.configureAsyncInvoke(once);
    const { alarms } = this.functions.props;
    const names = Object.keys(vaultCallers).filter((name) => name !== "sandbox" || settings.sandboxHost);
    // An alarm adds up ten metrics at most: two of each. Few bank accounts are added in an hour.
    const unmeasured = new Set(["sandbox", "accounts"]);
    const measured = names.filter((name) => !unmeasured.has(name));
    addLiveAliases(this.vault, { alarms, names, measured, ...once });
    for (const [name, arn] of kept.arns) grantVaultKey(this.vault, name, arn);
    grantPaymentCryptography(this.vault, settings.paymentCryptography);
    this.table = kept.table();
    this.vault.addEnvironment("VAULT_TABLE", this.table.tableName);
    grantItems(this.table, this.vault, vaultPermissions);
    new CfnOutput(this, "VaultTableName", { value: this.table.tableName });
  }

  private makeKeys(settings: FunctionStackProps["settings"]): KeptByVault {
    const key = new KeptKey(this, "VaultDataKey", {
      description: "Encrypts the vault's table of the card issuing platform.",
      enableKeyRotation: true,
      rotationPeriod: Duration.days(365),
    });
    const keys = vaultKeyNames.map((name) => new VaultKey(this, name, settings));
    const table = () => {
      const policy = new PolicyDocument({
        statements: [denyAllButVault(this, settings, itemActions, [replicationRole])],
      });
      const { tableUnits: units, secondRegion } = settings;
      // Without replicas no stream: nothing follows what the vault writes.
      const made = new DataTable(this, "VaultTable", { key, units, secondRegion, policy, hasStream: false });
      // A failed creation leaves a protected table behind, so create everything else first.
      made.node.addDependency(key, ...keys);
      return made;
    };
    return { arns: new Map(vaultKeyNames.map((name, at) => [name, keys[at]?.keyArn ?? ""])), table };
  }
}

/** `NumberIndexKey` is in `NUMBER_INDEX_KEY`. */
const toVariable = (name: VaultKeyName) => name.replace(/(?<=.)(?=[A-Z])/g, "_").toUpperCase();

interface KeptByVault {
  readonly arns: ReadonlyMap<VaultKeyName, string>;
  readonly table: () => KeptTable;
}

/** Their policies admit the vault's role of each region. */
function replicaKeys(stack: Stack): KeptByVault {
  const arns = new Map(vaultKeyNames.map((name) => [name, ofFirst(stack, `${name}PrimaryArn`)]));
  const encryptionKey = Key.fromKeyArn(stack, "VaultDataKey", ofFirst(stack, "VaultDataKeyPrimaryArn"));
  return { arns, table: () => replicaTable(stack, "VaultTable", { encryptionKey }) };
}
