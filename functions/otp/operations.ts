import type { otpRoutes } from "../../shared/contract/otp.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** The type of each of this function's operations, by its route. */
export type OtpOperations = Operations<(typeof otpRoutes)[number]>;
