import { expect, test, vi } from "vitest";
import { verifyNotification } from "../../client/src/card-issuing.ts";
import { secret, sent, startReadmeServer } from "./readme-server.ts";

const body = JSON.stringify({ eventType: 21, subjectId: "crd_1", type: "card.status_changed", data: {} });

test("the README's server takes what was signed, and refuses the rest", { timeout: 60_000 }, async () => {
  const server = await startReadmeServer("webhook-server.test.ts", { WEBHOOK_SECRET: secret });
  try {
    expect(server.lines).toBeLessThanOrEqual(16);
    const post = async (headers: Record<string, string>, of = body) =>
      (await server.post(headers, of)).status;
    expect(await post(sent(body))).toBe(200);
    // What a process prints may come after its answer.
    await vi.waitFor(() => expect(server.printed()).toContain('change {"eventType":21'), { timeout: 10_000 });
    expect(await post(sent(body), `${body} `)).toBe(400);
    expect(await post({})).toBe(400);
  } finally {
    server.stop();
  }
});

test("headers as Node and fetch have them, in any case", () => {
  const headers = sent(body);
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  for (const one of [
    headers,
    upper,
    new Headers(headers),
    { ...headers, "set-cookie": ["a", "b"], no: undefined },
  ])
    expect(verifyNotification([secret], one, body).kind).toBe("change");
  const twice = { ...headers, "webhook-id": ["ntf_1", "ntf_1"] };
  expect(() => verifyNotification([secret], twice, body)).toThrow();
});
