// Numbers as texts.

const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

// number writes a number with four significant digits, very large and very small ones with a power of ten.
export function number(v) {
  if (v === null || v === undefined || Number.isNaN(v)) return "none";
  const a = Math.abs(v);
  if (a === Infinity) return v > 0 ? "∞" : "−∞";
  const far = a !== 0 && (a >= 1e6 || a < 1e-4);
  const [mantissa, power] = far ? v.toExponential(3).split("e") : [a >= 1e4 ? Math.round(v) : v.toPrecision(4), ""];
  const ten = power && "10" + String(Number(power)).replace(/[-0-9]/g, (c) => SUPERSCRIPTS[c]);
  return [Number(mantissa) === 1 && far ? "" : String(Number(mantissa)), ten].filter(Boolean).join("×").replace(/^-/, "−");
}
