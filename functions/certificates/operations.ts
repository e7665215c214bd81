import type { accountCertificateRoutes } from "../../shared/contract/account-certificates.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** The type of each of this function's operations, by its route. */
export type CertificateOperations = Operations<(typeof accountCertificateRoutes)[number]>;
