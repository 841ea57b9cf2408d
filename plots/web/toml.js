// The numbers of a spec that a reader may want to move, found in its text.

const TABLES = /^(data|problem|method|repeat|budget|profile\.\w+(?:\.\w+)*)$/;
const NUMBER = /(^|[\s{,])([A-Za-z_][\w-]*)\s*=\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?=\s*(?:[,}#]|$))/g;

// bare is a line without its comment and with the inside of its strings blanked, so that no letter moves.
function bare(line) {
  const text = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (s) => s[0] + "_".repeat(s.length - 2) + s[0]);
  const at = text.indexOf("#");
  return at < 0 ? text : text.slice(0, at);
}

// numbers lists the numbers of a spec at a profile: where they stand, what they are called, and what they are.
export function numbers(text, profile) {
  const found = [];
  let table = "";
  let method = "";
  let long = false; // within a string of several lines
  let at = 0;
  const tableOf = (line) => table || line.match(/^\s*([\w]+)\s*=\s*\{/)?.[1] || ""; // a table may be one line
  for (const line of text.split("\n")) {
    const quotes = (line.match(/"""|'''/g) ?? []).length;
    const header = !long && line.match(/^\s*\[\[?\s*([\w.-]+)\s*\]\]?/);
    if (header) {
      table = header[1];
      method = table === "method" ? "?" : "";
    } else if (!long && !quotes && TABLES.test(tableOf(line)) && (!table.startsWith("profile.") || table.split(".")[1] === profile)) {
      const group = tableOf(line);
      const id = method && line.match(/^\s*id\s*=\s*["']([^"']+)["']/);
      if (id) method = id[1];
      for (const m of bare(line).matchAll(NUMBER)) {
        const from = at + m.index + m[0].length - m[3].length;
        found.push({ group: method || group, key: m[2], text: m[3], value: Number(m[3].replaceAll("_", "")), from, to: from + m[3].length });
      }
    }
    if (quotes % 2) long = !long;
    at += line.length + 1;
  }
  return found;
}

// range is how far a slider goes: a factor of 32 to either side, in 40 steps, of a number that is not 0.
export const STEPS = 40;

// moved is a number at a step of a slider whose middle is its first value, written as numbers of its kind are.
export function moved({ text, value }, step) {
  const whole = /^[+-]?[\d_]+$/.test(text);
  const v = value * 32 ** (step / (STEPS / 2));
  if (whole) return String(Math.max(1, Math.round(v)));
  const s = String(Number(v.toPrecision(3)));
  return /[.e]/.test(s) ? s : s + ".0";
}
