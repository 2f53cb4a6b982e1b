import type { ReactNode } from "react";
import { type CodeLanguage, codeLanguages } from "@/lib/contract/snippets";

const tokens =
  /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|'\\''|\\.)*'|`(?:[^`\\]|\\.)*`)|(#[^\n]*|\/\/[^\n]*|\/\*\*[^\n]*)|(\$API_KEY|\$\w+)|\b(const|await|import|from|export|function|return|if|def|func|package|var|for|range|true|false|null|True|False|None|array|string|bool|str|new)\b|\b(\d+(?:\.\d+)?)\b/g;
const classes = ["s", "c", "v", "k", "n"];

/** Code in colours: strings, comments, variables, words of the language and numbers. Plain text underneath. */
function Coloured({ text }: { text: string }): ReactNode {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    // In a URL "//" begins no comment.
    if (match[2]?.startsWith("//") && text[match.index - 1] === ":") continue;
    if (match.index > end) parts.push(text.slice(end, match.index));
    const kind = match.slice(1).findIndex((group) => group !== undefined);
    end = match.index + match[0].length;
    // Names of fields stay plain, so that their values stand out.
    const isName = kind === 0 && /^\s*(:|=>)/.test(text.slice(end, end + 4));
    parts.push(
      isName ? (
        match[0]
      ) : (
        <i key={match.index} className={classes[kind]}>
          {match[0]}
        </i>
      ),
    );
  }
  parts.push(text.slice(end));
  return parts;
}

function CopyButton({ what }: { what: string }) {
  return (
    <button type="button" className="copy" hidden aria-label={`Copy ${what}`}>
      Copy
    </button>
  );
}

/** One piece of code under a caption. */
export function Code({ caption, text }: { caption: string; text: string }) {
  return (
    <figure className="code">
      <figcaption>{caption}</figcaption>
      <CopyButton what={caption.toLowerCase()} />
      <pre>
        <code>
          <Coloured text={text} />
        </code>
      </pre>
    </figure>
  );
}

type Texts = Partial<Record<CodeLanguage, string>>;

/** The same in several languages: radio buttons choose, so that it works without script; a script keeps all of them in step. */
export function CodeTabs({ id, caption, texts }: { id: string; caption: string; texts: Texts }) {
  const shown = codeLanguages.filter((language) => texts[language.id] !== undefined);
  return (
    <fieldset className="code tabs">
      <legend>{caption}</legend>
      {shown.map(({ id: language, name }, index) => (
        <span key={language} className="tab">
          <input
            type="radio"
            name={`in-${id}`}
            id={`${id}-${language}`}
            value={language}
            defaultChecked={index === 0}
          />
          <label htmlFor={`${id}-${language}`}>{name}</label>
        </span>
      ))}
      <CopyButton what={`the code of ${caption.toLowerCase()}`} />
      {shown.map(({ id: language }) => (
        <pre key={language} className={`in-${language}`}>
          <code>
            <Coloured text={texts[language] ?? ""} />
          </code>
        </pre>
      ))}
    </fieldset>
  );
}
