"use client";

import { useRef, useState } from "react";
import { readTable, type Table } from "@/lib/client/read-table";
import { rememberColumns, rememberedColumns } from "@/lib/client/remembered-columns";
import { useMe } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useZone } from "@/lib/client/use-zone";
import { guessMatching, headerKey, readMatching } from "./import-columns";
import { type ImportFile, importOf, type Matching } from "./import-file";
import { noteOf } from "./import-note";

type Setting = {
  /** The business's currency, once it is known. */
  ownCurrency: () => Promise<string | undefined>;
  onProblem: (text: string | null) => void;
  onFile: (file: ImportFile) => void;
};

/** A chosen file on its way to rows: read, then its columns matched. Columns with known names need no question. */
export function useImportTable({ ownCurrency, onProblem, onFile }: Setting) {
  const { business } = useScope();
  const account = useMe().data?.user._id ?? "";
  const timeZone = useZone();
  const [reading, setReading] = useState<string | null>(null);
  const [table, setTable] = useState<Table | null>(null);
  const [matching, setMatching] = useState<Matching | null>(null);
  const [file, setFile] = useState<ImportFile | null>(null);
  const source = useRef<File>(undefined);

  const forget = () => {
    setTable(null);
    setMatching(null);
    setFile(null);
  };
  const finish = (from: Table, chosen: Matching) => {
    const made = importOf(from, chosen, timeZone);
    if (typeof made === "string") return onProblem(made);
    onProblem(null);
    const withNote = { ...made, note: noteOf(from, chosen) };
    setFile(withNote);
    onFile(withNote);
  };
  const read = async (from: File, sheet?: string) => {
    source.current = from;
    setReading(from.name);
    const [found, currency] = await Promise.all([readTable(from, sheet), ownCurrency()]);
    // Another file may have been chosen meanwhile.
    if (source.current !== from) return;
    setReading(null);
    if (typeof found === "string") return onProblem(found);
    if (found.lines.length === 0) return onProblem("The file has no rows.");
    const guess = guessMatching(
      found.lines,
      (key) => readMatching(rememberedColumns(account, business, key)),
      currency,
    );
    const rows = importOf(found, guess.matching, timeZone);
    if (typeof rows === "string") {
      forget();
      return onProblem(rows);
    }
    setTable(found);
    setMatching(guess.matching);
    if (guess.sure && sheet === undefined) finish(found, guess.matching);
  };

  return {
    reading,
    table,
    matching,
    file,
    choose: async (from: File | undefined, sheet?: string) => {
      forget();
      onProblem(null);
      source.current = undefined;
      setReading(null);
      if (from) await read(from, sheet);
    },
    chooseSheet: async (sheet: string) => {
      onProblem(null);
      if (source.current) await read(source.current, sheet);
    },
    /** Takes the choice of a person and remembers it for the next file with this header. */
    match: (chosen: Matching) => {
      if (!table) return;
      const key = headerKey(table.lines, chosen.header);
      if (key) rememberColumns(account, business, key, chosen);
      setMatching(chosen);
      finish(table, chosen);
    },
    changeColumns: () => setFile(null),
  };
}
