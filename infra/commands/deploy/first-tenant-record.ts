import { GetParameterCommand, ParameterNotFound, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import * as z from "zod";

/** What has been made of the environment's first Tenant so far. Its keys are secrets. */
export const FirstTenant = z.object({
  tenantId: z.string(),
  tenantApiKey: z.string(),
  programId: z.string().optional(),
  walletId: z.string().optional(),
  /** Slot 0, where Cards are issued. */
  isDesignApproved: z.boolean().optional(),
  programApiKey: z.string().optional(),
  certificate: z
    .object({ certificateId: z.string(), certificatePem: z.string(), keyPem: z.string() })
    .optional(),
  /** Certificates that another one has taken the place of, and that are to be revoked. */
  superseded: z.array(z.string()).optional(),
});
export type FirstTenant = z.output<typeof FirstTenant>;

/** Where it is written down, so that a repetition, from another machine too, goes on where the one before has ended. */
export interface FirstTenantRecord {
  read(): Promise<FirstTenant | undefined>;
  write(tenant: FirstTenant): Promise<void>;
}

/** A parameter of Systems Manager, encrypted with the key whose ARN is given, in the environment's own account. */
export function recordInParameterStore(
  environment: string,
  region: string,
  keyArn: string,
): FirstTenantRecord {
  const ssm = new SSMClient({ region });
  const Name = `/card-issuing/${environment}/first-tenant`;
  return {
    async read() {
      const answer = await ssm
        .send(new GetParameterCommand({ Name, WithDecryption: true }))
        .catch((error: unknown) => {
          if (error instanceof ParameterNotFound) return undefined;
          throw error;
        });
      const text = answer?.Parameter?.Value;
      return text === undefined ? undefined : FirstTenant.parse(JSON.parse(text));
    },
    async write(tenant) {
      const Value = JSON.stringify(tenant);
      await ssm.send(
        new PutParameterCommand({ Name, Value, Type: "SecureString", KeyId: keyArn, Overwrite: true }),
      );
    },
  };
}
