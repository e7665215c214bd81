import { setTimeout } from "node:timers/promises";
import {
  type ClientCertificateRequest,
  issueAuthority,
  issueClientCertificate,
} from "../../../infra/development/issue-certificate.ts";
import type { GivenProgram } from "../given-cards.ts";
import { givenRequest, type RequestOptions } from "../given-certificates.ts";
import { givenNewProgram } from "./account-cases.ts";
import { after, again, type CaseRequest, created, type EndpointCases } from "./case.ts";

/** A request for a new Program of the caller's Tenant. */
async function requestOf(program: GivenProgram, options: Partial<RequestOptions> = {}): Promise<CaseRequest> {
  // Creates the CA.
  await program.operate("view-truststore", {});
  const { tenantId = "" } = program.caller;
  const programIds = [await givenNewProgram(program)];
  const { csr } = await givenRequest({ tenantId, programIds, ...options });
  return { body: { csr } };
}

const givenCertificate = created(
  "POST /account/certificates",
  (program) => requestOf(program),
  "certificateId",
);

/** It was valid for seconds, which only platform administration registers. */
async function givenExpired(program: GivenProgram): Promise<CaseRequest> {
  const [notBefore, tomorrow] = [new Date(Date.now() - 60_000), new Date(Date.now() + 86_400_000)];
  const authority = await issueAuthority("Another CA", { notBefore, notAfter: tomorrow });
  const programIds = [await givenNewProgram(program)];
  const certificateId = await registerShortLived(program, { authority, programIds, notBefore });
  const request = { path: { certificateId } };
  const view = "GET /account/certificates/{certificateId}";
  while ((await program.call(view, request)).body.data.status !== "expired") await setTimeout(50);
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

export const certificateCases: EndpointCases = {
  "GET /account/certificates": after(givenCertificate, {
    query: { status: "active", orderBy: "notAfter", sort: "asc" },
  }),
  "POST /account/certificates": [
    (program) => requestOf(program),
    {
      VALIDATION_FAILED: (program) => requestOf(program, { domains: ["*.demo.test"] }),
      LIMIT_REACHED: again(2),
    },
  ],
  "GET /account/certificates/{certificateId}": givenCertificate,
  "DELETE /account/certificates/{certificateId}": [givenCertificate, { ILLEGAL_TRANSITION: givenExpired }],
};
