import { expect } from "vitest";
import type { TlsAnswer } from "./tls-request.ts";

/** The error envelope whole, the request's id in body and header alike. */
function expectError(answer: TlsAnswer, status: number, code: string, message: string): void {
  expect(answer.body).toEqual({ status: "error", code, message, requestId: expect.stringMatching(/./) });
  expect(answer.status).toBe(status);
  expect(answer.headers["x-request-id"]).toBe(answer.body.requestId);
  expect(answer.headers["content-type"]).toMatch(/^application\/json/);
}

export function expectCertificateRefused(answer: TlsAnswer): void {
  const message = "The client certificate is not authorized.";
  expectError(answer, 403, "CERTIFICATE_NOT_AUTHORIZED", message);
}

export function expectAddressRefused(answer: TlsAnswer): void {
  expectError(answer, 403, "IP_NOT_AUTHORIZED", "No Authorized IPs configured");
}

export function expectKeyRefused(answer: TlsAnswer): void {
  expectError(answer, 401, "API_KEY_INVALID", "X-API-Key is missing, invalid or revoked.");
}

export function expectNoOperation(answer: TlsAnswer): void {
  expectError(answer, 404, "NOT_FOUND", "There is no such operation: check method and path.");
}
