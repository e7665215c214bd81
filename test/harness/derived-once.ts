import { HDKey } from "@scure/bip32";

/**
 * Each test has Programs of its own, with the same account keys and the same first addresses: a
 * child of a key is always the same, and takes a thousandth of a second each.
 */
const known = new WeakMap<HDKey, Map<number, HDKey>>();
const derive = HDKey.prototype.deriveChild;

HDKey.prototype.deriveChild = function deriveOnce(index) {
  const children = known.get(this) ?? new Map<number, HDKey>();
  known.set(this, children);
  const child = children.get(index) ?? derive.call(this, index);
  children.set(index, child);
  return child;
};
