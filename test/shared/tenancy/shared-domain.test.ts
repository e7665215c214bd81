import { describe, expect, it } from "vitest";
import { isSharedDomain } from "../../../shared/tenancy/certificates/shared-domain.ts";

describe("isSharedDomain", () => {
  it.each([
    ["a public suffix of two labels", "co.uk"],
    ["a public suffix under a wildcard rule", "anything.ck"],
    ["a platform's suffix, under which its customers have names", "herokuapp.com"],
    ["a cloud's domain", "amazonaws.com"],
    ["a region of a cloud", "eu-west-1.compute.amazonaws.com"],
    ["a content network", "cloudfront.net"],
    ["a cloud's domain with no suffix listed above it", "bc.googleusercontent.com"],
  ])("finds %s: %s", (_, domain) => {
    expect(isSharedDomain(domain)).toBe(true);
  });

  it.each([
    ["a company's domain", "customer.com"],
    ["a host of it", "api.payments.customer.co.uk"],
    ["a domain that only ends like a provider's", "notamazonaws.com"],
    ["the name of one address, below a region's suffix", "ec2-198-51-100-7.eu-west-1.compute.amazonaws.com"],
    ["a customer's own name under a platform's suffix", "customer.herokuapp.com"],
    ["the exception of a wildcard rule", "www.ck"],
    ["the reserved domain of this machine", "demo.test"],
  ])("lets %s pass: %s", (_, domain) => {
    expect(isSharedDomain(domain)).toBe(false);
  });
});
