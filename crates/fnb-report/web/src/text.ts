// Texts and numbers, as `text.rs` writes them.

/** Characters that act instead of being shown, as `fnb::math::printable` knows them. */
const ACTS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text of others as HTML. */
export function escape(text: string): string {
  return text.replace(ACTS, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

export function count(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}

/** The sign with its narrow space. */
export const PER_CENT = "\u202f%";

/** A share in percent: 0 and 100 only where exact. */
export function percent(share: number): string {
  if (share === 0 || share === 1) return `${100 * share}${PER_CENT}`;
  const value = 100 * share;
  const text = value.toFixed(value >= 1 && value <= 99 ? 1 : 2);
  if (Number(text) === 0) return `<0.01${PER_CENT}`;
  if (Number(text) >= 100) return `>99.99${PER_CENT}`;
  return text + PER_CENT;
}

/** A whole percentage for sentences. */
export function wholePercent(share: number): string {
  const value = Math.round(100 * share);
  if (share > 0 && value < 1) return "<1";
  if (share < 1 && value >= 100) return ">99";
  return String(value);
}

export function signed(number: number): string {
  const text = Math.abs(number).toFixed(2);
  if (text === "0.00") return "0";
  return (number < 0 ? "−" : "+") + text;
}

/** At most six digits. */
export function plain(number: number): string {
  const text = String(Number(number.toPrecision(6)));
  const [whole = "", fraction] = text.split(".");
  const long = Math.abs(Number(whole)) >= 10_000 && !text.includes("e");
  const grouped = long ? Number(whole).toLocaleString("en-US") : whole;
  return (fraction === undefined ? grouped : `${grouped}.${fraction}`).replace("-", "−");
}

/** A coordinate of a drawing: one decimal at most. */
export function coordinate(x: number): string {
  const tenths = Math.sign(x) * Math.round(Math.abs(x) * 10);
  return tenths % 10 === 0 ? String(tenths / 10 || 0) : (tenths / 10).toFixed(1);
}
