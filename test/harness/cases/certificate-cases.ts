import { setTimeout } from "node:timers/promises";
import {
  type ClientCertificateRequest,
  issueAuthority,
  issueClientCertificate,
} from "../../../infra/development/issue-certificate.ts";
import type { GivenProgram } from "../given-cards.ts";
import { givenRequest, type RequestOptions } from "../given-certificates.ts";
import { givenNewProgram } from "./account-cases.ts";
import type { CaseRequest, EndpointCases, Preparation } from "./case.ts";

const certificates = "/account/certificates" as const;
const one = `${certificates}/{certificateId}` as const;

/** A request for a new Program of the caller's Tenant. */
async function requestOf(program: GivenProgram, options: Partial<RequestOptions> = {}): Promise<CaseRequest> {
  // Creates the CA.
  await program.operate("view-truststore", {});
  const { tenantId = "" } = program.caller;
  const programIds = [await givenNewProgram(program)];
  const { csr } = await givenRequest({ tenantId, programIds, ...options });
  return { body: { csr } };
}

/** The path of a new certificate. */
async function givenCertificate(program: GivenProgram): Promise<CaseRequest> {
  const { body } = await program.call(`POST ${certificates}`, await requestOf(program));
  return { path: { certificateId: body.data.certificateId } };
}

/** It was valid for seconds, which only platform administration registers. */
async function givenExpired(program: GivenProgram): Promise<CaseRequest> {
  const [notBefore, tomorrow] = [new Date(Date.now() - 60_000), new Date(Date.now() + 86_400_000)];
  const authority = await issueAuthority("Another CA", { notBefore, notAfter: tomorrow });
  const programIds = [await givenNewProgram(program)];
  const certificateId = await registerShortLived(program, { authority, programIds, notBefore });
  const request = { path: { certificateId } };
  while ((await program.call(`GET ${one}`, request)).body.data.status !== "expired") await setTimeout(50);
  return request;
}

/** Valid for two seconds; if too short on a busy machine, issued again for twice as long. */
async function registerShortLived(
  program: GivenProgram,
  names: Pick<ClientCertificateRequest, "authority" | "programIds" | "notBefore">,
): Promise<string> {
  const { tenantId = "" } = program.caller;
  for (let seconds = 2; ; seconds *= 2) {
    const notAfter = new Date((Math.ceil(Date.now() / 1000) + seconds) * 1000);
    const options = { ...names, tenantId, domains: ["demo.test"], notAfter };
    const { certificatePem } = await issueClientCertificate(options);
    try {
      return (await program.operate("register-certificate", { certificatePem })).certificateId;
    } catch (error) {
      if (seconds > 16 || !String(error).includes("is expired")) throw error;
    }
  }
}

const thirdForTheSame: Preparation = async (program) => {
  const request = await requestOf(program);
  for (let count = 0; count < 2; count += 1) await program.call(`POST ${certificates}`, request);
  return request;
};

export const certificateCases: readonly EndpointCases[] = [
  {
    route: `GET ${certificates}`,
    success: async (program) => {
      await givenCertificate(program);
      return { query: { status: "active", orderBy: "notAfter", sort: "asc" } };
    },
  },
  {
    route: `POST ${certificates}`,
    success: requestOf,
    refusals: {
      VALIDATION_FAILED: (program) => requestOf(program, { domains: ["*.demo.test"] }),
      LIMIT_REACHED: thirdForTheSame,
    },
  },
  { route: `GET ${one}`, success: givenCertificate },
  { route: `DELETE ${one}`, success: givenCertificate, refusals: { ILLEGAL_TRANSITION: givenExpired } },
];
