import { ArnFormat, Stack } from "aws-cdk-lib";
import { AnyPrincipal, Effect, type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Settings } from "../environments.ts";
import { KeptKey } from "./kept-key.ts";
import { certificatesFunctionName } from "./names.ts";
import { roleNames } from "./second-region-settings.ts";

const algorithm = "ECDSA_SHA_256";

/**
 * A certificate authority's private key, which never leaves KMS. Only the certificates function's
 * role may sign. The role is named, so that this kept stack depends on no replaceable one.
 */
export class AuthorityKey extends KeptKey {
  constructor(scope: Construct, name: string, settings: Pick<Settings, "name" | "secondRegion">) {
    super(scope, `AuthorityKey${name}`, {
      description: `Signs clients' certificates of the card issuing platform (${settings.name}, ${name}).`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
    });
    const signers = roleNames(settings, certificatesFunctionName(settings.name)).map((resourceName) =>
      Stack.of(this).formatArn({
        service: "iam",
        region: "",
        resource: "role",
        resourceName,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      }),
    );
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: "SignsForTheCertificatesFunctionAlone",
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ["kms:Sign"],
        resources: ["*"],
        conditions: { StringNotEquals: { "aws:PrincipalArn": signers.length > 1 ? signers : signers[0] } },
      }),
    );
  }
}

export function grantSignCertificates(keyArn: string, grantee: IGrantable) {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ["kms:Sign"],
      resources: [keyArn],
      conditions: { StringEquals: { "kms:SigningAlgorithm": algorithm, "kms:MessageType": "DIGEST" } },
    }),
  );
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ["kms:GetPublicKey"], resources: [keyArn] }),
  );
}
