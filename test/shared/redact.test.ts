import { describe, expect, it } from "vitest";
import { newId } from "../../shared/platform/id.ts";
import { apiEvent } from "../harness/api-event.ts";
import { redact } from "../harness/redact.ts";

describe("a redacted event", () => {
  const [first, second] = [newId("wallet"), newId("wallet")];
  const event = (source: string, destination: string, key: string) =>
    apiEvent({
      route: "POST /wallets/transfer",
      headers: { "x-api-KEY": key, "X-Forwarded-Port": String(Math.random()) },
      body: { sourceWalletId: source, destinationId: destination, amount: 5 },
    });
  const text = JSON.stringify(redact(event(first, second, "cik_secret")));

  it("holds no key and no certificate", () => {
    expect(text).not.toContain("cik_secret");
    expect(text).toContain('"x-api-KEY":"redacted"');
    expect(text).toContain('"x-api-KEY":["redacted"]');
  });

  it("numbers identifiers by kind, and keeps which are the same", () => {
    const [one, two] = ["wlt_00000000000000000000000001", "wlt_00000000000000000000000002"];
    const { body } = redact(event(first, second, "k")) as { body: string };
    expect(JSON.parse(body)).toEqual({ sourceWalletId: one, destinationId: two, amount: 5 });
    const same = redact(event(first, first, "k")) as { body: string };
    expect(JSON.parse(same.body)).toMatchObject({ sourceWalletId: one, destinationId: one });
  });

  it("is the same for the same request with other records, at another time", () => {
    const again = redact(event(newId("wallet"), newId("wallet"), "cik_other"));
    expect(JSON.stringify(again)).toBe(text);
  });

  it("keeps the platform's identifiers, even if AWS uses the same name", () => {
    const body = JSON.stringify({ messageId: newId("notification"), cardToken: "abc" });
    expect(redact({ Records: [{ messageId: "d5e1", body }] })).toEqual({
      Records: [
        {
          messageId: "00000000-0000-4000-8000-000000000000",
          body: '{"messageId":"ntf_00000000000000000000000001","cardToken":"redacted"}',
        },
      ],
    });
  });

  it("keeps a body that is not JSON, and what the caller sent", () => {
    expect(redact({ body: '{"amount": ' })).toEqual({ body: '{"amount": ' });
    expect(redact({ body: '{"memo":"Lunch"}', resource: "/cards" })).toEqual({
      body: '{"memo":"Lunch"}',
      resource: "/cards",
    });
  });
});
