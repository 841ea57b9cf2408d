// States in links: text, compressed and in the letters of an address.

const stream = (bytes, through) => new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer();

export const MOST = 400_000; // letters that a text in a link may have

// pack writes a text for an address.
export async function pack(text) {
  const bytes = new Uint8Array(await stream(new TextEncoder().encode(text), new CompressionStream("deflate-raw")));
  let letters = "";
  for (const b of bytes) letters += String.fromCharCode(b);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// unpack reads what pack wrote, and stops where the text becomes longer than MOST.
export async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).pipeThrough(new TextDecoderStream("utf-8", { fatal: true })).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    if (text.length > MOST) throw new Error("too long");
  }
  return text;
}
