import { describe, expect, test } from "vitest";
import { environmentNames, readSettings, Settings, toEnvironmentName } from "../../infra/environments.ts";

const pem = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";

describe("environments", () => {
  test.each(environmentNames)("%s has valid settings with its own name", (name) => {
    expect(readSettings(name).name).toBe(name);
  });

  test("no two environments share an account, a host or a server certificate", () => {
    const all = environmentNames.map(readSettings);
    const hosts = all.flatMap(({ platformHost, sandboxHost, webhookHost }) => [
      platformHost,
      webhookHost,
      ...(sandboxHost ? [sandboxHost] : []),
    ]);
    for (const values of [
      all.map((settings) => settings.account),
      hosts.map((host) => host.hostName),
      hosts.map((host) => host.certificateArn),
    ]) {
      expect(new Set(values).size).toBe(values.length);
    }
  });

  test("a server certificate must be of the environment's account and region, as API Gateway requires", () => {
    for (const { account, region, platformHost, sandboxHost, webhookHost } of environmentNames.map(
      readSettings,
    )) {
      for (const host of [platformHost, sandboxHost, webhookHost]) {
        if (host) expect(host.certificateArn).toMatch(`arn:aws:acm:${region}:${account}:certificate/`);
      }
    }
  });

  test.each([
    ["a sandbox in production", { sandboxHost: readSettings("staging").sandboxHost }],
    [
      "a table that is warm for more than its maximum",
      { tableUnits: { reads: 20_000, writes: 10_000, warm: { reads: 12_000, writes: 12_000 } } },
    ],
    [
      "a table that is warm for less than each new one",
      { tableUnits: { reads: 20_000, writes: 10_000, warm: { reads: 12_000, writes: 1_000 } } },
    ],
    ["a second region that is the first", { secondRegion: { region: "eu-west-1", hasReplicas: false } }],
    [
      "a second region where IAM could be lost with the first",
      { region: "us-east-1", secondRegion: { region: "eu-west-1", hasReplicas: false } },
    ],
    [
      "a wallet's extension that is named by a UUID, which is read otherwise",
      { wallets: { applePay: { roots: [pem], leafExtension: `2.25.${2n ** 127n}` } } },
    ],
    ["an unknown setting", { colour: "red" }],
    ["an invalid account", { account: "123" }],
    ["a server certificate of another account", { account: "999988887777" }],
    ["a server certificate of another region", { region: "eu-central-1" }],
    [
      "a zone that the host does not lie in",
      { platformHost: { ...readSettings("production").platformHost, hostName: "api.elsewhere.example" } },
    ],
  ])("rejects %s", (_, change) => {
    expect(Settings.safeParse({ ...readSettings("production"), ...change }).success).toBe(false);
  });

  test("a wallet's extension is named by its object identifier", () => {
    const wallets = { applePay: { roots: [pem], leafExtension: "1.2.840.113635.100.6.39" } };
    expect(Settings.safeParse({ ...readSettings("production"), wallets }).success).toBe(true);
  });

  test("an unknown name on the command line is rejected with the list of environments", () => {
    expect(toEnvironmentName("staging")).toBe("staging");
    expect(() => toEnvironmentName("prod")).toThrow("local, staging, production");
  });
});
