/** Imports what moves money or reads balances, and opens the door to hot Wallets for it. */
export async function withHotWallets<Module>(imported: Promise<Module>): Promise<Module> {
  const [module] = await Promise.all([imported, import("./door.ts")]);
  return module;
}
