// Lines of Markdown as HTML: what the program in the page says of answers.

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// inline turns the emphasis, code, links, indices and powers of a line into HTML. A link keeps its text.
export function inline(text) {
  return text
    .replace(/[&<>"]/g, (c) => escapes[c])
    .split(/(`[^`]*`)/)
    .map((part) => (part.length > 1 && part.startsWith("`") ? `<code>${part.slice(1, -1)}</code>` : words(part)))
    .join("");
}

const words = (text) =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/(^|[^\w*])\*([^*\s][^*]*)\*(?!\w)/g, "$1<em>$2</em>")
    .replace(/(?<![\p{L}\p{N}_])(\p{L}\u0302?|\p{Script=Greek}\u0302?)_(\p{N}+|\p{L}|\*)(?![\p{L}\p{N}_])/gu, "$1<sub>$2</sub>")
    .replace(/([\p{L}\p{N})])\^(-?\p{N}+(?:\.\p{N}+)?|\p{L})(?![\p{L}\p{N}_])/gu, (_, a, p) => `${a}<sup>${p.replace("-", "−")}</sup>`)
    .replace(/([\p{L}\p{N})])\^\(([^()\s]{1,12})\)/gu, (_, a, p) => `${a}<sup>${p.replaceAll("-", "−")}</sup>`);
