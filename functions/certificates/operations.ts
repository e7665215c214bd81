import type { accountCertificateRoutes } from "../../shared/contract/account-certificates.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** Each operation's type by its route. */
export type CertificateOperations = Operations<(typeof accountCertificateRoutes)[number]>;
