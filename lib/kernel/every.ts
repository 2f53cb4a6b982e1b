type Missing<All, List extends readonly unknown[]> = Exclude<All, List[number]>;

/** Declares a list that names every member of a union. A missing member is a compile error that names it. */
export const every =
  <All extends string>() =>
  <const List extends readonly All[]>(
    list: [Missing<All, List>] extends [never] ? List : { missing: Missing<All, List> },
  ): List =>
    list as List;
