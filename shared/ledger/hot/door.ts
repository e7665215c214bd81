import { openHotWallets } from "../hot-wallets.ts";
import { foresee } from "./foresee.ts";
import { ShardPlacement } from "./placement.ts";
import { readWhole } from "./read-whole.ts";

openHotWallets({
  place: (programId, change, delta, entry) => new ShardPlacement(programId, change, delta, entry),
  readWhole,
  foresee,
});
