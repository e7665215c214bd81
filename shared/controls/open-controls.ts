import { openControls } from "./controls-door.ts";
import { readMoreUsage, refreshControls } from "./more-usage.ts";
import { readControls, recallControls } from "./read-controls.ts";
import { lacksShare } from "./shares.ts";

openControls({
  recall: recallControls,
  read: readControls,
  readMore: readMoreUsage,
  readAgain: refreshControls,
  lacksShare,
});
