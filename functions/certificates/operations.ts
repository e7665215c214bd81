import type { accountCertificateRoutes } from "../../shared/contract/account-access.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** Each operation's type by its route. */
export type CertificateOperations = Operations<(typeof accountCertificateRoutes)[number]>;
