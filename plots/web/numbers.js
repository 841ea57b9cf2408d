// Numbers as texts.

const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

// power writes ten to the power k.
const power = (k) => "10" + String(k).replace(/[-0-9]/g, (c) => SUPERSCRIPTS[c]);

// number writes a number with four significant digits, very large and very small ones with a power of ten.
export function number(v) {
  if (v === null || v === undefined || Number.isNaN(v)) return "none";
  if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
  const a = Math.abs(v);
  if (a !== 0 && (a >= 1e6 || a < 1e-4)) {
    const [mantissa, exponent] = v.toExponential(3).split("e");
    const m = String(Number(mantissa));
    return minus(m === "1" ? power(Number(exponent)) : m + "×" + power(Number(exponent)));
  }
  return minus(a >= 1e4 ? String(Math.round(v)) : String(Number(v.toPrecision(4))));
}

const minus = (s) => s.replace(/^-/, "−");
