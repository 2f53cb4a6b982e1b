const { parseSync } = require("oxc-parser");

// A loader of the build: a browser validates by the contract and never shows its descriptions, so they do not weigh on its pages. The API
// reference is rendered by the server, which keeps them.
module.exports = function withoutDescriptions(source) {
  const { program, errors } = parseSync(this.resourcePath, source);
  if (errors.length > 0) throw new Error(`${this.resourcePath}: ${errors[0].message}`);
  const cuts = [];
  visit(program, cuts);
  cuts.sort((a, b) => b.start - a.start);
  return cuts.reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), source);
};

function visit(node, cuts) {
  const cut = cutOf(node);
  if (cut) cuts.push(cut);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child.type === "string" && !isWithin(child, cut)) visit(child, cuts);
}

const isWithin = ({ start, end }, cut) => cut && start >= cut.start && end <= cut.end;

/** `.describe("…")`, `.meta({ description: "…" })`, and the property in a longer `.meta({ … })` or in `endpoint({ … })`. */
function cutOf(node) {
  if (node.type !== "CallExpression") return null;
  const { callee, arguments: given, end } = node;
  const name = callee.type === "MemberExpression" ? callee.property.name : callee.name;
  if (callee.type === "MemberExpression" && name === "describe")
    return { start: callee.object.end, end };
  const [options] = given;
  if (!/^(meta|endpoint)$/.test(name) || options?.type !== "ObjectExpression") return null;
  const { properties } = options;
  const at = properties.findIndex(({ key }) => key?.name === "description");
  if (at < 0) return null;
  if (name === "meta" && properties.length === 1) return { start: callee.object.end, end };
  const next = properties[at + 1];
  // With the comma between this one and its neighbour.
  return next
    ? { start: properties[at].start, end: next.start }
    : { start: properties[at - 1].end, end: properties[at].end };
}
