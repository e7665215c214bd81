import { expect, test, vi } from "vitest";

test("a function that has not opened the door to hot Wallets moves no money", async () => {
  vi.resetModules();
  const { requireHotWallets } = await import("../../../shared/ledger/hot-wallets.ts");
  expect(requireHotWallets).toThrow("the door to hot Wallets is not open");
});
