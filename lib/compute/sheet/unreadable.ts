/** The file cannot be read; the message is a sentence for the person who chose it. */
export class Unreadable extends Error {}

export const damaged = () =>
  new Unreadable("The file is damaged or is no .xlsx file. Save it again, then choose it again.");
export const tooMuch = () =>
  new Unreadable(
    "The file holds too much to read. Copy the rows into a new, plain spreadsheet and save that.",
  );
