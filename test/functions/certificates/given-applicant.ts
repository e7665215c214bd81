import { operate } from "../../harness/administration.ts";
import { givenRequest, type RequestOptions } from "../../harness/given-certificates.ts";
import { type GivenAccount, givenAccount } from "../account/given-account.ts";

/** A Tenant with a Program, in an environment with a CA. */
export interface GivenApplicant extends GivenAccount {
  readonly programId: string;
  /** A request of the Tenant for its Program, by default. */
  request(options?: Partial<RequestOptions>): Promise<string>;
  /** Sends a request. */
  send(csr: unknown): ReturnType<GivenAccount["call"]>;
  /** The view of a new certificate. */
  certificate(options?: Partial<RequestOptions>): Promise<{ certificateId: string; certificate: string }>;
}

export async function givenApplicant(): Promise<GivenApplicant> {
  await operate("view-truststore", {});
  const account = await givenAccount();
  const programId = await account.newProgram();
  const given: GivenApplicant = {
    ...account,
    programId,
    request: async (options = {}) => {
      const holder = { tenantId: account.tenantId, programIds: [programId] };
      return (await givenRequest({ ...holder, ...options })).csr;
    },
    send: (csr) => account.call("POST /account/certificates", { body: { csr } }),
    certificate: async (options) => {
      const { status, body } = await given.send(await given.request(options));
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.data;
    },
  };
  return given;
}
