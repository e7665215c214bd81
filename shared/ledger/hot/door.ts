import { openHotWallets } from "../hot-wallets.ts";
import { placeWallets } from "./commit-placed.ts";
import { foresee } from "./foresee.ts";
import { readWhole } from "./read-whole.ts";

openHotWallets({ place: placeWallets, readWhole, foresee });
