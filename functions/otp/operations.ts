import type { otpRoutes } from "../../shared/contract/otp.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type OtpOperations = Operations<(typeof otpRoutes)[number]>;
