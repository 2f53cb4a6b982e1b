/** What Postman sends in an optional header of an imported collection until its user writes a value. */
const PLACEHOLDER = "<string>";

/** An optional header as it was sent; null without one, and for the placeholder of an imported collection. */
export function optionalHeader(request: Request, name: string): string | null {
  const value = request.headers.get(name);
  return value === PLACEHOLDER ? null : value;
}
