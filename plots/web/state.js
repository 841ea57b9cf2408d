// The state of the page lives in the address behind the #, so that a link restores what is seen. A link is either the id of a
// place or a list of keys and values, such as #claim=dai2014/ridge:rate or #fig=dai2014/ridge:error&x=seconds.

// read returns the keys and values of the address, and null if it is the id of a place or empty.
export function read() {
  const text = location.hash.slice(1);
  if (!text.includes("=")) return null;
  return Object.fromEntries([...new URLSearchParams(text)]);
}

// write puts keys and values into the address, without a new entry in the history. Empty values are left out.
export function write(state) {
  const parts = Object.entries(state)
    .filter(([, v]) => v !== "" && v !== null && v !== undefined)
    .map(([k, v]) => k + "=" + encodeURIComponent(v).replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ","));
  try {
    history.replaceState(null, "", parts.length ? "#" + parts.join("&") : location.pathname + location.search);
  } catch {
    // some browsers allow no change of the address of a file
  }
}
