-- An erasure finds the payer's address in addresses of pages too, whatever signs of it are percent-encoded there.
CREATE OR REPLACE FUNCTION address_pattern(address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT '((?<![[:alnum:]._+%-])|(?<=%[[:xdigit:]][[:xdigit:]])|(?<=\\[bfnrt]))'
    || string_agg(CASE WHEN sign ~ '[[:alnum:]]' THEN sign ELSE '(\' || sign || '|%' || to_hex(ascii(sign)) || ')' END, '' ORDER BY place)
    || '(?![[:alnum:]-]|\.[[:alnum:]])'
  FROM regexp_split_to_table(lower(address), '') WITH ORDINALITY AS signs(sign, place)
$$;
